#include "plan/placement.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

static void words_are_read_and_written(void **state)
{
	static const struct {
		const char *text;
		enum placement_kind kind;
		int dim;
		int64_t factor;
	} cases[] = {
		{ "R", PLACE_REPLICATE, 0, 0 },
		{ "P", PLACE_PARTIAL, 0, 0 },
		{ "S(0)", PLACE_SHARD, 0, 0 },
		{ "S(3)", PLACE_SHARD, 3, 0 },
		{ "SS(0,2)", PLACE_STRIDED_SHARD, 0, 2 },
		{ "SS(1,16)", PLACE_STRIDED_SHARD, 1, 16 },
	};
	struct placement placement;
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_true(placement_parse(cases[i].text, &placement));
		assert_int_equal(placement.kind, cases[i].kind);
		assert_int_equal(placement.dim, cases[i].dim);
		assert_int_equal(placement.factor, cases[i].factor);
		assert_string_equal(placement_text(&arena, placement), cases[i].text);
	}
	assert_true(placement_parse("SS(0, 2)", &placement));
	assert_string_equal(placement_text(&arena, placement), "SS(0,2)");
	arena_release(&arena);
}

static void other_words_are_refused(void **state)
{
	static const char *const words[] = { "",
					     "S",
					     "S()",
					     "S(0",
					     "S(0))",
					     "S(-1)",
					     "S(0,2)",
					     "SS(0)",
					     "SS(0,0)",
					     "SS(0,)",
					     "SS",
					     "r",
					     "RR",
					     "S(a)",
					     "S (0)",
					     "S(1001)",
					     "SS(0,2",
					     "P(sum)",
					     "S(99999999999999999999)",
					     "SS(0,9999999999)" };
	struct placement placement;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		assert_false(placement_parse(words[i], &placement));
}

/* torch.chunk: full chunks, one short one, then empty ones at the end of the dim. */
static void chunks_tile_the_dim(void **state)
{
	int64_t size, n, i, length, offset, next;

	(void)state;
	for (size = 0; size <= 70; size++)
		for (n = 1; n <= 20; n++) {
			int64_t most = (size + n - 1) / n;
			for (i = 0, next = 0; i < n; i++) {
				chunk(size, n, i, &length, &offset);
				assert_int_equal(offset, next);
				assert_in_range(length, 0, most);
				assert_true(length == most || offset + length == size);
				next = offset + length;
			}
			assert_int_equal(next, size);
		}
}

static void chunks_of_large_dims_do_not_overflow(void **state)
{
	int64_t length, offset;

	(void)state;
	chunk(INT64_MAX, 2, 1, &length, &offset);
	assert_true(length == INT64_MAX / 2 && offset == INT64_MAX / 2 + 1);
	chunk(INT64_MAX, INT64_MAX, INT64_MAX - 1, &length, &offset);
	assert_true(length == 1 && offset == INT64_MAX - 1);
	chunk(3, INT64_MAX, INT64_MAX - 1, &length, &offset);
	assert_true(length == 0 && offset == 3);
}

static void volume_is_the_product(void **state)
{
	const struct box box = { 3, { 4, 5, 6 }, { 0 } }, empty = { 2, { 0, 8 }, { 0 } },
			 scalar = { 0 };

	(void)state;
	assert_int_equal(box_volume(&box), 120);
	assert_int_equal(box_volume(&empty), 0);
	assert_int_equal(box_volume(&scalar), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_read_and_written),
		cmocka_unit_test(other_words_are_refused),
		cmocka_unit_test(chunks_tile_the_dim),
		cmocka_unit_test(chunks_of_large_dims_do_not_overflow),
		cmocka_unit_test(volume_is_the_product),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
