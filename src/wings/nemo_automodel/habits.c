#include "framework/wing.h"

extern const struct exceptions exceptions_nemo_automodel;

const struct wing wing_nemo_automodel = {
	.name = "nemo-automodel",
	.tells = &exceptions_nemo_automodel,
};
