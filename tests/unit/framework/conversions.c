#include "base/buf.h"
#include "report/convert/native_yaml.h"
#include "framework/conversion.h"

#include "unit/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

/*
 * A config written in a target's words and read back by the target's dialect has the degrees that
 * it had: for random degrees, those that the target can say.
 */
static const int64_t sizes[] = { 1, 1, 2, 2, 4, 8 };

struct shape {
	int64_t replicate, shard, cp, tp, pp, world;
};

/* One text read as a job at that world. */
static void read_text(struct job *job, struct arena *arena, const char *text, int64_t world)
{
	struct overrides *overrides = arena_new(arena, struct overrides);
	struct findings *findings = arena_new(arena, struct findings);

	overrides->text = text;
	overrides->world = world;
	findings_init(findings, arena);
	assert_null(job_read(job, arena, "config", overrides, findings));
	if (!job->readable)
		fail_msg("not readable: %s", text);
}

static struct shape random_shape(struct random *random, bool pipeline)
{
	struct shape shape = { random_pick(random, sizes),
			       random_pick(random, sizes),
			       random_pick(random, sizes),
			       random_pick(random, sizes),
			       1,
			       0 };

	if (pipeline)
		shape.pp = random_pick(random, sizes);
	if (shape.cp * shape.tp > 1 && shape.shard == 1)
		shape.shard = 2; /* replicas beside tp or cp alone are refused by accelerate */
	shape.world = shape.replicate * shape.shard * shape.cp * shape.tp * shape.pp;
	return shape;
}

static const char *native_of(struct arena *arena, struct random *random, struct shape shape)
{
	const bool open = random_once(random, 3);

	return arena_printf(arena,
			    "parplan: 1\nmodel: llama3-8b\nparallelism:\n  dp_replicate: %" PRId64
			    "\n  dp_shard: %" PRId64 "\n  cp: %" PRId64 "\n  tp: %" PRId64
			    "\n  pp: %" PRId64 "\ntraining: {seq_len: 4096, micro_batch_size: 2, "
			    "global_batch_size: %" PRId64 ", param_dtype: bfloat16}\n",
			    shape.replicate, open ? (int64_t)-1 : shape.shard, shape.cp, shape.tp,
			    shape.pp, 16 * shape.replicate * shape.shard); /* 8 microbatches */
}

static void assert_same(const struct job *from, const struct job *to, const char *target,
			const char *text)
{
	const struct degrees *a = &from->intended->degrees, *b = &to->intended->degrees;

	if (a->dp_replicate != b->dp_replicate || a->dp_shard != b->dp_shard || a->cp != b->cp ||
	    a->tp != b->tp || a->pp != b->pp || from->world != to->world ||
	    from->intended->requested != to->intended->requested ||
	    strcmp(to->document.dialect->name, target) != 0)
		fail_msg("%s: read back by %s as %" PRId64 " x %" PRId64 ", cp %" PRId64
			 ", tp %" PRId64 ", pp %" PRId64 " of %" PRId64 ": %s",
			 target, to->document.dialect->name, b->dp_replicate, b->dp_shard, b->cp,
			 b->tp, b->pp, to->world, text);
}

/* Lines of a shell's array as the map MODEL_ARGS, which Megatron's test recipes have. */
static const char *as_model_args(struct arena *arena, const char *text)
{
	struct buf yaml;
	const char *at = strstr(text, "(\n") + 2, *copy;

	buf_init(&yaml);
	buf_text(&yaml, "MODEL_ARGS:\n");
	while (*at == ' ') {
		size_t length = strcspn(at, "\n"), name = 2 + strcspn(at + 2, " \n");
		size_t end = (size_t)((strstr(at, "  #") ? strstr(at, "  #") : at + length) - at);
		if (end > length)
			end = length;
		buf_printf(&yaml, "  %.*s:", (int)(name - 2), at + 2);
		if (end > name)
			buf_printf(&yaml, "%.*s\n", (int)(end - name), at + name);
		else
			buf_text(&yaml, " true\n");
		at += length + 1;
	}
	copy = arena_strdup(arena, yaml.data);
	buf_release(&yaml);
	return copy;
}

/* A recipe with the overrides in their places. */
static const char *as_recipe(struct arena *arena, const char *text)
{
	struct buf yaml;
	const char *at = strchr(text, '\n') + 1, *copy;

	buf_init(&yaml);
	for (; *at; at += strcspn(at, "\n") + 1) {
		size_t key = strcspn(at, "="), value = strcspn(at + key, " \n");
		if (!memchr(at, '.', key))
			buf_printf(&yaml, "%.*s: %.*s\n", (int)key, at, (int)(value - 1),
				   at + key + 1);
		else if (!strncmp(at, "model._component_", key))
			buf_printf(&yaml, "model: {_component_: %.*s}\n", (int)(value - 1),
				   at + key + 1);
	}
	copy = arena_strdup(arena, yaml.data);
	buf_release(&yaml);
	return copy;
}

/* Native, target, native again. */
static void there_and_back(struct random *random, const char *name, bool pipeline,
			   const char *(*wrap)(struct arena *, const char *))
{
	const struct shape shape = random_shape(random, pipeline);
	struct arena arena;
	struct job from, to;
	struct findings lost;
	struct buf text;
	const char *back;

	arena_init(&arena);
	findings_init(&lost, &arena);
	buf_init(&text);
	read_text(&from, &arena, native_of(&arena, random, shape), shape.world);
	convert(&from, target_find(name), &lost, &text);
	back = wrap ? wrap(&arena, text.data) : arena_strdup(&arena, text.data);
	read_text(&to, &arena, back, shape.world);
	assert_same(&from, &to, name, back);
	assert_int_equal(findings_count(&lost, SEVERITY_WARNING), 0);
	buf_release(&text);
	arena_release(&arena);
}

static void by_torchtitan(struct random *random)
{
	there_and_back(random, "torchtitan", true, NULL);
}

static void by_accelerate(struct random *random)
{
	there_and_back(random, "accelerate", false, NULL);
}

static void by_torchtune(struct random *random)
{
	there_and_back(random, "torchtune", false, as_recipe);
}

static void by_megatron(struct random *random)
{
	there_and_back(random, "megatron", true, as_model_args);
}

/* A source that only derives its degrees: torchtune's, of the world, and DDP, of nothing. */
static void derived_comes_back(void **state)
{
	static const char *const texts[] = {
		"model: {_component_: torchtune.models.llama3_1.llama3_1_8b}\nbatch_size: 2\n",
		"base_model: Qwen/Qwen2.5-7B\nmicro_batch_size: 1\nsequence_len: 2048\n",
		"devices: 4\nnum_nodes: 2\ntrain: {micro_batch_size: 4}\n",
	};
	static const char *const names[] = { "torchtitan", "accelerate" };
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			struct arena arena;
			struct job from, to;
			struct findings lost;
			struct buf text;

			arena_init(&arena);
			findings_init(&lost, &arena);
			buf_init(&text);
			read_text(&from, &arena, texts[i], 8);
			convert(&from, target_find(names[k]), &lost, &text);
			read_text(&to, &arena, text.data, 8);
			assert_same(&from, &to, names[k], text.data);
			buf_release(&text);
			arena_release(&arena);
		}
}

/* To native words: the same degrees, whatever the dialect derived. */
static void by_native(struct random *random)
{
	const struct shape shape = random_shape(random, true);
	struct arena arena;
	struct job from, to;
	struct settings said;
	struct buf text;

	arena_init(&arena);
	buf_init(&text);
	read_text(&from, &arena, native_of(&arena, random, shape), shape.world);
	job_said(&from, &said);
	report_native_yaml_whole(&from, &said, &text);
	read_text(&to, &arena, text.data, 0);
	assert_same(&from, &to, "parplan", text.data);
	assert_int_equal(to.findings->list.count, 0);
	buf_release(&text);
	arena_release(&arena);
}

static void each(void (*law)(struct random *))
{
	struct random random;
	int64_t number;

	random_each(number, random, 60) law(&random);
}

static void native_comes_back(void **state)
{
	(void)state;
	each(by_native);
}

static void torchtitan_comes_back(void **state)
{
	(void)state;
	each(by_torchtitan);
}

static void accelerate_comes_back(void **state)
{
	(void)state;
	each(by_accelerate);
}

static void torchtune_comes_back(void **state)
{
	(void)state;
	each(by_torchtune);
}

static void megatron_comes_back(void **state)
{
	(void)state;
	each(by_megatron);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		random_test(native_comes_back),	    random_test(torchtitan_comes_back),
		random_test(accelerate_comes_back), random_test(torchtune_comes_back),
		random_test(megatron_comes_back),   cmocka_unit_test(derived_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
