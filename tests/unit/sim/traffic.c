/* What a step's collectives carry: every byte that a strategy must move, and no other. */
#include "sim/traffic.h"
#include "workloads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

/* Llama 3 8B without its 65 norms of 4096. */
static const double elements = 8030261248.0 - 65 * 4096.0;

static struct traffics traffic(struct arena *arena, const struct workload *work)
{
	struct traffics traffics = { 0 };
	struct profile profile = h100(arena);

	traffic_of(arena, &profile, work, &traffics);
	return traffics;
}

/* Bytes of all calls of a collective over a group; NULL: over any. */
static double moved(const struct traffics *traffics, const char *group, const char *op)
{
	double all = 0;
	size_t i;

	for (i = 0; i < traffics->list.count; i++) {
		const struct traffic *row = &traffics->list.items[i];
		if (!strcmp(row->op->name, op) && (!group || !strcmp(row->group, group)))
			all += row->bytes * row->count;
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
		if (!strcmp(traffics->list.items[i].group, group))
			return &traffics->list.items[i];
	return NULL;
}

/* FSDP gathers every element twice per microbatch in bf16 and scatters its gradient in fp32. */
static void sharded_parameters(void **state)
{
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	struct traffics rows;
	struct arena arena;

	(void)state;
	work.zero = ZERO_PARAMETERS;
	work.software = SOFTWARE_EAGER;
	work.reshard = true;
	work.microbatches = 3;
	rows = traffic(&arena, &work);
	assert_true(near(moved(&rows, "dp_shard", "all_gather"), 3 * 2 * 2 * elements));
	assert_true(near(moved(&rows, "dp_shard", "reduce_scatter"), 3 * 4 * elements));
	assert_true(moved(&rows, NULL, "all_reduce") == 0);
	arena_release(&arena);
	work.reshard = false;
	work.fp8_gather = true;
	rows = traffic(&arena, &work);
	assert_true(near(moved(&rows, "dp_shard", "all_gather"), 3 * 1 * elements));
	arena_release(&arena);
}

/* Copies of a shard are all-reduced: over 2 x 8 ranks an eighth of the gradients, across nodes. */
static void copies_of_shards(void **state)
{
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	const struct traffic *copies;
	struct traffics rows;
	struct arena arena;

	(void)state;
	work.world = work.dp = 16;
	work.nodes = work.replicate = 2;
	work.zero = ZERO_PARAMETERS;
	rows = traffic(&arena, &work);
	assert_true(near(moved(&rows, "dp_replicate", "all_reduce"), 4 * elements / 8));
	copies = find(&rows, "dp_replicate");
	assert_true(copies && copies->nodes == 2 && copies->communicator.stride == 8);
	assert_true(find(&rows, "dp_shard")->nodes == 1);
	arena_release(&arena);
}

/* Buckets hold all gradients, whatever their size; a sharded optimizer gathers parameters back. */
static void buckets_of_gradients(void **state)
{
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	struct traffics rows;
	struct arena arena;

	(void)state;
	work.overlap_grads = true;
	rows = traffic(&arena, &work);
	assert_true(near(moved(&rows, "dp", "reduce_scatter"), 4 * elements));
	assert_true(near(moved(&rows, "dp", "all_gather"), 2 * elements));
	assert_true(find(&rows, "dp")->count == ceil(elements / 40e6));
	arena_release(&arena);
	work.overlap_grads = false;
	rows = traffic(&arena, &work);
	assert_true(find(&rows, "dp")->count == 1);
	arena_release(&arena);
	work.zero = ZERO_NONE;
	work.software = SOFTWARE_EAGER;
	rows = traffic(&arena, &work);
	assert_true(near(moved(&rows, "dp", "all_reduce"), 4 * elements));
	assert_true(find(&rows, "dp")->bytes <= 25 * 1048576);
	assert_true(rows.list.count == 1);
	arena_release(&arena);
}

/* Two exchanges of the activations each way, again where all of a block is recomputed. */
static void activations(void **state)
{
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	const double each = 2.0 * 8192 * 4096;
	struct traffics rows;
	struct arena arena;

	(void)state;
	work.dp = work.shard = 1;
	work.tp = 8;
	work.zero = ZERO_NONE;
	rows = traffic(&arena, &work);
	assert_true(near(moved(&rows, "tp", "all_reduce"), 32 * 4 * each));
	assert_true(rows.list.count == 1);
	arena_release(&arena);
	work.sequence_parallel = true;
	work.recompute = RECOMPUTE_FULL;
	rows = traffic(&arena, &work);
	assert_true(near(moved(&rows, "tp", "all_gather"), 32 * 6 * each));
	assert_true(near(moved(&rows, "tp", "reduce_scatter"), 32 * 6 * each));
	arena_release(&arena);
}

/* Keys and values of 8 heads of 128 for a quarter of the sequence, three times round each way. */
static void keys_and_values(void **state)
{
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	const double part = 2 * 2.0 * 2048 * 8 * 128;
	struct traffics rows;
	struct arena arena;

	(void)state;
	work.dp = 2;
	work.cp = 4;
	work.cp_rotates = true;
	rows = traffic(&arena, &work);
	assert_true(near(moved(&rows, "cp", "send_recv"), 32 * (2 * 3 + 4) * part));
	assert_true(find(&rows, "dp_cp")->communicator.ranks == 8);
	arena_release(&arena);
	work.software = SOFTWARE_COMPILED;
	work.cp_rotates = false;
	rows = traffic(&arena, &work);
	assert_true(near(moved(&rows, "cp", "all_gather"), 32 * 2 * 4 * part));
	assert_true(near(moved(&rows, "cp", "send_recv"), 32 * 4 * 2 * part));
	arena_release(&arena);
}

/* The stage with the most blocks: 126 over 16 stages are 8; groups of one rank say nothing. */
static void stages(void **state)
{
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	struct traffics rows;
	struct arena arena;

	(void)state;
	model.layers = 126;
	work.world = 16;
	work.nodes = 2;
	work.pp = 16;
	work.dp = work.shard = 1;
	work.zero = ZERO_PARAMETERS;
	work.microbatches = 5;
	work.virtual_stages = 2;
	rows = traffic(&arena, &work);
	assert_true(rows.list.count == 1);
	assert_true(near(moved(&rows, "pp", "send_recv"), 2.0 * 5 * 2 * 2 * 8192 * 4096));
	arena_release(&arena);
	work.world = 256;
	work.nodes = 32;
	work.dp = work.shard = 16;
	rows = traffic(&arena, &work);
	assert_true(find(&rows, "dp_shard")->count == 8); /* gathered once for all microbatches */
	arena_release(&arena);
}

/* Tokens go to two of eight experts and back; parameters of experts meet on ranks of their own. */
static void experts(void **state)
{
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	const struct traffic *own;
	struct traffics rows;
	struct arena arena;

	(void)state;
	model.experts = 8;
	model.topk = 2;
	model.expert_ffn = 1024;
	model.dense_layers = 2;
	work.world = work.dp = work.shard = 16;
	work.nodes = 2;
	work.ep = 8;
	work.zero = ZERO_PARAMETERS;
	rows = traffic(&arena, &work);
	assert_true(near(moved(&rows, "ep", "all_to_all"), 30 * 4 * 2.0 * 8192 * 2 * 4096));
	own = find(&rows, "edp");
	assert_true(own && own->communicator.ranks == 2 && own->communicator.stride == 8);
	assert_true(own->nodes == 2 && near(own->bytes, 2 * 3.0 * 4096 * 1024));
	arena_release(&arena);
}

/* Times are those of the same group's collective, and what a step exposes is shared out by time. */
static void times_and_shares(void **state)
{
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	struct step step = { .data = 1e-3 };
	struct traffics rows = { 0 };
	const struct traffic *row;
	struct profile profile;
	struct arena arena;
	double exposed = 0;
	size_t i;

	(void)state;
	profile = h100(&arena);
	work.zero = ZERO_PARAMETERS;
	traffic_of(&arena, &profile, &work, &rows);
	row = &rows.list.items[0];
	assert_true(row->exposed < 0);
	assert_true(fabs(1e-6 * row->time.time /
				 network_gather(network_lane(&profile, 8, row->communicator), 8,
						row->bytes) -
			 1) < 1e-12);
	assert_true(near(traffic_bus(row), row->bytes / row->time.time / 1e3 * 7 / 8));
	traffic_expose(&rows, &step);
	for (i = 0; i < rows.list.count; i++)
		exposed += 1e-6 * rows.list.items[i].exposed * rows.list.items[i].count *
			   rows.list.items[i].time.time;
	assert_true(near(exposed, 1e-3));
	step.data = 1e6;
	traffic_expose(&rows, &step);
	assert_true(rows.list.items[0].exposed == 1);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sharded_parameters),
		cmocka_unit_test(copies_of_shards),
		cmocka_unit_test(buckets_of_gradients),
		cmocka_unit_test(activations),
		cmocka_unit_test(keys_and_values),
		cmocka_unit_test(stages),
		cmocka_unit_test(experts),
		cmocka_unit_test(times_and_shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
