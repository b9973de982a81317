#include "framework/wing.h"

extern const struct wing wing_megatron;

const struct wing wing_nemo_bridge = {
	.name = "megatron-bridge",
	.on = &wing_megatron,
};
