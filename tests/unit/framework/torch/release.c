#include "framework/torch/release.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

static void versions_are_read(void **state)
{
	static const struct {
		const char *text;
		int minor, patch, nightly; /* minor 0: refused */
		const char *label;
	} cases[] = {
		{ "2.8", 8, 0, 0, "2.8.0" },
		{ "2.8.0", 8, 0, 0, "2.8.0" },
		{ "v2.9.1", 9, 1, 0, "2.9.1" },
		{ "2.8.0+cu126", 8, 0, 0, "2.8.0" },
		{ "2.11.0.dev20251221", 11, 0, 20251221, "2.11.0.dev20251221" },
		{ "2.11.0.dev20251221+cu130", 11, 0, 20251221, "2.11.0.dev20251221" },
		{ "2.16.0.dev20261101", 16, 0, 20261101, "2.16.0.dev20261101" },
		{ "latest", 15, 0, 0, "2.15.0" },
		{ "2.2", 2, 0, 0, "2.2.0" },
		{ "2.15", 15, 0, 0, "2.15.0" },
		{ "2.1", 0, 0, 0, NULL },
		{ "2.16", 0, 0, 0, NULL },
		{ "1.13", 0, 0, 0, NULL },
		{ "3.0", 0, 0, 0, NULL },
		{ "2", 0, 0, 0, NULL },
		{ "", 0, 0, 0, NULL },
		{ "2.8.", 0, 0, 0, NULL },
		{ "2.8.0rc1", 0, 0, 0, NULL },
		{ ">=2.6", 0, 0, 0, NULL },
		{ "2.6,<2.8", 0, 0, 0, NULL },
		{ "2.11.0.dev", 0, 0, 0, NULL },
		{ "2.11.0.dev2025", 0, 0, 0, NULL },
		{ "2.8.000", 0, 0, 0, NULL },
		{ "nightly", 0, 0, 0, NULL },
	};
	struct torch_release torch;
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool known = torch_parse(&arena, cases[i].text, &torch);
		assert_int_equal(known, cases[i].minor != 0);
		if (!known)
			continue;
		assert_int_equal(torch.minor, cases[i].minor);
		assert_int_equal(torch.patch, cases[i].patch);
		assert_int_equal(torch.nightly, cases[i].nightly);
		assert_string_equal(torch.label, cases[i].label);
	}
	arena_release(&arena);
}

static void days_have_their_nightly(void **state)
{
	static const struct {
		int day, minor;
	} cases[] = {
		{ 20230101, 2 },  { 20240601, 4 },  { 20240709, 5 },  { 20240809, 5 },
		{ 20241201, 6 },  { 20250115, 7 },  { 20250401, 8 },  { 20250801, 9 },
		{ 20251017, 10 }, { 20251221, 11 }, { 20260301, 12 }, { 20270101, 16 },
	};
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct torch_release torch = torch_of_date(&arena, cases[i].day);
		assert_int_equal(torch.minor, cases[i].minor);
		assert_int_equal(torch.nightly, cases[i].day);
	}
	arena_release(&arena);
}

static void rows_are_complete(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < TORCH_FEATURES; i++) {
		const struct torch_change *change = torch_change_of((enum torch_feature)i);
		assert_int_equal(change->feature, i);
		assert_in_range(change->minor, 3, 14);
		assert_in_range(change->nightly, 20230901, 20260930);
		assert_true(strlen(change->pull) > 0 && strlen(change->summary) > 0);
	}
}

/* A feature of a release is merged before the nightlies bear the number after it. */
static void nightlies_agree_with_releases(void **state)
{
	struct arena arena;
	int i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < TORCH_FEATURES; i++) {
		const struct torch_change *change = torch_change_of((enum torch_feature)i);
		struct torch_release day = torch_of_date(&arena, change->nightly);
		assert_int_equal(day.minor, change->minor);
	}
	arena_release(&arena);
}

static void features_by_version(void **state)
{
	static const struct {
		const char *text;
		enum torch_feature feature;
		bool has;
	} cases[] = {
		{ "2.4.1", TORCH_FLATTEN, false },
		{ "2.5.0", TORCH_FLATTEN, true },
		{ "2.6.0", TORCH_SHARD_MESH_FROM_ROOT, false },
		{ "2.7.1", TORCH_SHARD_MESH_FROM_ROOT, true },
		{ "2.7.0.dev20241215", TORCH_SHARD_MESH_FROM_ROOT, false },
		{ "2.7.0.dev20241221", TORCH_SHARD_MESH_FROM_ROOT, true },
		{ "2.8.0", TORCH_NESTED_SLICING, false },
		{ "2.9.0", TORCH_NESTED_SLICING, true },
		{ "2.9.1", TORCH_LAYOUTS, false },
		{ "2.10.0", TORCH_LAYOUTS, true },
		{ "2.9.1", TORCH_OFFSETS_LEFT_TO_RIGHT, false },
		{ "2.10.0", TORCH_OFFSETS_LEFT_TO_RIGHT, true },
		{ "2.11.0.dev20251221", TORCH_ORTHOGONAL_SLICING, false },
		{ "2.12.1", TORCH_ORTHOGONAL_SLICING, false },
		{ "2.13.0", TORCH_ORTHOGONAL_SLICING, true },
	};
	struct torch_release torch;
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_true(torch_parse(&arena, cases[i].text, &torch));
		assert_int_equal(torch_has(&torch, cases[i].feature), cases[i].has);
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_are_read),
		cmocka_unit_test(days_have_their_nightly),
		cmocka_unit_test(rows_are_complete),
		cmocka_unit_test(nightlies_agree_with_releases),
		cmocka_unit_test(features_by_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
