#include "wings/torchtitan/pipeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* One split: the layers of each stage, by the number of its first one. */
struct split_case {
	const char *what;
	struct pipeline_request request;
	int stages;
	int64_t first[32];   /* first layer of each stage; the last stage ends with the model */
	const char *message; /* what is raised instead; its start */
};

#define V01 .algorithm = PP_RIGID_LAYERS, .input_weight = 1, .output_weight = 1
#define V02 .algorithm = PP_FQNS, .v = PP_V_DUAL_PIPE, .input_weight = 1, .output_weight = 1

static const struct split_case cases[] = {
	{ "v0.1.0 1F1B",
	  { V01, .schedule = "1F1B", .pp = 4, .layers = 32 },
	  4,
	  { 0, 8, 17, 25 },
	  NULL },
	{ "v0.1.0 interleaved",
	  { V01, .schedule = "Interleaved1F1B", .pp = 4, .layers = 80 },
	  8,
	  { 0, 10, 21, 31, 41, 51, 61, 71 },
	  NULL },
	{ "v0.1.0 four layers per stage",
	  { V01, .schedule = "Interleaved1F1B", .pp = 8, .layers = 126, .layers_per_stage = 4 },
	  32,
	  { 0,	3,  7,	11, 15, 19, 23, 27, 31, 35, 39,	 43,  47,  51,	55,  59,
	    63, 67, 71, 75, 79, 83, 87, 91, 95, 99, 103, 107, 111, 115, 119, 123 },
	  NULL },
	{ "v0.1.0 empty ends",
	  { V01, .schedule = "Interleaved1F1B", .pp = 4, .layers = 6 },
	  8,
	  { 0, 0, 1, 2, 3, 4, 5, 6 },
	  NULL },
	{ "v0.1.0 too many stages",
	  { V01, .schedule = "Interleaved1F1B", .pp = 8, .layers = 6 },
	  0,
	  { 0 },
	  "The number of total stages cannot be greater than the number of effective layers." },
	{ "v0.1.0 no rigid fit",
	  { V01, .schedule = "Interleaved1F1B", .pp = 4, .layers = 32, .layers_per_stage = 7 },
	  0,
	  { 0 },
	  "" },
	{ "v0.1.0 two stages of 1F1B",
	  { V01, .schedule = "1F1B", .pp = 2, .layers = 6, .layers_per_stage = 2 },
	  0,
	  { 0 },
	  "Number of stages per rank (2) must be 1 for single-stage schedules." },
	{ "2024-10",
	  { .algorithm = PP_SPLIT_POINTS, .schedule = "1F1B", .pp = 4, .layers = 34 },
	  4,
	  { 0, 8, 17, 26 },
	  NULL },
	{ "2024-09 looped without points",
	  { .algorithm = PP_GIVEN_POINTS,
	    .own_names = true,
	    .schedule = "interleaved_1f1b",
	    .pp = 2,
	    .layers = 32 },
	  0,
	  { 0 },
	  "num_stages 1 must be evenly divisible by pp_size 2" },
	{ "v0.2.2 a name of 2024",
	  { V02, .schedule = "interleaved_1f1b", .pp = 2, .layers = 32 },
	  0,
	  { 0 },
	  "Unknown schedule name 'interleaved_1f1b'. The valid options are ['1F1B', " },
	{ "v0.2.2 1F1B", { V02, .schedule = "1F1B", .pp = 2, .layers = 6 }, 2, { 0, 3 }, NULL },
	{ "v0.2.2 1F1B of four",
	  { V02, .schedule = "1F1B", .pp = 4, .layers = 32 },
	  4,
	  { 0, 8, 17, 25 },
	  NULL },
	{ "v0.2.2 interleaved",
	  { V02, .schedule = "interleaved1f1b", .pp = 4, .layers = 80 },
	  8,
	  { 0, 10, 21, 31, 41, 51, 61, 71 },
	  NULL },
	{ "v0.2.2 nine layers per stage",
	  { V02, .schedule = "1F1B", .pp = 4, .layers = 32, .layers_per_stage = 9 },
	  4,
	  { 0, 8, 17, 25 },
	  NULL },
	{ "v0.2.2 five stages over four ranks",
	  { V02, .schedule = "Interleaved1F1B", .pp = 4, .layers = 32, .layers_per_stage = 7 },
	  0,
	  { 0 },
	  "Number of virtual stages (5) must be divisible by pipeline parallel size (4). Model has "
	  "32 layers with pipeline_parallel_layers_per_stage=7. Please adjust "
	  "pipeline_parallel_layers_per_stage to a value that results in a number of stages "
	  "divisible by 4." },
	{ "v0.2.2 ZBV",
	  { V02, .schedule = "ZBVZeroBubble", .pp = 2, .layers = 6 },
	  4,
	  { 0, 1, 3, 5 },
	  NULL },
	{ "v0.2.2 nine stages over four ranks",
	  { V02, .schedule = "1F1B", .pp = 4, .layers = 32, .layers_per_stage = 4 },
	  0,
	  { 0 },
	  "Number of virtual stages (9) must be divisible by pipeline parallel size (4)." },
	{ "v0.2.2 two stages of 1F1B",
	  { V02, .schedule = "1F1B", .pp = 4, .layers = 30, .layers_per_stage = 4 },
	  0,
	  { 0 },
	  "Single stage schedule requires exactly 1 stage per rank, but got 2 stages per rank. "
	  "Model "
	  "has 30 layers with pipeline_parallel_layers_per_stage=4, resulting in "
	  "num_virtual_stages=8 across 4 PP ranks. Please increase "
	  "pipeline_parallel_layers_per_stage to 7 or higher to achieve 1 stage per rank." },
	{ "v0.2.2 heavy embedding",
	  { .algorithm = PP_FQNS,
	    .input_weight = 4,
	    .output_weight = 1,
	    .schedule = "1F1B",
	    .pp = 4,
	    .layers = 6 },
	  0,
	  { 0 },
	  "input_weight (4) exceeds minimum layers per stage (2)." },
	{ "no such schedule",
	  { V02, .schedule = "2F2B", .pp = 4, .layers = 32 },
	  0,
	  { 0 },
	  "Unknown schedule name '2F2B'. The valid options are ['1F1B', 'Interleaved1F1B', "
	  "'GPipe', "
	  "'LoopedBFS', 'InterleavedZeroBubble', 'PipelineScheduleSingle', "
	  "'PipelineScheduleMulti', 'ZBVZeroBubble', 'DualPipeV']" },
};

static struct pipeline_split run(struct arena *arena, struct pipeline_request request)
{
	struct pipeline_split split;

	request.output = "output";
	assert_true(torch_parse(arena, "2.9.0", &request.torch));
	pipeline_split(arena, &request, &split);
	return split;
}

/* Layers of a stage, which must be consecutive from `first`. */
static int64_t layers_from(const struct stage *stage, int64_t first)
{
	int64_t count = 0;
	char name[32];
	size_t i;

	for (i = 0; i < stage->modules.count; i++) {
		if (strncmp(stage->modules.items[i], "layers.", 7) != 0)
			continue;
		snprintf(name, sizeof(name), "layers.%d", (int)(first + count));
		assert_string_equal(stage->modules.items[i], name);
		count++;
	}
	return count;
}

static void check_stages(const struct split_case *c, const struct pipeline_split *split)
{
	int i;

	for (i = 0; i < c->stages; i++) {
		int64_t end = i + 1 < c->stages ? c->first[i + 1] : c->request.layers;
		const struct stage *stage = &split->stages.items[i];
		if (layers_from(stage, c->first[i]) != end - c->first[i])
			print_error("%s: stage %d\n", c->what, i);
		assert_int_equal(layers_from(stage, c->first[i]), end - c->first[i]);
		assert_int_equal(stage->index, i);
	}
	assert_string_equal(split->stages.items[0].modules.items[0], "tok_embeddings");
	assert_string_equal(
		split->stages.items[c->stages - 1]
			.modules.items[split->stages.items[c->stages - 1].modules.count - 1],
		"output");
}

static void splits(void **state)
{
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct split_case *c = &cases[i];
		struct pipeline_split split = run(&arena, c->request);
		if ((int)split.stages.count != c->stages)
			fail_msg("%s: %zu stages (%s)", c->what, split.stages.count,
				 split.raised.type ? split.raised.message : "");
		if (c->message) {
			assert_non_null(split.raised.type);
			if (strncmp(split.raised.message, c->message, strlen(c->message)) != 0)
				fail_msg("%s: %s", c->what, split.raised.message);
		} else {
			check_stages(c, &split);
		}
	}
	arena_release(&arena);
}

static void ranks_of_stages(void **state)
{
	static const int64_t loop[] = { 0, 1, 2, 3, 0, 1, 2, 3 }, v[] = { 0, 1, 1, 0 };
	struct pipeline_split split;
	struct arena arena;
	int i;

	(void)state;
	arena_init(&arena);
	split = run(&arena, cases[1].request);
	for (i = 0; i < 8; i++)
		assert_int_equal(split.stages.items[i].pp_rank, loop[i]);
	split = run(&arena, (struct pipeline_request) { V02, .schedule = "ZBVZeroBubble", .pp = 2,
							.layers = 6 });
	for (i = 0; i < 4; i++)
		assert_int_equal(split.stages.items[i].pp_rank, v[i]);
	arena_release(&arena);
}

static struct node *words(struct arena *arena, const char *const *names, int count)
{
	const struct span nowhere = { 0 };
	struct node *list = node_container(arena, NODE_LIST, nowhere);
	int i;

	for (i = 0; i < count; i++)
		node_append(list, node_scalar(arena, SCALAR_STRING, names[i], nowhere));
	return list;
}

/* A split point that names no layer leaves its own stage empty and lengthens the one before. */
static void given_split_points(void **state)
{
	static const char *const good[] = { "layers.2" }, *const lost[] = { "layers.9" };
	struct pipeline_request request = { V01, .schedule = "1F1B", .pp = 2, .layers = 6 };
	struct pipeline_split split;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	request.split_points = words(&arena, good, 1);
	split = run(&arena, request);
	assert_int_equal(layers_from(&split.stages.items[0], 0), 2);
	assert_int_equal(layers_from(&split.stages.items[1], 2), 4);
	request.split_points = words(&arena, lost, 1);
	split = run(&arena, request);
	assert_int_equal(layers_from(&split.stages.items[0], 0), 6);
	assert_int_equal(layers_from(&split.stages.items[1], 0), 0);
	request.pp = 4;
	split = run(&arena, request);
	assert_string_equal(split.raised.message,
			    "num_stages 2 must be evenly divisible by pp_size 4");
	arena_release(&arena);
}

static void given_parts(void **state)
{
	static const char *const first[] = { "tok_embeddings", "layers.0" }, *const last[] = {
		"layers.1", "norm", "output"
	};
	struct pipeline_request request = { V02, .schedule = "1F1B", .pp = 2, .layers = 2 };
	struct pipeline_split split;
	struct arena arena;
	struct node *parts;

	(void)state;
	arena_init(&arena);
	parts = node_container(&arena, NODE_LIST, (struct span) { 0 });
	node_append(parts, words(&arena, first, 2));
	node_append(parts, words(&arena, last, 3));
	request.parts = parts;
	split = run(&arena, request);
	assert_int_equal(split.stages.count, 2);
	assert_int_equal(split.stages.items[1].modules.count, 3);
	arena_release(&arena);
}

static const char *microbatches_of(struct arena *arena, int minor, const char *schedule, int64_t m,
				   int64_t stages)
{
	struct torch_release torch = { .minor = minor };
	struct pipeline_microbatches given = { .schedule = pipeline_schedule_find(schedule),
					       .microbatches = m,
					       .pp = 4,
					       .stages = stages,
					       .torch = &torch };

	return pipeline_microbatches_error(arena, &given);
}

static const char *microbatches(struct arena *arena, const char *schedule, int64_t m,
				int64_t stages)
{
	return microbatches_of(arena, 9, schedule, m, stages);
}

static void microbatch_rules(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_null(microbatches(&arena, "1F1B", 4, 4));
	assert_string_equal(microbatches(&arena, "1F1B", 3, 4),
			    "Number of microbatches (3) must be greater than or equal to the "
			    "number of stages (4).");
	assert_null(microbatches(&arena, "Interleaved1F1B", 8, 8));
	assert_null(microbatches(&arena, "Interleaved1F1B", 3, 8));
	assert_string_equal(microbatches(&arena, "Interleaved1F1B", 9, 8),
			    "Interleaved 1F1B requires the number of microbatches to be a "
			    "multiple of the number of rounds (2), but got 9.");
	assert_string_equal(microbatches(&arena, "DualPipeV", 7, 8),
			    "DualPipeV requires at least as many microbatches as stages, but got "
			    "7 microbatches and 8 stages.");
	assert_null(microbatches(&arena, "ZBVZeroBubble", 1, 8));
	arena_release(&arena);
}

static void microbatch_rules_by_version(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_null(microbatches_of(&arena, 6, "1F1B", 3, 4));
	assert_null(microbatches_of(&arena, 6, "GPipe", 3, 4));
	assert_non_null(microbatches_of(&arena, 10, "GPipe", 3, 4));
	assert_null(microbatches_of(&arena, 11, "GPipe", 3, 4));
	assert_non_null(microbatches_of(&arena, 11, "1F1B", 3, 4));
	assert_string_equal(microbatches_of(&arena, 5, "Interleaved1F1B", 10, 8),
			    "Interleaved 1F1B schedule requires the number of microbatches (10)   "
			    "              to be a multiple of the number of pipeline ranks (4).");
	assert_null(microbatches_of(&arena, 6, "Interleaved1F1B", 10, 8));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits),
		cmocka_unit_test(ranks_of_stages),
		cmocka_unit_test(given_split_points),
		cmocka_unit_test(given_parts),
		cmocka_unit_test(microbatch_rules),
		cmocka_unit_test(microbatch_rules_by_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
