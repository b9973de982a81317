#include "framework/wing.h"

extern const struct exceptions exceptions_lightning;

const struct wing wing_lightning = {
	.name = "lightning",
	.tells = &exceptions_lightning,
};
