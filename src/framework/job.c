#include "framework/job.h"

#include "framework/checkpoint.h"
#include "framework/job_plans.h"
#include "framework/job_topology.h"
#include "framework/unsaid.h"
#include "framework/world.h"
#include "input/launch/launch.h"
#include "input/field.h"
#include "input/project.h"
#include "input/settings/padded_vocab.h"
#include "input/unread.h"

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

/* Whether the dialect has read that value itself, whatever it means there. */
static bool is_read(const struct settings *settings, const struct node *node)
{
	int id;

	for (id = 0; id < FIELD_COUNT; id = field_next(id)) {
		const struct setting *setting = &settings->items[id];
		if (setting->origin == ORIGIN_SET && setting->span.source == node->span.source &&
		    setting->span.column == node->span.column)
			return true;
	}
	return false;
}

/*
 * What --set gives under a native key, in any dialect: what its own keys cannot say, as the devices
 * of a node or the model; null takes away what the config says. A dialect that has read the same
 * path itself has the last word.
 */
static void settle_native(const struct document *document, struct decoder *decoder)
{
	const struct node *node;
	int id;

	for (id = 0; id < FIELD_COUNT; id = field_next(id)) {
		if (decoder->settings->items[id].origin == ORIGIN_SET)
			continue;
		node = node_find(document->root, field_of((enum field_id)id)->key);
		if (!node && document->ours)
			node = node_find(document->ours, field_of((enum field_id)id)->key);
		if (!node || node->origin != NODE_FROM_SET)
			continue;
		if (node->kind == NODE_SCALAR && node->type == SCALAR_NULL)
			setting_forget(decoder->settings, (enum field_id)id);
		else if (!is_read(decoder->settings, node))
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

/* Everything that the document says, as of the job's versions; the program of which nobody knows
 * what it does, or NULL. */
static const char *settle(const struct job *job, struct document *document,
			  struct settings *settings, struct findings *findings)
{
	struct decoder decoder = { job->arena, settings, findings };
	const char *framework = document->dialect->framework;
	const struct version *version = framework ? versions_find(&job->versions, framework) : NULL;
	const moment_t when = version ? version->when : MOMENT_LATEST;

	settings_init(settings);
	document->dialect->settle(document, when, settings, findings);
	launch_settle(document->launch, job->arena, settings);
	settle_native(document, &decoder);
	unread_sets(document, when, settings, findings);
	return unsaid_leave_open(document, settings);
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
	for (id = 0; id < FIELD_COUNT; id = field_next(id)) {
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
	job->readable = !job->versions.refused;
	if (job->readable || !document->dialect->framework) /* native keys are of no version */
		job->unsaid = settle(job, document, &job->settings, job->findings);
	if (!job->readable)
		return;
	settle_beside(job);
	project_settle(document->overrides->project, job->arena, document->source->place,
		       &job->settings);
	job_read_hosts(job, from);
	world_find(job);
	unsaid_machines(&job->settings, job->arena, job->world);
	unsaid_close(&job->settings, job->arena, job->world);
	job_place_ranks(job);
	job->framework = job_framework(job);
	if (job->framework && job->framework->defaults)
		job->framework->defaults(job);
	padded_vocab_settle(&job->settings, job->arena);
	if (depth == DEPTH_OUTLINE && !setting_known(&job->settings.items[FIELD_EXPECT]))
		job->model = outline(job->arena, like);
	else
		job->model = job_model(job, like);
	job_make_plans(job);
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
