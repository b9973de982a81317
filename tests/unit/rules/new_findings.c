#include "rules/new_findings.h"

#include "judged.h"

static const char one_mistake[] = "parplan: 1\nworld: 8\nmodel: llama3-8b\n"
				  "parallelism: {dp_shard: 4, tp: 4}\n";
static const char other_number[] = "parplan: 1\nworld: 8\nmodel: llama3-8b\n"
				   "parallelism: {dp_shard: 16, tp: 4}\n";
static const char none[] = "parplan: 1\nworld: 8\nmodel: llama3-8b\n"
			   "parallelism: {dp_shard: 2, tp: 4}\n";
static const char moved[] = "# above\n\nparplan: 1\nworld: 8\nmodel: llama3-8b\n"
			    "parallelism:\n  tp: 4\n  dp_shard: 4\n";

static size_t errors_of(const struct findings *findings)
{
	return findings_count(findings, SEVERITY_ERROR);
}

static void finds_what_is_new(void **state)
{
	static const struct {
		const char *before, *after; /* before: NULL for a file that is new */
		size_t fresh;		    /* errors */
	} cases[] = {
		{ none, one_mistake, 1 },  { one_mistake, none, 0 },
		{ one_mistake, moved, 0 }, { one_mistake, other_number, 1 },
		{ NULL, one_mistake, 1 },  { NULL, none, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct side after = side_of(*state, cases[i].after, NULL);
		const struct job *before =
			cases[i].before ? side_of(*state, cases[i].before, NULL).job : NULL;
		struct findings fresh;
		size_t same;
		findings_init(&fresh, *state);
		same = findings_fresh(&fresh, before, after.job, "a.yaml");
		assert_int_equal(errors_of(&fresh), cases[i].fresh);
		assert_int_equal(fresh.list.count + same, after.job->findings->list.count);
	}
}

/* One finding before stands for one after, and for none that is more severe. */
static void counts_and_weighs(void **state)
{
	const struct side before = side_of(*state, one_mistake, NULL);
	const struct side after = side_of(*state, one_mistake, NULL);
	struct findings fresh;
	size_t i, all = after.job->findings->list.count;

	findings_init(&fresh, *state);
	for (i = 0; i < all; i++)
		vec_push((struct arena *)*state, &after.job->findings->list,
			 after.job->findings->list.items[i]);
	assert_int_equal(findings_fresh(&fresh, before.job, after.job, "a.yaml"), all);
	assert_int_equal(fresh.list.count, all);
	for (i = 0; i < before.job->findings->list.count; i++)
		before.job->findings->list.items[i]->severity = SEVERITY_NOTE;
	fresh.list.count = 0;
	findings_fresh(&fresh, before.job, after.job, "a.yaml");
	assert_int_equal(errors_of(&fresh), errors_of(after.job->findings));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(finds_what_is_new),
		TEST(counts_and_weighs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
