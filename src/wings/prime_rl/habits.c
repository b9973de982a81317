#include "framework/wing.h"

static const struct habit_row habits[] = {
	{ .habit = HABIT_REPEATS_KEYS }, /* src/prime_rl/trainer/models/layers/ulysses_attn.py */
	/* PrimeIntellect-ai/prime-rl@559b4477 trainer/model.py, MixedPrecisionPolicy */
	{ .habit = HABIT_REDUCES_FP32 },
	{ .habit = HABIT_END },
};

extern const struct exceptions exceptions_prime_rl;

const struct wing wing_prime_rl = {
	.name = "prime-rl",
	.habits = habits,
	.tells = &exceptions_prime_rl,
};
