#include "rules/rule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

/* Whatever the degrees, what the rule advises makes the product right. */

enum { CP, TP, PP, REPLICATE, FACTORS, TIMES = 4000 };

static const char *const names[FACTORS] = { "cp", "tp", "pp", "dp_replicate" };

struct sample {
	int64_t world, shard, factor[FACTORS];
};

static uint64_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static struct sample draw(uint64_t *state)
{
	struct sample s;
	int i;

	s.world = (int64_t)(next(state) % 96) + 1;
	s.shard = next(state) % 2 ? -1 : (int64_t)(next(state) % 8) + 1;
	for (i = 0; i < FACTORS; i++)
		s.factor[i] = next(state) % 3 ? 1 : (int64_t)(next(state) % 12) + 1;
	return s;
}

static int64_t fixed_product(const struct sample *s)
{
	int64_t product = 1;
	int i;

	for (i = 0; i < FACTORS; i++)
		product *= s->factor[i];
	return product;
}

static bool is_right(const struct sample *s)
{
	return s->shard > 0 ? fixed_product(s) * s->shard == s->world
			    : s->world % fixed_product(s) == 0;
}

static const struct finding *find(struct job *job, struct arena *arena, const struct sample *s,
				  struct findings *findings)
{
	struct overrides overrides = { 0 };
	struct skips skips = { 0 };
	size_t i;

	findings_init(findings, arena);
	overrides.text =
		arena_printf(arena,
			     "parplan: 1\nworld: %d\nparallelism: {dp_shard: %d, cp: %d, "
			     "tp: %d, pp: %d, dp_replicate: %d}\n",
			     (int)s->world, (int)s->shard, (int)s->factor[CP], (int)s->factor[TP],
			     (int)s->factor[PP], (int)s->factor[REPLICATE]);
	assert_null(job_read(job, arena, "x.yaml", &overrides, findings));
	rules_run(job, &skips);
	for (i = 0; i < findings->list.count; i++)
		if (!strcmp(findings->list.items[i]->rule->name, "degrees-product"))
			return findings->list.items[i];
	return NULL;
}

/* "use dp_shard 4, or -1 ..." */
static void judge_shard(const struct sample *s, int64_t shard)
{
	assert_int_equal(fixed_product(s) * shard, s->world);
}

/* "... tp 2 or 4; or pp 3": each number in the place of its axis, with dp_shard free. */
static void judge_degrees(const struct sample *s, const char *text)
{
	int i, degree, other, read;

	for (i = 0; i < FACTORS; i++) {
		char pattern[32];
		const char *at = text, *found = NULL;
		size_t length = (size_t)snprintf(pattern, sizeof(pattern), " %s ", names[i]);
		for (; (at = strstr(at, pattern)); at += length)
			found = at;
		if (!found || (read = sscanf(found + length, "%d or %d", &degree, &other)) < 1)
			continue;
		assert_int_equal(s->world % (fixed_product(s) / s->factor[i] * degree), 0);
		assert_int_not_equal(degree, s->factor[i]);
		if (read == 2)
			assert_int_equal(s->world % (fixed_product(s) / s->factor[i] * other), 0);
	}
}

static void judge(const struct sample *s, const char *fix)
{
	int first, second;
	const char *degrees = strstr(fix, "; or, on ");

	if (sscanf(fix, "use dp_shard %d", &first) == 1) {
		judge_shard(s, first);
		return;
	}
	if (sscanf(fix, "run on %d or %d ranks", &first, &second) == 2) {
		assert_int_equal(first % fixed_product(s), 0);
		assert_int_equal(second % fixed_product(s), 0);
		assert_true(first < s->world && s->world < second);
	} else {
		assert_int_equal(sscanf(fix, "run on %d ranks", &first), 1);
		assert_int_equal(first, fixed_product(s) * (s->shard > 0 ? s->shard : 1));
	}
	if (degrees)
		judge_degrees(s, degrees);
}

static void advice_fits(void **state)
{
	uint64_t seed = 20261121;
	int i, wrong = 0;

	(void)state;
	for (i = 0; i < TIMES; i++) {
		const struct sample s = draw(&seed);
		const struct finding *finding;
		struct findings findings;
		struct arena arena;
		struct job job;
		arena_init(&arena);
		finding = find(&job, &arena, &s, &findings);
		assert_int_equal(finding == NULL, is_right(&s));
		if (finding)
			judge(&s, finding->fix);
		wrong += finding != NULL;
		arena_release(&arena);
	}
	assert_true(wrong > TIMES / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(advice_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
