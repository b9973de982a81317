# Where all are refused, one's words say why; a request that the framework has no word for, and two that exclude each other, are refused.
parplan search --global-batch 7 plans/hsdp-2x8.yaml | sed -n '/^No layout/,/^$/p'
parplan search --fix zero_stage=3 plans/hsdp-2x8.yaml
parplan search --within 3% --top 4 plans/hsdp-2x8.yaml
# Lines are broken where a screen ends.
parplan search --gpus 16 --gpu h100-sxm --top 1 testdata/dialects/litgpt/full.yaml | sed -n '/^Yours/,/^$/p'
# What stops most, alike but for numbers; of as many, what stops the config itself.
parplan search --gpu h200 --env OVERLAP='--overlap-grad-reduce --overlap-param-gather' --set training.activation_checkpoint.mode=full testdata/megatron/overlap.sh | sed -n '/^No layout/,/^$/p'
