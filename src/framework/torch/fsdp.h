#ifndef FRAMEWORK_TORCH_FSDP_H
#define FRAMEWORK_TORCH_FSDP_H

#include "framework/torch/release.h"
#include "input/setting.h"

/*
 * FullyShardedDataParallel (parallelism.fsdp_version 1): it cuts vectors that hold whole units, so
 * it places no parameter.
 */
bool wrap_is_flat(const struct settings *settings);

/* HSDP over parameters that tensor parallelism has cut: from 2.5 on (pytorch#133335). */
bool wrap_takes_hsdp_with_tensor(const struct torch_release *torch);

/* The NotImplementedError of older versions. */
extern const char wrap_hsdp_with_tensor_text[];

#endif
