#include "framework/history.h"

#include "framework/timeline.h"
#include "framework/torch/release.h"
#include "unit/arena.h"
#include "wings/torchtitan/keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct version at(struct arena *arena, const char *framework, const char *text)
{
	struct version version;

	assert_true(version_parse(arena, framework, text, &version));
	return version;
}

static struct history between(struct arena *arena, const char *framework, const char *low,
			      const char *high, struct following following)
{
	struct version a = at(arena, framework, low), b = at(arena, framework, high);

	return history_between(arena, &a, &b, following);
}

/* "d7cabfb6c torch:2024-12-20 ...": the versions, each but TorchTitan's with its framework. */
static const char *listed(struct arena *arena, const struct history *history)
{
	const char *text = "";
	size_t i;

	for (i = 0; i < history->list.count; i++) {
		const struct point *point = &history->list.items[i];
		bool own = !strcmp(point->framework, "torchtitan");
		text = arena_printf(arena, "%s%s%s%s%s", text, i ? " " : "",
				    own ? "" : point->framework, own ? "" : ":", point->version);
	}
	return text;
}

static const struct following alone;

static void commits(void **state)
{
	struct history history = between(*state, "torchtitan", "b19456a98", "cb633e332", alone);

	assert_string_equal(listed(*state, &history),
			    "d7cabfb6c 5525d7723 3e3909a0c 9a4eebe1c cb633e332");
	assert_int_equal(history.list.items[0].when, 2024103101);
	assert_non_null(strstr(history.list.items[0].what, "#667"));
	history = between(*state, "torchtitan", "v0.2.0", "v0.2.0", alone);
	assert_int_equal(history.list.count, 0);
}

static void dates_are_ends_of_days(void **state)
{
	struct history history = between(*state, "torchtitan", "2024-10-30", "2024-10-31", alone);

	assert_string_equal(listed(*state, &history), "d7cabfb6c");
	history = between(*state, "torchtitan", "2024-10-31", "2024-11-21", alone);
	assert_int_equal(history.list.count, 0);
}

/* The point of that version, which must be there. */
static const struct point *find(const struct history *history, const char *version)
{
	size_t i;

	for (i = 0; i < history->list.count; i++)
		if (!strcmp(history->list.items[i].version, version))
			return &history->list.items[i];
	fail_msg("no point %s", version);
	return NULL;
}

static void pytorch_of_the_date(void **state)
{
	const struct following torch = { .torch = true };
	struct history history = between(*state, "torchtitan", "9a4eebe1c", "6b03ffa32", torch);
	const struct point *nightly = find(&history, "2024-12-20");

	assert_true(nightly > find(&history, "40a0873b3"));
	assert_true(nightly < find(&history, "f6a9daa13"));
	assert_int_equal(nightly->pin_count, 2);
	assert_string_equal(nightly->pins[0].version, "40a0873b3");
	assert_string_equal(nightly->pins[1].framework, "torch");
	assert_string_equal(nightly->pins[1].version, "2024-12-20");
	/* What the first day has already is not later than it. */
	history = between(*state, "torchtitan", "2024-12-20", "2024-12-21", torch);
	assert_int_equal(history.list.count, 0);
}

/* Changes of one day have a point each, before the commits of that day. */
static void a_day_of_both(void **state)
{
	const struct following torch = { .torch = true };
	struct history history = between(*state, "torchtitan", "2025-07-27", "2025-07-28", torch);

	assert_string_equal(listed(*state, &history), "torch:2025-07-28 83e694105");
}

static void torchft(void **state)
{
	const struct following following = { .torchft = true };
	struct history history = between(*state, "torchtitan", "785c34c99", "5e2033c75", following);

	assert_string_equal(listed(*state, &history), "torchft:2025-04-03 8b737fe3c 5e2033c75");
}

static void days_of_keys(void **state)
{
	const struct following following = { .keys = titan_next_change };
	struct history history = between(*state, "torchtitan", "v0.2.0", "8228c0845", following);

	assert_string_equal(listed(*state, &history), "2025-10-21 8228c0845");
	assert_int_equal(history.list.items[0].when, 2025102199);
}

/* git log -1 --format=%cd $(git merge-base core_vX.Y.0 main) in NVIDIA/Megatron-LM. */
static void releases_of_megatron(void **state)
{
	static const struct {
		const char *text;
		moment_t day; /* 0: no such release */
	} cases[] = {
		{ "core_v0.8.0", 20240705 },
		{ "core_v0.9.0", 20240908 },
		{ "v0.10.0", 20241207 },
		{ "0.11.0", 20250212 },
		{ "core_r0.12.0", 20250404 },
		{ "0.13", 20250616 },
		{ "0.14.1", 20250818 },
		{ "core_v0.15.3", 20251020 },
		{ "0.16", 20260202 },
		{ "0.17.1", 20260331 },
		{ "core_v0.18.2", 20260601 },
		{ "core_v0.19.0", 20260728 },
		{ "0.20", 0 },
		{ "0.7", 20240504 },
		{ "0.3", 0 },
		{ "0.1", 0 },
		{ "0.160", 0 },
		{ "core", 0 },
		{ "", 0 },
	};
	const struct timeline *megatron = timeline_of("megatron");
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(megatron->release(cases[i].text),
				 cases[i].day ? cases[i].day * 100 + 99 : 0);
}

static void releases_of_pytorch(void **state)
{
	struct history history = between(*state, "torch", "2.8", "2.11.0", alone);

	assert_string_equal(listed(*state, &history), "torch:2.9 torch:2.10 torch:2.11");
	assert_int_equal(history.list.items[0].when, 0);
	assert_non_null(strstr(history.list.items[0].what, "pytorch#158899"));
	history = between(*state, "torch", "2.8", "2.11.0.dev20251221", alone);
	assert_string_equal(listed(*state, &history),
			    "torch:2.9 torch:2.10 torch:2.11.0.dev20251221");
	history = between(*state, "torch", "2.9.0.dev20250801", "2.10", alone);
	assert_string_equal(listed(*state, &history), "torch:2.9 torch:2.10");
	history = between(*state, "torch", "2.8.0", "2.8.1", alone);
	assert_int_equal(history.list.count, 0);
}

/* A point for each day on which something changed, and for no other. */
static void nightlies_of_pytorch(void **state)
{
	struct history history = between(*state, "torch", "2024-08-09", "2025-08-26", alone);
	size_t i;
	int f;

	assert_string_equal(find(&history, "2024-12-20")->framework, "torch");
	for (i = 1; i < history.list.count; i++)
		assert_true(history.list.items[i - 1].when < history.list.items[i].when);
	for (f = 0; f < TORCH_FEATURES; f++) {
		const struct torch_change *change = torch_change_of((enum torch_feature)f);
		bool within = change->nightly > 20240809 && change->nightly <= 20250826;
		for (i = 0; i < history.list.count; i++)
			if (history.list.items[i].when / 100 == change->nightly)
				break;
		assert_int_equal(i < history.list.count, within);
		if (within)
			assert_non_null(strstr(history.list.items[i].what, change->summary));
	}
}

static void assert_later(struct arena *arena, const char *framework, const char *low,
			 const char *high)
{
	struct version a = at(arena, framework, low), b = at(arena, framework, high);

	assert_true(version_later(arena, &b, &a));
	assert_false(version_later(arena, &a, &b));
	assert_false(version_later(arena, &a, &a));
}

static void order(void **state)
{
	assert_later(*state, "torchtitan", "v0.1.0", "v0.2.0");
	assert_later(*state, "torchtitan", "cb633e332", "40a0873b3"); /* of one day */
	assert_later(*state, "torch", "2.8", "2.10");
	assert_later(*state, "torch", "2.9.0.dev20250801", "2.9");
	assert_later(*state, "torch", "2.9.0.dev20250801", "2.9.0.dev20250802");
	assert_later(*state, "torch", "2.9.0", "2.9.1");
	assert_true(history_known("torch"));
	assert_false(history_known("torchao"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(commits),
		TEST(dates_are_ends_of_days),
		TEST(pytorch_of_the_date),
		TEST(a_day_of_both),
		TEST(torchft),
		TEST(days_of_keys),
		cmocka_unit_test(releases_of_megatron),
		TEST(releases_of_pytorch),
		TEST(nightlies_of_pytorch),
		TEST(order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
