#include "framework/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

struct fixture {
	struct arena arena;
	struct findings findings;
	struct job job;
};

static void read_job(struct fixture *f, const char *blocks)
{
	struct overrides overrides = { 0 };

	arena_init(&f->arena);
	findings_init(&f->findings, &f->arena);
	overrides.text = arena_printf(&f->arena, "parplan: 1\n%s", blocks);
	assert_null(job_read(&f->job, &f->arena, "x.yaml", &overrides, &f->findings));
}

static void worlds_of_blocks(void **state)
{
	static const struct {
		const char *blocks;
		int64_t world;
	} cases[] = {
		{ "launch: {launcher: torchrun, nodes: 2, processes_per_node: 8}\n", 16 },
		{ "launch: {launcher: torchrun, processes_per_node: 4}\n", 4 },
		{ "launch: {launcher: accelerate, nodes: 2, processes: 8}\n", 8 },
		{ "launch: {launcher: srun, nodes: 4, tasks_per_node: 8}\n", 32 },
		{ "launch: {launcher: srun, tasks: 24}\n", 24 },
		{ "launch: {launcher: kubernetes, replicas: 3, gpus_requested: 8, "
		  "processes_per_node: auto}\n",
		  24 },
		{ "launch: {nodes: 2, processes_per_node: gpu}\ncluster: {gpus_per_node: 4}\n", 8 },
		{ "launch: {nodes: 2, processes_per_node: cpu}\n", 0 },
		{ "launch: torchrun\ncluster: {nodes: 2, gpus_per_node: 8}\n", 16 },
		/* the launcher is nearer to what runs than the cluster, `world` nearer still */
		{ "launch: {nodes: 2, processes_per_node: 4}\n"
		  "cluster: {nodes: 2, gpus_per_node: 8}\n",
		  8 },
		{ "world: 6\nlaunch: {nodes: 2, processes_per_node: 4}\n", 6 },
		{ "cluster: {devices: [8, 8, 4]}\n", 20 },
		{ "cluster: {devices: [8, x]}\n", 0 },
		{ "cluster: {devices: []}\n", 0 },
		{ "launch: {nodes: 4611686018427387904, processes_per_node: 8}\n", 0 },
		{ "launch: {nodes: -2, processes_per_node: 8}\n", 0 },
		/* degrees fix a world where none is the rest of it */
		{ "parallelism: {dp_replicate: 2, dp_shard: 4, tp: 2}\n", 16 },
		{ "parallelism: {dp_shard: 8}\n", 8 },
		{ "parallelism: {dp_replicate: -1, dp_shard: 4}\n", 0 },
		{ "parallelism: {dp_replicate: -1, dp_shard: -1}\n", 0 },
		{ "parallelism: {dp_replicate: -1}\n", 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;
		read_job(&f, cases[i].blocks);
		if (f.job.world != cases[i].world)
			print_error("%s", cases[i].blocks);
		assert_int_equal(f.job.world, cases[i].world);
		arena_release(&f.arena);
	}
}

static void provenance_is_kept(void **state)
{
	struct fixture f;

	(void)state;
	read_job(&f, "launch: {nodes: 2, processes_per_node: 8}\n");
	assert_non_null(f.job.world_from);
	assert_int_equal(f.job.world_from->origin, ORIGIN_DERIVED);
	assert_int_equal(f.job.world_from->parents[0]->field, FIELD_LAUNCH_PER_NODE);
	assert_int_equal(f.job.world_from->span.line, 2);
	arena_release(&f.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worlds_of_blocks),
		cmocka_unit_test(provenance_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
