/* What a step's collectives carry: every byte that a strategy must move, and no other. */
#include "sim/traffic.h"
#include "tally.h"
#include "workloads.h"

#include "unit/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

/* Llama 3 8B: 32 blocks, two tables, the last norm. */
#define BLOCK	 (218103808.0 + 2 * 4096)
#define TABLE	 (128256.0 * 4096)
#define ELEMENTS (32 * BLOCK + 2 * TABLE + 4096)

#define TITAN "torchtitan: v0.2.0, torch: 2.9.0"

static struct traffics traffic(struct arena *arena, const struct workload *work)
{
	struct traffics traffics = { 0 };

	traffic_of(arena, h100(arena), work, &traffics);
	return traffics;
}

/* Bytes of all calls of a collective over a group; NULL: over any. */
static double moved(const struct traffics *traffics, const char *group, const char *op)
{
	double all = 0;
	size_t i;

	for (i = 0; i < traffics->list.count; i++) {
		const struct traffic *row = &traffics->list.items[i];
		if (!strcmp(row->call.op->name, op) &&
		    (!group || !strcmp(row->call.group->name, group)))
			all += row->call.bytes * row->count;
	}
	return all;
}

static bool near(double value, double wanted)
{
	return fabs(value - wanted) <= 1e-6 * wanted;
}

static const struct traffic *find(const struct traffics *traffics, const char *group)
{
	size_t i;

	for (i = 0; i < traffics->list.count; i++)
		if (!strcmp(traffics->list.items[i].call.group->name, group))
			return &traffics->list.items[i];
	return NULL;
}

/*
 * FSDP gathers every element twice per microbatch in bf16 and scatters its gradient in fp32; the
 * output, with its norm, is kept since the backward pass begins with it.
 */
static void sharded_parameters(void **state)
{
	const struct workload *work = WORK(.framework = TITAN, .training = "global_batch_size: 24, "
									   "micro_batch_size: 1");
	struct traffics rows = traffic(*state, work);
	const double again = ELEMENTS - TABLE - 4096;

	assert_int_equal(work->microbatches, 3);
	assert_true(near(moved(&rows, "dp_shard_cp", "all_gather"), 3 * 2 * (ELEMENTS + again)));
	assert_true(near(moved(&rows, "dp_shard_cp", "reduce_scatter"), 3 * 4 * ELEMENTS));
	assert_true(moved(&rows, NULL, "all_reduce") == 0);
	work = WORK(.framework = TITAN, .parallelism = "reshard_after_forward: always");
	rows = traffic(*state, work);
	assert_true(near(moved(&rows, NULL, "all_gather"), 2 * 2 * ELEMENTS));
	work = WORK(.framework = TITAN, .parallelism = "reshard_after_forward: never");
	rows = traffic(*state, work);
	assert_true(near(moved(&rows, NULL, "all_gather"), 2 * ELEMENTS));
	assert_true(near(moved(&rows, NULL, "reduce_scatter"), 4 * ELEMENTS));
}

/* ZeRO-2 keeps its part of gradients alone, so that each microbatch reduces; ZeRO-1 the last. */
static void reduced_each_time(void **state)
{
	const char *deepspeed = "deepspeed: 0.17.0";
	const char *thrice = "global_batch_size: 24, micro_batch_size: 1";
	struct traffics rows = traffic(*state, WORK(.framework = deepspeed, .training = thrice,
						    .parallelism = "zero_stage: 1"));

	assert_true(near(moved(&rows, NULL, "all_reduce"), 2 * ELEMENTS));
	rows = traffic(*state, WORK(.framework = deepspeed, .training = thrice,
				    .parallelism = "zero_stage: 2"));
	assert_true(near(moved(&rows, NULL, "all_reduce"), 3 * 2 * ELEMENTS));
	assert_true(near(moved(&rows, NULL, "all_gather"), 2 * ELEMENTS));
}

/*
 * Ulysses, 1,024 tokens of 8,192 on each of eight ranks: queries and the output are 4,096 wide in
 * bf16, keys and values 1,024, forward and backward in 32 blocks. Over sixteen ranks each of the
 * eight heads of keys is there twice, and of 512 tokens.
 */
static void heads_for_tokens(void **state)
{
	const char *deepspeed = "deepspeed: 0.17.0";
	const double wide = 2.0 * 1024 * 4096, narrow = 2.0 * 1024 * 1024;
	struct traffics rows =
		traffic(*state, WORK(.framework = deepspeed, .parallelism = "sp: 8"));

	assert_true(near(moved(&rows, "sp", "all_to_all"), 2 * 32 * 2 * (wide + narrow)));
	rows = traffic(*state, WORK(.framework = deepspeed, .world = 16, .parallelism = "sp: 16"));
	assert_true(near(moved(&rows, "sp", "all_to_all"), 2 * 32 * 2 * (wide / 2 + narrow)));
	rows = traffic(*state, WORK(.parallelism = "cp: 8, cp_method: ulysses"));
	assert_true(near(moved(&rows, "cp", "all_to_all"), 2 * 32 * 2 * (wide + narrow)));
	assert_true(moved(&rows, "cp", "send_recv") == 0);
}

/* What tensorwise scaling gathers in fp8 are blocks, not tables and their norm. */
static void gathered_in_fp8(void **state)
{
	const double tables = 2 * TABLE + 4096;
	struct traffics rows;

	rows = traffic(*state,
		       WORK(.framework = TITAN, .parallelism = "reshard_after_forward: never",
			    .training = "float8: {enabled: true, fsdp_all_gather: true}"));
	assert_true(near(moved(&rows, NULL, "all_gather"), 32 * BLOCK + 2 * tables));
	rows = traffic(*state,
		       WORK(.framework = TITAN, .parallelism = "reshard_after_forward: never",
			    .training = "float8: {enabled: true, recipe: rowwise, "
					"fsdp_all_gather: true}"));
	assert_true(near(moved(&rows, NULL, "all_gather"), 2 * ELEMENTS));
}

/* Parameters computed with in fp32 are gathered so; gradients are reduced in fp32 as before. */
static void gathered_in_fp32(void **state)
{
	struct traffics rows = traffic(*state, WORK(.framework = TITAN,
						    .parallelism = "reshard_after_forward: never",
						    .training = "param_dtype: float32"));

	assert_true(near(moved(&rows, NULL, "all_gather"), 4 * ELEMENTS));
	assert_true(near(moved(&rows, NULL, "reduce_scatter"), 4 * ELEMENTS));
	rows = traffic(*state, WORK(.framework = TITAN, .training = "reduce_dtype: bfloat16"));
	assert_true(near(moved(&rows, NULL, "reduce_scatter"), 2 * ELEMENTS));
}

/* Copies of a shard are all-reduced: over 2 x 8 ranks an eighth of the gradients, across nodes. */
static void copies_of_shards(void **state)
{
	struct traffics rows = traffic(*state, WORK(.framework = TITAN, .world = 16,
						    .parallelism = "dp_replicate: 2, dp_shard: 8"));
	const struct traffic *copies = find(&rows, "dp_replicate");
	const struct layout far = layout_axis(2, 8);

	assert_true(near(moved(&rows, "dp_replicate", "all_reduce"), 4 * ELEMENTS / 8));
	assert_true(copies && copies->nodes == 2);
	assert_true(layout_same_groups(&copies->call.group->layout, &far));
	assert_int_equal(find(&rows, "dp_shard_cp")->nodes, 1);
}

/* Buckets hold all gradients, whatever their size; a sharded optimizer gathers parameters back. */
static void buckets_of_gradients(void **state)
{
	struct traffics rows = traffic(*state, WORK(.parallelism = "overlap: {grad_reduce: true}",
						    .training = "optimizer: {distributed: true}"));

	assert_true(near(moved(&rows, "dp_cp", "reduce_scatter"), 4 * ELEMENTS));
	assert_true(near(moved(&rows, "dp_cp", "all_gather"), 2 * ELEMENTS));
	assert_true(find(&rows, "dp_cp")->count == ceil(ELEMENTS / 40e6));
	rows = traffic(*state, WORK(.training = "optimizer: {distributed: true}"));
	assert_true(find(&rows, "dp_cp")->count == 1);
	rows = traffic(*state, WORK(.framework = "torch: 2.9.0",
				    .parallelism = "dp_replicate: 8, dp_shard: 1",
				    .training = "reduce_dtype: float32"));
	assert_true(near(moved(&rows, NULL, "all_reduce"), 4 * ELEMENTS));
	assert_true(rows.list.items[0].call.bytes <= 25 * 1048576);
	assert_int_equal(rows.list.count, 1);
}

/*
 * Of two instances of the optimizer each cuts its state over the eight ranks of its own: these
 * scatter and gather, and an eighth of the gradients is summed with the other instance.
 */
static void instances_of_the_optimizer(void **state)
{
	struct traffics rows =
		traffic(*state, WORK(.world = 16,
				     .training = "optimizer: {distributed: true, instances: 2}"));
	const struct layout instance = layout_axis(8, 1), others = layout_axis(2, 8);

	assert_int_equal(rows.list.count, 3);
	assert_true(near(moved(&rows, NULL, "reduce_scatter"), 4 * ELEMENTS));
	assert_true(near(moved(&rows, NULL, "all_gather"), 2 * ELEMENTS));
	assert_true(near(moved(&rows, NULL, "all_reduce"), 4 * ELEMENTS / 8));
	assert_true(near(traffic_over(&rows, &instance), (4 + 2) * ELEMENTS * 7 / 8));
	assert_true(near(traffic_over(&rows, &others), 2 * 4 * ELEMENTS / 8 / 2));
}

/* Two exchanges of the activations each way, again where all of a block is recomputed. */
static void activations(void **state)
{
	const double each = 2.0 * 8192 * 4096;
	struct traffics rows = traffic(*state, WORK(.parallelism = "tp: 8"));

	assert_true(near(moved(&rows, "tp", "all_reduce"), 32 * 4 * each));
	assert_int_equal(rows.list.count, 1);
	rows = traffic(*state, WORK(.parallelism = "tp: 8, sequence_parallel: true",
				    .training = "activation_checkpoint: {mode: full}"));
	assert_true(near(moved(&rows, "tp", "all_gather"), 32 * 6 * each));
	assert_true(near(moved(&rows, "tp", "reduce_scatter"), 32 * 6 * each));
	assert_true(moved(&rows, "tp", "all_reduce") == 0);
	rows = traffic(*state, WORK(.parallelism = "tp: 8", .training = "param_dtype: float32"));
	assert_true(near(moved(&rows, "tp", "all_reduce"), 32 * 4 * 2 * each));
}

/*
 * Keys and values of 8 heads of 128 for a quarter of the sequence, three times round each way;
 * their gradients a fourth time, home. PyTorch gathers the former and sends the latter in fp32.
 */
static void keys_and_values(void **state)
{
	const double part = 2 * 2.0 * 2048 * 8 * 128;
	struct traffics rows = traffic(*state, WORK(.parallelism = "cp: 4"));

	assert_true(near(moved(&rows, "cp", "send_recv"), 32 * (2 * 3 + 4) * part));
	assert_int_equal(find(&rows, "dp_cp")->call.group->ranks, 8);
	rows = traffic(*state, WORK(.framework = TITAN, .parallelism = "cp: 4"));
	assert_true(near(moved(&rows, "cp", "all_gather"), 32 * 2 * 4 * part));
	assert_true(near(moved(&rows, "cp", "send_recv"), 32 * 4 * 2 * part));
	assert_int_equal(find(&rows, "dp_shard_cp")->call.group->ranks, 8);
	rows = traffic(*state,
		       WORK(.framework = TITAN, .parallelism = "cp: 4, cp_rotate: alltoall"));
	assert_true(near(moved(&rows, "cp", "send_recv"), 32 * (2 * 3 + 4 * 2) * part));
}

/*
 * 128 blocks over 16 ranks with two stages each: the first has eight and the embedding. It sends
 * five microbatches on from both stages, and gradients back from the second alone.
 */
static void stages(void **state)
{
	struct traffics rows =
		traffic(*state, WORK(.world = 16, .model = "{layers: 128, " LIKE_LLAMA3_8B "}",
				     .parallelism = "pp: 16, pipeline: {virtual_stages: 2}",
				     .training = "micro_batch_size: 1, global_batch_size: 16"));

	assert_int_equal(rows.list.count, 1);
	assert_true(near(moved(&rows, "pp", "send_recv"), (2 + 1) * 16 * 2.0 * 8192 * 4096));
	rows = traffic(*state, WORK(.framework = TITAN, .world = 64,
				    .model = "{layers: 128, " LIKE_LLAMA3_8B "}",
				    .parallelism = "pp: 4", .training = "local_batch_size: 16"));
	/* Tables count as a block: the second of 33, 33, 32 and 32 has no table, and is gathered
	 * once for all microbatches, of which it sends each both ways. */
	assert_true(near(moved(&rows, "dp_shard_cp", "all_gather"), 2 * 33 * BLOCK));
	assert_true(near(moved(&rows, "dp_shard_cp", "reduce_scatter"), 4 * 33 * BLOCK));
	assert_true(near(moved(&rows, "pp", "send_recv"), 2 * 16 * 2.0 * 8192 * 4096));
}

/*
 * Tokens go to two of eight experts and back; parameters of experts meet on ranks of their own: one
 * expert on each of eight ranks, which the rank eight further has, too.
 */
static void experts(void **state)
{
	struct traffics rows =
		traffic(*state, WORK(.framework = TITAN, .world = 16, .parallelism = "ep: 8",
				     .model = "{layers: 32, " LIKE_LLAMA3_8B
					      ", moe: {experts: 8, topk: 2, expert_ffn: 1024, "
					      "dense_layers: 2}}"));
	const struct layout pairs = layout_axis(2, 8), ep = layout_axis(8, 1);
	const struct traffic *own = find(&rows, "dp_shard_mod_ep");
	/* attention, norms, and the router's 8 rows, padded to one on each of 16 ranks */
	const double block = 41943040.0 + 2 * 4096 + 16 * 4096;

	assert_true(near(moved(&rows, "ep", "all_to_all"), 30 * 4 * 2.0 * 8192 * 2 * 4096));
	assert_true(layout_same_groups(&find(&rows, "ep")->call.group->layout, &ep));
	assert_true(own && own->nodes == 2 && near(own->call.bytes, 2 * 3.0 * 4096 * 1024));
	assert_true(layout_same_groups(&own->call.group->layout, &pairs));
	assert_true(near(moved(&rows, "dp_shard_cp", "reduce_scatter"),
			 4 * (2 * BLOCK + 30 * block + 2 * TABLE + 4096)));
}

/* A root unit holds both tables: gathered once forward, and not again where it is kept. */
static void roots(void **state)
{
	const double root = 2 * TABLE + 4096;
	struct traffics rows = traffic(*state, WORK(.framework = "torch: 2.9.0"));

	assert_true(near(moved(&rows, NULL, "all_gather"), 2 * (2 * 32 * BLOCK + root)));
	assert_true(near(rows.list.items[0].call.bytes, 2 * root));
	assert_true(rows.list.items[0].count == 1);
	rows = traffic(*state, WORK(.framework = "torch: 2.9.0",
				    .parallelism = "reshard_after_forward: always"));
	assert_true(near(moved(&rows, NULL, "all_gather"), 2 * 2 * ELEMENTS));
	assert_true(near(moved(&rows, NULL, "reduce_scatter"), 2 * ELEMENTS));
}

/* Times are those of the same group's collective, and what a step exposes is shared out by time. */
static void times_and_shares(void **state)
{
	struct traffics rows = traffic(*state, WORK(.framework = TITAN));
	const struct traffic *row = &rows.list.items[0];
	const struct layout all = layout_axis(8, 1);
	const struct lane lane = network_lane(h100(*state), 8, &all);
	struct step step = { .data = 1e-3 };
	double exposed = 0;
	size_t i;

	assert_true(row->exposed < 0);
	assert_true(
		near(1e-6 * row->time.time, network_seconds(&lane, row->call.op, row->call.bytes)));
	assert_true(near(traffic_bus(row), row->call.bytes / row->time.time / 1e3 * 7 / 8));
	traffic_expose(&rows, &step);
	for (i = 0; i < rows.list.count; i++)
		exposed += 1e-6 * rows.list.items[i].exposed * rows.list.items[i].count *
			   rows.list.items[i].time.time;
	assert_true(near(exposed, 1e-3));
	step.data = 1e6;
	traffic_expose(&rows, &step);
	assert_true(rows.list.items[0].exposed == 1);
}

/* ---- the account against the plan and the simulated step ---- */

static const struct asked various[] = {
	{ .framework = TITAN },
	{ .framework = TITAN, .parallelism = "reshard_after_forward: always" },
	{ .framework = TITAN, .parallelism = "reshard_after_forward: never" },
	{ .framework = TITAN, .training = "global_batch_size: 16, micro_batch_size: 1" },
	{ .framework = TITAN, .parallelism = "dp_replicate: 2, dp_shard: 4" },
	{ .framework = TITAN, .parallelism = "tp: 2, cp: 2" },
	{ .framework = TITAN, .parallelism = "pp: 2", .training = "local_batch_size: 4" },
	{ .framework = TITAN,
	  .parallelism = "pp: 2, reshard_after_forward: always",
	  .training = "local_batch_size: 4" },
	{ .framework = TITAN,
	  .parallelism = "pp: 4, pipeline: {schedule: Interleaved1F1B}",
	  .training = "local_batch_size: 8" },
	{ .framework = TITAN,
	  .parallelism = "pp: 4, pipeline: {schedule: ZBVZeroBubble}",
	  .training = "local_batch_size: 8" },
	{ .framework = TITAN,
	  .parallelism = "pp: 2, dp_replicate: 2, reshard_after_forward: never",
	  .training = "local_batch_size: 4" },
	{ .framework = TITAN,
	  .parallelism = "ep: 4",
	  .model =
		  "{layers: 4, " LIKE_LLAMA3_8B ", moe: {experts: 8, topk: 2, expert_ffn: 1024}}" },
	{ .framework = TITAN,
	  .parallelism = "pp: 2, ep: 2",
	  .model = "{layers: 4, " LIKE_LLAMA3_8B ", moe: {experts: 8, topk: 2, expert_ffn: 1024}}",
	  .training = "local_batch_size: 4" },
	{ .framework = "torch: 2.9.0" },
	{ .framework = "torch: 2.9.0", .parallelism = "reshard_after_forward: always" },
	{ .framework = "torch: 2.5.0", .parallelism = "fsdp_version: '1'" },
	{ .framework = "torch: 2.9.0", .parallelism = "pp: 2", .training = "local_batch_size: 4" },
	{ .framework = "megatron: core@2024-05",
	  .training =
		  "optimizer: {distributed: true}, global_batch_size: 16, micro_batch_size: 1" },
	{ .framework = "megatron: core@2024-05",
	  .parallelism = "pp: 4, pipeline: {virtual_stages: 2}",
	  .training =
		  "optimizer: {distributed: true}, global_batch_size: 16, micro_batch_size: 1" },
	{ .parallelism = "pp: 2",
	  .training =
		  "optimizer: {distributed: true}, global_batch_size: 16, micro_batch_size: 1" },
	{ .world = 16, .training = "optimizer: {distributed: true, instances: 2}" },
	{ .framework = "deepspeed: 0.16", .parallelism = "zero_stage: 3" },
	{ .framework = "deepspeed: 0.16", .parallelism = "zero_stage: 2" },
};

enum { VARIOUS = sizeof(various) / sizeof(*various) };

/* What the account says is called is what the simulated step calls, byte for byte. */
static void the_step_calls_what_is_accounted(void **state)
{
	size_t i;

	for (i = 0; i < VARIOUS; i++) {
		const struct workload *work = workload_of(*state, &various[i]);
		const struct traffics rows = traffic(*state, work);
		const struct run run = step_run(*state, h100(*state), work);
		struct tally account[TASK_KINDS] = { 0 }, step[TASK_KINDS] = { 0 };
		size_t k;
		assert_int_equal(run.batches, work->microbatches); /* none is left out */
		for (k = 0; k < rows.list.count; k++)
			tally_row(work, &rows.list.items[k], account);
		tally_tasks(work, &run, plan_pp_rank(work->plan, rows.rank), step);
		for (k = TASK_GATHER; k <= TASK_SEND; k++) {
			if (!near(step[k].bytes, account[k].bytes))
				fail_msg("%s: %.0f bytes of kind %zu, accounted %.0f",
					 text_of(*state, &various[i]), step[k].bytes, k,
					 account[k].bytes);
			if (work->zero == ZERO_PARAMETERS && !work->plan->has_expert)
				assert_true(step[k].calls == account[k].calls);
		}
	}
}

/* Elements of all units of the stages of a pipeline rank, whole; `kept`: of those that are kept. */
static double gathered(const struct plan *plan, int64_t rank, bool kept)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < plan->units.count; i++) {
		const struct unit *unit = &plan->units.items[i];
		if (plan->stages.count && plan->stages.items[unit->stage].pp_rank != rank)
			continue;
		if (!kept || !unit->reshard_after_forward)
			sum += (double)(unit->shard_elements * layout_size(&unit->shard));
	}
	return sum;
}

/* Bytes of data-parallel calls of a collective. */
static double of_data(const struct traffics *traffics, const char *op)
{
	double all = 0;
	size_t i;

	for (i = 0; i < traffics->list.count; i++) {
		const struct traffic *row = &traffics->list.items[i];
		if (row->axis == TRAFFIC_DATA && !strcmp(row->call.op->name, op))
			all += row->call.bytes * row->count;
	}
	return all;
}

/*
 * The plan's units are what is gathered: without a pipeline all of them forward, and those that let
 * go again backward, in every microbatch. All of them are reduced, in a pipeline once.
 */
static void units_are_gathered(void **state)
{
	size_t i;

	for (i = 0; i < VARIOUS; i++) {
		const struct workload *work = workload_of(*state, &various[i]);
		const struct plan *plan = work->plan;
		const struct traffics rows = traffic(*state, work);
		const int64_t rank = plan_pp_rank(plan, rows.rank);
		const double all = gathered(plan, rank, false), kept = gathered(plan, rank, true);
		const double times = work->pp > 1 ? 1 : (double)work->microbatches;
		if (!plan->units.count)
			continue;
		assert_true(near(of_data(&rows, "reduce_scatter"),
				 times * (double)work->grad_bytes * all));
		if (work->pp == 1)
			assert_true(near(of_data(&rows, "all_gather"),
					 times * (double)work->param_bytes * (2 * all - kept)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sharded_parameters, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(reduced_each_time, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(heads_for_tokens, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(gathered_in_fp8, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(gathered_in_fp32, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(copies_of_shards, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(buckets_of_gradients, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(instances_of_the_optimizer, open_arena,
						close_arena),
		cmocka_unit_test_setup_teardown(activations, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(keys_and_values, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(stages, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(experts, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(roots, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(times_and_shares, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(the_step_calls_what_is_accounted, open_arena,
						close_arena),
		cmocka_unit_test_setup_teardown(units_are_gathered, open_arena, close_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
