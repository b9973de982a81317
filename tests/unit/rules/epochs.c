#include "rules/epochs.h"

#include "wings/torchtitan/timeline.h"
#include "unit/rules/judged.h"

/* Configs that depend on many commits: hybrid sharding, pipeline, experts, a TorchTitan file. */
static const char *const texts[] = {
	"parplan: 1\nworld: 16\ncluster: {gpus_per_node: 8}\nmodel: llama3-8b\n"
	"parallelism: {dp_replicate: 2, dp_shard: 4, cp: 2}\n"
	"training: {seq_len: 8192, local_batch_size: 1}\n",
	"parplan: 1\nworld: 16\ncluster: {gpus_per_node: 8}\nmodel: llama3-8b\n"
	"parallelism: {dp_shard: 2, tp: 4, pp: 2}\n"
	"training: {seq_len: 8192, local_batch_size: 8}\n"
	"checkpoint: {enabled: true, resume: {dp_shard: 4}}\n",
	"parplan: 1\nworld: 16\ncluster: {gpus_per_node: 8}\nmodel: deepseek_v3-16b\n"
	"parallelism: {dp_replicate: 2, dp_shard: 8, ep: 4}\n"
	"training: {seq_len: 4096, local_batch_size: 4}\n",
	"parplan: 1\nworld: 4\nmodel: llama3-8b\nparallelism: {dp_shard: 4}\n"
	"training: {seq_len: 8192, local_batch_size: 1} # parplan: ignore=cluster-unknown\n"
	"fault_tolerance: {enabled: true, group_size: 2}\n",
};

enum { TEXTS = sizeof(texts) / sizeof(*texts) };

static struct epochs walk(struct arena *arena, const char *text, const char *low, const char *high)
{
	struct job *from = job_of(arena, text, low);
	struct side start = side_of(arena, text, low);
	struct version end;

	assert_true(version_parse(arena, "torchtitan", high, &end));
	return epochs_between(arena, from, &start, &end);
}

static void the_collapse(void **state)
{
	struct epochs epochs = walk(*state,
				    "parplan: 1\nworld: 16\ncluster: {gpus_per_node: 8}\n"
				    "model: llama3-8b\n"
				    "parallelism: {dp_replicate: 2, dp_shard: 8}\n"
				    "training: {seq_len: 8192, local_batch_size: 2}\n",
				    "b19456a98", "cb633e332");
	const struct epoch *items = epochs.list.items;

	assert_int_equal(epochs.list.count, 2);
	assert_string_equal(items[0].point->version, "d7cabfb6c");
	assert_int_equal(items[0].point->when, 2024103101);
	assert_string_equal(changes_line(&items[0].changes),
			    "hsdp -> fsdp; 291 placements; 33 units; new: hsdp-collapsed");
	assert_string_equal(items[1].point->version, "9a4eebe1c");
	assert_int_equal(epochs.quiet, 7);
}

/* The file read anew under a point's pins. */
static struct side fresh(struct arena *arena, const char *text, const struct point *point)
{
	struct overrides *overrides = arena_new(arena, struct overrides);
	struct findings *findings = arena_new(arena, struct findings);
	struct job *job = arena_new(arena, struct job);
	size_t i;

	overrides->text = text;
	for (i = 0; i < point->pin_count; i++)
		vec_push(arena, &overrides->pins, point->pins[i]);
	findings_init(findings, arena);
	assert_null(job_read(job, arena, "test.yaml", overrides, findings));
	return side_judged(arena, job);
}

/* What nobody can tell from reading the file once and walking on: each step read by itself. */
static void every_step_by_itself(void **state)
{
	const struct following following = { .torch = true, .torchft = true };
	struct version low, high;
	int t;

	(void)state;
	for (t = 0; t < TEXTS; t++) {
		struct arena arena;
		struct history history;
		struct epochs epochs;
		struct side before;
		size_t i, found = 0;

		arena_init(&arena);
		assert_true(version_parse(&arena, "torchtitan", "b19456a98", &low));
		assert_true(version_parse(&arena, "torchtitan", "HEAD", &high));
		history = history_between(&arena, &low, &high, following);
		epochs = walk(&arena, texts[t], "b19456a98", "HEAD");
		before = side_of(&arena, texts[t], "b19456a98");
		assert_true(epochs.list.count > 2);
		assert_int_equal(history.list.count, epochs.list.count + epochs.quiet);
		for (i = 0; i < history.list.count; i++) {
			struct side after = fresh(&arena, texts[t], &history.list.items[i]);
			struct changes changes = changes_of(&arena, &before, &after);
			const struct epoch *epoch = &epochs.list.items[found];
			bool listed = found < epochs.list.count &&
				      !strcmp(epoch->point->version, history.list.items[i].version);

			/* Two sources: findings are paired by words, in which versions stand. */
			if (changes_count(&changes, CHANGE_FINDING) == 0)
				assert_int_equal(changes_any(&changes), listed);
			found += listed;
			before = after;
		}
		assert_int_equal(found, epochs.list.count);
		arena_release(&arena);
	}
}

/* Under the last version the walk has come to what the file is there. */
static void the_walk_arrives(void **state)
{
	struct arena *arena = *state;
	int t;

	for (t = 0; t < TEXTS; t++) {
		struct job *from = job_of(arena, texts[t], "v0.1.0");
		struct side high = side_of(arena, texts[t], "v0.2.2");
		struct findings findings;
		struct changes changes;
		struct job job;
		struct side side;
		const struct pin pin = pin_of("torchtitan", "v0.2.2");

		findings_init(&findings, arena);
		job_at(&job, arena, from, &pin, 1, &findings);
		side = side_judged(arena, &job);
		changes = changes_of(arena, &high, &side);
		assert_int_equal(changes.list.count, 0);
		assert_int_equal(findings.list.count, high.job->findings->list.count);
	}
}

/* One table of parameters serves every version that writes the same names. */
static void tables_are_shared(void **state)
{
	struct arena *arena = *state;
	static const char *const versions[] = { "v0.1.0", "v0.2.2", "HEAD" };
	struct job *from = job_of(arena, texts[0], "v0.2.0"),
		   *experts = job_of(arena, texts[2], "v0.2.0");
	size_t i;

	for (i = 0; i < 3; i++) {
		const struct pin pin = pin_of("torchtitan", versions[i]);
		struct findings findings;
		struct job dense, moe;

		findings_init(&findings, arena);
		job_at(&dense, arena, from, &pin, 1, &findings);
		job_at(&moe, arena, experts, &pin, 1, &findings);
		assert_int_equal(dense.model->parameters.items == from->model->parameters.items,
				 i < 2);
		assert_int_equal(moe.model->parameters.items == experts->model->parameters.items,
				 i == 1);
	}
}

/* A comment is of use under one version and of none under another. */
static void comments_are_judged_by_version(void **state)
{
	static const char text[] = "parplan: 1\nworld: 16\nmodel: llama3-8b\n"
				   "cluster: {gpus_per_node: 8}\n"
				   "parallelism:\n"
				   "  dp_replicate: 2 # parplan: ignore=hsdp-collapsed\n"
				   "  dp_shard: 8\n"
				   "training: {seq_len: 8192, local_batch_size: 1}\n";
	struct epochs epochs = walk(*state, text, "b19456a98", "cb633e332");

	assert_int_equal(epochs.list.count, 2);
	assert_string_equal(changes_line(&epochs.list.items[0].changes),
			    "hsdp -> fsdp; 291 placements; 33 units; gone: unused-suppression");
	assert_string_equal(changes_line(&epochs.list.items[1].changes),
			    "fsdp -> hsdp; 291 placements; 33 units; new: unused-suppression");
}

static void nothing_between(void **state)
{
	struct epochs epochs = walk(*state, texts[0], "v0.2.0", "v0.2.0");

	assert_int_equal(epochs.list.count + epochs.quiet, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_collapse),	 TEST(every_step_by_itself),
		TEST(the_walk_arrives),	 TEST(comments_are_judged_by_version),
		TEST(tables_are_shared), TEST(nothing_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
