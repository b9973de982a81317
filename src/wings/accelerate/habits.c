#include "framework/wing.h"

extern const struct exceptions exceptions_accelerate;

const struct wing wing_accelerate = {
	.name = "accelerate",
	.tells = &exceptions_accelerate,
};
