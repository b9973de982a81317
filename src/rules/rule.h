#ifndef RULES_RULE_H
#define RULES_RULE_H

#include "base/finding.h"
#include "framework/job.h"

/*
 * To add a rule: write its function and its row in the topic's file in
 * rules/sets/ (or a new file with `const struct ruleset ruleset_TOPIC`), then
 * testdata/rules/NAME.yaml, which makes it fire, and NAME.ok.yaml, which does not.
 * The catalogue, docs/rules.md, `parplan rules` and completion follow by themselves.
 */

/* Facts a rule cannot do without; when one is missing it is skipped, with a reason, never guessed. */
enum need {
	NEEDS_NOTHING = 0,
	NEEDS_WORLD = 1 << 0,
	NEEDS_MODEL = 1 << 1,
	NEEDS_CLUSTER = 1 << 2,  /* gpus per node */
	NEEDS_APPLIED = 1 << 3,  /* an applied plan without error */
	NEEDS_TORCHTITAN = 1 << 4, /* silent, not "skipped", for other frameworks */
	NEEDS_RESUME = 1 << 5    /* checkpoint.resume; silent without */
};

struct rule {
	struct rule_id id;
	unsigned int needs;
	void (*check)(const struct rule *rule, struct job *job); /* NULL: found while reading the input */
};

/* One topic: rules/sets/TOPIC.c defines `ruleset_TOPIC`. */
struct ruleset {
	const char *topic;   /* one word */
	const char *summary; /* heading in docs/rules.md */
	const struct rule *rules;
	size_t count;
};

extern const struct ruleset *const rulesets[];

/* A rule that could not be judged, and what is missing. */
struct skipped {
	const struct rule *rule;
	const char *needs; /* "cluster (--set cluster.gpus_per_node=8)" */
};

struct skips {
	VEC(struct skipped) list;
};

/* Runs every rule over a job; adds to job->findings. */
void rules_run(struct job *job, struct skips *skips);

/* A rule by name, or NULL; and iteration: NULL gives the first, the last gives NULL. */
const struct rule_id *rule_find(const char *name);
const struct rule_id *rule_next(const struct rule_id *after);

/* The topic a rule belongs to. */
const char *rule_topic(const struct rule_id *id);

#endif
