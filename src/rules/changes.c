#include "rules/changes.h"

#include "base/text.h"
#include "plan/compare.h"
#include "rules/change.h"
#include "rules/facts.h"
#include "sim/forecast.h"
#include "sim/workload/objective.h"

#include <inttypes.h>
#include <string.h>

static const char *const kind_names[CHANGE_KINDS] = {
	[CHANGE_VERSION] = "version",	  [CHANGE_SETTING] = "setting",
	[CHANGE_EXCEPTION] = "exception", [CHANGE_STRATEGY] = "strategy",
	[CHANGE_TRAFFIC] = "traffic",	  [CHANGE_GROUP] = "group",
	[CHANGE_DEGREE] = "degree",	  [CHANGE_MESH] = "mesh",
	[CHANGE_MESH_NAME] = "mesh-name", [CHANGE_PLACEMENT] = "placement",
	[CHANGE_UNIT] = "unit",		  [CHANGE_STAGE] = "stage",
	[CHANGE_FINDING] = "finding",
};

const char *change_kind_name(enum change_kind kind)
{
	return kind_names[kind];
}

struct change *change_add(struct changes *changes, enum change_kind kind, const char *subject,
			  const char *before, const char *after)
{
	struct change change = {
		.kind = kind, .subject = subject, .before = before, .after = after, .count = 1
	};

	vec_push(changes->arena, &changes->list, change);
	return &changes->list.items[changes->list.count - 1];
}

bool change_within(const struct job *before, const struct job *after)
{
	return before->document.source == after->document.source;
}

bool changes_any(const struct changes *changes)
{
	return changes->list.count > changes_count(changes, CHANGE_VERSION);
}

size_t changes_count(const struct changes *changes, enum change_kind kind)
{
	size_t i, count = 0;

	for (i = 0; i < changes->list.count; i++)
		count += changes->list.items[i].kind == kind;
	return count;
}

/* ---- versions ---- */

/* Companions but torch say nothing that the framework's own version does not. */
static const struct version *named_version(const struct job *job, const char *framework)
{
	const struct version *version = versions_find(&job->versions, framework);

	if (version && version->origin == VERSION_COMPANION && strcmp(framework, "torch") != 0)
		return NULL;
	return version;
}

static const char *label_of(struct arena *arena, const struct version *version)
{
	return version ? arena_strdup(arena, version->label) : NULL;
}

static void change_version(struct changes *changes, const char *framework, const struct job *before,
			   const struct job *after)
{
	const struct version *a = named_version(before, framework);
	const struct version *b = named_version(after, framework);

	if ((!a && !b) || (a && b && !strcmp(a->label, b->label)))
		return;
	change_add(changes, CHANGE_VERSION, arena_strdup(changes->arena, framework),
		   label_of(changes->arena, a), label_of(changes->arena, b));
}

static void change_versions(struct changes *changes, const struct job *before,
			    const struct job *after)
{
	size_t i;

	for (i = 0; i < before->versions.list.count; i++)
		change_version(changes, before->versions.list.items[i].framework, before, after);
	for (i = 0; i < after->versions.list.count; i++) {
		const char *framework = after->versions.list.items[i].framework;
		if (!versions_find(&before->versions, framework))
			change_version(changes, framework, before, after);
	}
}

/* ---- plans ---- */

static enum change_kind kind_of(enum difference_kind kind)
{
	switch (kind) {
	case DIFFERENCE_STRATEGY:
		return CHANGE_STRATEGY;
	case DIFFERENCE_SHARD_GROUP:
	case DIFFERENCE_REPLICATE_GROUP:
	case DIFFERENCE_AXIS_ORDER:
	case DIFFERENCE_MEMBERSHIP:
		return CHANGE_GROUP;
	case DIFFERENCE_AXIS_SIZE:
		return CHANGE_DEGREE;
	case DIFFERENCE_PLACEMENT:
		return CHANGE_PLACEMENT;
	case DIFFERENCE_UNIT:
		return CHANGE_UNIT;
	case DIFFERENCE_STAGE:
		return CHANGE_STAGE;
	case DIFFERENCE_MESH:
		return CHANGE_MESH;
	case DIFFERENCE_MESH_NAME:
		return CHANGE_MESH_NAME;
	case DIFFERENCE_EXCEPTION:
		break;
	}
	return CHANGE_EXCEPTION;
}

/* "shard groups", "replicate groups of experts", "groups of tp". */
static const char *subject_of(struct arena *arena, const struct difference *d)
{
	const char *experts = !strcmp(d->subject, "experts") ? " of experts" : "";

	switch (d->kind) {
	case DIFFERENCE_SHARD_GROUP:
		return arena_printf(arena, "shard groups%s", experts);
	case DIFFERENCE_REPLICATE_GROUP:
		return arena_printf(arena, "replicate groups%s", experts);
	case DIFFERENCE_MEMBERSHIP:
		return arena_printf(arena, "groups of %s", d->subject);
	default:
		return d->subject;
	}
}

static const char *unless(const char *text, const char *nothing)
{
	return strcmp(text, nothing) != 0 ? text : NULL;
}

static void add_differences(struct changes *changes, const struct differences *differences)
{
	size_t i;

	for (i = 0; i < differences->list.count; i++) {
		const struct difference *d = &differences->list.items[i];
		const char *nothing = d->kind == DIFFERENCE_EXCEPTION ? "none" : difference_absent;
		struct change *change =
			change_add(changes, kind_of(d->kind), subject_of(changes->arena, d),
				   unless(d->left, nothing), unless(d->right, nothing));
		change->count = d->count;
		change->before_local = d->left_local;
		change->after_local = d->right_local;
	}
}

static bool has_meshes(const struct plan *plan)
{
	return plan->world && !plan->error && plan->meshes.count;
}

static const char *received_text(struct arena *arena, const struct traffics *traffics,
				 const struct layout *groups)
{
	const double bytes = traffic_over(traffics, groups);

	return bytes > 0 ? text_bytes(arena, bytes) : NULL;
}

/* What ranks receive over the groups in which parameters are shared or repeated. */
static void change_traffic(struct changes *changes, const struct job *before,
			   const struct job *after)
{
	const struct plan *a = before->applied, *b = after->applied;
	const struct traffics old = forecast_traffic(before, a), new = forecast_traffic(after, b);
	const struct {
		const char *subject;
		const struct layout *before, *after;
	} rows[] = {
		{ "over shard groups", &a->dense.shard, &b->dense.shard },
		{ "over replicate groups", &a->dense.replicate, &b->dense.replicate },
		{ "over shard groups of experts", &a->expert.shard, &b->expert.shard },
		{ "over replicate groups of experts", &a->expert.replicate, &b->expert.replicate },
	};
	size_t i, count = a->has_expert && b->has_expert ? 4 : 2;

	for (i = 0; i < count; i++) {
		const char *left = received_text(changes->arena, &old, rows[i].before);
		const char *right = received_text(changes->arena, &new, rows[i].after);
		if (left != right && (!left || !right || strcmp(left, right) != 0))
			change_add(changes, CHANGE_TRAFFIC, rows[i].subject, left, right);
	}
}

static void change_plans(struct changes *changes, const struct job *before, const struct job *after)
{
	const struct plan *a = before->applied, *b = after->applied;
	struct differences differences = plan_compare(changes->arena, a, b);

	add_differences(changes, &differences);
	if (changes_count(changes, CHANGE_GROUP))
		change_traffic(changes, before, after);
	if ((!plan_comparable(a, b) || !a->world) && a->requested != b->requested)
		change_add(changes, CHANGE_STRATEGY, "data parallel asked for",
			   strategy_name(a->requested), strategy_name(b->requested));
	if (!has_meshes(a) || !has_meshes(b))
		return;
	differences = plan_compare_meshes(changes->arena, a, b);
	add_differences(changes, &differences);
}

/* ---- what cannot be compared ---- */

static void limit(struct changes *changes, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void limit(struct changes *changes, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vec_push(changes->arena, &changes->limits, arena_vprintf(changes->arena, format, args));
	va_end(args);
}

/* Why nothing is known of what one side builds; false when it is known. */
static bool limit_side(struct changes *changes, const struct side *side)
{
	const struct plan *plan = side->job->applied;

	if (plan->error)
		limit(changes, "%s stops with an exception: what it would build is not compared.",
		      side->name);
	else if (plan->unmodelled)
		limit(changes, "%s: %s", side->name, plan->unmodelled_why);
	else if (!plan->world)
		limit(changes,
		      "%s: the world size is not known (--world N), so groups, meshes and shards "
		      "are not compared.",
		      side->name);
	else
		return false;
	return true;
}

static void limit_models(struct changes *changes, const struct side *before,
			 const struct side *after)
{
	const struct model *a = before->job->model, *b = after->job->model;

	if (!a != !b)
		limit(changes,
		      "%s has no model (--set model.preset=NAME), so parameters, units and stages "
		      "are not compared.",
		      a ? after->name : before->name);
	else if (a && strcmp(a->name, b->name) != 0)
		limit(changes, "The models differ (%s, %s), and with them parameters and shapes.",
		      a->name, b->name);
}

static bool skips_for(const struct skips *skips, const char *needs, size_t count)
{
	size_t i;

	for (i = 0; i < count && i < skips->list.count; i++)
		if (!strcmp(skips->list.items[i].needs, needs))
			return true;
	return false;
}

/* Facts that one side alone lacks: what rules find without them is new or gone for that. */
static void limit_skips(struct changes *changes, const struct side *side, const struct side *other)
{
	size_t i;

	for (i = 0; i < side->skips->list.count; i++) {
		const char *needs = side->skips->list.items[i].needs;
		if (!skips_for(side->skips, needs, i) &&
		    !skips_for(other->skips, needs, other->skips->list.count))
			limit(changes,
			      "%s lacks %s: rules that need it are judged of the other alone.",
			      side->name, needs);
	}
}

static void set_limits(struct changes *changes, const struct side *before, const struct side *after)
{
	int64_t ranks = before->job->world, others = after->job->world;
	bool known = !limit_side(changes, before);

	known = !limit_side(changes, after) && known;
	if (known && ranks != others)
		limit(changes,
		      "The worlds differ (%" PRId64 " and %" PRId64
		      " ranks): groups count as equal when their ranks lie equally far apart.",
		      ranks, others);
	if (known)
		limit_models(changes, before, after);
	limit_skips(changes, before, after);
	limit_skips(changes, after, before);
}

/* By kind; those of a kind stay in order. */
static void sort(struct changes *changes)
{
	struct changes sorted = { .arena = changes->arena };
	int kind;
	size_t i;

	for (kind = 0; kind < CHANGE_KINDS; kind++)
		for (i = 0; i < changes->list.count; i++)
			if (changes->list.items[i].kind == (enum change_kind)kind)
				vec_push(sorted.arena, &sorted.list, changes->list.items[i]);
	changes->list.items = sorted.list.items;
	changes->list.capacity = sorted.list.capacity;
}

/* What is trained in a step, however the configs say it. */
static void change_batch(struct changes *changes, const struct job *before, const struct job *after)
{
	const int64_t a = samples_of(before), b = samples_of(after);
	const char *left = objective_samples(changes->arena, before, a);
	const char *right = objective_samples(changes->arena, after, b);

	if (a && b && !before->applied->error && !after->applied->error && strcmp(left, right) != 0)
		change_add(changes, CHANGE_DEGREE, "batch of a step", left, right);
}

struct changes changes_of(struct arena *arena, const struct side *before, const struct side *after)
{
	struct changes changes = { .arena = arena };

	change_versions(&changes, before->job, after->job);
	change_settings(&changes, before->job, after->job);
	change_plans(&changes, before->job, after->job);
	change_batch(&changes, before->job, after->job);
	change_findings(&changes, before->job, after->job);
	set_limits(&changes, before, after);
	sort(&changes);
	return changes;
}
