#include "rules/rule.h"

#include "base/text.h"
#include "framework/wing.h"
#include "rules/facts.h"
#include "rules/raised.h"

#include <limits.h>
#include <string.h>

#define X(name) extern const struct ruleset ruleset_##name;
#include "rulesets.inc"
#undef X

const struct ruleset *const rulesets[] = {
#define X(name) &ruleset_##name,
#include "rulesets.inc"
#undef X
	NULL
};

static bool holds(const struct ruleset *set, const struct rule *rule)
{
	size_t i;

	for (i = 0; i < set->count; i++)
		if (&set->rules[i] == rule)
			return true;
	return false;
}

const struct ruleset *rule_topic(const struct rule *rule)
{
	const struct ruleset *const *set;

	for (set = rulesets; *set; set++)
		if (holds(*set, rule))
			return *set;
	return NULL;
}

const struct rule *rule_next(const struct rule *after)
{
	const struct ruleset *const *set = rulesets;

	if (!after)
		return *set ? (*set)->rules : NULL;
	while (!holds(*set, after))
		set++;
	if (after != &(*set)->rules[(*set)->count - 1])
		return after + 1;
	return set[1] ? set[1]->rules : NULL;
}

const struct rule *rule_find(const char *name)
{
	const struct ruleset *const *set;
	size_t i;

	for (set = rulesets; *set; set++)
		for (i = 0; i < (*set)->count; i++)
			if (!strcmp((*set)->rules[i].id->name, name))
				return &(*set)->rules[i];
	return NULL;
}

const char *rule_nearest(struct arena *arena, const char *name)
{
	VEC(const char *) names = { 0 };
	const struct rule *rule = NULL;

	while ((rule = rule_next(rule)))
		vec_push(arena, &names, rule->id->name);
	return text_nearest(name, names.items, names.count);
}

enum severity evidence_cap(enum evidence evidence)
{
	switch (evidence) {
	case EVIDENCE_DERIVED:
		return SEVERITY_NOTE;
	case EVIDENCE_REPORTED:
		return SEVERITY_WARNING;
	case EVIDENCE_READ:
	case EVIDENCE_RUN:
		break;
	}
	return SEVERITY_ERROR;
}

const char *evidence_name(enum evidence evidence)
{
	static const char *const names[] = { "derived", "reported", "read", "run" };

	return names[evidence];
}

/* A fact that rules ask for: what to say when it is missing. */
struct fact {
	enum need need;
	bool (*known)(const struct job *job);
	const char *missing; /* NULL: silent without */
};

static bool knows_world(const struct job *job)
{
	return job->world > 0;
}

static bool knows_model(const struct job *job)
{
	return job->model != NULL;
}

static bool knows_cluster(const struct job *job)
{
	return job->topology ||
	       (!job->world && setting_int(&job->settings, FIELD_CLUSTER_GPUS_PER_NODE, 0) > 0);
}

static bool knows_device(const struct job *job)
{
	return setting_said(&job->settings.items[FIELD_CLUSTER_GPU]) ||
	       setting_said(&job->settings.items[FIELD_CLUSTER_PRESET]);
}

/* False when nobody knows what the code does: an experiment, or a framework without a model. */
static bool is_modelled(const struct job *job)
{
	return !job->applied->unmodelled && !job->applied->assumed;
}

/* Of what is not modelled, what degrees and meshes raise holds all the same. */
static bool has_attempt(const struct job *job)
{
	return job->framework && job->applied && (is_modelled(job) || job->applied->error);
}

static bool has_applied(const struct job *job)
{
	return has_attempt(job) && !job->applied->error && is_modelled(job);
}

static bool is_torchtitan(const struct job *job)
{
	return trainer_of(job) != NULL;
}

static bool is_assumed(const struct job *job)
{
	return job->applied && job->applied->assumed;
}

/* True where a framework other than TorchTitan lays out the ranks. */
static bool is_other(const struct job *job)
{
	size_t i;

	for (i = 0; i < job->versions.list.count; i++) {
		const char *name = job->versions.list.items[i].framework;
		if (!version_is_library(name) && !wing_does(wing_find(name), HABIT_TRAINER, NULL))
			return job->applied != NULL;
	}
	return is_assumed(job);
}

static bool resumes(const struct job *job)
{
	return job->checkpoint || setting_known(&job->settings.items[FIELD_CHECKPOINT_RESUME]);
}

static bool expects(const struct job *job)
{
	return setting_known(&job->settings.items[FIELD_EXPECT]);
}

/* Silent ones first: a rule that does not concern the job is not "skipped". */
static const struct fact facts[] = {
	{ NEEDS_TORCHTITAN, is_torchtitan, NULL },
	{ NEEDS_OTHER, is_other, NULL },
	{ NEEDS_RESUME, resumes, NULL },
	{ NEEDS_EXPECT, expects, NULL },
	{ NEEDS_WORLD, knows_world, "the world size (--world N)" },
	{ NEEDS_ATTEMPT, has_attempt, NULL },
	{ NEEDS_APPLIED, has_applied, NULL },
	{ NEEDS_MODEL, knows_model, "a model (--set model.preset=llama3-8b)" },
	{ NEEDS_CLUSTER, knows_cluster, "a cluster (--set cluster.gpus_per_node=8)" },
	{ NEEDS_DEVICE, knows_device, "a device (--set cluster.gpu=h100-sxm)" },
};

static const char *missing(const struct fact *fact, const struct job *job)
{
	const char *sizes = fact->need == NEEDS_MODEL ? job_wants_sizes(job) : NULL;

	return sizes ? sizes : fact->missing ? fact->missing : "";
}

/* The first of the needs that are not among those that are known. */
static const char *lacking(unsigned int needs, unsigned int known, const struct job *job)
{
	size_t i;

	if ((needs & JUDGES_ASSUMED) && is_assumed(job))
		needs &= ~(unsigned int)NEEDS_ATTEMPT;
	for (i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		if (needs & facts[i].need & ~known)
			return missing(&facts[i], job);
	return NULL;
}

/* Those of the needs that the job meets. */
static unsigned int known_of(unsigned int needs, const struct job *job)
{
	unsigned int known = 0;
	size_t i;

	for (i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		if ((needs & facts[i].need) && facts[i].known(job))
			known |= facts[i].need;
	return known;
}

const char *needs_lacking(unsigned int needs, const struct job *job)
{
	return lacking(needs, known_of(needs, job), job);
}

static void run(const struct rule *rule, unsigned int known, struct job *job, struct skips *skips)
{
	struct skipped skipped = { rule, lacking(rule->needs, known, job) };

	if (!skipped.needs)
		rule->check(rule, job);
	else if (*skipped.needs)
		vec_push(job->arena, &skips->list, skipped);
}

static bool is_told(const struct job *job, const char *rule)
{
	size_t i;

	for (i = 0; i < job->findings->list.count; i++)
		if (job->findings->list.items[i]->severity == SEVERITY_ERROR ||
		    !strcmp(job->findings->list.items[i]->rule->name, rule))
			return true;
	return false;
}

/* What ends the plan is told, whatever the rule that it belongs to made of it. */
static void tell_end(struct job *job)
{
	const struct plan_error *error = job->applied ? job->applied->error : NULL;
	const struct rule *rule = error ? rule_find(raised_rule(error)) : NULL;

	if (rule && has_attempt(job) && !is_told(job, rule->id->name))
		raised_check(rule, job);
}

void rules_run(struct job *job, struct skips *skips)
{
	const struct ruleset *const *set;
	unsigned int known;
	size_t i;

	if (!job->readable)
		return;
	known = known_of(UINT_MAX, job);
	for (set = rulesets; *set; set++)
		for (i = 0; i < (*set)->count; i++)
			if ((*set)->rules[i].check)
				run(&(*set)->rules[i], known, job, skips);
	tell_end(job);
}
