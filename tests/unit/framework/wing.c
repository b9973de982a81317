/* What frameworks do that rules ask about, up to HABIT_OPTIMIZER_PARTS, each by hand; whatever is
 * not named here nobody does. */
#include "framework/wing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Those that stand on another do what it does. */
static const struct {
	enum habit habit;
	const char *wings; /* "a b" */
} does[] = {
	{ HABIT_TRAINER, "torchtitan" },
	{ HABIT_MEGATRON, "megatron megatron-bridge ms-swift nemo" },
	{ HABIT_ENGINE, "deepspeed" },
	{ HABIT_HF_TRAINER, "llama-factory transformers trl" },
	/* DeepSpeed's _batch_assertion; the Trainer compares its arguments with the file's */
	{ HABIT_ASSERTS_TRIPLE, "deepspeed llama-factory transformers trl" },
	{ HABIT_BATCH_OVER_RANKS, "composer llm-foundry nemo-rl verl" },
	{ HABIT_FILLS_PIPELINE, "nanotron" },
	{ HABIT_KTO_PAIRS, "axolotl oumi trl" },
	{ HABIT_GENERATION_BATCH, "trl" },
	{ HABIT_ROLLOUT, "verl" },
	{ HABIT_KV_AT_LEAST, "nanotron" },
	{ HABIT_KV_UNEVEN, "deepspeed" },
	{ HABIT_CUTS_UNPADDED, "deepspeed nanotron" },
	{ HABIT_OWN_LENGTHS,
	  "accelerate axolotl llama-factory ms-swift open-instruct openrlhf oumi torchtune "
	  "transformers trl verl" },
	{ HABIT_PACKS_BATCHES, "openrlhf" },
	{ HABIT_CUTS_PACK, "axolotl" },
	{ HABIT_ALIGNED_DOCUMENTS, "llama-factory" },
	{ HABIT_CUTS_ALONE, "nanotron" },
	{ HABIT_RING_KERNEL, "axolotl" },
	{ HABIT_EP_IN_PRODUCT, "llama-factory" },
	{ HABIT_ETP_ONE, "ms-swift nemo-rl" },
	{ HABIT_WEIGHS_LAYERS, "areal deepspeed" },
	{ HABIT_WANTS_TP_PLAN, "torchtune" },
	{ HABIT_ENGINE_FILE, "accelerate" },
	{ HABIT_STRATEGY_DROPPED, "accelerate axolotl" },
	{ HABIT_BARE_DEGREES, "axolotl" },
	{ HABIT_FILES_BY_RANK, "gpt-neox nanotron" },
	{ HABIT_WORD_RUNS, "deepspeed" },
	{ HABIT_OPTIMIZER_PARTS, "deepspeed lightning" },
};

static bool names(const char *words, const char *name)
{
	const size_t length = strlen(name);
	const char *at = words;

	while (at && (strncmp(at, name, length) != 0 || (at[length] && at[length] != ' ')))
		at = (at = strchr(at, ' ')) ? at + 1 : NULL;
	return at != NULL;
}

static bool is_told(enum habit habit, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(does) / sizeof(does[0]); i++)
		if (does[i].habit == habit && names(does[i].wings, name))
			return true;
	return false;
}

static void habits_of_all(void **state)
{
	const struct version lightning = { .framework = "lightning", .label = "1.9.5" };
	const struct wing *const *wing;
	int habit;

	(void)state;
	for (wing = wings; *wing; wing++)
		for (habit = HABIT_END + 1; habit <= HABIT_OPTIMIZER_PARTS; habit++) {
			const bool old = !strcmp((*wing)->name, "lightning");
			if (wing_does(*wing, (enum habit)habit, old ? &lightning : NULL) !=
			    is_told((enum habit)habit, (*wing)->name))
				fail_msg("%s and habit %d", (*wing)->name, habit);
		}
}

/* Only releases before 2; no version at all is a new one. */
static void habits_end(void **state)
{
	const struct wing *lightning = wing_find("lightning");
	struct version version = { .framework = "lightning", .label = "2.0.0" };

	(void)state;
	assert_false(wing_does(lightning, HABIT_OPTIMIZER_PARTS, &version));
	assert_false(wing_does(lightning, HABIT_OPTIMIZER_PARTS, NULL));
	version.label = "1.9";
	assert_true(wing_does(lightning, HABIT_OPTIMIZER_PARTS, &version));
}

/* The set of a wing's habits at a version has those that it is said to have one by one. */
static void sets_of_habits(void **state)
{
	static const moment_t days[] = { 0, 2023060100, 2025030100, 2026010100 };
	const struct wing *const *wing;
	size_t i;
	int habit;

	(void)state;
	for (wing = wings; *wing; wing++)
		for (i = 0; i < sizeof(days) / sizeof(*days); i++) {
			const struct version version = { .label = "", .when = days[i] };
			struct habits set = { 0 };
			wing_add_habits(&set, *wing, &version);
			for (habit = HABIT_END + 1; habit < HABITS; habit++)
				assert_true(habits_have(&set, (enum habit)habit) ==
					    wing_does(*wing, (enum habit)habit, &version));
		}
}

static void habits_of_nobody(void **state)
{
	(void)state;
	assert_null(wing_find("lightnin"));
	assert_false(wing_does(NULL, HABIT_ENGINE, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(habits_of_all),
		cmocka_unit_test(habits_end),
		cmocka_unit_test(sets_of_habits),
		cmocka_unit_test(habits_of_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
