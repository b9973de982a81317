# One rank holds no model, and is not what the config expects: both are said.
COLUMNS=200 parplan search --gpus 1 plans/hsdp-2x8.yaml | sed -n '/^No layout/,/^$/p'
parplan search --gpus 1 --format json plans/hsdp-2x8.yaml | grep -o '"limited_by":"[^"]*","rule":"[^"]*"'
# Without what is expected, memory alone is.
sed '/^expect/,$d' plans/hsdp-2x8.yaml | COLUMNS=200 parplan search --gpus 1 - | sed -n '/^No layout/,/^$/p'
