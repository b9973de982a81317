/* The functions of TorchTitan's registries, held to the history of its repository
 * (testdata/torchtitan/functions.tsv). */
#include "wings/torchtitan/functions.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EVER INT64_C(9999999999)

static void holds_from_to(const char *module, const char *name, int64_t since, int64_t until)
{
	const int64_t at[] = { since - 1, since, until - 1, until };
	int i;

	for (i = 0; i < (until == EVER ? 3 : 4); i++) {
		const bool there = since <= at[i] && at[i] < until;
		if (!titan_function_at(module, name, at[i]) != !there)
			fail_msg("%s of %s at %" PRId64, name, module, at[i]);
		if (there)
			assert_true(titan_module_at(module, at[i]));
	}
}

static void functions_are_there_when_they_were(void **state)
{
	FILE *table = fopen("testdata/torchtitan/functions.tsv", "r");
	char line[256], module[64], name[128], since[16], until[16];
	int rows = 0;

	(void)state;
	assert_non_null(table);
	while (fgets(line, sizeof(line), table)) {
		if (*line == '#')
			continue;
		assert_int_equal(sscanf(line, "%63s %127s %15s %15s", module, name, since, until),
				 4);
		holds_from_to(module, name, strtoll(since, NULL, 10),
			      *until == '-' ? EVER : strtoll(until, NULL, 10));
		rows++;
	}
	(void)fclose(table);
	assert_true(rows > 80);
}

static const struct {
	const char *module, *name;
	int64_t since, until;
} rows[] = {
#define FUNCTION(module, name, since, until, model, settings, beyond)                              \
	{ module, name, since, until },
#include "wings/torchtitan/functions.def"
#undef FUNCTION
};

/* What a function sets changes from one row to the next; between two of them it may have been
 * reverted. */
static void rows_do_not_overlap(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(rows[i].since < rows[i].until);
		if (i && !strcmp(rows[i].name, rows[i - 1].name) &&
		    !strcmp(rows[i].module, rows[i - 1].module) &&
		    rows[i].since < rows[i - 1].until)
			fail_msg("%s: %" PRId64 " follows %" PRId64, rows[i].name, rows[i].since,
				 rows[i - 1].until);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_there_when_they_were),
		cmocka_unit_test(rows_do_not_overlap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
