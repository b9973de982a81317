#include "base/number.h"
#include "wings/megatron/megatron.h"
#include "input/axis.h"
#include "input/field.h"
#include "input/node.h"

#include <string.h>

/*
 * megatron/training/arguments.py validate_args at d98e8a64, in the order in which it runs. What
 * depends on the device, on files or on versions of other packages is left out.
 */

void megatron_raise_of_model(struct megatron *m, struct told told)
{
	if (!m->job->model)
		told.rule = NULL;
	exception_raise_told(m->plan, told);
}

void megatron_blame(struct megatron *m, enum field_id field)
{
	struct setting *setting = settings_of(&m->job->settings, field);

	if (m->plan->error && setting_known(setting) && setting->origin != ORIGIN_DEFAULT)
		plan_blame(m->plan, setting);
}

bool megatron_since(const struct megatron *m, moment_t day)
{
	return m->when >= day * 100;
}

static bool known(const struct megatron *m, enum field_id field)
{
	return setting_known(&m->job->settings.items[field]);
}

static int64_t number(const struct megatron *m, enum field_id field)
{
	return setting_int(&m->job->settings, field, 0);
}

static bool truth(const struct megatron *m, enum field_id field)
{
	return setting_bool(&m->job->settings, field, false);
}

static const char *word(const struct megatron *m, enum field_id field)
{
	return setting_text(&m->job->settings, field, "");
}

/* ---- the world ---- */

static void blame_product(struct megatron *m)
{
	megatron_blame(m, FIELD_TP);
	megatron_blame(m, FIELD_PP);
	megatron_blame(m, FIELD_CP);
	megatron_blame(m, FIELD_WEIGHT_SHARDS);
	megatron_blame(m, FIELD_WORLD);
}

/* ---- weights that are gathered before use (GTP) ---- */

/*
 * core/model_parallel_config.py resolve_tensor_parallel_weight_shards, which arguments.py calls for
 * experts by the names of everything else, too.
 */
static void check_shards(struct megatron *m, enum field_id field, int64_t tensor)
{
	const int64_t parts = number(m, field);

	if (!known(m, field) || m->plan->error)
		return;
	if (parts < tensor)
		megatron_raise(m, MEGATRON(WEIGHT_SHARDS_FEW), VALUE(parts), VALUE(tensor));
	else if (parts % tensor)
		megatron_raise(m, MEGATRON(WEIGHT_SHARDS_REST), VALUE(parts), VALUE(tensor));
	megatron_blame(m, field);
	megatron_blame(m, field == FIELD_WEIGHT_SHARDS ? FIELD_TP : FIELD_ETP);
}

/* argparse knows the flags since c5ff22b7f1. */
static void check_shards_known(struct megatron *m)
{
	enum { GTP = 20260725 };
	const bool experts = !known(m, FIELD_WEIGHT_SHARDS);
	const enum field_id field = experts ? FIELD_EXPERT_WEIGHT_SHARDS : FIELD_WEIGHT_SHARDS;

	if (!known(m, field) || megatron_since(m, GTP))
		return;
	megatron_raise(m, MEGATRON(WEIGHT_SHARDS_UNKNOWN),
		       VALUE(experts ? "expert-tensor-parallel-num-weight-shards"
				     : "tensor-parallel-num-weight-shards"),
		       VALUE(number(m, field)));
	megatron_blame(m, field);
}

static void check_gathering(struct megatron *m)
{
	const char *format = word(m, FIELD_CHECKPOINT_FORMAT);

	check_shards(m, FIELD_EXPERT_WEIGHT_SHARDS, m->degrees.etp);
	if (m->plan->error || (m->gtp < 2 && m->egtp < 2) || !*format ||
	    words_have("torch|torch_dist", format))
		return;
	megatron_raise(m, MEGATRON(GTP_FORMAT), VALUE(format));
	megatron_blame(m, FIELD_CHECKPOINT_FORMAT);
	megatron_blame(m, m->gtp > 1 ? FIELD_WEIGHT_SHARDS : FIELD_EXPERT_WEIGHT_SHARDS);
}

static void check_degrees(struct megatron *m)
{
	const struct degrees *d = &m->degrees;
	const int64_t degrees[] = { d->cp, d->tp, d->pp, d->ep, d->etp };
	int i;

	for (i = 0; i < AXIS_SP - AXIS_CP; i++)
		if (degrees[i] < 1) {
			megatron_raise(m, MEGATRON(DEGREE));
			megatron_blame(m, axes[AXIS_CP + i]);
			return;
		}
}

/* tp may have been clamped before; then the world is divided by what is left of it. */
static void check_world_of_yaml(struct megatron *m)
{
	const struct degrees *d = &m->degrees;
	const int64_t world = m->plan->world;

	if (world % d->tp)
		megatron_raise(m, MEGATRON(YAML_TP), VALUE(world), VALUE(d->tp));
	else if (world % multiply(multiply(d->tp, d->pp), d->cp))
		megatron_raise(m, MEGATRON(YAML_PRODUCT), VALUE(world), VALUE(d->tp), VALUE(d->pp),
			       VALUE(d->cp));
}

/* What nobody but the native config can say: data-parallel ranks that are not those left over. */
static void check_given_dp(struct megatron *m)
{
	const struct degrees *asked = &m->job->intended->degrees;

	if (m->plan->error || !m->degrees.dp || asked->dp_replicate < 1 || asked->dp_shard < 1 ||
	    multiply(asked->dp_replicate, asked->dp_shard) == m->degrees.dp)
		return;
	megatron_raise(m, MEGATRON(DP_GIVEN), VALUE(asked->dp_replicate), VALUE(asked->dp_shard),
		       VALUE(m->degrees.dp));
	megatron_blame(m, FIELD_DP_SHARD);
	megatron_blame(m, FIELD_DP_REPLICATE);
	blame_product(m);
}

static void check_world(struct megatron *m)
{
	const struct degrees *d = &m->degrees;
	const int64_t world = m->plan->world;
	const int64_t product = multiply(multiply(d->tp, d->pp), multiply(d->cp, m->gtp));

	if (!world)
		return;
	if (m->front == FRONT_YAML)
		check_world_of_yaml(m);
	else if (world % product && m->front == FRONT_ARGUMENTS)
		megatron_raise(m, MEGATRON(PRODUCT), VALUE(world), VALUE(product));
	else if (world % product)
		megatron_raise(m, MEGATRON(PRODUCT_CORE), VALUE(world), VALUE(product));
	blame_product(m);
	check_given_dp(m);
}

static void check_hierarchy(struct megatron *m)
{
	const struct setting *levels = &m->job->settings.items[FIELD_CP_HIERARCHY];
	const struct node *level = setting_known(levels) ? levels->node->first : NULL;
	int64_t product = 1, size;

	if (!level)
		return;
	for (; level; level = level->next) {
		size = field_fits(FIELD_INT, level) ? level->integer : 0;
		if (size < 1)
			return; /* nobody knows what it is */
		product = multiply(product, size);
	}
	if (product == m->degrees.cp)
		return;
	megatron_raise(m, MEGATRON(HIERARCHY));
	megatron_blame(m, FIELD_CP_HIERARCHY);
	megatron_blame(m, FIELD_CP);
}

/* ---- data parallel ---- */

static void refuse(struct megatron *m, bool wrong, enum field_id field, enum field_id other,
		   const struct exception *row)
{
	if (!wrong || m->plan->error)
		return;
	megatron_raise(m, row);
	megatron_blame(m, field);
	megatron_blame(m, other);
}

/* A switch that is not on: in parplan's own form only where it says so. */
static bool is_off(const struct megatron *m, enum field_id field)
{
	return (m->own_file || known(m, field)) && !truth(m, field);
}

/* No Megatron-FSDP: in parplan's own form the degrees may ask for it, too. */
static bool lacks_fsdp(const struct megatron *m)
{
	return m->job->settings.items[FIELD_SHARDING_MODE].origin == ORIGIN_UNSET &&
	       (m->own_file || !m->fsdp);
}

static void check_gather(struct megatron *m)
{
	if (!truth(m, FIELD_OVERLAP_PARAM_GATHER))
		return;
	refuse(m, is_off(m, FIELD_OPTIMIZER_DISTRIBUTED) && lacks_fsdp(m),
	       FIELD_OVERLAP_PARAM_GATHER, FIELD_OPTIMIZER_DISTRIBUTED,
	       megatron_told(MEGATRON_GATHER, m->when));
	refuse(m, is_off(m, FIELD_OVERLAP_GRAD_REDUCE), FIELD_OVERLAP_PARAM_GATHER,
	       FIELD_OVERLAP_GRAD_REDUCE, MEGATRON(GATHER_REDUCE));
}

static void check_fsdp2(struct megatron *m)
{
	const struct degrees *d = &m->degrees;
	const char *format = word(m, FIELD_CHECKPOINT_FORMAT);

	if (!m->fsdp2)
		return;
	refuse(m, d->pp > 1, FIELD_PP, FIELD_FSDP_VERSION, MEGATRON(FSDP2_PP));
	refuse(m, d->ep > 1, FIELD_EP, FIELD_FSDP_VERSION, MEGATRON(FSDP2_EP));
	refuse(m, truth(m, FIELD_OPTIMIZER_DISTRIBUTED), FIELD_OPTIMIZER_DISTRIBUTED,
	       FIELD_FSDP_VERSION, MEGATRON(FSDP2_OPTIMIZER));
	refuse(m, *format && !words_have("torch_dist|torch_dcp", format), FIELD_CHECKPOINT_FORMAT,
	       FIELD_FSDP_VERSION, MEGATRON(FSDP2_FORMAT));
	refuse(m, !strcmp(word(m, FIELD_PARAM_DTYPE), "float16"), FIELD_PARAM_DTYPE,
	       FIELD_FSDP_VERSION, MEGATRON(FSDP2_FP16));
}

static void check_connections(struct megatron *m)
{
	const struct setting *environment = &m->job->settings.items[FIELD_ENVIRONMENT];
	const struct node *connections =
		setting_known(environment)
			? node_member(environment->node, "CUDA_DEVICE_MAX_CONNECTIONS")
			: NULL;

	if (m->fsdp && connections && connections->kind == NODE_SCALAR)
		refuse(m, !strcmp(connections->text, "1"), FIELD_ENVIRONMENT, FIELD_SHARDING_MODE,
		       MEGATRON(FSDP_CONNECTIONS));
}

/* ---- sequence, experts, formats ---- */

static void check_sequence(struct megatron *m)
{
	const int64_t length = number(m, FIELD_SEQ_LEN), cp = m->degrees.cp;

	if (length < 1 || cp < 2 || length % multiply(2, cp) == 0)
		return;
	megatron_raise(m, MEGATRON(SEQ_LEN));
	megatron_blame(m, FIELD_SEQ_LEN);
	megatron_blame(m, FIELD_CP);
}

static void check_positions(struct megatron *m)
{
	const int64_t length = number(m, FIELD_SEQ_LEN);
	const int64_t positions = number(m, FIELD_MODEL_LEARNED_POS_EMB);

	if (positions < 1 || positions >= length)
		return;
	megatron_raise(m, MEGATRON(POSITIONS), VALUE(positions), VALUE(length));
	megatron_blame(m, FIELD_MODEL_LEARNED_POS_EMB);
	megatron_blame(m, FIELD_SEQ_LEN);
}

static void check_overlap(struct megatron *m)
{
	refuse(m,
	       truth(m, FIELD_OVERLAP_TP) &&
		       (is_off(m, FIELD_SEQUENCE_PARALLEL) || m->degrees.tp == 1),
	       FIELD_OVERLAP_TP, FIELD_SEQUENCE_PARALLEL, MEGATRON(TP_OVERLAP));
}

/* The model is given, and has no experts: in a framework's own file what is not there is not. */
static bool is_dense(const struct megatron *m)
{
	return m->job->model || (known(m, FIELD_MODEL_LAYERS) && m->own_file);
}

static void check_experts(struct megatron *m)
{
	const int64_t experts = number(m, FIELD_MODEL_MOE_EXPERTS), ep = m->degrees.ep;

	if (ep < 2)
		return;
	if (!experts && is_dense(m))
		megatron_raise(m, MEGATRON(EP_WITHOUT_EXPERTS));
	else if (experts % ep)
		megatron_raise_of_model(m, exception_tell(m->plan->arena, MEGATRON(EXPERTS)));
	else if (!strcmp(word(m, FIELD_PARAM_DTYPE), "float16"))
		megatron_raise(m, MEGATRON(EP_FP16));
	megatron_blame(m, FIELD_EP);
	megatron_blame(m, FIELD_MODEL_MOE_EXPERTS);
}

static void check_formats(struct megatron *m)
{
	const char *format = word(m, FIELD_CHECKPOINT_FORMAT);

	if (!strcmp(format, "torch_dcp"))
		refuse(m, !m->fsdp2 && (m->own_file || !m->fsdp), FIELD_CHECKPOINT_FORMAT,
		       FIELD_FSDP_VERSION, MEGATRON(DCP_FORMAT));
	if (!strcmp(format, "fsdp_dtensor"))
		refuse(m, lacks_fsdp(m), FIELD_CHECKPOINT_FORMAT, FIELD_SHARDING_MODE,
		       MEGATRON(FSDP_FORMAT));
}

void megatron_validate_arguments(struct megatron *m)
{
	static void (*const checks[])(struct megatron *) = {
		check_hierarchy,
		megatron_validate_eval_batch,
		megatron_validate_pipeline,
		check_gather,
		check_fsdp2,
		check_connections,
		check_sequence,
		check_positions,
		check_overlap,
		check_gathering,
		check_experts,
		check_formats,
	};
	size_t i;

	check_shards_known(m);
	if (!m->plan->error)
		check_degrees(m);
	if (!m->plan->error)
		check_shards(m, FIELD_WEIGHT_SHARDS, m->degrees.tp);
	if (!m->plan->error)
		check_world(m);
	for (i = 0; !m->plan->error && m->front == FRONT_ARGUMENTS &&
		    i < sizeof(checks) / sizeof(checks[0]);
	     i++)
		checks[i](m);
	if (m->plan->error || !m->counts_batch)
		return;
	megatron_validate_batch(m);
	if (m->front == FRONT_OTHER) /* counted once the groups are there */
		plan_postpone(m->plan);
}
