#include "framework/wing.h"

extern const struct wing wing_megatron;

const struct wing wing_ms_swift = {
	.name = "ms-swift",
	.on = &wing_megatron,
};
