#include "framework/wing.h"

extern const struct exceptions exceptions_gpt_neox;

const struct wing wing_gpt_neox = {
	.name = "gpt-neox",
	.tells = &exceptions_gpt_neox,
};
