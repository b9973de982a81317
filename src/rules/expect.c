#include "rules/expect.h"

#include "input/node.h"
#include "rules/facts.h"
#include "input/vocabulary.h"

#include <string.h>

#define PLAN	   (NEEDS_WORLD | NEEDS_APPLIED)
#define FORECAST   (NEEDS_WORLD | NEEDS_MODEL)
#define STRATEGIES "none|ddp|fsdp|hsdp|hsdp(ft)|fsdp(shard=1)|hsdp(shard=1)"

/* clang-format off */
const struct expectation expectations[] = {
	{ "data_parallel", SHAPE_WORD, STRATEGIES, "expect-data-parallel", PLAN,
	  expect_data_parallel, "strategy that is applied" },
	{ "degrees", SHAPE_MAP, NULL, "expect-degrees", NEEDS_WORLD, expect_degrees,
	  "degrees after inference, by axis: {dp_shard: 8, tp: 2}" },
	{ "groups", SHAPE_MAP, NULL, "expect-groups", PLAN, expect_groups,
	  "where the groups of an axis lie, how many there are, who is in them: "
	  "{tp: within-node, dp_shard: {size: 8, members: [[0, 1, 2, 3, 4, 5, 6, 7]]}}" },
	{ "parameters", SHAPE_MAP, NULL, "expect-parameters", PLAN | NEEDS_MODEL, expect_parameters,
	  "placements, mesh and largest part of the parameters whose name a regular expression "
	  "finds: {'wq\\.weight': {placements: R S(0), max_local_elements: 2097152}}" },
	{ "max_local_parameters", SHAPE_COUNT, NULL, "expect-local-parameters", PLAN | NEEDS_MODEL,
	  expect_local_parameters, "elements of all parameters that any one rank may hold" },
	{ "world", SHAPE_COUNT, NULL, "expect-counts", NEEDS_WORLD, expect_world,
	  "number of ranks" },
	{ "units", SHAPE_COUNT, NULL, "expect-counts", PLAN | NEEDS_MODEL, expect_units,
	  "number of fully_shard calls with parameters of their own" },
	{ "stages", SHAPE_COUNT, NULL, "expect-counts", PLAN, expect_stages,
	  "number of pipeline stages, virtual ones counted" },
	{ "checkpoint", SHAPE_WORD, "compatible", "expect-checkpoint", PLAN, expect_checkpoint,
	  "checkpoint.resume can be loaded, every component that is not excluded" },
	{ "clean", SHAPE_NAMES, NULL, "expect-unknown", NEEDS_NOTHING, expect_clean,
	  "topics or rules that must find nothing; what they find is an error: [topology]" },
	{ "max_memory_gib", SHAPE_NUMBER, NULL, "expect-forecast", FORECAST, expect_memory,
	  "device memory in use at the peak, GiB, as nvidia-smi would show" },
	{ "min_mfu", SHAPE_NUMBER, NULL, "expect-forecast", FORECAST, expect_mfu,
	  "model FLOPs utilization, from 0 to 1: causal attention at half, recomputation not "
	  "counted, dense bf16 peak" },
	{ "max_step_time_s", SHAPE_NUMBER, NULL, "expect-forecast", FORECAST, expect_step_time,
	  "seconds of one optimizer step" },
	{ "max_bubble", SHAPE_NUMBER, NULL, "expect-forecast", FORECAST, expect_bubble,
	  "part of a step in which pipeline ranks wait, from 0 to 1" },
	{ NULL, SHAPE_WORD, NULL, NULL, NEEDS_NOTHING, NULL, NULL },
};
/* clang-format on */

const char *shape_name(enum shape shape)
{
	static const char *const names[] = {
		[SHAPE_WORD] = "text",	   [SHAPE_COUNT] = "integer",
		[SHAPE_NUMBER] = "number", [SHAPE_NAMES] = "text or list",
		[SHAPE_MAP] = "map",
	};

	return names[shape];
}

static const struct expectation *row_of(const char *name)
{
	const struct expectation *row;

	for (row = expectations; row->name; row++)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}

/* What a plan lacks that an expectation asks after, in words; "" when that is an error already. */
static const char *missing(const struct expectation *row, const struct job *job)
{
	const char *lacking = needs_lacking(row->needs, job);

	if (lacking && !*lacking && !job->applied->error)
		return "a framework whose plan is modelled";
	return lacking;
}

static void judge(const struct expected *expected)
{
	const char *lacks = missing(expected->row, expected->job);

	if (!expect_shape(expected->job, expected->want, expected->row->shape,
			  expected->row->words))
		return;
	if (!lacks)
		expected->row->judge(expected);
	else if (*lacks)
		expect_unjudged(expected->job, expected->want, "%s", lacks);
}

static bool is_null(const struct node *node)
{
	return node->kind == NODE_SCALAR && node->type == SCALAR_NULL;
}

void expect_check(const struct rule *rule, struct job *job)
{
	const struct node *expect = fact(job, FIELD_EXPECT)->node, *child;
	struct expected expected = { .rule = rule, .job = job };

	for (child = expect->first; child; child = child->next) {
		expected.row = row_of(child->key);
		expected.want = child;
		if (expected.row && !is_null(child) && !strcmp(expected.row->rule, rule->id->name))
			judge(&expected);
	}
}

void expect_check_names(const struct rule *rule, struct job *job)
{
	const struct node *expect = fact(job, FIELD_EXPECT)->node, *child;
	VEC(const char *) names = { 0 };
	const struct expectation *row;

	for (row = expectations; row->name; row++)
		vec_push(job->arena, &names, row->name);
	for (child = expect->first; child; child = child->next)
		if (!row_of(child->key))
			expect_unknown(job, child, names.items, names.count);
	expect_check(rule, job);
}

void expect_vocabulary(struct vocabulary *vocabulary)
{
	struct vocabulary_key key = { .field = FIELD_COUNT };
	const struct expectation *row;

	for (row = expectations; row->name; row++) {
		key.path =
			arena_join(vocabulary->arena, field_of(FIELD_EXPECT)->key, ".", row->name);
		key.help = row->help;
		key.words = row->words;
		key.type = row->shape == SHAPE_COUNT	? FIELD_INT
			   : row->shape == SHAPE_NUMBER ? FIELD_REAL
							: FIELD_TEXT;
		key.typed = row->shape != SHAPE_MAP && row->shape != SHAPE_NAMES;
		vocabulary_add(vocabulary, &key);
	}
}
