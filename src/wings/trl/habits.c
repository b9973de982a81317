#include "framework/wing.h"

extern const struct wing wing_transformers;

const struct wing wing_trl = {
	.name = "trl",
	.on = &wing_transformers,
};
