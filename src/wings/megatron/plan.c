#include "base/number.h"
#include "base/text.h"
#include "wings/megatron/megatron.h"

#include <string.h>

/*
 * Megatron-LM, and every framework whose process groups Megatron Core builds (parallelism.engine:
 * megatron). Parameters are repeated over dp and cp, whatever the optimizer cuts, unless FSDP is
 * asked for.
 */

/* Megatron-DeepSpeed's groups are DeepSpeed's. */
static bool is_megatron(const struct job *job)
{
	const struct version *version = versions_find(&job->versions, "megatron");

	return version && !text_starts(version->label, "deepspeed") &&
	       !versions_find(&job->versions, "deepspeed");
}

static bool is_driven(const struct job *job)
{
	return !strcmp(setting_text(&job->settings, FIELD_ENGINE, ""), "megatron");
}

/* Another engine builds the groups, though the flags are Megatron's. */
static bool is_left_to_another(const struct job *job)
{
	return *setting_text(&job->settings, FIELD_ENGINE, "") && !is_driven(job);
}

/* Frameworks that have no other engine: a native config that pins one need not name it. */
static bool is_on_core(const struct job *job)
{
	return !job_says_all(job) &&
	       (job_driven_by_alone(job, "nemo") || job_driven_by_alone(job, "megatron-bridge"));
}

static int claims(const struct job *job)
{
	return is_driven(job) || ((is_megatron(job) || is_on_core(job)) && !is_left_to_another(job))
		       ? 50
		       : 0;
}

static bool shards(const struct job *job)
{
	return setting_int(&job->settings, FIELD_ZERO_STAGE, 0) == 3 ||
	       !strcmp(setting_text(&job->settings, FIELD_FSDP_VERSION, ""), "2");
}

/* Without a word about it data parallel is what is left of the world, and repeats. */
/* Whether etp was derived from a tp that options have changed since. */
static bool is_stale(const struct setting *etp, const struct setting *tp)
{
	return etp->origin == ORIGIN_DERIVED && setting_known(etp) && etp->parent_count &&
	       etp->parents[0]->field == FIELD_TP && etp->integer != tp->integer;
}

static void defaults(struct job *job)
{
	struct settings *settings = &job->settings;
	struct setting *replicate = settings_of(settings, FIELD_DP_REPLICATE);
	struct setting *shard = settings_of(settings, FIELD_DP_SHARD);
	struct setting *etp = settings_of(settings, FIELD_ETP),
		       *tp = settings_of(settings, FIELD_TP);

	if (!is_driven(job))
		settings_put_text(settings, FIELD_ENGINE, "megatron", ORIGIN_DEFAULT)->note =
			"Megatron-LM";
	if (!setting_given(shard) && !shard->note && !shards(job)) {
		settings_put_int(settings, job->arena, FIELD_DP_SHARD, 1, ORIGIN_DEFAULT)->note =
			"Megatron-LM repeats parameters";
		if (!setting_given(replicate) && !replicate->note)
			settings_put_int(settings, job->arena, FIELD_DP_REPLICATE, -1,
					 ORIGIN_DEFAULT)
				->note = "what tp, cp and pp leave of the world";
	}
	if (!setting_known(tp) ||
	    (!is_stale(etp, tp) && (etp->origin != ORIGIN_DEFAULT || etp->note)))
		return;
	if (job_does(job, HABIT_ETP_ONE)) {
		settings_put_int(settings, job->arena, FIELD_ETP, 1, ORIGIN_DEFAULT)->note =
			"etp is 1 unless it is given";
		return;
	}
	settings_put_int(settings, job->arena, FIELD_ETP, tp->integer, ORIGIN_DERIVED)->note =
		"etp is tp unless it is given";
	setting_from(etp, tp);
}

static enum megatron_front front_of(const struct job *job)
{
	const struct document *document = &job->document;

	if (!is_megatron(job))
		return FRONT_OTHER;
	if (!strcmp(document->dialect->name, "megatron") &&
	    node_member(document->root, "model_parallel"))
		return FRONT_YAML;
	return FRONT_ARGUMENTS;
}

/* min(tp, world), and min(pp, what tp leaves): training/yaml_arguments.py; nothing is printed. */
static void clamp(struct megatron *m)
{
	struct degrees *d = &m->degrees;
	const int64_t world = m->plan->world;

	if (m->front != FRONT_YAML || !world || d->tp < 1)
		return;
	if (d->tp > world)
		d->tp = world;
	if (d->pp > world / d->tp)
		d->pp = world / d->tp;
	if (!setting_given(&m->job->settings.items[FIELD_ETP]))
		d->etp = d->tp;
}

/* Frameworks that hand their batch to Megatron Core as it is; others count in their own way. */
static bool counts_batch(const struct job *job)
{
	static const char *const names[] = { "megatron", "nemo", "megatron-bridge", "ms-swift" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (versions_find(&job->versions, names[i]))
			return true;
	return false;
}

/* Who reads the config, and which Megatron-LM. */
static void take_reader(struct megatron *m)
{
	const struct version *version = versions_find(&m->job->versions, "megatron");

	m->front = front_of(m->job);
	m->own_file = job_says_all(m->job);
	m->counts_batch = counts_batch(m->job);
	m->when = version && version->when ? version->when : MOMENT_LATEST;
}

/* The job as Megatron reads it: min(tp, world) for --yaml-cfg. */
static void take_job(struct megatron *m, struct job *job, struct plan *plan)
{
	const struct settings *settings = &job->settings;
	const struct degrees *asked = &job->intended->degrees;
	int64_t inner;

	memset(m, 0, sizeof(*m));
	m->job = job;
	m->plan = plan;
	take_reader(m);
	m->degrees = (struct degrees) { .tp = asked->tp,
					.cp = asked->cp,
					.pp = asked->pp,
					.ep = asked->ep,
					.etp = asked->etp };
	clamp(m);
	m->gtp = plan_gathering_ranks(settings, FIELD_WEIGHT_SHARDS, m->degrees.tp);
	m->egtp = plan_gathering_ranks(settings, FIELD_EXPERT_WEIGHT_SHARDS, m->degrees.etp);
	inner = multiply(multiply(m->degrees.tp, m->degrees.cp), multiply(m->degrees.pp, m->gtp));
	if (plan->world && inner > 0)
		m->degrees.dp = plan->world / inner;
	m->fsdp = asked->dp_shard != 1 || setting_int(settings, FIELD_DP_SHARD, 1) != 1;
	m->instances =
		setting_int(settings, FIELD_OPTIMIZER_INSTANCES, m->fsdp ? asked->dp_replicate : 1);
	if (m->instances < 1)
		m->instances = 1;
	m->layers = setting_int(settings, FIELD_MODEL_LAYERS, 0);
	m->virtual_stages = megatron_virtual_stages(settings, m->degrees.pp);
	if (m->virtual_stages < 1)
		m->virtual_stages = 1;
	m->dp_last = text_ends(setting_text(settings, FIELD_AXIS_ORDER, "tp-cp-ep-dp-pp"), "pp-dp");
	m->fsdp2 = !strcmp(setting_text(settings, FIELD_FSDP_VERSION, ""), "2");
}

/* What the plan calls them: dp is a degree of replicas, or of ranks that share. */
static void take_degrees(const struct megatron *m)
{
	struct degrees *d = &m->plan->degrees;

	*d = m->degrees;
	d->dp = 0;
	d->weight_shards = m->gtp > 1 ? d->tp * m->gtp : 0;
	d->dp_replicate = m->fsdp ? m->instances : m->degrees.dp;
	d->dp_shard = m->fsdp ? m->degrees.dp / m->instances : 1;
	if (m->plan->world)
		return;
	d->dp_replicate = m->job->intended->degrees.dp_replicate;
	d->dp_shard = m->job->intended->degrees.dp_shard;
}

static void apply(struct job *job, struct plan *plan)
{
	struct megatron m;

	take_job(&m, job, plan);
	take_degrees(&m);
	plan->dense.strategy = job->intended->dense.strategy;
	megatron_validate_arguments(&m);
	if (!plan->error && job->world)
		megatron_build_groups(&m);
	if (!plan->error)
		megatron_validate_config(&m);
	if (plan->error)
		return;
	megatron_validate_step(&m);
	megatron_put_stages(&m);
}

static void stages(struct job *job, struct plan *plan)
{
	struct megatron m;

	take_job(&m, job, plan);
	megatron_put_stages(&m);
}

/*
 * A script of 2021, by a flag that cfd2e21607 took away, is told nothing that came with that commit
 * or later; --use-distributed-optimizer came while it was there (329fe5820f).
 */
static bool lacks(const struct job *job, enum field_id axis)
{
	static const enum field_id younger[] = { FIELD_CP,
						 FIELD_EP,
						 FIELD_ETP,
						 FIELD_SEQUENCE_PARALLEL,
						 FIELD_OVERLAP_TP,
						 FIELD_OPTIMIZER_DISTRIBUTED,
						 FIELD_PP_FIRST_STAGE_LAYERS,
						 FIELD_PP_LAST_STAGE_LAYERS,
						 FIELD_PP_VIRTUAL_STAGES };
	const struct setting *method = &job->settings.items[FIELD_AC_METHOD];
	size_t i;

	if (axis == FIELD_SP || (axis == FIELD_OVERLAP_TP && job_does(job, HABIT_NO_BUFFERS)))
		return true;
	if (!method->spelling || !strstr(method->spelling, "activations-checkpoint-method"))
		return false;
	for (i = 0; i < sizeof(younger) / sizeof(younger[0]); i++)
		if (axis == younger[i])
			return !setting_given(&job->settings.items[axis]);
	return false;
}

const struct framework framework_megatron = {
	.name = "megatron",
	.summary = "Megatron-LM: two rank grids, dense and expert, and its own checks",
	.claims = claims,
	.lacks = lacks,
	.defaults = defaults,
	.apply = apply,
	.shares_by = RUN_OF_UNIT,
	.stages = stages,
};
