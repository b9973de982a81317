#ifndef RULES_EXPECT_H
#define RULES_EXPECT_H

#include "rules/rule.h"

struct vocabulary;

/*
 * Assertions that a config, a comment in it or --expect makes about its own plan. To add one: its
 * row in `expectations` (expect.c), and a judge in the file of its topic. The keys are known,
 * listed by `parplan explain --keys` and held against the shape of their value from then on.
 */

/* What the value of an expectation looks like. */
enum shape {
	SHAPE_WORD,   /* one of `words` */
	SHAPE_COUNT,  /* an integer from 1 on */
	SHAPE_NUMBER, /* a number above 0 */
	SHAPE_NAMES,  /* a word, or a list of words */
	SHAPE_MAP
};

/* "text", "integer", ... as lists of keys call it. */
const char *shape_name(enum shape shape);

/* One expectation on its way to its judge. */
struct expected {
	const struct expectation *row;
	const struct rule *rule;
	struct job *job;
	const struct node *want; /* the value, of the row's shape */
};

struct expectation {
	const char *name; /* the key below expect: */
	enum shape shape;
	const char *words;  /* SHAPE_WORD: "a|b|c" */
	const char *rule;   /* reports the failure */
	unsigned int needs; /* facts without which it is not judged; that is said */
	void (*judge)(const struct expected *expected);
	const char *help;
};

/* All expectations, ended by a NULL name. */
extern const struct expectation expectations[];

/* Adds what may stand below expect: to the keys of files that hold it. */
void expect_vocabulary(struct vocabulary *vocabulary);

/* The check of each rule that rows name: judges the expectations it reports. */
void expect_check(const struct rule *rule, struct job *job);

/* The check of the rule for names below expect: that no row has. */
void expect_check_names(const struct rule *rule, struct job *job);

/*
 * Makes errors of the findings that expect.clean forbids, and says so of rules that could not be
 * judged. Call it when all rules have run and before levels are applied.
 */
void expect_raise(struct job *job, const struct skips *skips);

/* ---- for judges ---- */

/* A finding that `want` is not met; the message says what was expected and what is the case. */
struct finding *expect_failed(const struct expected *expected, const struct node *want,
			      const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Finds that the key or word is none of `names`; proposes the nearest. */
void expect_unknown(struct job *job, const struct node *node, const char *const *names,
		    size_t count);

/* Finds that nothing was held against `node`, and what is missing: "needs a cluster". */
void expect_unjudged(struct job *job, const struct node *node, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* True when the value is of that shape (SHAPE_WORD: one of `words`); else finds that it is not. */
bool expect_shape(struct job *job, const struct node *node, enum shape shape, const char *words);

/* Finds that a value should have been `what`: "a list of ranks". */
void expect_misshapen(struct job *job, const struct node *node, const char *what);

/* The degree behind an axis's name, or FIELD_COUNT. */
enum field_id expect_axis(const char *name);

/* Relates every degree that somebody wrote and that is not 1, and the world. */
void expect_relate_degrees(const struct expected *expected, struct finding *finding);

/* Relates the degree of one axis (FIELD_COUNT: none), or all that it follows from. */
void expect_relate_degree(const struct expected *expected, struct finding *finding,
			  enum field_id field);

/*
 * Proposes the degree `want` for a field, with the data-parallel degree that then makes the
 * product right again; edits what stands in the file.
 */
void expect_fix_degree(const struct expected *expected, struct finding *finding,
		       enum field_id field, int64_t want);

/* ---- judges ---- */

void expect_data_parallel(const struct expected *expected);
void expect_degrees(const struct expected *expected);
void expect_world(const struct expected *expected);
void expect_units(const struct expected *expected);
void expect_stages(const struct expected *expected);
void expect_groups(const struct expected *expected);
void expect_parameters(const struct expected *expected);
void expect_local_parameters(const struct expected *expected);
void expect_checkpoint(const struct expected *expected);
void expect_clean(const struct expected *expected);
void expect_memory(const struct expected *expected);
void expect_mfu(const struct expected *expected);
void expect_step_time(const struct expected *expected);
void expect_bubble(const struct expected *expected);

#endif
