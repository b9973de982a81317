#include "framework/torch/fsdp.h"

#include <string.h>

/* torch@v2.4.1 distributed/_composable/fsdp/_fsdp_param.py, _init_sharded_param. */
const char wrap_hsdp_with_tensor_text[] = "Using TP with HSDP is not supported";

bool wrap_is_flat(const struct settings *settings)
{
	return !strcmp(setting_text(settings, FIELD_FSDP_VERSION, "2"), "1");
}

bool wrap_takes_hsdp_with_tensor(const struct torch_release *torch)
{
	return torch_has(torch, TORCH_STRIDED_SHARD);
}
