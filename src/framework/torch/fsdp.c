#include "framework/torch/fsdp.h"

#include <string.h>

/* torch@v2.4.0 distributed/device_mesh.py, get_parent_mesh_dim, called by _init_sharded_param. */
const char wrap_hsdp_with_tensor_text[] = "The child mesh can only be a 1D mesh.";

bool wrap_is_flat(const struct settings *settings)
{
	return !strcmp(setting_text(settings, FIELD_FSDP_VERSION, "2"), "1");
}

bool wrap_takes_hsdp_with_tensor(const struct torch_release *torch)
{
	return torch_has(torch, TORCH_STRIDED_SHARD);
}
