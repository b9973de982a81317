#include "unit/rules/judged.h"

static const char hsdp[] = "parplan: 1\n"
			   "framework: {torchtitan: v0.2.0, torch: 2.9.0}\n"
			   "world: 16\n"
			   "cluster: {gpus_per_node: 8}\n"
			   "model: llama3-8b\n"
			   "parallelism: {dp_replicate: 2, dp_shard: 8}\n"
			   "training: {seq_len: 8192, local_batch_size: 1}\n";

static struct changes compare(struct arena *arena, const char *before, const char *after)
{
	struct side a = side_of(arena, before, NULL), b = side_of(arena, after, NULL);

	return changes_of(arena, &a, &b);
}

static const struct change *first_of(const struct changes *changes, enum change_kind kind)
{
	size_t i;

	for (i = 0; i < changes->list.count; i++)
		if (changes->list.items[i].kind == kind)
			return &changes->list.items[i];
	fail_msg("no change of kind %s", change_kind_name(kind));
	return NULL;
}

static void assert_change(const struct change *change, const char *subject, const char *before,
			  const char *after)
{
	assert_string_equal(change->subject, subject);
	assert_int_equal(!before, !change->before);
	assert_int_equal(!after, !change->after);
	if (before)
		assert_string_equal(change->before, before);
	if (after)
		assert_string_equal(change->after, after);
}

static void the_same(void **state)
{
	struct changes changes = compare(*state, hsdp, hsdp);

	assert_false(changes_any(&changes));
	assert_int_equal(changes.limits.count, 0);
	assert_string_equal(changes_line(&changes), "");
}

static void versions_alone_are_no_difference(void **state)
{
	struct arena *arena = *state;
	struct side a = side_of(arena, hsdp, NULL), b = side_of(arena, hsdp, "8228c0845");
	struct changes changes = changes_of(arena, &a, &b);

	assert_int_equal(changes.list.count, 1);
	assert_change(&changes.list.items[0], "torchtitan", "v0.2.0", "8228c0845");
	assert_false(changes_any(&changes));
}

static void values_count_not_spelling(void **state)
{
	struct changes changes = compare(
		*state, "parplan: 1\nworld: 16\nparallelism: {dp_replicate: 1, dp_shard: 0x10}\n",
		"parplan: 1\nworld: 1_6\nparallelism: {dp_shard: 16}\n");

	assert_false(changes_any(&changes));
}

static void settings_somebody_chose(void **state)
{
	struct changes changes = compare(
		*state, "parplan: 1\nparallelism: {pipeline: {split_points: [layers.4]}}\n",
		"parplan: 1\nparallelism: {tp: 2, pipeline: {split_points: [layers.8, \"on\"]}}\n");
	const struct change *items = changes.list.items;

	assert_int_equal(changes_count(&changes, CHANGE_SETTING), 2);
	assert_change(&items[0], "parallelism.tp", "1 (default)", "2");
	assert_string_equal(items[0].field, "parallelism.tp");
	assert_change(&items[1], "parallelism.pipeline.split_points", "[layers.4]",
		      "[layers.8, \"on\"]");
}

static void a_default_of_a_feature_in_use(void **state)
{
	static const char text[] = "parplan: 1\nworld: 16\ncheckpoint: {enabled: true}\n";
	struct arena *arena = *state;
	struct side a = side_of(arena, text, "5940ddeb5"), b = side_of(arena, text, "785c34c99");
	struct side c = side_of(arena, hsdp, "5940ddeb5"), d = side_of(arena, hsdp, "785c34c99");
	struct changes changes = changes_of(arena, &a, &b);

	assert_change(first_of(&changes, CHANGE_SETTING), "checkpoint.keep_latest_k", "0 (default)",
		      "10 (default)");
	changes = changes_of(arena, &c, &d); /* nothing is saved there */
	assert_int_equal(changes_count(&changes, CHANGE_SETTING), 0);
}

static void a_collapse_on_one_line(void **state)
{
	struct arena *arena = *state;
	struct side a = side_of(arena, hsdp, "b19456a98"), b = side_of(arena, hsdp, "d7cabfb6c");
	struct changes changes = changes_of(arena, &a, &b);

	assert_string_equal(changes_line(&changes),
			    "hsdp -> fsdp; 291 placements; 33 units; new: hsdp-collapsed");
	assert_change(first_of(&changes, CHANGE_STRATEGY), "data parallel", "hsdp", "fsdp");
	assert_change(first_of(&changes, CHANGE_GROUP), "shard groups", "{0-7} {8-15}", "{0-15}");
	assert_int_equal(first_of(&changes, CHANGE_FINDING)->severity, SEVERITY_ERROR);
	changes = changes_of(arena, &b, &a);
	assert_string_equal(changes_line(&changes),
			    "fsdp -> hsdp; 291 placements; 33 units; gone: hsdp-collapsed");
}

/* Findings of two files are paired by what they say, then by their rule. */
static void findings_in_pairs(void **state)
{
	struct changes changes = compare(*state, "parplan: 1\nworld: 8\nfoo: 1\nbar: 2\nbaz: 3\n",
					 "parplan: 1\nworld: 8\nbar: 2\nqux: 4\n");
	const struct change *items = changes.list.items;

	assert_int_equal(changes.same_findings, 1); /* bar, one line further up */
	assert_int_equal(changes_count(&changes, CHANGE_FINDING), 2);
	assert_string_equal(items[0].subject, "unknown-key");
	assert_non_null(items[0].before);
	assert_non_null(strstr(items[0].before, "foo"));
	assert_non_null(strstr(items[0].after, "qux"));
	assert_non_null(strstr(items[1].before, "baz"));
	assert_null(items[1].after);
}

static void a_plan_that_stops(void **state)
{
	static const char broken[] = "parplan: 1\n"
				     "framework: {torchtitan: v0.2.0, torch: 2.9.0}\n"
				     "world: 16\n"
				     "cluster: {gpus_per_node: 8}\n"
				     "model: llama3-8b\n"
				     "parallelism: {dp_replicate: 3, dp_shard: 8}\n"
				     "training: {seq_len: 8192, local_batch_size: 1}\n";
	struct changes changes = compare(*state, broken, hsdp);
	const struct change *exception = first_of(&changes, CHANGE_EXCEPTION);

	assert_non_null(strstr(exception->before, "Invalid parallel dims"));
	assert_null(exception->after);
	assert_int_equal(changes_count(&changes, CHANGE_PLACEMENT), 0);
	assert_int_equal(changes_count(&changes, CHANGE_MESH), 0);
	assert_int_equal(changes.limits.count, 1);
	assert_non_null(strstr(changes_line(&changes), "no longer stops with AssertionError"));
}

static void no_world_no_groups(void **state)
{
	struct changes changes = compare(
		*state, "parplan: 1\nmodel: llama3-8b\nparallelism: {dp_replicate: 4}\n", hsdp);

	assert_int_equal(changes_count(&changes, CHANGE_GROUP), 0);
	assert_int_equal(changes_count(&changes, CHANGE_MESH), 0);
	assert_int_equal(changes_count(&changes, CHANGE_PLACEMENT), 0);
	assert_int_equal(changes_count(&changes, CHANGE_DEGREE), 1);
	assert_change(first_of(&changes, CHANGE_DEGREE), "dp_replicate", "4", "2");
	assert_non_null(strstr(changes.limits.items[0], "--world N"));
}

static void strategies_asked_for(void **state)
{
	struct changes changes = compare(*state, "parplan: 1\nparallelism: {dp_replicate: 2}\n",
					 "parplan: 1\nparallelism: {dp_shard: 8}\n");

	assert_change(first_of(&changes, CHANGE_STRATEGY), "data parallel asked for", "hsdp",
		      "fsdp");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_same),
		TEST(versions_alone_are_no_difference),
		TEST(values_count_not_spelling),
		TEST(settings_somebody_chose),
		TEST(a_default_of_a_feature_in_use),
		TEST(a_collapse_on_one_line),
		TEST(findings_in_pairs),
		TEST(a_plan_that_stops),
		TEST(no_world_no_groups),
		TEST(strategies_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
