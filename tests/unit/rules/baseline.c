#include "rules/baseline.h"

#include "judged.h"

static const char broken[] = "parplan: 1\nworld: 8\nmodel: llama3-8b\n"
			     "parallelism:\n  dp_shard: 4\n  tp: 16\n";

/* Of one rule's finding in a config of that text; 0 when the rule finds nothing. */
static uint64_t print_of(struct arena *arena, const char *text, const char *rule, const char *path)
{
	const struct side side = side_of(arena, text, NULL);
	size_t i;

	for (i = 0; i < side.job->findings->list.count; i++) {
		const struct finding *finding = side.job->findings->list.items[i];
		if (!strcmp(finding->rule->name, rule))
			return fingerprint_of(arena, side.job, finding, path).hash;
	}
	return 0;
}

static void survives_moves_alone(void **state)
{
	static const struct {
		const char *text, *path;
		bool same;
	} cases[] = {
		{ broken, "a.yaml", true },
		/* moved, and written in another style */
		{ "# above\n\nparplan: 1\nworld: 8\nmodel: llama3-8b\n"
		  "parallelism: {tp: 16, dp_shard: 4}\n",
		  "a.yaml", true },
		/* the value that it points at, another number of its message, the file */
		{ "parplan: 1\nworld: 8\nmodel: llama3-8b\nparallelism: {dp_shard: 8, tp: 16}\n",
		  "a.yaml", false },
		{ "parplan: 1\nworld: 16\nmodel: llama3-8b\nparallelism: {dp_shard: 4, tp: 16}\n",
		  "a.yaml", false },
		{ broken, "b.yaml", false },
	};
	const uint64_t print = print_of(*state, broken, "degrees-product", "a.yaml");
	size_t i;

	assert_true(print != 0);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(
			print_of(*state, cases[i].text, "degrees-product", cases[i].path) == print,
			cases[i].same);
}

/* Which parts of a message count. */
static void takes_facts_from_messages(void **state)
{
	static const struct rule_id rule = { .name = "some-rule" };
	static const struct {
		const char *left, *right;
		bool same;
	} cases[] = {
		{ "tp 16 does not divide 8", "tp(16) is no divisor of 8", true },
		{ "tp 16 does not divide 8", "tp 16 does not divide 4", false },
		{ "unknown key 'a'", "no key 'a' here", true },
		{ "unknown key 'a'", "unknown key 'b'", false },
		{ "see train.yaml:9:2 for 8", "see train.yaml:12:2 for 8", true },
		{ "the model's 8 heads aren't whole", "8 heads of the model are not whole", true },
		{ "1 of 23", "12 of 3", false },
	};
	struct job job = { 0 };
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct finding left = { .rule = &rule, .message = cases[i].left };
		struct finding right = { .rule = &rule, .message = cases[i].right };
		assert_int_equal(fingerprint_of(*state, &job, &left, "a").hash ==
					 fingerprint_of(*state, &job, &right, "a").hash,
				 cases[i].same);
	}
}

static const char *written(struct arena *arena, const char *text)
{
	const struct side side = side_of(arena, text, NULL);
	struct baseline_draft draft = { .arena = arena, .folder = "." };
	const char *copy;
	struct buf out;

	buf_init(&out);
	baseline_draft_add(&draft, side.job, "test.yaml");
	baseline_write(&draft, &out);
	copy = arena_strdup(arena, out.data);
	buf_release(&out);
	return copy;
}

/* Findings that are left of a config under a baseline, and notes on the baseline. */
static void apply(struct arena *arena, const char *baseline_text, const char *text, size_t *left,
		  size_t *stale)
{
	const struct side side = side_of(arena, text, NULL);
	struct findings findings;
	struct baseline baseline;
	struct job job = *side.job;

	findings_init(&findings, arena);
	assert_null(
		baseline_read(&baseline, arena, "base.json", baseline_text, strlen(baseline_text)));
	baseline_filter(&baseline, &job, "test.yaml", side.skips);
	baseline_stale(&baseline, &findings);
	*left = job.findings->list.count;
	*stale = findings.list.count;
}

static void holds_what_was_written(void **state)
{
	const char *baseline = written(*state, broken);
	size_t left, stale;

	assert_string_equal(baseline, written(*state, broken));
	assert_non_null(
		strstr(baseline, "\"path\":\"test.yaml\",\"key\":\"parallelism.dp_shard\""));
	apply(*state, baseline, broken, &left, &stale);
	assert_int_equal(left, 0);
	/* no file test.yaml is in this folder: every entry is of a file that is gone */
	assert_true(stale > 0);
}

static void refuses_what_is_no_baseline(void **state)
{
	static const char *const cases[][2] = {
		{ "", "1:1" },
		{ "[", "1:2" },
		{ "[]", "schema" },
		{ "{\"schema\": \"parplan.check/1\"}", "schema" },
		{ "{\"schema\": \"parplan.baseline/1\"}", "list" },
		{ "{\"schema\": \"parplan.baseline/1\", \"findings\": [8]}", "1:47" },
		{ "{\"schema\": \"parplan.baseline/1\", \"findings\": [{\"rule\": \"a\"}]}",
		  "1:47" },
		{ "{\"schema\": \"parplan.baseline/1\", \"findings\": [{\"rule\": \"a\", \"path\": "
		  "\"b\", \"message\": \"c\", \"fingerprint\": \"d\", \"count\": 0}]}",
		  "count" },
	};
	struct baseline baseline;
	const char *wrong;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		wrong = baseline_read(&baseline, *state, "base.json", cases[i][0],
				      strlen(cases[i][0]));
		assert_non_null(wrong);
		assert_non_null(strstr(wrong, cases[i][1]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(survives_moves_alone),
		TEST(takes_facts_from_messages),
		TEST(holds_what_was_written),
		TEST(refuses_what_is_no_baseline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
