#include "search/site.h"

#include "base/number.h"
#include "base/text.h"
#include "framework/wing.h"
#include "input/field.h"
#include "search/wording.h"
#include "sim/forecast.h"

#include <inttypes.h>
#include <string.h>

/* What a search may say of a config by itself. Of any other setting --vary and --fix have to. */
static const enum field_id said[] = {
	FIELD_DP,
	FIELD_DP_REPLICATE,
	FIELD_DP_SHARD,
	FIELD_CP,
	FIELD_SP,
	FIELD_ULYSSES,
	FIELD_TP,
	FIELD_PP,
	FIELD_EP,
	FIELD_ETP,
	FIELD_PP_SCHEDULE,
	FIELD_PP_VIRTUAL_STAGES,
	FIELD_PP_LAYER_SPLIT,
	FIELD_PP_LAYERS_PER_STAGE,
	FIELD_PP_MICROBATCH_SIZE,
	FIELD_PP_MICROBATCHES,
	FIELD_LOCAL_BATCH_SIZE,
	FIELD_MICRO_BATCH_SIZE,
	FIELD_GLOBAL_BATCH_SIZE,
	FIELD_TOKENS_PER_MICROBATCH,
	FIELD_TOKENS_PER_STEP,
	FIELD_GRADIENT_ACCUMULATION,
	FIELD_PP_FIRST_STAGE_LAYERS,
	FIELD_PP_LAST_STAGE_LAYERS,
	FIELD_SEQUENCE_PARALLEL,
	FIELD_ASYNC_TP,
	FIELD_OVERLAP_TP,
	FIELD_CUDA_GRAPH,
	FIELD_OPTIMIZER_DISTRIBUTED,
	FIELD_ZERO_STAGE,
	FIELD_RESHARD_AFTER_FORWARD,
	FIELD_AC_MODE,
	FIELD_AC_OPTION,
	FIELD_AC_METHOD,
	FIELD_AC_LAYERS,
};

/* A value of the field that can be told if any can. */
static const char *any_of(enum field_id field)
{
	if (field_of(field)->type == FIELD_INT)
		return "2";
	return field_of(field)->type == FIELD_BOOL ? "true" : NULL;
}

/* Meshes that a script builds itself have their sizes, whatever else the config says. */
static void close_degrees(struct site *site)
{
	static const enum field_id closed[] = { FIELD_DP, FIELD_DP_REPLICATE, FIELD_DP_SHARD,
						FIELD_CP, FIELD_TP,	      FIELD_PP,
						FIELD_EP, FIELD_ETP,	      FIELD_PP_SCHEDULE,
						FIELD_SP, FIELD_ULYSSES };
	size_t i;

	for (i = 0; i < sizeof(closed) / sizeof(closed[0]); i++)
		site->open[closed[i]] = false;
}

/* Whether the framework builds no groups for an expert degree: it is none to choose then. */
static bool drops_experts(const struct site *site)
{
	const enum field_id others[] = { FIELD_PP, FIELD_TP, FIELD_CP, site->ulysses };
	const int64_t experts = setting_int(&site->job.settings, FIELD_MODEL_MOE_EXPERTS, 0);
	struct variation alone[1 + sizeof(others) / sizeof(others[0])];
	const struct mesh *mesh;
	struct arena arena;
	struct job job;
	size_t i, count = 1;
	int64_t ep = 2;
	bool drops;

	while (ep < experts && (experts % ep || site->world % ep))
		ep++;
	if (ep >= experts)
		return false;
	arena_init(&arena);
	alone[0] = (struct variation) { FIELD_EP, arena_printf(&arena, "%" PRId64, ep) };
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (site->open[others[i]])
			alone[count++] = (struct variation) { others[i], "1" };
	job_vary(&job, &arena, &site->job, alone, count, 0);
	mesh = plan_mesh(job.applied, "ep");
	drops = !job.applied->error && (!mesh || layout_size(&mesh->layout) != ep);
	arena_release(&arena);
	return drops;
}

/*
 * Ranks of tensor parallelism whose traffic may overlap: those of a node. What Megatron's gains on
 * devices before Hopper nobody has published.
 */
static int64_t overlapped(const struct site *site)
{
	const struct job *job = &site->job;
	struct profile profile;

	if (site->does[HABIT_MEGATRON] && (workload_profile(&profile, job, NULL) ||
					   profile_get(&profile, FIGURE_CAPABILITY) < 90))
		return 0;
	return setting_int(&job->settings, FIELD_CLUSTER_GPUS_PER_NODE,
			   site->world < 8 ? site->world : 8);
}

/* Where the config says who shares alone, how often the model is there may follow. */
static void open_replicas(struct site *site)
{
	if (site->open[FIELD_DP_SHARD] && !site->open[FIELD_DP_REPLICATE])
		site->open[FIELD_DP_REPLICATE] = wording_follows(
			site->wording, FIELD_DP_REPLICATE, FIELD_DP_SHARD, any_of(FIELD_DP_SHARD));
}

/*
 * A key for all of data parallelism: those who share are what replicas leave of it, or there are no
 * replicas.
 */
static void open_total(struct site *site)
{
	site->total = setting_given(&site->job.settings.items[FIELD_DP]);
	if (!site->total)
		return;
	site->open[FIELD_DP_SHARD] =
		site->open[FIELD_DP] &&
		wording_follows(site->wording, FIELD_DP_SHARD, FIELD_DP, any_of(FIELD_DP));
	site->open[FIELD_DP_REPLICATE] =
		site->open[FIELD_DP_REPLICATE] && site->open[FIELD_DP_SHARD];
}

/* Ranks of Ulysses beside those of data parallelism: they are a factor of the world. */
static int64_t beside(const struct job *job)
{
	const int64_t ranks = setting_int(&job->settings, FIELD_SP, 1);

	return ranks > 1 && job->world % ranks == 0 ? ranks : 1;
}

/* As the config has them, in a mesh of its plan where they are among those of data parallelism. */
int64_t site_ulysses(const struct site *site)
{
	const struct mesh *mesh = plan_mesh(site->job.applied, "sp");

	if (site->ulysses == FIELD_SP)
		return beside(&site->job);
	return mesh ? layout_size(&mesh->layout) : 1;
}

/* Whether the plan has a mesh of so many ranks of Ulysses where the config says so. */
static bool builds_ulysses(const struct site *site, int64_t ranks)
{
	struct variation one = { FIELD_ULYSSES, NULL };
	const struct mesh *mesh;
	struct arena arena;
	struct job job;
	bool builds;

	arena_init(&arena);
	one.value = arena_printf(&arena, "%" PRId64, ranks);
	job_vary(&job, &arena, &site->job, &one, 1, 0);
	mesh = plan_mesh(job.applied, "sp");
	builds = mesh && layout_size(&mesh->layout) == ranks;
	arena_release(&arena);
	return builds;
}

/* Which setting says the ranks of Ulysses; none does where its trainer makes nothing of it. */
static void put_ulysses(struct site *site)
{
	const int64_t heads = site->job.model->heads;
	int64_t ranks = 2;

	site->ulysses = FIELD_SP;
	if (!site->does[HABIT_ULYSSES_INSIDE])
		return;
	while (ranks < site->world && (site->world % ranks || heads % ranks))
		ranks++;
	if (plan_mesh(site->job.applied, "sp") || builds_ulysses(site, ranks))
		site->ulysses = FIELD_ULYSSES;
	else
		site->open[FIELD_ULYSSES] = false;
}

/* Whether FSDP is over all that the other degrees leave. */
static bool all_share(const struct site *site)
{
	const struct settings *settings = &site->job.settings;

	return !site->does[HABIT_MEGATRON] && !site->does[HABIT_ENGINE] &&
	       setting_int(settings, FIELD_DP_SHARD, 1) != 1 &&
	       setting_int(settings, FIELD_DP_REPLICATE, 1) == 1;
}

/* What its framework and the engine under it do. */
static void put_habits(struct site *site)
{
	const struct wing *engine = wing_find(setting_text(&site->job.settings, FIELD_ENGINE, ""));
	int id;

	for (id = 0; id < HABITS; id++)
		site->does[id] = id != HABIT_END && (job_does(&site->job, (enum habit)id) ||
						     wing_does(engine, (enum habit)id, NULL));
}

/* Whether its framework has no such axis, at that version or at all. */
static bool is_lacking(const struct job *job, enum field_id field)
{
	return !job_has_axis(job, field) || job_lacks_axis(job, field);
}

/* What is known of the site once it is known what it can be told. */
static void put_traits(struct site *site)
{
	site->tokens = site->does[HABIT_COUNTS_TOKENS] &&
		       setting_known(&site->job.settings.items[FIELD_TOKENS_PER_MICROBATCH]);
	site->overlapped = overlapped(site);
	put_ulysses(site);
	site->drops_experts = drops_experts(site);
	if (site->drops_experts)
		site->open[FIELD_EP] = false;
	if (!site->open[FIELD_EP])
		site->open[FIELD_ETP] = false;
	site->derived_dp =
		site->does[HABIT_MEGATRON] || site->does[HABIT_ENGINE] ||
		(!site->total && !site->open[FIELD_DP_SHARD] && !site->open[FIELD_DP_REPLICATE]);
	site->knows_sharing = !site->derived_dp || all_share(site);
}

static void open_axes(struct site *site)
{
	size_t i;

	put_habits(site);
	site->wording = arena_new(site->job.arena, struct wording);
	wording_begin(site->wording, &site->job, site->job.arena);
	for (i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		site->open[said[i]] = wording_can(site->wording, said[i], any_of(said[i]));
	open_replicas(site);
	open_total(site);
	if (setting_known(&site->job.settings.items[FIELD_MESH]))
		close_degrees(site);
	for (i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		if (is_lacking(&site->job, said[i]))
			site->open[said[i]] = false;
	put_traits(site);
}

int64_t site_batch(const struct job *job)
{
	const int64_t global = setting_int(&job->settings, FIELD_GLOBAL_BATCH_SIZE, -1);
	const int64_t local = setting_int(&job->settings, FIELD_LOCAL_BATCH_SIZE,
					  setting_int(&job->settings, FIELD_MICRO_BATCH_SIZE, 0));
	const struct degrees *degrees = job->intended ? &job->intended->degrees : NULL;
	int64_t model;

	if (!degrees || local < 1)
		return global > 0 ? global : 0;
	model = multiply(multiply(degrees->tp, degrees->pp), multiply(degrees->cp, beside(job)));
	if (model < 1 || job->world % model)
		return global > 0 ? global : 0;
	return job_sequences(job, job->world / model, local);
}

double site_tokens(const struct site *site)
{
	return (double)site->batch * (double)setting_int(&site->job.settings, FIELD_SEQ_LEN, 1);
}

/* Which of its framework's engines trains is for the config to say where it follows from degrees,
 * in a native one: what holds for layouts of the one does not for those of the other. */
static const char *lacks_engine(const struct job *job)
{
	const struct setting *engine = &job->settings.items[FIELD_ENGINE];

	if (engine->origin != ORIGIN_DERIVED || !job->document.dialect->holds_expect)
		return NULL;
	return arena_join(job->arena, "which engine trains is not known (", engine->note, ")");
}

const char *site_lacks(const struct job *job)
{
	const char *device = setting_text(&job->settings, FIELD_CLUSTER_GPU, ""), *trouble;
	struct profile profile;

	if (job->document.no_job)
		return job_trains_nothing(job);
	if (!job->world)
		return "the number of ranks is not known (--gpus N)";
	if (!job->model)
		return job_lacks_model(job);
	trouble = workload_profile(&profile, job, NULL);

	if (!trouble)
		trouble = workload_lacks(job);
	else if (*device)
		trouble = arena_join(job->arena, device, ": ", trouble);
	return trouble ? trouble : lacks_engine(job);
}

const char *site_settle(struct site *site, int64_t kept)
{
	struct job *job = &site->job;
	const bool given = site->batch > 0;
	const char *trouble = site_lacks(job);

	site->world = job->world;
	if (trouble)
		return trouble;
	if (!site->batch)
		site->batch = kept ? kept : site_batch(job);
	if (site->batch < 1)
		return "how many sequences a step has is not known (--global-batch N)";
	open_axes(site);
	if (given && !site->open[FIELD_GRADIENT_ACCUMULATION] && !site->tokens)
		site->open[FIELD_GLOBAL_BATCH_SIZE] = true; /* it is said beside the file */
	return NULL;
}
