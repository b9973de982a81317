#ifndef TESTS_UNIT_RANDOM_H
#define TESTS_UNIT_RANDOM_H

#include "base/text.h"

#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Random numbers for property tests: the same ones in every run. PARPLAN_SEED=N gives others,
 * PARPLAN_CASES=N multiplies the number of cases by N. A case depends on its number and the seed
 * alone; PARPLAN_CASE=N begins with that one. A failure names its case:
 *
 *     static void holds(void **state)
 *     {
 *             struct random random;
 *             int64_t number;
 *
 *             random_each(number, random, 2000) {
 *                     ...
 *             }
 *     }
 *     ... random_test(holds)
 */
struct random {
	uint64_t state;
};

static inline int64_t random_variable(const char *name, int64_t otherwise)
{
	const char *text = getenv(name);
	int64_t value;

	return text && text_to_int(text, &value) && value > 0 ? value : otherwise;
}

static inline int64_t random_cases(int64_t usual)
{
	return usual * random_variable("PARPLAN_CASES", 1);
}

/* SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014. */
static inline uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15U;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
	z = (z ^ z >> 27) * 0x94d049bb133111ebU;
	return z ^ z >> 31;
}

/* Which case runs, also for those that end in an abort, and what it is about, or NULL. */
static volatile sig_atomic_t random_running = -1;
static const char *volatile random_case_text;

static inline void random_say(int signal)
{
	(void)signal;
	if (random_running >= 0)
		fprintf(stderr, "case %d; again: PARPLAN_CASE=%d\n%s\n", (int)random_running,
			(int)random_running, random_case_text ? random_case_text : "");
	random_running = -1;
	random_case_text = NULL;
}

static inline int random_teardown(void **state)
{
	(void)state;
	random_say(0);
	return 0;
}

#define random_test(test) cmocka_unit_test_teardown(test, random_teardown)

static inline int64_t random_first(void)
{
	signal(SIGABRT, random_say);
	return random_variable("PARPLAN_CASE", 0);
}

/* True while there are cases; at the end none runs. */
static inline int random_goes_on(int64_t number, int64_t usual)
{
	int64_t first = random_variable("PARPLAN_CASE", 0);

	random_running = number < first + random_cases(usual) ? (sig_atomic_t)number : -1;
	return random_running >= 0;
}

static inline struct random random_case(int64_t number)
{
	struct random random = { (uint64_t)number };

	random.state = random_next(&random) ^ (uint64_t)random_variable("PARPLAN_SEED", 1);
	random_next(&random);
	return random;
}

/* 0 to count - 1. */
static inline int64_t random_below(struct random *random, int64_t count)
{
	return (int64_t)(random_next(random) % (uint64_t)count);
}

/* True once in `times`. */
static inline int random_once(struct random *random, int64_t times)
{
	return random_below(random, times) == 0;
}

/* Runs what follows once for each case, `random` begun anew. */
#define random_each(number, random, usual)                                                         \
	for ((number) = random_first();                                                            \
	     random_goes_on((number), (usual)) && ((random) = random_case(number), 1); (number)++)

#define random_pick(random, list) (list)[random_below((random), sizeof(list) / sizeof(*(list)))]

#endif
