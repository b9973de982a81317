cd "$(mktemp -d)" || exit
printf '%s\n' 'stage: sft' 'model_name_or_path: meta-llama/Llama-3.1-8B' 'finetuning_type: full' 'do_train: yess' 'dataloader_drop_last: "on"' 'save_only_model: flase' 'output_dir: out' 'dataset: d' 'template: llama3' >factory.yaml
parplan check factory.yaml
