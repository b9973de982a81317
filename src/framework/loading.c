#include "framework/loading.h"

#include "base/text.h"
#include "framework/torch/dcp_saved.h"
#include "framework/torch/save_plan.h"
#include "framework/wing.h"

#include <string.h>

static bool loads(const struct resume *resume, enum component component)
{
	return resume->fates[component] != FATE_EXCLUDED;
}

/* What the checkpoint holds: NULL, or a clause why that is not known. */
static const char *fill_saved(struct loading *loading, struct job *job)
{
	const struct checkpoint *checkpoint = loading->resume->checkpoint;
	struct state_dict then;

	saved_init(&loading->saved, job->arena);
	if (checkpoint->source == CHECKPOINT_METADATA) {
		if (!job_does(job, HABIT_TRAINER))
			state_dict_find(&loading->dict, job->arena, job->model,
					checkpoint->metadata);
		saved_of_metadata(&loading->saved, checkpoint->metadata, job->model,
				  &loading->dict);
		return NULL;
	}
	if (!checkpoint->from)
		return "no config is known that could have written the checkpoint";
	then = state_dict_of(checkpoint->from);
	return save_plan(&loading->saved, checkpoint->from, &then);
}

static void want(struct loading *loading, struct job *job, size_t parameter, int spread,
		 const char *state)
{
	const struct sharded *sharded = &job->applied->parameters.items[parameter];
	struct wanted wanted = { .fqn = sharded->parameter->fqn, .spread = spread };

	wanted.key = saved_key(job->arena, wanted.fqn, state);
	wanted.pp = pp_of_parameter(job->applied, sharded);
	vec_push(job->arena, &loading->loader.wanted, wanted);
}

static void fill_wanted(struct loading *loading, struct job *job)
{
	struct loader *loader = &loading->loader;
	const struct plan *plan = job->applied;
	int *spread = arena_array(job->arena, plan->parameters.count, sizeof(*spread)), j;
	size_t i;

	spreads_of_plan(job->arena, plan, &loader->spreads.items, &loader->spreads.count, spread);
	for (i = 0; i < plan->parameters.count; i++) {
		if (plan->parameters.items[i].copy)
			continue;
		if (loads(loading->resume, COMPONENT_MODEL))
			want(loading, job, i, spread[i], "");
		for (j = 0; loading->optimizer && j < loading->dict.states; j++)
			want(loading, job, i, spread[i], loading->dict.state[j]);
	}
}

/* The component an entry without a parameter belongs to; COMPONENTS: none that is known. */
static enum component component_of(const char *fqn)
{
	int i;

	for (i = 0; i < COMPONENTS; i++)
		if (text_starts(fqn, component_name((enum component)i)))
			return (enum component)i;
	return COMPONENTS;
}

/* One's own data loader's state is left aside: it is one entry of one file. */
static bool asks(const struct loading *loading, const struct saved_entry *entry)
{
	enum component component = entry->fqn ? component_of(entry->fqn) : COMPONENT_OPTIMIZER;

	if (entry->key)
		return loading->optimizer;
	return component != COMPONENTS && loads(loading->resume, component) &&
	       !text_starts(entry->fqn, "dataloader.dp_rank_");
}

static void fill_asked(struct loading *loading, struct job *job)
{
	const struct plan *plan = job->applied;
	struct map parameters = { .arena = job->arena };
	size_t i;

	for (i = 0; i < plan->parameters.count; i++)
		map_add(&parameters, plan->parameters.items[i].parameter->fqn, (uint32_t)i);
	for (i = 0; i < loading->saved.entries.count; i++) {
		const struct saved_entry *entry = &loading->saved.entries.items[i];
		struct asked asked = { .entry = (int32_t)i, .pp = -1 };
		int64_t at = entry->key ? map_find(&parameters, entry->key) : 0;
		if (at < 0 || !asks(loading, entry))
			continue;
		if (entry->key)
			asked.pp = pp_of_parameter(plan, &plan->parameters.items[at]);
		vec_push(job->arena, &loading->loader.asked, asked);
	}
}

void loading_of(struct loading *loading, struct job *job)
{
	memset(loading, 0, sizeof(*loading));
	loading->resume = resume_of(job);
	loading->dict = state_dict_of(job);
	loading->optimizer = loads(loading->resume, COMPONENT_OPTIMIZER) &&
			     loading->resume->fates[COMPONENT_OPTIMIZER] != FATE_UNKNOWN;
	loading->trouble = loading->resume->checkpoint->trouble;
	if (!loading->trouble)
		loading->trouble = spread_trouble(job);
	if (!loading->trouble)
		loading->trouble = fill_saved(loading, job);
	if (loading->trouble)
		return;
	loading->loader.arena = job->arena;
	loading->loader.saved = &loading->saved;
	loading->loader.ranks = job->world;
	loading->loader.pp_of = pp_of_ranks(job->arena, job->applied, &loading->loader.pp);
	fill_wanted(loading, job);
	fill_asked(loading, job);
	reshard_compute(&loading->reshard, &loading->loader);
	if (loading->reshard.cut_off)
		loading->trouble = "its chunks overlap each other too often to be counted";
}

int64_t ranks_per_node(const struct job *job)
{
	int64_t devices = setting_int(&job->settings, FIELD_CLUSTER_GPUS_PER_NODE, 0);

	return devices > 0 ? devices : 0;
}

void loading_node(const struct loading *loading, int64_t per_node, int64_t *node, int64_t *bytes)
{
	const struct reshard *reshard = &loading->reshard;
	int64_t rank, sum = 0;

	*node = *bytes = 0;
	for (rank = 0; rank < reshard->ranks; rank++) {
		sum += reshard->load[rank].read;
		if ((rank + 1) % per_node && rank + 1 < reshard->ranks)
			continue;
		if (sum > *bytes) {
			*bytes = sum;
			*node = rank / per_node;
		}
		sum = 0;
	}
}
