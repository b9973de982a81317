#include "framework/wing.h"

extern const struct wing wing_megatron;

const struct wing wing_nemo = {
	.name = "nemo",
	.on = &wing_megatron,
};
