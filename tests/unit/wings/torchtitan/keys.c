/* The keys of TorchTitan's config over time: laws of the table, and how a config is read, by
 * commits of pytorch/torchtitan. */
#include "wings/torchtitan/keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Gone with 5078e92e4 (2025-04-17), back with c1c2f55d1 the day after, gone for good with
 * 9cf88aa1a.
 */
static bool is_gap(const struct titan_key *key)
{
	return !strcmp(key->name, "model.norm_type") && key->since == 20250418;
}

/* Days and moments on one scale. */
static int64_t on_scale(int day)
{
	return day > 99999999 ? (int64_t)day : (int64_t)day * 100;
}

static void rows_follow_one_another(void **state)
{
	size_t i;
	int order;

	(void)state;
	for (i = 0; i < titan_key_count; i++) {
		const struct titan_key *key = &titan_keys[i], *last = key - 1;
		assert_true(on_scale(key->since) < on_scale(key->until));
		order = i ? strcmp(last->name, key->name) : -1;
		if (order > 0)
			fail_msg("%s stands behind %s", key->name, last->name);
		if (!order && last->until != key->since && !is_gap(key))
			fail_msg("%s: %d follows %d", key->name, key->since, last->until);
	}
}

/* A row for each change: neighbours of one name differ. */
static void rows_differ(void **state)
{
	size_t i;

	(void)state;
	for (i = 1; i < titan_key_count; i++) {
		const struct titan_key *a = &titan_keys[i - 1], *b = a + 1;
		if (!strcmp(a->name, b->name) && a->until == b->since && a->type == b->type &&
		    a->field == b->field && !a->words == !b->words &&
		    (!a->words || !strcmp(a->words, b->words)) && !a->fallback == !b->fallback)
			assert_true(a->fallback && strcmp(a->fallback, b->fallback) != 0);
	}
}

/* c1c2f55d1 (tyro), eadca4835 (unknown keys raise), 9810191bb (no files). */
static void configs_are_read(void **state)
{
	static const struct {
		moment_t when;
		enum titan_reading reading;
	} cases[] = {
		{ 2024043001, TITAN_ARGPARSE }, { 2025041799, TITAN_ARGPARSE },
		{ 2025041801, TITAN_TYRO },	{ 2025082799, TITAN_TYRO },
		{ 2025082801, TITAN_STRICT },	{ 2026022299, TITAN_STRICT },
		{ 2026022301, TITAN_PYTHON },	{ 2026082150, TITAN_PYTHON },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(titan_reading(cases[i].when), cases[i].reading);
}

/*
 * The days of testdata/torchtitan/keys.tsv, read off the commits by another program: on the first
 * a key is known and just before it is not; from the second on it is not and just before it is.
 */
enum { NO_FILES = 20260223 };

static bool known(const char *key, int day, int moment)
{
	return titan_key_at(key, (moment_t)day * 100 + moment) != NULL;
}

static void days_of_keys(void **state)
{
	FILE *table = fopen("testdata/torchtitan/keys.tsv", "r");
	char line[512], key[128], since[16], until[16];
	int rows = 0;

	(void)state;
	assert_non_null(table);
	while (fgets(line, sizeof(line), table)) {
		if (*line == '#')
			continue;
		assert_int_equal(sscanf(line, "%127s %15s %15s", key, since, until), 3);
		const int first = *since == '-' ? 20240430 : atoi(since);
		const int end = *until == '-' ? NO_FILES : atoi(until);
		if (!known(key, first, 99) || !known(key, end, -1))
			fail_msg("%s is not known from %d to before %d", key, first, end);
		if (*since != '-' && known(key, first, -1))
			fail_msg("%s is known before %d", key, first);
		if (*until != '-' && known(key, end, 99))
			fail_msg("%s is known on %d", key, end);
		rows++;
	}
	assert_true(rows > 200);
	fclose(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_follow_one_another),
		cmocka_unit_test(rows_differ),
		cmocka_unit_test(days_of_keys),
		cmocka_unit_test(configs_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
