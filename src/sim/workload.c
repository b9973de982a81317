#include "sim/workload.h"

#include "base/number.h"
#include "base/text.h"
#include "sim/holding.h"
#include "sim/logits.h"
#include "sim/step.h"
#include "sim/recompute.h"
#include "sim/workload/attention.h"
#include "sim/workload/batch.h"
#include "sim/workload/experts.h"
#include "sim/workload/formats.h"
#include "sim/workload/framework.h"
#include "sim/workload/groups.h"
#include "sim/workload/objective.h"
#include "sim/workload/open.h"
#include "sim/workload/waits.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const char *word(const struct job *job, enum field_id id)
{
	return setting_text(&job->settings, id, "");
}

static bool truth(const struct job *job, enum field_id id, bool otherwise)
{
	return setting_bool(&job->settings, id, otherwise);
}

static enum software software_of(const struct workload *work, const struct job *job,
				 const struct profile *gpu)
{
	bool engine = work->when ? workload_does(work, HABIT_TRANSFORMER_ENGINE)
				 : gpu && profile_get(gpu, FIGURE_CAPABILITY) >= 90;

	if (work->megatron && !work->deepspeed)
		return engine && !strstr(work->kernels, "flash_attention") &&
				       strcmp(work->kernels, "fused") != 0
			       ? SOFTWARE_ENGINE
			       : SOFTWARE_MEGATRON; /* kernels of its own, or those of others */
	if (work->megatron || workload_does(work, HABIT_MEGATRON_BLOCKS))
		return SOFTWARE_MEGATRON;
	if (workload_does(work, HABIT_TRANSFORMER_ENGINE))
		return SOFTWARE_ENGINE;
	return truth(job, FIELD_COMPILE, false) ? SOFTWARE_COMPILED : SOFTWARE_EAGER;
}

static void read_nodes(struct workload *work, const struct job *job)
{
	work->gpus_per_node =
		workload_whole(job, FIELD_CLUSTER_GPUS_PER_NODE, work->world < 8 ? work->world : 8);
	work->nodes = (work->world + work->gpus_per_node - 1) / work->gpus_per_node;
}

/* What a schedule lacks in this job, in a sentence; or NULL. */
static const char *schedule_lacks(const struct workload *work, const struct schedule *schedule)
{
	const struct pipeline_shape shape = workload_shape(work, work->microbatches);
	struct pipeline_shape step = shape;
	const char *refused;
	size_t i;

	step.microbatches = work->microbatches;
	refused = schedule_refusal(schedule, &shape);
	if (!refused && schedule_too_large(&step))
		refused = schedule_refusal(schedule, &step);

	for (i = 0; i < work->plan->stages.count && !refused; i++)
		if (schedule_rank(schedule, &shape, (int64_t)i) !=
		    work->plan->stages.items[i].pp_rank)
			refused = "wants its stages on other ranks";
	return refused;
}

const struct schedule *workload_schedule(const struct workload *work, const char *name)
{
	const struct schedule *schedule = schedule_find(name);

	if (!schedule || !work->megatron)
		return schedule;
	return schedule_find(work->virtual_stages > 1 ? "megatron-interleaved" : "1F1B");
}

/* The usual schedule of its shape, or one that takes it; NULL: none does. */
static const struct schedule *usual_schedule(const struct workload *work)
{
	const char *const names[] = { work->virtual_stages > 1 ? "Interleaved1F1B" : "1F1B",
				      work->virtual_stages > 1 ? "LoopedBFS" : "GPipe",
				      "ZBVZeroBubble" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!schedule_lacks(work, schedule_find(names[i])))
			return schedule_find(names[i]);
	return NULL;
}

/* The schedule the config names, or the usual one of its shape; one that takes the shape. */
static void read_schedule(struct workload *work, const struct job *job)
{
	const char *name = word(job, FIELD_PP_SCHEDULE);

	work->virtual_stages = 1;
	if (work->pp == 1)
		return;
	work->virtual_stages = (int64_t)work->plan->stages.count / work->pp;
	work->group = work->megatron ? workload_whole(job, FIELD_PP_MICROBATCH_GROUP, 0) : 0;
	work->schedule = workload_schedule(work, name);
	work->refused = work->schedule ? schedule_lacks(work, work->schedule) : "is not known here";
	if (!work->refused)
		return;
	if (*name)
		work->asked = work->schedule ? work->schedule->name : name;
	work->schedule = usual_schedule(work);
}

/*
 * Which launches CUDA graphs replace: Megatron's cuda_graph_impl and cuda_graph_scope, as
 * "IMPL:[SCOPE, ...]" (core/transformer/transformer_config.py), or true, which is whole blocks.
 */
static void read_graphs(struct workload *work, const struct profile *gpu, const struct job *job)
{
	static const char *const never[] = { "0", "false", "none", "off" };
	static const struct {
		const char *scope;
		double share;
	} scopes[] = { { "attn", 0.5 },
		       { "moe_router", 0.5 * 0.5 },
		       { "moe_preprocess", 0.5 * 0.5 } };
	const char *graph = word(job, FIELD_CUDA_GRAPH);
	size_t i;

	if (!*graph && !work->own_file && workload_does(work, HABIT_CAPTURES) && gpu &&
	    profile_get(gpu, FIGURE_LINK_DOMAIN) > work->gpus_per_node)
		graph = "true";
	for (i = 0; i < sizeof(never) / sizeof(*never); i++)
		if (!*graph || !strncasecmp(graph, never[i], strlen(never[i])))
			return;
	work->whole_graph = strstr(graph, "full_iteration") != NULL;
	for (i = 0; i < sizeof(scopes) / sizeof(*scopes); i++)
		work->captured += strstr(graph, scopes[i].scope) ? scopes[i].share : 0;
	if (!strchr(graph, '[') || work->captured <= 0)
		work->captured = 1;
}

/*
 * Before an all-to-all tokens are ordered by rank and behind it by expert, and back again, the last
 * time as they are summed (Megatron's core/transformer/moe/token_dispatcher.py); DeepEP's sends
 * order by rank themselves, HybridEP's by expert, too (core/transformer/moe/fused_a2a.py).
 * TorchTitan's weighs in fp32 and pads, compiled in fewer kernels (models/moe/moe.py).
 */
static int64_t permutes_of(const struct workload *work, const char *dispatcher)
{
	if (strstr(dispatcher, "hybridep"))
		return 0;
	if (work->software <= SOFTWARE_COMPILED)
		return work->software == SOFTWARE_EAGER ? 20 : 12;
	return work->sends_once ? 4 : 7;
}

/*
 * NVIDIA/Megatron-LM@d98e8a64: overlap_grad_reduce and overlap_param_gather are false in
 * core/distributed/distributed_data_parallel_config.py, tp_comm_overlap in
 * core/model_parallel_config.py; and so for those who drive it without recipes.
 */
bool workload_waits_unless_told(const struct job *job)
{
	return job_says_all(job) && !job_does(job, HABIT_BY_RECIPES);
}

/*
 * parallelism.sp is DeepSpeed's and verl's Ulysses (deepspeed/runtime/sequence_parallel/
 * ulysses_sp.py, verl/utils/ulysses.py), but where the framework says that it is a ring.
 */
static void put_exchanges(struct workload *work, const struct job *job)
{
	const char *method = word(job, FIELD_CP_METHOD);
	const bool rotates = work->megatron || !strcmp(word(job, FIELD_CP_ROTATE), "alltoall");

	work->context_exchange = job_attends_alone(job)	      ? EXCHANGE_NOTHING
				 : !strcmp(method, "ulysses") ? EXCHANGE_HEADS
				 : rotates		      ? EXCHANGE_RING
							      : EXCHANGE_GATHER;
	work->sequence_exchange = !strcmp(method, "ring") ? EXCHANGE_GATHER : EXCHANGE_HEADS;
}

static void read_overlap(struct workload *work, const struct profile *gpu, const struct job *job)
{
	const bool overlaps =
		!workload_waits_unless_told(job) && workload_does(work, HABIT_OVERLAPS);
	const bool habit = !work->megatron || overlaps;
	const char *dispatcher;

	work->imbalance = gpu ? fmax(1, profile_get(gpu, FIGURE_EXPERT_IMBALANCE)) : 1;
	/* of Hopper and Blackwell alone: userbuffers_* in NVIDIA-NeMo/Megatron-Bridge@067f987d */
	work->overlap_tp = truth(job, FIELD_OVERLAP_TP,
				 work->sequence_parallel && overlaps &&
					 !(gpu && profile_get(gpu, FIGURE_CAPABILITY) < 90));
	work->async_tp = truth(job, FIELD_ASYNC_TP, false);
	/* torch.distributed.pipelining leaves that to who registers it (pytorch PR #159591) */
	work->hides_experts = truth(job, FIELD_EXPERT_OVERLAP, false);
	work->overlap_grads = truth(job, FIELD_OVERLAP_GRAD_REDUCE, habit);
	workload_waits(work, job);
	work->overlap_params = truth(job, FIELD_OVERLAP_PARAM_GATHER, habit);
	dispatcher = word(job, FIELD_EXPERT_DISPATCHER);
	/* MoEAllGatherTokenDispatcher of Megatron's core/transformer/moe/token_dispatcher.py */
	work->gathers_tokens = !strcmp(dispatcher, "allgather");
	work->sends_once = *dispatcher ? strstr(dispatcher, "deepep") ||
						 strstr(dispatcher, "hybridep") ||
						 !strcmp(dispatcher, "flex")
				       : workload_does(work, HABIT_SENDS_ONCE);
	work->permutes = permutes_of(work, dispatcher);
	/* deepspeed/runtime/pipe/engine.py, PartitionedTensor */
	work->scatters_sends = work->sequence_parallel || work->deepspeed ||
			       workload_does(work, HABIT_SCATTERS_SENDS);
	/* NVIDIA/Megatron-LM@d98e8a64 megatron/core/pipeline_parallel/schedules.py,
	 * send_forward_recv_backward, and p2p_communication.py, batch_p2p_sync;
	 * deepspeed/runtime/pipe/p2p.py, send */
	work->waits_for_sends = (work->megatron || work->deepspeed) && work->virtual_stages == 1;
}

/* Bytes of an element of that type, or 0 where none is given. */
static double width_of(const struct job *job, enum field_id id)
{
	const char *type = word(job, id);

	return !*type ? 0 : !strcmp(type, "float32") ? 4 : !strcmp(type, "float8") ? 1 : 2;
}

/* Whether a layer of dropout has anything to drop. */
static bool drops(const struct job *job, enum field_id id, bool otherwise)
{
	const struct setting *share = &job->settings.items[id];

	return setting_known(share) ? share->number > 0 : otherwise;
}

static void read_optimizer(struct workload *work, const struct job *job)
{
	const struct setting *offload = &job->settings.items[FIELD_OPTIMIZER_OFFLOAD];
	double first = width_of(job, FIELD_OPTIMIZER_EXP_AVG_DTYPE);
	double second = width_of(job, FIELD_OPTIMIZER_EXP_AVG_SQ_DTYPE);

	work->cpu_offload = truth(job, FIELD_CPU_OFFLOAD, false);
	work->optimizer = optimizer_of(job);
	work->master = width_of(job, FIELD_OPTIMIZER_MASTER_DTYPE);
	if (work->optimizer.states == 2 && (first > 0 || second > 0))
		work->moments = (first > 0 ? first : 4) + (second > 0 ? second : 4);
	work->widened = workload_widened(work, job);
	work->offload = setting_known(offload) ? offload->number : 0;
}

static void read_rollout(struct workload *work, const struct job *job)
{
	const struct setting *share = &job->settings.items[FIELD_ROLLOUT_MEMORY];

	work->rollout_share = setting_known(share) ? share->number : 0;
	work->rollout_tp = workload_whole(job, FIELD_ROLLOUT_TP, 1);
	work->rollout_offloads = truth(job, FIELD_ROLLOUT_OFFLOAD, false);
}

/* Longer ones are slips of the keyboard, and their times no number of ours. */
#define SEQUENCE_MAX   ((int64_t)1 << 26)
#define MICROBATCH_MAX ((int64_t)1 << 32)
#define STEP_MAX       ((int64_t)1 << 50)
/* Microbatches times stages: what a simulation keeps of so many takes less than 100 MiB. */
#define PASSES_MAX ((int64_t)1 << 16)

/* What a job lacks to have a step at all, or NULL. */
static const char *lacking(const struct job *job, const struct plan *plan)
{
	const char *nothing = job_trains_nothing(job);

	if (nothing)
		return nothing;
	if (!job->world)
		return "the number of ranks is not known (--world N)";
	if (!plan)
		return "the degrees make no mesh of the world's ranks (parplan check tells how)";
	if (plan->error && plan->error == job->applied->error)
		return "the job stops before its first step (parplan check tells why)";
	if (!job->model)
		return job_lacks_model(job);
	if (plan->unmodelled)
		return plan->unmodelled_why;
	if (plan_mesh(plan, "gtp") || plan_mesh(plan, "expert_gtp"))
		return "weights that are gathered one by one (parallelism.weight_shards) are not "
		       "forecast";
	return plan->parameters.count ? NULL : "which rank holds what is not known";
}

const char *workload_frozen(const struct job *job)
{
	const char *tuner = word(job, FIELD_TUNER);

	if (setting_unresolved(&job->settings, FIELD_TUNER))
		return "whether all weights are trained is not known";
	return !*tuner || !strcmp(tuner, "full") || !strcmp(tuner, "none")
		       ? NULL
		       : arena_printf(job->arena, "not all weights are trained (%.60s)", tuner);
}

const struct node *workload_not_counted(const struct job *job)
{
	const struct setting *said = &job->settings.items[FIELD_NOT_COUNTED];

	return setting_known(said) && said->node ? said->node->first : NULL;
}

const char *workload_lacks(const struct job *job)
{
	const char *frozen = workload_frozen(job), *objective = objective_lacks(job);

	if (setting_unresolved(&job->settings, FIELD_PARAM_DTYPE))
		return "whether parameters are of 16 or 32 bits is not known "
		       "(--set training.param_dtype=bfloat16)";
	if (frozen)
		return arena_printf(job->arena,
				    "%s, and what training a part takes is not modelled "
				    "(--set training.tuner=full: as if all were)",
				    frozen);
	if (objective)
		return objective;
	return workload_whole(job, FIELD_SEQ_LEN, 0)
		       ? workload_torn(job)
		       : "the sequence length is not given (--set training.seq_len=8192)";
}

/* What keeps a step of that size from being forecast, or NULL. */
static const char *too_large(const struct workload *work, const struct job *job)
{
	const char *missing = workload_lacks(job);

	if (missing)
		return missing;
	if (work->seq > SEQUENCE_MAX)
		return "sequences of more than 2^26 tokens are not forecast";
	if (multiply(work->seq, multiply(work->micro, work->sequences)) > MICROBATCH_MAX)
		return "microbatches of more than 2^32 tokens are not forecast";
	if (multiply(multiply(work->microbatches, work->dp),
		     multiply(work->seq, workload_sequences(work))) > STEP_MAX)
		return "steps of more than 2^50 tokens are not forecast";
	if (work->pp > 1 && work->passes)
		return "passes without gradients through a pipeline are not forecast "
		       "(training.objective)";
	if (work->pp > 1 && !work->schedule)
		return "a step with so many microbatches over so many stages is not forecast";
	if (step_batches(work) > PASSES_MAX / holding_stages(work))
		return "a pipeline of so many stages and microbatches is not forecast: at most "
		       "65536 passes are simulated";
	return NULL;
}

struct workload workload_of_plan(struct arena *arena, const struct job *job,
				 const struct plan *plan)
{
	struct workload work = { .plan = plan };

	workload_groups(&work);
	work.holdings = holdings_of(arena, plan);
	workload_framework(&work, job);
	return work;
}

/* All that does not follow from the plan and its framework. */
static void read_all(struct workload *work, const struct profile *gpu, const struct job *job)
{
	bool fuses;

	work->model = job->model;
	work->kernels = word(job, FIELD_KERNELS);
	work->own_file = job_says_all(job);
	work->zero_said = job_says_stage_of_zero(job) || wing_does(work->wing, HABIT_ENGINE, NULL);
	work->software = software_of(work, job, gpu);
	read_nodes(work, job);
	objective_put(work, job);
	workload_batch(work, job);
	read_schedule(work, job);
	workload_formats(work, gpu, job);
	recompute_read(work, job);
	work->not_counted = workload_not_counted(job);
	workload_open(work, job);
	work->stops_early = workload_does(work, HABIT_STOPS_EARLY);
	put_exchanges(work, job);
	workload_attention(work, gpu, job);
	logits_put(work, job);
	fuses = work->software == SOFTWARE_COMPILED || work->software == SOFTWARE_ENGINE;
	work->drops_hidden = drops(job, FIELD_MODEL_HIDDEN_DROPOUT, !work->model->gated_mlp);
	work->drops_scores = drops(job, FIELD_MODEL_ATTENTION_DROPOUT, true);
	work->fused_gate = truth(job, FIELD_FUSED_GATE, fuses);
	work->fused_norms = truth(job, FIELD_FUSED_NORMS,
				  fuses || strstr(work->kernels, "RMS") ||
					  workload_does(work, HABIT_FUSED_NORM));
	work->sequence_parallel =
		work->tp > 1 &&
		truth(job, FIELD_SEQUENCE_PARALLEL, workload_does(work, HABIT_SEQUENCE_PARALLEL));
	read_overlap(work, gpu, job);
	workload_experts(work, job);
	read_optimizer(work, job);
	read_graphs(work, gpu, job);
	read_rollout(work, job);
}

const char *workload_read(struct workload *work, const struct profile *gpu, const struct job *job,
			  const struct plan *plan)
{
	const char *missing = lacking(job, plan);

	if (missing) {
		memset(work, 0, sizeof(*work));
		return missing;
	}
	*work = workload_of_plan(job->arena, job, plan);
	read_all(work, gpu, job);
	return too_large(work, job);
}

const char *workload_read_on(struct workload *work, const struct profile *gpu,
			     const struct job *job, const struct workload *plan)
{
	const char *missing = lacking(job, plan->plan);

	*work = *plan;
	if (missing)
		return missing;
	read_all(work, gpu, job);
	return too_large(work, job);
}

void workload_put_narrowest(struct workload *work, const struct profile *gpu, const struct job *job)
{
	work->casting = CASTING_PARAMETERS;
	workload_formats(work, gpu, job);
	if (work->stored_bytes < work->param_bytes) {
		work->casting = CASTING_NOTHING;
		workload_formats(work, gpu, job);
	}
	workload_attention(work, gpu, job);
}

const char *workload_profile(struct profile *profile, const struct job *job, const char *gpu)
{
	const char *fabric = word(job, FIELD_CLUSTER_FABRIC);

	profile_init(profile, job->arena);
	if (*word(job, FIELD_CLUSTER_GPU))
		gpu = word(job, FIELD_CLUSTER_GPU);
	if (!gpu || !*gpu)
		return "no device is given (--set cluster.gpu=h100-sxm)";
	if (!profile_gpu(profile, gpu))
		return "no preset has this device's name (parplan presets)";
	profile_fabric(profile, *fabric ? fabric : "ib");
	if (*word(job, FIELD_CLUSTER_NIC) && !profile_nic(profile, word(job, FIELD_CLUSTER_NIC)))
		return "cluster.nic is no COUNTxRATE such as 8x400Gb";
	return NULL;
}

bool workload_fuses_gradients(const struct workload *work)
{
	return work->software == SOFTWARE_ENGINE && work->megatron;
}

bool workload_scatters_whole(const struct workload *work)
{
	return work->own_file && work->megatron && !work->deepspeed;
}

bool workload_waits_whole(const struct workload *work)
{
	return work->reduces_last && work->zero == ZERO_PARAMETERS && work->pp == 1 &&
	       work->microbatches > 1 && !work->deepspeed && !work->megatron;
}

int64_t workload_waiting_bytes(const struct workload *work)
{
	return workload_waits_whole(work) && work->plan->dense.run.name ? work->param_bytes
									: work->grad_bytes;
}

bool workload_reduces_each(const struct workload *work)
{
	return work->pp == 1 && !workload_waits_whole(work) &&
	       (work->zero == ZERO_PARAMETERS || (work->deepspeed && work->zero == ZERO_GRADIENTS));
}

bool workload_keeps_both_gradients(const struct workload *work)
{
	return work->deepspeed && work->megatron && work->zero == ZERO_OPTIMIZER &&
	       work->param_bytes == 2 && !work->param_fp16;
}

int64_t workload_sequences(const struct workload *work)
{
	return work->micro * work->sequences;
}

int64_t workload_tokens(const struct workload *work)
{
	return workload_sequences(work) * work->seq / workload_cut(work);
}

int64_t workload_cut(const struct workload *work)
{
	return work->cp * work->sp;
}

int64_t workload_cut_heads(const struct workload *work)
{
	return (work->context_exchange == EXCHANGE_HEADS ? work->cp : 1) *
	       (work->sequence_exchange == EXCHANGE_HEADS ? work->sp : 1);
}

const struct profile *workload_profile_at(struct arena *arena, const struct profile *profile,
					  const struct workload *workload, int64_t rank)
{
	struct profile *other;

	if (!workload->hurt || workload->hurt[rank].adapters <= 0)
		return profile;
	other = arena_new(arena, struct profile);
	*other = *profile;
	other->numbers[FIGURE_NIC_LOST].value += workload->hurt[rank].adapters;
	return other;
}
