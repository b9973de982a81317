/*
 * Random jobs of every framework: what a forecast holds and sends is what its plan says, rank by
 * rank; what is accounted is what the simulated step calls; and a plan that raises has no forecast.
 */
#include "sim/memory_timeline.h"
#include "tally.h"
#include "workloads.h"

#include "base/buf.h"
#include "wings/torchtitan/timeline.h"
#include "unit/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

enum { CASES = 2500, WORLD_MOST = 64 };

/* ---- random configs ---- */

struct config {
	struct random random;
	struct buf text;
	bool megatron, titan, deepspeed;
};

static void put(struct config *config, const char *key, int64_t value)
{
	buf_printf(&config->text, "%s: %d, ", key, (int)value);
}

/* One of the settings, once in three times. */
#define put_one(config, settings)                                                                  \
	do {                                                                                       \
		if (random_once(&(config)->random, 3))                                             \
			buf_text(&(config)->text, random_pick(&(config)->random, settings));       \
	} while (0)

static void put_titan(struct config *config)
{
	static const char *const named[] = { "v0.1.0", "d7cabfb6c", "v0.2.0", "v0.2.1", "v0.2.2" };
	static const char *const torches[] = { "2.6.0", "2.8.0", "2.9.0", "2.11.0" };
	struct random *random = &config->random;
	const char *version =
		random_once(random, 2)
			? random_pick(random, named)
			: timeline_torchtitan.rows[random_below(random, timeline_torchtitan.count)]
				  .commit;

	config->titan = true;
	buf_printf(&config->text, "torchtitan: %s, torch: %s", version,
		   random_pick(random, torches));
}

static void put_framework(struct config *config)
{
	static const char *const others[] = {
		"torch: 2.4.0",	       "torch: 2.6.0",	     "torch: 2.8.0",   "torch: 2.10.0",
		"torchtune: 0.6.1",    "accelerate: 1.10.0", "composer: 0.25", "nanotron: 0.4",
		"nemo-automodel: 0.2", "lightning: 2.5",     "axolotl: 0.12",  "verl: 0.3",
		"llama-factory: 0.9.4"
	};
	static const char *const megatrons[] = { "core_v0.9", "core_v0.12", "core@2024-05",
						 "core@2025-12" };
	struct random *random = &config->random;

	buf_text(&config->text, "parplan: 1\nframework: {");
	switch (random_below(random, 8)) {
	case 0:
	case 1:
		config->megatron = true;
		buf_printf(&config->text, "megatron: %s", random_pick(random, megatrons));
		break;
	case 2:
		config->deepspeed = true;
		buf_text(&config->text, "deepspeed: 0.16");
		break;
	case 3:
	case 4:
		buf_text(&config->text, random_pick(random, others));
		break;
	default:
		put_titan(config);
	}
	buf_text(&config->text, "}\n");
}

/* A small model of sizes that mostly divide. */
static void put_model(struct config *config)
{
	static const int64_t layers[] = { 2, 4, 8, 8, 16, 5 }, hidden[] = { 64, 128, 256, 96 };
	static const int64_t vocab[] = { 512, 1000, 1021 };
	struct random *random = &config->random;

	buf_text(&config->text, "model: {arch: llama, ");
	put(config, "layers", random_pick(random, layers));
	put(config, "hidden", random_pick(random, hidden));
	put(config, "vocab", random_pick(random, vocab));
	buf_text(&config->text, "heads: 8, kv_heads: 8, head_dim: 16, ffn: 192");
	if (random_once(random, 3))
		buf_text(&config->text, ", moe: {experts: 8, topk: 2, expert_ffn: 64}");
	if (random_once(random, 6))
		buf_text(&config->text, ", tied_embeddings: true");
	buf_text(&config->text, "}\n");
}

/* A degree that leaves the world small; mostly 1. */
static int64_t put_degree(struct config *config, const char *axis, int64_t product)
{
	static const int64_t degrees[] = { 2, 2, 4, 4, 8, 3 };
	struct random *random = &config->random;
	int64_t degree = random_once(random, 3) ? random_pick(random, degrees) : 1;

	if (product * degree > WORLD_MOST || degree == 1)
		return product;
	put(config, axis, degree);
	return product * degree;
}

/* Degrees, each ended by ", "; returns how many ranks they make together. */
static int64_t put_degrees(struct config *config)
{
	static const char *const reshards[] = { "reshard_after_forward: always, ",
						"reshard_after_forward: never, ",
						"reshard_after_forward: default, " };
	static const char *const wraps[] = { "fsdp_version: '1', ", "fsdp_version: '2', ",
					     "zero_stage: 2, ", "zero_stage: 3, " };
	static const char *const experts[] = { "ep: 2, ", "ep: 4, ", "ep: 2, etp: 2, ",
					       "ep: 8, etp: 1, ", "ep: 4, etp: 1, " };
	int64_t ranks = put_degree(config, "tp", 1);

	ranks = put_degree(config, "pp", ranks);
	ranks = put_degree(config, "cp", ranks);
	if (!config->megatron && !config->deepspeed) {
		ranks = put_degree(config, "dp_replicate", ranks);
		put_one(config, reshards);
		if (!config->titan)
			put_one(config, wraps);
	}
	if (config->deepspeed)
		put(config, "zero_stage", random_below(&config->random, 4));
	if (random_once(&config->random, 2))
		put_one(config, experts);
	return ranks;
}

static void put_parallelism(struct config *config)
{
	static const char *const orders[] = { "pipeline: {schedule: GPipe}, ",
					      "pipeline: {schedule: Interleaved1F1B}, ",
					      "pipeline: {schedule: InterleavedZeroBubble}, ",
					      "pipeline: {schedule: ZBVZeroBubble}, ",
					      "pipeline: {schedule: DualPipeV}, " };
	static const char *const virtuals[] = { "pipeline: {virtual_stages: 2}, " };
	static const int64_t rest[] = { 1, 2, 4, 8, 3 };
	struct random *random = &config->random;
	int64_t ranks, left = random_pick(random, rest);

	buf_text(&config->text, "parallelism: {");
	ranks = put_degrees(config);
	if (ranks * left > WORLD_MOST)
		left = 1;
	if (!config->megatron && !config->deepspeed && random_once(random, 2))
		put(config, "dp_shard", random_once(random, 2) ? left : -1);
	if (config->megatron) {
		put_one(config, virtuals);
		if (random_once(random, 2))
			buf_text(&config->text, "sequence_parallel: true, ");
	} else {
		put_one(config, orders);
	}
	buf_text(&config->text, "backend: nccl}\n");
	ranks *= left * (random_once(random, 30) ? 2 : 1);
	buf_printf(&config->text, "world: %d\n", (int)ranks);
}

static void put_training(struct config *config)
{
	static const char *const settings[] = { "param_dtype: float32, ", "dtype: bfloat16, ",
						"reduce_dtype: bfloat16, ",
						"float8: {enabled: true, fsdp_all_gather: true}, ",
						"cpu_offload: true, " };
	static const char *const modes[] = { "activation_checkpoint: {mode: none}, ",
					     "activation_checkpoint: {mode: full}, " };
	static const char *const optimizers[] = {
		"optimizer: {distributed: true}, ", "optimizer: {distributed: true, instances: 2}, "
	};
	struct random *random = &config->random;

	buf_text(&config->text, "training: {");
	put_one(config, settings);
	put_one(config, modes);
	if (config->megatron && random_once(random, 2))
		buf_text(&config->text, random_pick(random, optimizers));
	if (config->titan && random_once(random, 2))
		put(config, "local_batch_size", 2 + 2 * random_below(random, 5));
	else if (random_once(random, 2))
		buf_text(&config->text, "micro_batch_size: 1, global_batch_size: 192, ");
	else
		put(config, "micro_batch_size", 1 + random_below(random, 2));
	buf_text(&config->text, "seq_len: 256}\n");
}

/* A script with meshes of its own, over three axes. */
static void put_mesh(struct config *config)
{
	static const char *const meshes[] = { "a", "[a, b]", "[b]", "[a, c]", "b" };
	static const int64_t sizes[] = { 1, 2, 4 };
	struct random *random = &config->random;
	const int64_t a = random_pick(random, sizes), b = random_pick(random, sizes);

	buf_printf(&config->text,
		   "parplan: 1\nframework: {torch: 2.8.0}\nworld: %d\nmesh:\n"
		   "  root: {a: %d, b: %d, c: 2}\n  fully_shard: %s\n",
		   (int)(2 * a * b), (int)a, (int)b, random_pick(random, meshes));
	if (random_once(random, 2))
		buf_text(&config->text, "  tensor_parallel: c\n");
}

static void put_config(struct config *config)
{
	if (random_once(&config->random, 16)) {
		put_mesh(config);
	} else {
		put_framework(config);
		put_parallelism(config);
	}
	put_model(config);
	put_training(config);
	buf_text(&config->text, "cluster: {gpu: h100-sxm, gpus_per_node: 8}\n");
}

/* ---- what holds of every forecast ---- */

static bool near(double value, double wanted, double share)
{
	return fabs(value - wanted) <= share * fabs(wanted) + 1e-6;
}

/* Bytes that a rank keeps, parameter by parameter. */
static double kept_by(const struct plan *plan, int64_t rank, enum held held, double width)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < plan->parameters.count; i++) {
		const struct sharded *sharded = &plan->parameters.items[i];
		struct box part;
		if (plan->stages.count && !plan_rank_has_stage(plan, rank, sharded->stage))
			continue;
		part = plan_part(plan, sharded, rank, held);
		sum += width * (double)box_volume(&part);
	}
	return sum;
}

/* A class holds what the fullest of the ranks holds for which its pipeline rank stands. */
static void holds_its_parts(const struct forecast *forecast, const struct memory_class *class)
{
	const struct plan *plan = forecast->work.plan;
	int64_t rank;
	int held;

	for (held = 0; held < HELDS; held++) {
		double most = 0, width = forecast->memory.widths[held];
		for (rank = 0; rank < plan->world; rank++)
			if (forecast->work.pp == 1 || plan_pp_rank(plan, rank) == class->rank)
				most = fmax(most, kept_by(plan, rank, held, width));
		if (!near(class->resident[held], most, 1e-3))
			fail_msg("%s ranks hold %.0f bytes of kind %d, by the plan %.0f",
				 class->name, class->resident[held], held, most);
	}
}

/* What is left of ranks that repeat parameters beside the ranks of one run: optimizer instances. */
static bool across_instances(const struct sharding *sharding, const struct layout *layout)
{
	const struct layout whole = layout_join(*layout, sharding->run.layout);

	return sharding->run.name && layout_same_groups(&whole, &sharding->replicate);
}

static bool shared_by(const struct sharding *sharding, const struct layout *layout)
{
	return layout_same_groups(&sharding->shard, layout) ||
	       layout_same_groups(&sharding->replicate, layout) ||
	       layout_same_groups(&sharding->run.layout, layout) ||
	       across_instances(sharding, layout);
}

static bool is_of_plan(const struct plan *plan, const struct layout *layout)
{
	size_t i;

	for (i = 0; i < plan->meshes.count; i++)
		if (layout_same_groups(&plan->meshes.items[i].layout, layout))
			return true;
	return shared_by(&plan->dense, layout) ||
	       (plan->has_expert && shared_by(&plan->expert, layout));
}

/* Collectives are over groups of the plan, and everybody is told of the same bytes. */
static void sends_over_groups(struct job *job, const struct forecast *forecast)
{
	const struct traffics told = forecast_traffic(job, job->applied);
	size_t i;

	assert_int_equal(told.list.count, forecast->traffic.list.count);
	for (i = 0; i < told.list.count; i++) {
		const struct layout *layout = &forecast->traffic.list.items[i].call.group->layout;
		assert_true(is_of_plan(job->applied, layout));
		assert_true(traffic_over(&forecast->traffic, layout) > 0);
		assert_true(near(traffic_over(&told, layout),
				 traffic_over(&forecast->traffic, layout), 1e-12));
	}
}

/* Of steps that are simulated whole every byte that is accounted is a task's. */
static void calls_what_is_accounted(const struct forecast *forecast)
{
	struct tally account[TASK_KINDS] = { 0 }, step[TASK_KINDS] = { 0 };
	const struct workload *work = &forecast->work;
	size_t i;

	if (forecast->run.batches != work->microbatches)
		return;
	for (i = 0; i < forecast->traffic.list.count; i++)
		tally_row(work, &forecast->traffic.list.items[i], account);
	tally_tasks(work, &forecast->run, plan_pp_rank(work->plan, forecast->traffic.rank), step);
	for (i = TASK_GATHER; i <= TASK_SEND; i++)
		if (fabs(step[i].bytes - account[i].bytes) > account[i].calls) /* whole bytes */
			fail_msg("%.0f bytes of kind %zu, accounted %.0f", step[i].bytes, i,
				 account[i].bytes);
}

/* What comes in a step goes in it. */
static void leaves_nothing(struct arena *arena, const struct forecast *forecast)
{
	const struct workload *work = &forecast->work;
	const struct memory_sizes sizes = { work, states_of(work), activations_of(work), 0 };
	int32_t rank;

	for (rank = 0; rank < work->pp; rank++) {
		struct memory_timeline walked =
			memory_timeline_of(arena, &sizes, &forecast->run, rank, 0);
		if (fabs(walked.left) >= 16)
			fail_msg("%.0f bytes are left on rank %d", walked.left, rank);
	}
}

static void holds(struct job *job, struct arena *arena)
{
	const struct forecast *forecast = forecast_of(job);
	int i;

	if (job->applied->error || job->applied->unmodelled) {
		assert_null(forecast);
		assert_non_null(job->unforecast);
	}
	if (!forecast)
		return;
	assert_true(forecast->step.total > 0 && isfinite(forecast->step.total));
	for (i = 0; i < forecast->memory.count; i++)
		holds_its_parts(forecast, &forecast->memory.classes[i]);
	sends_over_groups(job, forecast);
	calls_what_is_accounted(forecast);
	leaves_nothing(arena, forecast);
}

static void forecasts_hold(void **state)
{
	struct config config;
	int64_t number, whole = 0;

	(void)state;
	random_each(number, config.random, CASES)
	{
		struct arena arena;
		struct job *job;

		config.megatron = config.titan = config.deepspeed = false;
		arena_init(&arena);
		buf_init(&config.text);
		put_config(&config);
		random_case_text = config.text.data;
		job = job_of_text(&arena, "case.yaml", config.text.data);
		holds(job, &arena);
		whole += job->forecast != NULL;
		random_case_text = NULL;
		buf_release(&config.text);
		arena_release(&arena);
	}
	assert_true(whole > random_cases(CASES) / 2 || random_first() > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		random_test(forecasts_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
