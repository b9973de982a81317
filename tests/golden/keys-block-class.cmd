cd "$(mktemp -d)" || exit
for class in Qwen3DecderLayer Qwen3DecoderLayer WhisperEncoderLayer,WhisperDecoderLayer GPT2Block; do
	printf '%s\n' 'compute_environment: LOCAL_MACHINE' 'distributed_type: FSDP' 'num_machines: 1' 'num_processes: 8' 'fsdp_config:' '  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP' "  fsdp_transformer_layer_cls_to_wrap: $class" >$class.yaml
done
parplan check *.yaml
