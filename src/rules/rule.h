#ifndef RULES_RULE_H
#define RULES_RULE_H

#include "base/finding.h"
#include "framework/job.h"

/*
 * To add a rule: write its function and its row in the topic's file in
 * rules/sets/ (or a new file with `const struct ruleset ruleset_TOPIC`), then
 * testdata/rules/NAME.yaml, which makes it fire, and NAME.ok.yaml, which does not.
 * The catalogue, docs/rules.md, `parplan rules` and completion follow by themselves.
 * docs/adding-a-rule.md shows it in ten lines.
 */

/* Facts a rule cannot do without; when one is missing it is skipped, with a reason, never guessed.
 */
enum need {
	NEEDS_NOTHING = 0,
	NEEDS_WORLD = 1 << 0,
	NEEDS_MODEL = 1 << 1,
	NEEDS_CLUSTER = 1 << 2, /* gpus per node; with NEEDS_WORLD job->topology is there */
	NEEDS_APPLIED = 1 << 3, /* an applied plan without error; silent when there is an error */
	NEEDS_TORCHTITAN = 1 << 4, /* silent, not "skipped", for other frameworks */
	NEEDS_RESUME = 1 << 5,	   /* checkpoint.resume; silent without */
	NEEDS_ATTEMPT = 1 << 6,	   /* an applied plan, with or without error */
	NEEDS_EXPECT = 1 << 7,	   /* an expect: block; silent without */
	NEEDS_DEVICE = 1 << 11,	   /* on what it runs: cluster.gpu or cluster.preset is said */
	NEEDS_OTHER = 1 << 10, /* a framework other than TorchTitan; silent, not "skipped", else */
	FOLLOWS_GROUPS = 1 << 12, /* not a need: it looks at groups and degrees alone, at nothing
				     that a microbatch or recomputation is part of */
	/* Nor these: where a framework raises it, and says so of degrees alone, */
	FOLLOWS_BLAMED = 1 << 13, /* it does for those degrees, whatever others are */
	FOLLOWS_MODEL = 1 << 14,  /* it does for the same tp, cp and pp */
	HOLDS_ALWAYS = 1 << 8,	/* not a need: holds whatever the version, never lowered for one */
	JUDGES_ASSUMED = 1 << 9 /* not a need: an attempt may be the plan assumed of a framework
				   without a model */
};

/* What nobody has to give: a job without is judged all the same. */
enum { NEEDS_OPTIONAL = NEEDS_CLUSTER | NEEDS_DEVICE | NEEDS_RESUME | NEEDS_EXPECT };

struct rule {
	const struct rule_id *id;
	unsigned int needs;
	void (*check)(const struct rule *rule,
		      struct job *job); /* NULL: found while reading the input */
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

/*
 * The first of those needs that a job lacks, in words: "the world size (--world N)". "" when it
 * goes without saying, NULL when it lacks none.
 */
const char *needs_lacking(unsigned int needs, const struct job *job);

/* Runs every rule over a job; adds to job->findings. */
void rules_run(struct job *job, struct skips *skips);

/* Iteration over the rows, by topic: NULL gives the first, the last gives NULL. */
const struct rule *rule_next(const struct rule *after);

/* A rule by name, or NULL. */
const struct rule *rule_find(const char *name);

/* The topic a rule belongs to. */
const struct ruleset *rule_topic(const struct rule *rule);

/* The name nearest to one that does not exist, or NULL. */
const char *rule_nearest(struct arena *arena, const char *name);

/* The highest severity a claim of that evidence may have. */
enum severity evidence_cap(enum evidence evidence);

/* "derived", "reported", "read", "run". */
const char *evidence_name(enum evidence evidence);

/* Found while rules run; all in the catalogue. */
extern const struct rule_id rule_unused_suppression;

#endif
