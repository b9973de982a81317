#ifndef TESTS_UNIT_RULES_JUDGED_H
#define TESTS_UNIT_RULES_JUDGED_H

#include "rules/changes.h"
#include "rules/judge.h"
#include "unit/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Jobs made from texts, judged as check judges them. */

static inline struct pin pin_of(const char *framework, const char *version)
{
	struct pin pin = { .framework = framework, .version = version, .origin = ORIGIN_SET };

	return pin;
}

/* A config of that text, not judged yet; `version`: of TorchTitan, or NULL. */
static inline struct job *job_of(struct arena *arena, const char *text, const char *version)
{
	struct overrides *overrides = arena_new(arena, struct overrides);
	struct findings *findings = arena_new(arena, struct findings);
	struct job *job = arena_new(arena, struct job);

	overrides->text = text;
	if (version)
		vec_push(arena, &overrides->pins, pin_of("torchtitan", version));
	findings_init(findings, arena);
	assert_null(job_read(job, arena, "test.yaml", overrides, findings));
	assert_true(job->readable);
	return job;
}

static inline struct side side_judged(struct arena *arena, struct job *job)
{
	static const struct levels none;
	struct skips *skips = arena_new(arena, struct skips);

	judge(&none, job, skips);
	return (struct side) { "test.yaml", job, skips };
}

static inline struct side side_of(struct arena *arena, const char *text, const char *version)
{
	return side_judged(arena, job_of(arena, text, version));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)

#endif
