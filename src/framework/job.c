#include "framework/job.h"

#include "framework/checkpoint.h"
#include "framework/job_topology.h"
#include "framework/placing.h"
#include "framework/world.h"
#include "input/launch.h"
#include "input/field.h"
#include "input/project.h"

#include <string.h>

#define X(name) extern const struct framework framework_##name;
#include "frameworks.inc"
#undef X

const struct framework *const frameworks[] = {
#define X(name) &framework_##name,
#include "frameworks.inc"
#undef X
	NULL
};

const struct framework *framework_find(const char *name)
{
	const struct framework *const *row = frameworks;

	while (*row && strcmp((*row)->name, name) != 0)
		row++;
	return *row;
}

static const struct framework *choose_framework(const struct job *job)
{
	const struct framework *const *row, *best = NULL;
	int claim, highest = 0;

	for (row = frameworks; *row; row++) {
		claim = (*row)->claims ? (*row)->claims(job) : 0;
		if (claim > highest) {
			highest = claim;
			best = *row;
		}
	}
	return best;
}

/* A framework nobody modelled: what the degrees mean is all there is to say. */
static void leave_unmodelled(const struct job *job, struct plan *plan)
{
	const char *framework = job->document.dialect->framework;

	if (!framework && job->versions.list.count)
		framework = job->versions.list.items[0].framework;
	plan->degrees = job->intended->degrees;
	plan->unmodelled = true;
	plan->unmodelled_why = arena_printf(
		job->arena, "What %s builds is not modelled: nothing beyond the degrees is known.",
		framework ? framework : "this framework");
}

/* The first degree that is given as something nobody can resolve, or NULL. */
static const struct setting *open_degree(const struct job *job)
{
	static const enum field_id degrees[] = { FIELD_DP_REPLICATE, FIELD_DP_SHARD, FIELD_TP,
						 FIELD_CP,	     FIELD_PP,	     FIELD_EP,
						 FIELD_ETP,	     FIELD_SP };
	size_t i;

	for (i = 0; i < sizeof(degrees) / sizeof(degrees[0]); i++)
		if (setting_unresolved(&job->settings, degrees[i]))
			return &job->settings.items[degrees[i]];
	return NULL;
}

/* With a degree unknown no group is known: nothing is built on a guess. */
static void leave_open(const struct job *job, struct plan *plan, const struct setting *degree)
{
	plan->degrees = job->intended->degrees;
	plan->unmodelled = true;
	plan->unmodelled_why = arena_printf(
		job->arena, "%s is not known (%s): nothing beyond the other degrees is known.",
		degree->spelling, degree->unresolved);
}

/* Executes the job's config into a fresh plan. */
static void job_apply(struct job *job, struct plan *plan)
{
	const struct setting *open = open_degree(job);

	plan->world = job->world;
	plan->requested = job->intended->requested;
	if (open)
		leave_open(job, plan, open);
	else if (job->framework)
		job->framework->apply(job, plan);
	else
		leave_unmodelled(job, plan);
}

/* Puts on the groups of a plan what the framework puts there. */
static void job_complete(struct job *job, struct plan *plan)
{
	const struct framework *framework = job->framework;

	if (plan->error || plan->unmodelled || !plan->world || plan->parameters.count ||
	    !framework || !job->model)
		return;
	if (framework->complete)
		framework->complete(job, plan);
	else
		place_model(job, plan);
	if (plan->error && framework->refused)
		framework->refused(job, plan);
}

/* Builds with sanitizers also count out what must hold of every plan; it costs too much elsewhere.
 */
static void check_plans(const struct job *job)
{
	plan_check(job->intended);
	plan_check(job->applied);
#ifdef __SANITIZE_ADDRESS__
	plan_check_boxes(job->intended);
	plan_check_boxes(job->applied);
#endif
}

/* The model by its numbers alone: no parameter, so nothing is placed. */
static struct model *outline(struct arena *arena, const struct model *model)
{
	struct model *copy;

	if (!model)
		return NULL;
	copy = arena_new(arena, struct model);
	*copy = *model;
	memset(&copy->parameters, 0, sizeof(copy->parameters));
	return copy;
}

static struct model *build_model(struct job *job, const struct model *like)
{
	enum naming naming = NAMING_TITAN;

	if (job->framework && job->framework->naming)
		naming = job->framework->naming(job);
	return model_new_like(job->arena, &job->settings, naming, like, job->findings);
}

/*
 * What --set gives under a native key, in any dialect: what its own keys cannot say, as the devices
 * of a node or the model. A dialect that has read the same path itself has the last word.
 */
static void settle_native(const struct document *document, struct decoder *decoder)
{
	const struct node *node;
	int id;

	for (id = 0; id < FIELD_COUNT; id++) {
		if (decoder->settings->items[id].origin == ORIGIN_SET)
			continue;
		node = node_find(document->root, field_of((enum field_id)id)->key);
		if (node && node->origin == NODE_FROM_SET)
			field_put(decoder, (enum field_id)id, node);
	}
}

/* What comments and options expect of a file that has no expect: block of its own. */
static void settle_beside(struct job *job)
{
	struct decoder decoder = { job->arena, &job->settings, job->findings };
	const struct node *expect = node_member(job->document.beside, "expect");

	if (expect)
		field_put(&decoder, FIELD_EXPECT, expect);
}

/* Everything that the document says, as of the job's versions. */
static void settle(const struct job *job, struct document *document, struct settings *settings,
		   struct findings *findings)
{
	struct decoder decoder = { job->arena, settings, findings };
	const char *framework = document->dialect->framework;
	const struct version *version = framework ? versions_find(&job->versions, framework) : NULL;

	settings_init(settings);
	document->dialect->settle(document, version ? version->when : MOMENT_LATEST, settings,
				  findings);
	launch_settle(document->launch, job->arena, settings);
	settle_native(document, &decoder);
}

void job_said(const struct job *job, struct settings *settings)
{
	struct document document = job->document;
	struct settings fresh;
	struct findings silent;
	int id;

	findings_init(&silent, job->arena);
	settle(job, &document, settings, &silent);
	settings_init(&fresh);
	for (id = 0; id < FIELD_COUNT; id++) {
		struct setting *setting = &settings->items[id], *other = &fresh.items[id];
		if ((setting_given(&job->settings.items[id]) ||
		     job->settings.items[id].origin == ORIGIN_PROJECT) &&
		    setting->origin != ORIGIN_DERIVED)
			*setting = job->settings.items[id];
		else if (setting->origin == ORIGIN_DEFAULT && !setting->note &&
			 other->origin == ORIGIN_DEFAULT && !strcmp(setting->text, other->text))
			setting->origin = ORIGIN_UNSET;
	}
}

enum depth {
	DEPTH_OUTLINE, /* with the model of another job, by its numbers alone */
	DEPTH_WHOLE
};

/*
 * Everything after the document. `from`, where there is one, has probably the same model. Where
 * something is expected, perhaps of parameters, an outline is not enough.
 */
static void derive(struct job *job, const struct job *from, enum depth depth)
{
	const struct model *like = from ? from->model : NULL;
	struct document *document = &job->document;

	versions_resolve(&job->versions, document, job->findings);
	settle(job, document, &job->settings, job->findings);
	settle_beside(job);
	project_settle(document->overrides->project, job->arena, &job->settings);
	job_read_hosts(job, from);
	world_find(job);
	job_place_ranks(job);
	job->framework = choose_framework(job);
	if (job->framework && job->framework->defaults)
		job->framework->defaults(job);
	if (depth == DEPTH_OUTLINE && !setting_known(&job->settings.items[FIELD_EXPECT]))
		job->model = outline(job->arena, like);
	else
		job->model = build_model(job, like);
	job->intended = plan_intended(job->arena, &job->settings, job->world);
	job->applied = plan_new(job->arena, PLAN_APPLIED);
	job_apply(job, job->applied);
	job_complete(job, job->applied);
	check_plans(job);
	if (job->world && !job->applied->error && !job->applied->unmodelled)
		job->differences = plan_compare(job->arena, job->intended, job->applied);
}

const char *job_read(struct job *job, struct arena *arena, const char *path,
		     const struct overrides *overrides, struct findings *findings)
{
	const char *trouble;
	size_t i;

	memset(job, 0, sizeof(*job));
	job->arena = arena;
	job->findings = findings;
	trouble = document_read(&job->document, arena, path, overrides, findings);
	if (trouble)
		return trouble;
	job->readable = job->document.root && job->document.dialect;
	for (i = 0; i < findings->list.count; i++)
		vec_push(arena, &job->noted, *findings->list.items[i]);
	if (job->readable)
		derive(job, NULL, DEPTH_WHOLE);
	return NULL;
}

/* The document of another job as it was read, with more pins. */
static void take_document(struct job *job, const struct job *from, const struct pin *pins,
			  size_t count)
{
	struct document *document = &job->document;
	size_t i;

	*document = from->document;
	document->facts = NULL;
	memset(&document->pins, 0, sizeof(document->pins));
	memset(&document->suppressions, 0, sizeof(document->suppressions));
	for (i = 0; i < from->document.pins.count; i++)
		vec_push(job->arena, &document->pins, from->document.pins.items[i]);
	for (i = 0; i < count; i++)
		vec_push(job->arena, &document->pins, pins[i]);
	for (i = 0; i < from->document.suppressions.count; i++) {
		vec_push(job->arena, &document->suppressions, from->document.suppressions.items[i]);
		document->suppressions.items[i].used = false;
	}
}

void job_rederive(struct job *job, const struct job *from, struct pin pin,
		  struct findings *findings)
{
	memset(job, 0, sizeof(*job));
	job->arena = from->arena;
	job->findings = findings;
	job->forecast =
		from->forecast; /* one for all versions: hardly any number depends on them */
	job->unforecast = from->unforecast;
	take_document(job, from, &pin, 1);
	job->readable = from->readable;
	job->checkpoint = checkpoint_of_other(from->checkpoint);
	if (job->readable)
		derive(job, from, DEPTH_OUTLINE);
}

void job_at(struct job *job, struct arena *arena, const struct job *from, const struct pin *pins,
	    size_t count, struct findings *findings)
{
	size_t i;

	memset(job, 0, sizeof(*job));
	job->arena = arena;
	job->findings = findings;
	take_document(job, from, pins, count);
	job->readable = from->readable;
	job->checkpoint = checkpoint_of_other(from->checkpoint);
	for (i = 0; i < from->noted.count; i++) {
		struct finding *finding = arena_new(arena, struct finding);
		*finding = from->noted.items[i];
		vec_push(findings->arena, &findings->list, finding);
	}
	if (job->readable)
		derive(job, from, DEPTH_WHOLE);
}
