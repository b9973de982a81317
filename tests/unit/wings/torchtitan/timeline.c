#include "wings/torchtitan/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

static void rows_are_in_order(void **state)
{
	int i;

	(void)state;
	for (i = 1; i < timeline_torchtitan.count; i++)
		assert_true(timeline_torchtitan.rows[i - 1].when <
			    timeline_torchtitan.rows[i].when);
	for (i = 0; i < timeline_torchtitan.count; i++)
		assert_true(strlen(timeline_torchtitan.rows[i].commit) >= 9);
}

/* testdata/torchtitan/commits.tsv: the days that git has for them. */
static void rows_have_the_days_of_their_commits(void **state)
{
	FILE *table = fopen("testdata/torchtitan/commits.tsv", "r");
	const struct timeline_row *row, *last = NULL;
	char line[256], commit[64];
	long long day;
	int count = 0;

	(void)state;
	assert_non_null(table);
	while (fgets(line, sizeof(line), table)) {
		if (*line == '#')
			continue;
		assert_int_equal(sscanf(line, "%63s %lld", commit, &day), 2);
		row = timeline_find(&timeline_torchtitan, commit);
		if (!row || row->when / 100 != day)
			fail_msg("%s is of %lld", commit, day);
		assert_true(!last || last < row);
		last = row;
		count++;
	}
	(void)fclose(table);
	assert_true(count > 100);
}

static void names_find_their_row(void **state)
{
	static const struct {
		const char *text, *commit; /* NULL: nothing */
	} cases[] = {
		{ "v0.1.0", "f7084fc78" },
		{ "0.1.0", "f7084fc78" },
		{ "v0.2.2", "73a0e6979" },
		{ "HEAD", "b5bcd76c6" },
		{ "main", "b5bcd76c6" },
		{ "latest", "b5bcd76c6" },
		{ "d7cabfb6c", "d7cabfb6c" },
		{ "d7cabfb6cc987f9310a4bfa5b87b1dbb8974b10c", "d7cabfb6c" },
		{ "D7CABFB", "d7cabfb6c" },
		{ "d7cabfb6c^", "b19456a98" },
		{ "9810191bb^", "73a0e6979" },
		{ "a6d26255e^", "83c879f18" },
		{ "83c879f18^", NULL },
		{ "d7cabf", NULL },
		{ "v0.3.0", NULL },
		{ "", NULL },
		{ "0.2", NULL },
		{ "d7cabfb6c^^", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct timeline_row *row = timeline_find(&timeline_torchtitan, cases[i].text);
		if (!cases[i].commit)
			assert_null(row);
		else
			assert_memory_equal(row->commit, cases[i].commit, 9);
	}
}

static void moments_find_the_last_row_before(void **state)
{
	(void)state;
	assert_null(timeline_at(&timeline_torchtitan, 2024010199));
	assert_string_equal(timeline_at(&timeline_torchtitan, 2024110199)->commit, "d7cabfb6c");
	/* Two commits of one day: the day's end has both. */
	assert_string_equal(timeline_at(&timeline_torchtitan, 2024121199)->commit, "40a0873b3");
	assert_string_equal(timeline_at(&timeline_torchtitan, 2024121101)->commit, "cb633e332");
	assert_string_equal(timeline_at(&timeline_torchtitan, MOMENT_LATEST)->tag, "HEAD");
}

static void traits_add_up(void **state)
{
	static const struct {
		const char *version;
		enum trait trait;
		int value;
	} cases[] = {
		{ "a6d26255e", TRAIT_AXES, AXES_DP },
		{ "db6b39acd", TRAIT_FSDP_MESH, FSDP_HSDP },
		{ "d7cabfb6c", TRAIT_FSDP_MESH, FSDP_COLLAPSED },
		{ "3e3909a0c", TRAIT_FSDP_MESH, FSDP_COLLAPSED },
		{ "9a4eebe1c", TRAIT_FSDP_MESH, FSDP_HSDP },
		{ "cb633e332", TRAIT_DP_RENAMED, 0 },
		{ "40a0873b3", TRAIT_FSDP_MESH, FSDP_DP_SHARD_CP },
		{ "v0.1.0", TRAIT_EP, EP_NONE },
		{ "v0.1.0", TRAIT_UNKNOWN_KEYS_RAISE, 0 },
		{ "v0.2.0", TRAIT_EP, EP_ETP },
		{ "v0.2.0", TRAIT_UNKNOWN_KEYS_RAISE, 1 },
		{ "v0.2.1", TRAIT_EP_NEEDS_TP, 1 },
		{ "v0.2.2", TRAIT_EP_NEEDS_TP, 0 },
		{ "v0.2.2", TRAIT_FT_MESH, FT_GONE },
		{ "c4b409af2", TRAIT_FSDP_MESH, FSDP_ALWAYS },
		{ "c4b409af2", TRAIT_EXPERT_MESH, EXPERT_FIRST_DIM },
		{ "HEAD", TRAIT_SPMD, SPMD_TYPES },
	};
	int traits[TRAIT_COUNT];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		titan_traits(timeline_find(&timeline_torchtitan, cases[i].version)->when, traits);
		assert_int_equal(traits[cases[i].trait], cases[i].value);
	}
}

static void epochs_are_commits_that_shape_meshes(void **state)
{
	(void)state;
	assert_string_equal(timeline_epoch(&timeline_torchtitan,
					   timeline_find(&timeline_torchtitan, "v0.2.0")->when)
				    ->commit,
			    "aeb3a4baf");
	assert_string_equal(timeline_epoch(&timeline_torchtitan,
					   timeline_find(&timeline_torchtitan, "v0.1.0")->when)
				    ->commit,
			    "508350b7d");
	assert_string_equal(timeline_epoch(&timeline_torchtitan,
					   timeline_find(&timeline_torchtitan, "v0.2.1")->when)
				    ->commit,
			    "183a0d2e7");
}

/* The list of commits and the history are made apart and say the same. */
static void commits_have_their_moments(void **state)
{
	const struct timeline *timeline = &timeline_torchtitan;
	size_t at;
	int i;

	(void)state;
	for (i = 0; i < timeline->count; i++)
		if (timeline_commit(timeline, timeline->rows[i].commit))
			assert_int_equal(timeline_commit(timeline, timeline->rows[i].commit),
					 timeline->rows[i].when);
	for (at = 1; at < timeline->commit_count; at++)
		assert_true(timeline->commits[at - 1].prefix < timeline->commits[at].prefix);
	assert_int_equal(timeline_commit(timeline, "a6d26255e"), 2024043001);
	assert_int_equal(timeline_commit(timeline, "a6d2625"), 2024043001);
	assert_int_equal(timeline_commit(timeline, "a6d262"), 0);
	assert_int_equal(timeline_commit(timeline, "fffffff"), 0);
	assert_int_equal(timeline_commit(timeline, "a6d26255g"), 0);
	assert_int_equal(timeline_newest(timeline) / 100, 20260821);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commits_have_their_moments),
		cmocka_unit_test(rows_are_in_order),
		cmocka_unit_test(rows_have_the_days_of_their_commits),
		cmocka_unit_test(names_find_their_row),
		cmocka_unit_test(moments_find_the_last_row_before),
		cmocka_unit_test(traits_add_up),
		cmocka_unit_test(epochs_are_commits_that_shape_meshes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
