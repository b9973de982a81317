#include "framework/wing.h"

extern const struct exceptions exceptions_torchtune;

const struct wing wing_torchtune = {
	.name = "torchtune",
	.tells = &exceptions_torchtune,
};
