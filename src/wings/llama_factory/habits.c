#include "framework/wing.h"

extern const struct exceptions exceptions_llama_factory;
extern const struct wing wing_transformers;

const struct wing wing_llama_factory = {
	.name = "llama-factory",
	.tells = &exceptions_llama_factory,
	.on = &wing_transformers,
};
