# LLaMA-Factory's flags and overrides in a script: slips are told, starts of flags and "no_" are argparse's.
cd "$(mktemp -d)" || exit
printf '%s\n' 'llamafactory-cli train --stage sft --do-train --lora-rank 8 --no-use-fast-tokenizer --model_name_or_path meta-llama/Llama-3.2-1B --finetuning_type lora --cutoff-lenn 2048 --learning_rat=1e-4 --template llama3' >flags.sh
printf '%s\n' 'model_name_or_path: meta-llama/Llama-3.2-1B' 'stage: sft' 'finetuning_type: lora' 'template: llama3' >lora.yaml
printf '%s\n' 'llamafactory-cli train lora.yaml cutoff_lenn=2048 learning_rate=1e-4' >file.sh
parplan check flags.sh file.sh
