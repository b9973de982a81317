#include "rules/level.h"
#include "rules/raised.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void severities_respect_the_evidence(void **state)
{
	const struct rule *rule = NULL;

	(void)state;
	while ((rule = rule_next(rule)))
		if (rule->id->severity > evidence_cap(rule->id->evidence))
			fail_msg("%s: %s on evidence '%s'", rule->id->name,
				 severity_name(rule->id->severity),
				 evidence_name(rule->id->evidence));
}

static bool is_kebab(const char *name)
{
	size_t i;

	for (i = 0; name[i]; i++)
		if (!islower((unsigned char)name[i]) && !isdigit((unsigned char)name[i]) &&
		    (name[i] != '-' || !i || name[i - 1] == '-' || !name[i + 1]))
			return false;
	return i > 0;
}

static bool is_code(const char *code)
{
	return strlen(code) == 4 && isupper((unsigned char)code[0]) &&
	       strspn(code + 1, "0123456789") == 3;
}

static void rows_are_complete(void **state)
{
	const struct rule *rule = NULL;

	(void)state;
	while ((rule = rule_next(rule))) {
		const struct rule_id *id = rule->id;

		if (!is_kebab(id->name) || !is_code(id->code))
			fail_msg("%s (%s): bad name or code", id->name, id->code);
		if (!*id->summary || strlen(id->summary) > 80)
			fail_msg("%s: summary of %zu columns", id->name, strlen(id->summary));
		if (!*id->explanation || !*id->remedy || !*id->source)
			fail_msg("%s: explanation, remedy or source is empty", id->name);
	}
}

static void names_and_codes_are_unique(void **state)
{
	const struct rule *rule = NULL, *other;

	(void)state;
	while ((rule = rule_next(rule))) {
		assert_ptr_equal(rule_find(rule->id->name), rule);
		assert_non_null(rule_topic(rule));
		for (other = rule_next(rule); other; other = rule_next(other))
			if (!strcmp(rule->id->code, other->id->code))
				fail_msg("%s and %s: both %s", rule->id->name, other->id->name,
					 rule->id->code);
	}
	assert_null(rule_find("no-such-rule"));
}

/* Texts as the versions named raise them, and who reports them. */
static const struct {
	const char *message, *rule;
	enum field_id because;
} errors[] = {
	{ "Invalid parallel dims: dp_replicate(2) * dp_shard(2) * cp(1) * tp(1) * pp(1) != "
	  "WORLD_SIZE(16)",
	  "degrees-product", FIELD_DP_SHARD },
	{ "", "degrees-product", FIELD_DP_SHARD },
	{ "", "expert-degree", FIELD_EP },
	{ "", "pipeline-split", FIELD_PP_LAYERS_PER_STAGE },
	{ "Parallelism degree should be >= 1, except for dp_shard", "degree-below-one", FIELD_TP },
	{ " dp_shard must -1 or >=1.", "degree-below-one", FIELD_DP_SHARD },
	{ "DDP has not supported > 1D parallelism", "ddp-with-other-axes", FIELD_TP },
	{ "Composability of DDP + CP is not supported.", "ddp-with-other-axes", FIELD_CP },
	{ "Mesh 'tp' is not available. Ensure the corresponding parallelism dimension is enabled "
	  "(size > 1).",
	  "mesh-unavailable", FIELD_EP },
	{ "\n        Sequence length 8190 must be divisible by the product of TP degree\n        "
	  "(4) and 2 * CP degree (1).\n        ",
	  "sequence-length", FIELD_SEQ_LEN },
	{ "The number of tokens per pipeline microbatch (5) must be divisible by 4 for the "
	  "configured sequence/context parallelism.",
	  "sequence-length", FIELD_SEQ_LEN },
	{ "global batch size must be multiple of local batch size times data-parallel degree (9 % "
	  "(2 * 8) != 0)",
	  "batch-size", FIELD_GLOBAL_BATCH_SIZE },
	{ "tensor_parallel_degree (3) must divide n_heads (32).", "heads-divisibility", FIELD_TP },
	{ "Pipeline Parallel is enabled but qwen3 does not support pipelining",
	  "pipeline-unsupported", FIELD_PP },
	{ "Batch size 3 must be divisible by microbatch_size 2.", "pipeline-microbatches",
	  FIELD_PP },
	{ "The number of total stages cannot be greater than the number of effective layers.",
	  "pipeline-split", FIELD_PP },
	{ "Async TP requires --training.compile", "async-tp-needs-compile", FIELD_ASYNC_TP },
	{ "something nobody has seen", "framework-raises", FIELD_TP },
};

static void every_exception_has_its_rule(void **state)
{
	struct setting setting = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		struct plan_error error = { "ValueError", errors[i].message, "somewhere",
					    NULL,	  { &setting },	     1 };

		setting.field = errors[i].because;
		assert_string_equal(raised_rule(&error), errors[i].rule);
		assert_non_null(rule_find(raised_rule(&error)));
	}
}

static void a_named_rule_wins_over_the_text(void **state)
{
	struct plan_error error = { .type = "ValueError",
				    .message = "Sequence length",
				    .rule = "batch-size" };

	(void)state;
	assert_string_equal(raised_rule(&error), "batch-size");
}

static void levels_take_lists_and_know_names(void **state)
{
	struct levels levels = { 0 };
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_null(levels_add(&levels, &arena, "hsdp-collapsed,degrees-product", LEVEL_IGNORE));
	assert_int_equal(levels.list.count, 2);
	assert_string_equal(levels_add(&levels, &arena, "hsdp-colapsed", LEVEL_WARN),
			    "unknown rule 'hsdp-colapsed'; did you mean 'hsdp-collapsed'?");
	assert_string_equal(levels_add(&levels, &arena, "q", LEVEL_WARN),
			    "unknown rule 'q' (parplan rules lists them)");
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(severities_respect_the_evidence),
		cmocka_unit_test(rows_are_complete),
		cmocka_unit_test(names_and_codes_are_unique),
		cmocka_unit_test(every_exception_has_its_rule),
		cmocka_unit_test(a_named_rule_wins_over_the_text),
		cmocka_unit_test(levels_take_lists_and_know_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
