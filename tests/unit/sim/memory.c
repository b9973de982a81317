#include "sim/memory.h"
#include "sim/overhead.h"
#include "sim/risk.h"

#include "unit/arena.h"
#include "workloads.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* 32 blocks of 218,103,808 with two norms, two tables of 128256 x 4096, and the last norm. */
#define BLOCK	 (218103808.0 + 2 * 4096)
#define TABLE	 (128256.0 * 4096)
#define ELEMENTS (32 * BLOCK + 2 * TABLE + 4096)
#define TITAN	 "torchtitan: v0.2.0, torch: 2.9.0"
/* What a block keeps of a token; see block.c. */
#define KEPT 139392.0

static void drive(struct workload *work, const char *framework)
{
	work->framework = framework;
	work->wing = wing_find(framework);
	work->megatron = wing_does(work->wing, HABIT_MEGATRON_STEP, NULL);
	workload_put_habits(work);
}

static void date(struct workload *work, moment_t since)
{
	work->since = since;
	workload_put_habits(work);
}

/* Bytes per logit: kept, at the most, and while the projection goes backward. */
static void test_losses(void **state)
{
	static const struct {
		const char *framework;
		enum software software;
		moment_t since;
		int64_t tp;
		double kept, peak, gradient;
	} rows[] = {
		{ "torchtitan", SOFTWARE_EAGER, 2024060100, 1, 8, 16, 6 }, /* held, too */
		{ "torchtitan", SOFTWARE_EAGER, 2024070100, 1, 4, 12, 2 },
		{ "torchtitan", SOFTWARE_EAGER, 2024070100, 2, 4, 16, 2 }, /* loss-parallel */
		{ "torchtitan", SOFTWARE_COMPILED, 2025010100, 2, 4, 16, 2 },
		{ "torchtitan", SOFTWARE_COMPILED, 2025060100, 2, 2, 4, 2 },
		{ "torchtitan", SOFTWARE_COMPILED, 2026060100, 2, 4, 12, 2 },
		{ "torchtitan", SOFTWARE_EAGER, 2026070100, 2, 0, 1.5, 0.25 },
		{ "nemo-automodel", SOFTWARE_ENGINE, 0, 1, 4, 12, 2 },
		{ "megatron", SOFTWARE_MEGATRON, 0, 1, 4, 10, 2 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double logits = 8192.0 * 128256 / (double)rows[i].tp;
		struct workload *work =
			rows[i].tp > 1 ? WORK(.parallelism = "tp: 2") : WORK(.world = 8);
		struct activations sizes;
		drive(work, rows[i].framework);
		work->software = rows[i].software;
		date(work, rows[i].since);
		sizes = activations_of(work);
		assert_true(sizes.logits == rows[i].kept * logits);
		assert_true(sizes.loss == rows[i].peak * logits);
		assert_true(sizes.gradient == rows[i].gradient * logits);
	}
}

/*
 * With fused accumulation an empty gradient of the projection, its gathered input and the gradient
 * of that; and from Transformer Engine 2.3 on an empty one of each shape of a block's weights.
 */
static void test_empty_gradients(void **state)
{
	struct workload *work = WORK(.world = 8);
	const struct profile *profile = h100(*state);
	double before;

	assert_true(activations_of(work).gradient ==
		    2 * 8192.0 * 128256 + 2 * 4096.0 * 128256 + 4 * 4096.0 * 8192);
	date(work, 2024060100);
	before = overhead_of(profile, work).workspaces;
	date(work, 2026010100);
	assert_true(overhead_of(profile, work).workspaces == before + 2 * 218103808.0);
	drive(work, "nemo-automodel");
	assert_true(overhead_of(profile, work).workspaces == before);
}

/*
 * Of every second product: queries 8192, values 2048, the first branch 28672, the last projection
 * 8192; the input 8192, the core's output 8192 and statistics 128.
 */
static void test_operators(void **state)
{
	const struct workload *work =
		WORK(.training = "activation_checkpoint: {mode: selective, option: op}");

	assert_int_equal(work->recompute, RECOMPUTE_OPERATORS);
	assert_true(activations_of(work).kept[0] ==
		    8192.0 * (8192 + 2048 + 28672 + 8192 + 8192 + 8192 + 128));
}

/* Compiled without the last projection; keys, too, once one product makes all three. */
static void test_compiled_operators(void **state)
{
	struct workload *work =
		WORK(.framework = TITAN, .training = "compile: true, activation_checkpoint: "
						     "{mode: selective, option: op}");

	assert_true(activations_of(work).kept[0] ==
		    8192.0 * (8192 + 2048 + 28672 + 8192 + 8192 + 128));
	date(work, 2026070100);
	assert_true(activations_of(work).kept[0] ==
		    8192.0 * (8192 + 4096 + 28672 + 8192 + 8192 + 128));
}

static struct memory *cost(struct arena *arena, const struct workload *work)
{
	struct memory *memory = arena_new(arena, struct memory);
	const struct profile *profile = h100(arena);
	struct run run = step_run(arena, profile, work);

	*memory = memory_cost(profile, work, &run);
	return memory;
}

/* The walk of one pipeline rank. */
static struct memory_timeline walk(struct arena *arena, const struct workload *work, int32_t rank,
				   int32_t stretches)
{
	const struct run run = step_run(arena, h100(arena), work);
	struct memory_sizes sizes = { work, states_of(work), activations_of(work), 0 };

	return memory_timeline_of(arena, &sizes, &run, rank, stretches);
}

static bool near(double value, double expected)
{
	return fabs(value - expected) <= 1e-9 * fabs(expected) + 1;
}

static void test_megatron_states(void **state)
{
	const struct memory *memory =
		cost(*state, WORK(.training = "optimizer: {distributed: true}"));
	const struct memory_class *class = memory_fullest(memory);

	assert_int_equal(memory->count, 1);
	assert_int_equal(class->ranks, 8);
	assert_true(near(class->peak.parts[MEMORY_PARAMETERS], 2 * ELEMENTS));
	assert_true(near(class->peak.parts[MEMORY_GRADIENTS], 4 * ELEMENTS));
	assert_true(near(class->peak.parts[MEMORY_OPTIMIZER], 12 * ELEMENTS / 8));
	assert_true(class->allocated < class->reserved && class->reserved < class->device);
}

/* An instance of the optimizer cuts its state over its own ranks alone: eight of sixteen. */
static void test_instances(void **state)
{
	const struct memory *memory =
		cost(*state,
		     WORK(.world = 16, .training = "optimizer: {distributed: true, instances: 2}"));

	assert_true(near(memory_fullest(memory)->peak.parts[MEMORY_OPTIMIZER], 12 * ELEMENTS / 8));
}

/* At the loss all blocks wait, with the norm before it: 32 x 8192 tokens, and 6 bytes a logit. */
static void test_loss(void **state)
{
	const struct memory *memory =
		cost(*state, WORK(.training = "optimizer: {distributed: true}"));
	const struct memory_moment *peak = &memory_fullest(memory)->peak;

	assert_true(near(peak->parts[MEMORY_LOSS], 6 * 8192.0 * 128256));
	assert_true(near(peak->parts[MEMORY_ACTIVATIONS], 8192 * (32 * KEPT + 2 * 8192)));
	assert_int_equal(peak->unit, 33);
	assert_int_equal(peak->flights, 1);
}

static const double *parts_of(struct arena *arena, const char *training)
{
	const struct asked asked = { .framework = TITAN, .training = training };

	return memory_fullest(cost(arena, workload_of(arena, &asked)))->peak.parts;
}

/* What FSDP cuts over ranks adds up to the whole on them all. */
static void test_sharded_states(void **state)
{
	const double *parts = parts_of(*state, "compile: true");

	assert_true(near(8 * parts[MEMORY_PARAMETERS], 4 * ELEMENTS));
	assert_true(near(8 * parts[MEMORY_OPTIMIZER], 8 * ELEMENTS));
	assert_true(parts[MEMORY_UNSHARDED] > 2 * ELEMENTS / 40);
	assert_true(parts[MEMORY_UNSHARDED] < 2 * ELEMENTS / 4);
}

/* Stored in bf16 states take half; computed with in fp32 activations and gathered units twice. */
static void test_types(void **state)
{
	const double *plain = parts_of(*state, ""), *stored = parts_of(*state, "dtype: bfloat16");
	const double *wide = parts_of(*state, "param_dtype: float32");

	assert_true(near(plain[MEMORY_PARAMETERS], 2 * stored[MEMORY_PARAMETERS]));
	assert_true(near(plain[MEMORY_OPTIMIZER], 2 * stored[MEMORY_OPTIMIZER]));
	assert_true(near(wide[MEMORY_PARAMETERS], plain[MEMORY_PARAMETERS]));
	assert_true(near(wide[MEMORY_UNSHARDED], 2 * plain[MEMORY_UNSHARDED]));
	assert_true(near(wide[MEMORY_ACTIVATIONS], 2 * plain[MEMORY_ACTIVATIONS]));
}

/*
 * On one device, of few tokens, all gradients are there at the peak, in fp32, with the roots that
 * Adam makes; updated inside the backward pass, those of the output and its norm are the most, and
 * there are no roots.
 */
static void test_updates_in_backward(void **state)
{
	const struct workload *work = WORK(.framework = "torch: 2.9.0", .world = 1,
					   .training = "seq_len: 64, optimizer: {name: adamw}");
	struct memory_moment peak = walk(*state, work, 0, 0).peak;

	assert_true(near(peak.parts[MEMORY_GRADIENTS], 4 * ELEMENTS));
	assert_true(near(peak.parts[MEMORY_UPDATE], 4 * ELEMENTS));
	work = WORK(.framework = "torch: 2.9.0", .world = 1,
		    .training = "seq_len: 64, optimizer: {name: adamw, in_backward: true}");
	peak = walk(*state, work, 0, 0).peak;
	assert_true(near(peak.parts[MEMORY_GRADIENTS], 4 * (TABLE + 4096)));
	assert_true(near(peak.parts[MEMORY_UPDATE], 0));
	assert_true(near(walk(*state, work, 0, 0).left, 0));
}

/*
 * Experts that no other rank has need no reduction. The block that predicts one token more has such
 * beside what is the root unit's, which reduces it: all gradients wait at the second loss.
 */
static void test_experts_alone(void **state)
{
	const struct workload *work =
		WORK(.framework = "transformers: 5.2.0",
		     .parallelism = "dp_shard: 8, ep: 8, reduce_each: true",
		     .model = "{" LIKE_LLAMA3_8B ", layers: 4, mtp: 1, moe: {experts: 8, topk: 2, "
			      "expert_ffn: 1024}}",
		     .training =
			     "local_batch_size: 1, global_batch_size: 32, param_dtype: bfloat16");
	const struct memory_timeline timeline = walk(*state, work, 0, 0);
	const double *parts = timeline.peak.parts;

	assert_int_equal(work->microbatches, 4);
	assert_true(fabs(timeline.left) < 16);
	assert_true(near(parts[MEMORY_GRADIENTS], parts[MEMORY_PARAMETERS]));
}

/* Where they wait for the last pass they are whole, and nothing of them is a rank's own. */
static void test_waiting(void **state)
{
	const struct workload *work =
		WORK(.framework = "transformers: 5.2.0", .parallelism = "dp_shard: 8",
		     .model = "{" LIKE_LLAMA3_8B ", layers: 4}",
		     .training = "local_batch_size: 1, global_batch_size: 32, "
				 "param_dtype: bfloat16, reduce_dtype: float32, dtype: float32");
	const struct memory_timeline timeline = walk(*state, work, 0, 0);
	const double *parts = timeline.peak.parts;

	assert_true(workload_waits_whole(work));
	assert_true(fabs(timeline.left) < 16);
	assert_true(parts[MEMORY_REDUCE] > 0.9 * 8 * parts[MEMORY_PARAMETERS]);
	assert_true(parts[MEMORY_REDUCE] < 1.1 * 8 * parts[MEMORY_PARAMETERS]);
}

/* A step ends as it began, whatever was kept, cut and sent; states are always there. */
static void check_conservation(struct arena *arena, const struct asked *asked)
{
	const struct workload *work = workload_of(arena, asked);
	int32_t rank;

	for (rank = 0; rank < work->pp; rank++) {
		struct memory_timeline timeline = walk(arena, work, rank, 64);
		const double *parts = timeline.peak.parts;
		if (fabs(timeline.left) >= 16)
			fail_msg("%.0f bytes are left on rank %d: %s", timeline.left, rank,
				 text_of(arena, asked));
		assert_true(timeline.peak.total >
			    parts[MEMORY_PARAMETERS] + parts[MEMORY_OPTIMIZER]);
		assert_in_range(timeline.moments.count, 1, 65);
	}
}

static void test_conservation(void **state)
{
	static const char *const names[] = {
		"1F1B",		 "GPipe",    "Interleaved1F1B", "InterleavedZeroBubble",
		"ZBVZeroBubble", "DualPipeV"
	};
	static const char *const reshards[] = { "default", "always", "never" };
	size_t i, k;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (k = 0; k < 3; k++) {
			const struct asked asked = {
				.framework = TITAN,
				.parallelism = arena_printf(*state,
							    "pp: 4, pipeline: {schedule: %s}, "
							    "reshard_after_forward: %s",
							    names[i], reshards[k]),
				.training = "local_batch_size: 8, "
					    "activation_checkpoint: {mode: full}"
			};
			check_conservation(*state, &asked);
		}
}

static void test_conservation_of_others(void **state)
{
	static const struct asked asked[] = {
		{ .framework = "torch: 2.9.0" },
		{ .framework = "torch: 2.9.0", .parallelism = "reshard_after_forward: always" },
		{ .framework = "torch: 2.5.0", .parallelism = "fsdp_version: '1'" },
		{ .framework = "torch: 2.9.0", .parallelism = "dp_replicate: 8, dp_shard: 1" },
		{ .framework = "deepspeed: 0.16", .parallelism = "zero_stage: 1" },
		{ .framework = "deepspeed: 0.16", .parallelism = "zero_stage: 2" },
		{ .framework = "deepspeed: 0.16", .parallelism = "zero_stage: 3" },
		{ .parallelism = "pp: 4, pipeline: {virtual_stages: 2}",
		  .training = "micro_batch_size: 1, global_batch_size: 16" },
		{ .parallelism = "pp: 4",
		  .training = "micro_batch_size: 1, global_batch_size: 16, "
			      "optimizer: {distributed: true}" },
	};
	size_t i;

	for (i = 0; i < sizeof(asked) / sizeof(*asked); i++)
		check_conservation(*state, &asked[i]);
}

/*
 * A root that is kept holds both tables and the last norm from its gather until the end: when the
 * output goes backward, beside the buffer that the last block is gathered into.
 */
static void test_root(void **state)
{
	const struct memory *memory =
		cost(*state, WORK(.framework = "torch: 2.9.0", .training = "micro_batch_size: 1, "
									   "global_batch_size: "
									   "16"));
	const double *parts = memory_fullest(memory)->peak.parts;

	assert_true(near(parts[MEMORY_UNSHARDED], 2 * (2 * TABLE + 4096) + 2 * BLOCK));
}

/* Where gathered parameters stay, all of them are there when the loss is at its most. */
static void test_stage_two(void **state)
{
	const struct asked asked = { .framework = TITAN, .parallelism = "zero_stage: 2" };
	const double *parts = memory_fullest(cost(*state, workload_of(*state, &asked)))->peak.parts;

	assert_true(parts[MEMORY_UNSHARDED] >= 2 * ELEMENTS);
	assert_true(parts[MEMORY_UNSHARDED] < 2 * ELEMENTS * 1.1);
}

/* Recomputing everything keeps a block's input, and what is left open can only take less. */
static void test_recomputation(void **state)
{
	static const char *const modes[] = { "mode: none", "mode: selective, option: op",
					     "mode: full" };
	const struct memory *memory;
	double before = HUGE_VAL;
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		memory =
			cost(*state, WORK(.training = arena_printf(*state,
								   "activation_checkpoint: {%s}, "
								   "optimizer: {distributed: true}",
								   modes[i])));
		assert_true(memory_fullest(memory)->allocated < before);
		before = memory_fullest(memory)->allocated;
	}
	assert_true(
		activations_of(WORK(.training = "activation_checkpoint: {mode: full}")).kept[0] ==
		8192 * 8192.0);
}

/* What nobody says could be either; of gradients of Megatron it is their type. */
static void test_open(void **state)
{
	const struct memory *memory = cost(*state, WORK(.world = 8));

	assert_int_equal(memory->open_count, 1);
	assert_int_equal(memory->ways, 2);
	assert_true(memory->way[1] < memory->way[0]);
	memory = cost(*state, WORK(.training = "reduce_dtype: float32"));
	assert_int_equal(memory->open_count, 0);
	assert_int_equal(memory->ways, 1);
}

/*
 * Quantiles of Student's distribution of two degrees of freedom, from its printed tables: 1.886
 * is passed in a tenth of all cases, 4.303 in a fortieth, 9.925 in five of a thousand.
 */
static void test_risk(void **state)
{
	static const struct {
		double value, above;
	} rows[] = { { 0, 0.5 },       { 0.816, 0.25 }, { 1.886, 0.1 },	 { 2.920, 0.05 },
		     { 4.303, 0.025 }, { 6.965, 0.01 }, { 9.925, 0.005 } };
	struct memory *memory = cost(*state, WORK(.training = "reduce_dtype: float32"));
	struct memory two = { .way = { 100, 50 }, .needs = { 100, 50 }, .ways = 2, .capacity = 70 };
	struct profile profile;
	size_t i;

	profile_init(&profile, *state);
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const double factor = exp(rows[i].value * memory->spread);
		assert_true(fabs(risk_of_peak(&profile, 80, 80 * factor) - rows[i].above) < 2e-4);
		assert_true(fabs(risk_of_peak(&profile, 80, 80 / factor) - 1 + rows[i].above) <
			    2e-4);
	}
	assert_true(fabs(log(risk_high(memory) / memory->device) - 1.8856 * memory->spread) < 1e-4);
	assert_true(fabs(log(risk_low(memory) / memory->device) + 1.8856 * memory->spread) < 1e-4);
	/* Ways to decide what is open count alike. */
	risk_put(&profile, &two);
	assert_true(fabs(two.probability - 0.5) < 0.03);
}

/* What the allocator caches need not fit: it gives that back before it is out of memory. */
static void test_need(void **state)
{
	const struct memory *memory = cost(*state, WORK(.training = "reduce_dtype: float32"));
	const struct memory_class *class = memory_fullest(memory);
	struct memory full = { .ways = 1, .way = { 84 }, .needs = { 80 }, .capacity = 80 };
	struct profile profile;

	profile_init(&profile, *state);
	assert_true(class->peak.parts[MEMORY_SLACK] > 0);
	assert_true(fabs(class->device - class->need - class->peak.parts[MEMORY_SLACK]) < 1);
	assert_true(memory->needs[0] >= class->need && memory->need >= class->need);
	risk_put(&profile, &full);
	assert_true(fabs(full.probability - 0.5) < 1e-9);
}

/*
 * BF16_Optimizer, pp 2 and tp 2: the first stage's longest tensor is its table, 128256 x 4096 / 2,
 * shorter than a bucket of 500 million; with 8 times as many words it is longer. 4 bytes and 2.
 */
static void test_flattened(void **state)
{
	static const struct {
		const char *model, *training;
		double bytes;
	} rows[] = {
		{ "{preset: llama3-8b}", "optimizer: {distributed: true}, param_dtype: bfloat16",
		  6 * 500e6 },
		{ "{preset: llama3-8b, vocab: 1026048}",
		  "optimizer: {distributed: true}, param_dtype: bfloat16", 6 * 4 * TABLE },
		{ "{preset: llama3-8b, vocab: 1026048}",
		  "optimizer: {distributed: true}, param_dtype: float16", 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct memory *memory = cost(
			*state, WORK(.framework = "megatron: deepspeed@2022-02", .world = 8,
				     .model = rows[i].model,
				     .parallelism = "pp: 2, tp: 2, dp_replicate: 2, dp_shard: 1",
				     .training = rows[i].training));
		const struct memory_class *class = memory_fullest(memory);
		const double slack = class->peak.parts[MEMORY_SLACK];
		assert_true(fabs((slack - 0.04 * class->peak.total) / 1.04 - rows[i].bytes) < 1e5);
	}
}

/* A framework's own file leaves nothing open: what it does not say has that framework's default. */
static void test_own_file(void **state)
{
	static const char text[] = "# parplan: framework=torchtitan@v0.2.0\n"
				   "[job]\ndump_folder = \"out\"\n"
				   "[model]\nname = \"llama3\"\nflavor = \"8B\"\n"
				   "[training]\nseq_len = 8192\nlocal_batch_size = 1\n"
				   "[parallelism]\ndata_parallel_shard_degree = 8\n";
	struct job *job = job_of_text(*state, "train.toml", text);
	struct forecast forecast;

	job->world = 8;
	settings_put_text(&job->settings, FIELD_CLUSTER_GPU, "h100-sxm", ORIGIN_SET);
	assert_null(forecast_read(&forecast, job, job->applied, NULL));
	assert_true(forecast.work.own_file);
	assert_int_equal(forecast.memory.open_count, 0);
	assert_int_equal(forecast.memory.ways, 1);
}

/* Four stages of eight blocks. */
static struct workload *piped(struct arena *arena, const char *schedule, int microbatches)
{
	const struct asked asked = { .parallelism = "pp: 4",
				     .training = arena_printf(
					     arena, "micro_batch_size: 1, global_batch_size: %d",
					     2 * microbatches) };
	struct workload *work = workload_of(arena, &asked);

	assert_int_equal(work->microbatches, microbatches);
	work->schedule = schedule_find(schedule); /* Megatron has one */
	return work;
}

/*
 * 1F1B: the first stage holds as many microbatches as there are stages, the last one; GPipe: all
 * of them.
 */
static void test_pipeline(void **state)
{
	const struct workload *work = piped(*state, "1F1B", 16);
	struct memory_timeline first = walk(*state, work, 0, 0), last;

	assert_true(near(first.peak.parts[MEMORY_ACTIVATIONS], 4 * 8 * 8192 * KEPT));
	assert_int_equal(first.peak.flights, 4);
	last = walk(*state, work, 3, 0);
	assert_true(near(last.peak.parts[MEMORY_ACTIVATIONS], 8192 * (8 * KEPT + 2 * 8192)));
	assert_int_equal(last.peak.flights, 1);
	first = walk(*state, piped(*state, "GPipe", 16), 0, 0);
	assert_true(near(first.peak.parts[MEMORY_ACTIVATIONS], 16 * 8 * 8192 * KEPT));
	assert_int_equal(first.peak.flights, 16);
	first = walk(*state, piped(*state, "1F1B", 2), 0, 0);
	assert_true(near(first.peak.parts[MEMORY_ACTIVATIONS], 2 * 8 * 8192 * KEPT));
}

/* Both ends of a V are on the first rank, which is no fuller than under 1F1B: every rank alike. */
static void test_vee(void **state)
{
	const struct workload *work =
		WORK(.framework = TITAN, .model = "{layers: 32, " LIKE_LLAMA3_8B "}",
		     .parallelism = "pp: 4, pipeline: {schedule: ZBVZeroBubble, "
				    "first_stage_less_layers: 0, last_stage_less_layers: 0}",
		     .training = "local_batch_size: 16");
	const struct run run = step_run(*state, h100(*state), work);
	struct memory_sizes sizes = { work, states_of(work), activations_of(work), 0 };
	const double block = sizes.activations.kept[0];
	struct memory_timeline timeline;
	int32_t rank;

	sizes.activations.received = sizes.activations.returned = 0; /* what is in flight alone */
	for (rank = 0; rank < 4; rank++) {
		timeline = memory_timeline_of(*state, &sizes, &run, rank, 0);
		assert_true(timeline.peak.parts[MEMORY_ACTIVATIONS] < 1.01 * 4 * 8 * block);
		assert_true(timeline.peak.parts[MEMORY_ACTIVATIONS] > 0.5 * 4 * 8 * block);
	}
}

/* Of four pipeline ranks the second stands for the third: it holds more microbatches. */
static void test_classes(void **state)
{
	const struct memory *memory = cost(*state, piped(*state, "1F1B", 16));

	assert_int_equal(memory->count, 3);
	assert_string_equal(memory->classes[1].name, "middle");
	assert_int_equal(memory->classes[1].ranks, 4);
	assert_int_equal(memory->classes[1].rank, 1);
	assert_int_equal(memory->classes[1].of_world, 2);
	assert_int_equal(memory->classes[0].ranks + memory->classes[2].ranks, 4);
	assert_int_equal(memory->fullest, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_losses, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_empty_gradients, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_operators, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_compiled_operators, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_megatron_states, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_instances, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_loss, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_sharded_states, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_types, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_updates_in_backward, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_conservation, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_conservation_of_others, open_arena,
						close_arena),
		cmocka_unit_test_setup_teardown(test_root, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_stage_two, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_recomputation, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_open, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_risk, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_need, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_flattened, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_experts_alone, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_waiting, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_own_file, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_pipeline, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_vee, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_classes, open_arena, close_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
