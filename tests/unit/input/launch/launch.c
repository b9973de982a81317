#include "input/document.h"
#include "input/launch/launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
	struct arena arena;
	struct overrides overrides;
	struct launch *launch;
};

/* Words between '|'. */
static struct launch *parse(struct fixture *f, const char *words)
{
	memset(f, 0, sizeof(*f));
	arena_init(&f->arena);
	while (*words) {
		size_t length = strcspn(words, "|");
		vec_push(&f->arena, &f->overrides.words, arena_strndup(&f->arena, words, length));
		words += length + (words[length] == '|');
	}
	f->launch = launch_parse(&f->arena, &f->overrides);
	return f->launch;
}

static const char *value_of(struct fixture *f, const char *name)
{
	const struct launch_flag *flag = launch_find(f->launch, name);

	return !flag ? "(absent)" : flag->value ? flag->value : "(bare)";
}

static void flags_of_every_form(void **state)
{
	static const struct {
		const char *words, *name, *value;
	} cases[] = {
		{ "--a.b|2", "a.b", "2" },
		{ "--a.b=2", "a.b", "2" },
		{ "--a.b|-1", "a.b", "-1" },
		{ "--a.b|--c.d|3", "a.b", "(bare)" },
		{ "--a.b|--c.d|3", "c.d", "3" },
		{ "--a.b-c|2", "a.b_c", "2" },
		{ "--a.b|1|--a.b|2", "a.b", "2" },
		{ "--a.b 2 --c.d|--e.f|x", "c.d", "(bare)" },
		{ "--a.b 2 --c.d|--e.f|x", "a.b", "2" },
		{ "--a.b='full", "a.b", "full" },
		{ "--a.b|'op'", "a.b", "op" },
		{ "--a.b 'x y' --c.d 2", "a.b", "x y" },
		{ "--a.b=x y", "a.b", "x y" },
		{ "--a.b=", "a.b", "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;
		parse(&f, cases[i].words);
		assert_string_equal(value_of(&f, cases[i].name), cases[i].value);
		arena_release(&f.arena);
	}
}

static void worlds_of_launch_lines(void **state)
{
	static const struct {
		const char *words;
		int64_t world;
		const char *config;
	} cases[] = {
		{ "torchrun|--nnodes|2|--nproc_per_node|8|train.py|--job.config_file|x.toml", 16,
		  "x.toml" },
		{ "torchrun --nnodes=2 --nproc-per-node=8 -m torchtitan.train --job.config-file "
		  "y.toml",
		  16, "y.toml" },
		{ "python|-m|torch.distributed.run|--standalone|--nproc_per_node=4|train.py", 4,
		  NULL },
		{ "NGPU=4|CONFIG_FILE=./z.toml|./run_train.sh|--training.steps|1", 4, "./z.toml" },
		{ "CONFIG_FILE=z.toml ./run_train.sh", 8, "z.toml" },
		{ "NGPU=2 CONFIG_FILE=z.toml ./run_train.sh --job.config_file w.toml", 2,
		  "w.toml" },
		{ "srun|-N|2|torchrun|--nnodes|2|--nproc_per_node|8|--rdzv_id|101|train.py", 16,
		  NULL },
		{ "accelerate|launch|--multi_gpu|--num_processes|16|--num_machines=2|train.py", 16,
		  NULL },
		{ "accelerate|launch|--use_fsdp|--config_file|a.yaml|train.py|--lr|1", 0, NULL },
		{ "deepspeed|--num_gpus=4|train.py|--deepspeed|ds.json", 4, NULL },
		{ "deepspeed|--num_nodes|2|--num_gpus|8|train.py", 16, NULL },
		{ "deepspeed|--hostfile|hosts|train.py", 0, NULL },
		{ "srun|-N4|--ntasks-per-node=8|python|train.py", 32, NULL },
		{ "srun|--exclusive|-n|16|python|train.py|--nodes|3", 16, NULL },
		{ "srun|--nodes=2|--ntasks-per-node=8|torchrun|--nnodes|2|--nproc_per_node|4|t.py",
		  8, NULL },
		{ "mpirun|-np|12|python|train.py", 12, NULL },
		{ "torchrun|--nnodes=1:4|--nproc_per_node=8|train.py", 0, NULL },
		{ "torchrun|--nproc_per_node=gpu|train.py", 0, NULL },
		{ "torchrun|train.py", 1, NULL },
		{ "python|train.py|--job.config_file=q.toml", 0, "q.toml" },
		{ "--parallelism.tensor_parallel_degree|2", 0, NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;
		struct launch *launch = parse(&f, cases[i].words);
		assert_int_equal(launch->world, cases[i].world);
		if (cases[i].config)
			assert_string_equal(launch->config_file, cases[i].config);
		else
			assert_null(launch->config_file);
		assert_int_equal(launch->strays.count, 0);
		arena_release(&f.arena);
	}
}

static const char *told(const struct launch *launch, enum field_id field)
{
	size_t i;

	for (i = launch->facts.count; i > 0; i--)
		if (launch->facts.items[i - 1].field == field)
			return launch->facts.items[i - 1].text;
	return "(absent)";
}

static void launchers_say_settings(void **state)
{
	static const struct {
		const char *words;
		enum field_id field;
		const char *text;
	} cases[] = {
		{ "torchrun|--rdzv-endpoint=localhost:29400|train.py", FIELD_LAUNCH_RDZV_ENDPOINT,
		  "localhost:29400" },
		{ "torchrun|--master_addr|node0|--node-rank|1|t.py", FIELD_LAUNCH_RDZV_ENDPOINT,
		  "node0" },
		{ "torchrun|--master_addr|node0|--node-rank|1|t.py", FIELD_LAUNCH_NODE_RANK, "1" },
		{ "torchrun|--nproc_per_node=gpu|train.py", FIELD_LAUNCH_PER_NODE, "gpu" },
		{ "NGPU=4|./run_train.sh", FIELD_LAUNCH_PER_NODE, "4" },
		{ "./run_train.sh", FIELD_LAUNCH_LAUNCHER, "torchrun" },
		{ "srun|--ntasks-per-node=8|torchrun|--nproc_per_node=8|t.py",
		  FIELD_LAUNCH_TASKS_PER_NODE, "8" },
		{ "srun|--ntasks-per-node=8|torchrun|--nproc_per_node=8|t.py",
		  FIELD_LAUNCH_LAUNCHER, "torchrun" },
		{ "srun|--gres=gpu:h100:4|python|t.py", FIELD_LAUNCH_GPUS_REQUESTED, "4" },
		{ "srun|--gres=gpu:h100:4|python|t.py", FIELD_LAUNCH_LAUNCHER, "srun" },
		{ "python|train.py|--launcher|deepspeed", FIELD_LAUNCH_LAUNCHER, "(absent)" },
		{ "accelerate|launch|--num_machines|2|t.py", FIELD_LAUNCH_NODES, "2" },
		{ "accelerate|config", FIELD_LAUNCH_LAUNCHER, "(absent)" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;
		struct launch *launch = parse(&f, cases[i].words);
		assert_string_equal(told(launch, cases[i].field), cases[i].text);
		arena_release(&f.arena);
	}
}

static void spans_point_into_the_line(void **state)
{
	struct fixture f;
	const struct launch_flag *flag;

	(void)state;
	parse(&f, "--a.b|12|--c.d=3");
	flag = launch_find(f.launch, "a.b");
	assert_string_equal(flag->span.source->path, "<command line>");
	assert_int_equal(flag->span.column, 7);
	assert_int_equal(flag->span.end_column, 9);
	flag = launch_find(f.launch, "c.d");
	assert_int_equal(flag->span.column, 16);
	assert_int_equal(flag->name_span.column, 10);
	arena_release(&f.arena);
}

static void nothing_is_no_launch(void **state)
{
	struct fixture f;

	(void)state;
	assert_null(parse(&f, ""));
	arena_release(&f.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_of_every_form),
		cmocka_unit_test(worlds_of_launch_lines),
		cmocka_unit_test(launchers_say_settings),
		cmocka_unit_test(spans_point_into_the_line),
		cmocka_unit_test(nothing_is_no_launch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
