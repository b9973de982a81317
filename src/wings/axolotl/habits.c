#include "framework/wing.h"

extern const struct exceptions exceptions_axolotl;

const struct wing wing_axolotl = {
	.name = "axolotl",
	.tells = &exceptions_axolotl,
};
