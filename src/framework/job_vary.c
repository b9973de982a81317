#include "framework/checkpoint.h"
#include "framework/job.h"
#include "framework/job_plans.h"
#include "framework/job_topology.h"
#include "framework/placing.h"
#include "input/field.h"
#include "input/node.h"
#include "input/settings/padded_vocab.h"
#include "input/syntax/reader.h"
#include "input/syntax/scalar.h"

#include <string.h>

static bool is_varied(const struct variation *variations, size_t count, enum field_id field)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (variations[i].field == field)
			return true;
	return false;
}

static bool of_model(enum field_id field)
{
	return !strncmp(field_of(field)->key, "model.", strlen("model."));
}

static bool varies_model(const struct variation *variations, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (of_model(variations[i].field))
			return true;
	return false;
}

/* A setting of the job whose settings these are a copy of, among the copies. */
static const struct setting *moved(const struct job *job, const struct job *from,
				   const struct setting *setting)
{
	const ptrdiff_t at = setting - from->settings.items;

	return at >= 0 && at < FIELD_COUNT ? &job->settings.items[at] : setting;
}

static void copy_settings(struct job *job, const struct job *from)
{
	int id, i;

	job->settings = from->settings;
	for (id = 0; id < FIELD_COUNT; id = field_next(id)) {
		struct setting *setting = &job->settings.items[id];
		for (i = 0; i < setting->parent_count; i++)
			setting->parents[i] = moved(job, from, setting->parents[i]);
	}
	if (from->world_from)
		job->world_from = moved(job, from, from->world_from);
}

/* ---- what followed from other values ---- */

/* Sizes of a preset that is no longer the same, and what was derived from a size that is not. */
static void forget_model(struct job *job, const struct variation *variations, size_t count)
{
	const bool preset = is_varied(variations, count, FIELD_MODEL_PRESET);
	int id, i;

	for (id = 0; id < FIELD_COUNT; id = field_next(id)) {
		const struct setting *setting = &job->settings.items[id];
		bool stale = preset && setting->origin == ORIGIN_PRESET;
		for (i = 0; setting->origin == ORIGIN_DERIVED && i < setting->parent_count; i++)
			stale = stale || is_varied(variations, count, setting->parents[i]->field);
		if (stale && of_model((enum field_id)id))
			setting_forget(&job->settings, (enum field_id)id);
	}
}

/*
 * What a dialect made data parallel of the world it knew is what is left of the other one: where
 * both were derived, those who share take it.
 */
static void open_data_parallel(struct job *job)
{
	static const enum field_id fields[] = { FIELD_DP_SHARD, FIELD_DP_REPLICATE };
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		const struct setting *setting = &job->settings.items[fields[i]];
		if (setting->origin != ORIGIN_DERIVED || setting->integer < 2)
			continue;
		settings_put_int(&job->settings, job->arena, fields[i], -1, ORIGIN_DERIVED)->note =
			"what the other degrees leave of the world";
		return;
	}
}

static void forget_derived(struct job *job, const struct variation *variations, size_t count)
{
	static const enum field_id degrees[] = { FIELD_TP,	     FIELD_CP,
						 FIELD_PP,	     FIELD_SP,
						 FIELD_DP,	     FIELD_DP_SHARD,
						 FIELD_DP_REPLICATE, FIELD_WEIGHT_SHARDS };
	bool other_ranks = false;
	size_t i;

	if (job->settings.items[FIELD_ETP].origin == ORIGIN_DERIVED)
		setting_forget(&job->settings, FIELD_ETP);
	forget_model(job, variations, count);
	for (i = 0; i < sizeof(degrees) / sizeof(*degrees); i++)
		other_ranks = other_ranks || is_varied(variations, count, degrees[i]);
	if (other_ranks)
		open_data_parallel(job);
}

/* What the other job has read, unless it is told by something that is varied. */
static const struct checkpoint *same_checkpoint(const struct job *from,
						const struct variation *variations, size_t count)
{
	static const enum field_id told_by[] = { FIELD_CHECKPOINT_RESUME, FIELD_FT_ENABLED,
						 FIELD_FT_GROUP_SIZE };
	size_t i;

	for (i = 0; i < sizeof(told_by) / sizeof(*told_by); i++)
		if (is_varied(variations, count, told_by[i]))
			return NULL;
	return from->checkpoint;
}

/* ---- new values ---- */

static const struct node *read_value(struct job *job, const struct variation *variation)
{
	static const struct span nowhere = { 0 };
	const enum field_type type = field_of(variation->field)->type;
	struct node *node;

	if (type == FIELD_LIST || type == FIELD_NODE) {
		node = yaml_read(job->arena,
				 source_new(job->arena, "<variation>", variation->value,
					    strlen(variation->value)),
				 job->findings);
	} else {
		node = node_scalar(job->arena, SCALAR_STRING,
				   arena_strdup(job->arena, variation->value), nowhere);
		scalar_resolve(job->arena, node);
	}
	if (node)
		node->origin = NODE_FROM_SET;
	return node;
}

static void put_values(struct job *job, const struct variation *variations, size_t count)
{
	struct decoder decoder = { job->arena, &job->settings, job->findings };
	size_t i;

	for (i = 0; i < count; i++) {
		const struct node *node =
			variations[i].value ? read_value(job, &variations[i]) : NULL;
		if (node)
			field_put(&decoder, variations[i].field, node);
		else if (!variations[i].value)
			setting_forget(&job->settings, variations[i].field);
	}
}

static void put_world(struct job *job, const struct job *from, int64_t world)
{
	job->world = world ? world : from->world;
	if (job->world == from->world) {
		job->topology = from->topology;
		return;
	}
	job->world_from =
		settings_put_int(&job->settings, job->arena, FIELD_WORLD, world, ORIGIN_SET);
	open_data_parallel(job);
	job_place_ranks(job);
}

/* All but the plans; `like` (may be NULL) is driven by the same framework. */
static void vary(struct job *job, struct arena *arena, const struct job *from,
		 const struct variation *variations, size_t count, int64_t world,
		 const struct job *like)
{
	struct findings *silent = arena_new(arena, struct findings);
	bool padded;

	memset(job, 0, offsetof(struct job, settings));
	findings_init(silent, arena);
	job->arena = arena;
	job->findings = silent;
	job->document = from->document;
	job->versions = from->versions;
	job->hosts = from->hosts;
	job->readable = from->readable;
	job->checkpoint = same_checkpoint(from, variations, count);
	copy_settings(job, from);
	if (!job->readable)
		return;
	forget_derived(job, variations, count);
	put_values(job, variations, count);
	put_world(job, from, world);
	job->framework = like ? like->framework : job_framework(job);
	if (job->framework && job->framework->defaults)
		job->framework->defaults(job);
	padded = padded_vocab_settle(&job->settings, job->arena);
	if (like)
		job->model = like->model;
	else
		job->model = padded || varies_model(variations, count) ? job_model(job, from->model)
								       : from->model;
}

void job_vary(struct job *job, struct arena *arena, const struct job *from,
	      const struct variation *variations, size_t count, int64_t world)
{
	vary(job, arena, from, variations, count, world, NULL);
	if (job->readable)
		job_make_plans(job);
}

void job_vary_like(struct job *job, struct arena *arena, const struct job *from,
		   const struct variation *variations, size_t count, const struct job *like)
{
	vary(job, arena, from, variations, count, 0, like);
	job->intended = like->intended;
	job->applied = like->applied;
	job->asked = like->asked;
	job->differences = like->differences;
}
