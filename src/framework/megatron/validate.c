#include "base/number.h"
#include "framework/megatron/megatron.h"
#include "input/field.h"
#include "input/node.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/*
 * megatron/training/arguments.py validate_args and core/num_microbatches_calculator.py at d98e8a64,
 * in the order in which they run. What depends on the device, on files or on versions of other
 * packages is left out.
 */

/* No rule of its own says more. */
#define PLAIN "framework-raises"

static const char arguments[] = "training/arguments.py";

void megatron_raise(struct megatron *m, const char *rule, const char *type, const char *where,
		    const char *format, ...)
{
	va_list args;
	char *message;

	if (m->plan->error)
		return;
	va_start(args, format);
	message = arena_vprintf(m->plan->arena, format, args);
	va_end(args);
	plan_raise(m->plan, type, where, "%s", message);
	m->plan->error->rule = rule;
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
	megatron_blame(m, FIELD_WORLD);
}

static void check_degrees(struct megatron *m)
{
	static const enum field_id fields[] = { FIELD_TP, FIELD_CP, FIELD_PP, FIELD_EP, FIELD_ETP };
	const struct degrees *d = &m->degrees;
	const int64_t degrees[] = { d->tp, d->cp, d->pp, d->ep, d->etp };
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (degrees[i] < 1) {
			megatron_raise(m, "degree-below-one", "ZeroDivisionError", arguments,
				       "integer modulo by zero");
			megatron_blame(m, fields[i]);
			return;
		}
}

/* tp may have been clamped before; then the world is divided by what is left of it. */
static void check_world_of_yaml(struct megatron *m)
{
	const struct degrees *d = &m->degrees;
	const int64_t world = m->plan->world;

	if (world % d->tp)
		megatron_raise(m, "degrees-product", "AssertionError", "training/yaml_arguments.py",
			       "world size (%" PRId64
			       ") is not divisible by tensor model parallel size (%" PRId64 ")",
			       world, d->tp);
	else if (world % multiply(multiply(d->tp, d->pp), d->cp))
		megatron_raise(m, "degrees-product", "AssertionError", "training/yaml_arguments.py",
			       "world size (%" PRId64
			       ") is not divisible by tensor parallel size (%" PRId64
			       ") times pipeline parallel size (%" PRId64
			       ") times context parallel size (%" PRId64 ")",
			       world, d->tp, d->pp, d->cp);
}

/* What nobody but the native config can say: data-parallel ranks that are not those left over. */
static void check_given_dp(struct megatron *m)
{
	const struct degrees *asked = &m->job->intended->degrees;

	if (m->plan->error || !m->degrees.dp || asked->dp_replicate < 1 || asked->dp_shard < 1 ||
	    multiply(asked->dp_replicate, asked->dp_shard) == m->degrees.dp)
		return;
	megatron_raise(m, "degrees-product", "Error", "initialize_model_parallel",
		       "dp_replicate(%" PRId64 ") * dp_shard(%" PRId64 ") != %" PRId64
		       ", what tp, cp and pp leave of the world",
		       asked->dp_replicate, asked->dp_shard, m->degrees.dp);
	megatron_blame(m, FIELD_DP_SHARD);
	megatron_blame(m, FIELD_DP_REPLICATE);
	blame_product(m);
}

static void check_world(struct megatron *m)
{
	const struct degrees *d = &m->degrees;
	const int64_t world = m->plan->world;
	const int64_t product = multiply(multiply(d->tp, d->pp), d->cp);

	if (!world)
		return;
	if (m->front == FRONT_YAML)
		check_world_of_yaml(m);
	else if (world % product && m->front == FRONT_ARGUMENTS)
		megatron_raise(m, "degrees-product", "AssertionError", arguments,
			       "world size (%" PRId64
			       ") is not divisible by total_model_size (total_model_size=%" PRId64
			       ")",
			       world, product);
	else if (world % product)
		megatron_raise(m, "degrees-product", "RuntimeError", "core/parallel_state.py",
			       "world_size (%" PRId64 ") is not divisible by %" PRId64, world,
			       product);
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
	megatron_raise(m, PLAIN, "AssertionError", arguments, "%s", "");
	megatron_blame(m, FIELD_CP_HIERARCHY);
	megatron_blame(m, FIELD_CP);
}

/* ---- data parallel ---- */

static void refuse(struct megatron *m, bool wrong, enum field_id field, enum field_id other,
		   const char *message)
{
	if (!wrong || m->plan->error)
		return;
	megatron_raise(m, PLAIN, "AssertionError", arguments, "%s", message);
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

/* Who may gather parameters while others compute: more of them with time. */
static const char *gather_text(const struct megatron *m)
{
	enum { WITH_FSDP = 20250821, WITH_MUON = 20260305 }; /* af28b5a559, a2381d8007 */

	if (megatron_since(m, WITH_MUON))
		return "--overlap-param-gather only supported with distributed optimizer, megatron "
		       "fsdp, or dist_muon";
	if (megatron_since(m, WITH_FSDP))
		return "--overlap-param-gather only supported with distributed optimizer or "
		       "megatron fsdp";
	return "--overlap-param-gather only supported with distributed optimizer";
}

static void check_gather(struct megatron *m)
{
	if (!truth(m, FIELD_OVERLAP_PARAM_GATHER))
		return;
	refuse(m, is_off(m, FIELD_OPTIMIZER_DISTRIBUTED) && lacks_fsdp(m),
	       FIELD_OVERLAP_PARAM_GATHER, FIELD_OPTIMIZER_DISTRIBUTED, gather_text(m));
	refuse(m, is_off(m, FIELD_OVERLAP_GRAD_REDUCE), FIELD_OVERLAP_PARAM_GATHER,
	       FIELD_OVERLAP_GRAD_REDUCE,
	       "Must use --overlap-param-gather with --overlap-grad-reduce");
}

static void check_fsdp2(struct megatron *m)
{
	const struct degrees *d = &m->degrees;
	const char *format = word(m, FIELD_CHECKPOINT_FORMAT);

	if (!m->fsdp2)
		return;
	refuse(m, d->pp > 1, FIELD_PP, FIELD_FSDP_VERSION,
	       "--use-torch-fsdp2 is not supported with pipeline parallelism");
	refuse(m, d->ep > 1, FIELD_EP, FIELD_FSDP_VERSION,
	       "--use-torch-fsdp2 is not supported with expert parallelism");
	refuse(m, truth(m, FIELD_OPTIMIZER_DISTRIBUTED), FIELD_OPTIMIZER_DISTRIBUTED,
	       FIELD_FSDP_VERSION,
	       "--use-torch-fsdp2 is not supported with MCore's distributed optimizer");
	refuse(m, *format && !words_have("torch_dist|torch_dcp", format), FIELD_CHECKPOINT_FORMAT,
	       FIELD_FSDP_VERSION,
	       "--use-torch-fsdp2 requires --ckpt-format torch_dist or torch_dcp");
	refuse(m, !strcmp(word(m, FIELD_PARAM_DTYPE), "float16"), FIELD_PARAM_DTYPE,
	       FIELD_FSDP_VERSION, "--use-torch-fsdp2 not supported with fp16 yet");
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
		       "FSDP always requires CUDA_DEVICE_MAX_CONNECTIONS value large than one");
}

/* ---- sequence, experts, formats ---- */

static void check_sequence(struct megatron *m)
{
	const int64_t length = number(m, FIELD_SEQ_LEN), cp = m->degrees.cp;

	if (length < 1 || cp < 2 || length % multiply(2, cp) == 0)
		return;
	megatron_raise(m, "sequence-length", "AssertionError", arguments,
		       "seq-length should be a multiple of 2 * context-parallel-size if "
		       "context-parallel-size > 1.");
	megatron_blame(m, FIELD_SEQ_LEN);
	megatron_blame(m, FIELD_CP);
}

static void check_positions(struct megatron *m)
{
	const int64_t length = number(m, FIELD_SEQ_LEN);
	const int64_t positions = number(m, FIELD_MODEL_LEARNED_POS_EMB);

	if (positions < 1 || positions >= length)
		return;
	megatron_raise(m, PLAIN, "AssertionError", arguments,
		       "max_position_embeddings (%" PRId64
		       ") must be greater than or equal to seq_length (%" PRId64 ").",
		       positions, length);
	megatron_blame(m, FIELD_MODEL_LEARNED_POS_EMB);
	megatron_blame(m, FIELD_SEQ_LEN);
}

static void check_overlap(struct megatron *m)
{
	refuse(m,
	       truth(m, FIELD_OVERLAP_TP) &&
		       (is_off(m, FIELD_SEQUENCE_PARALLEL) || m->degrees.tp == 1),
	       FIELD_OVERLAP_TP, FIELD_SEQUENCE_PARALLEL,
	       "Tensor parallel communication/GEMM overlap can happen only when sequence "
	       "parallelism is enabled");
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
		megatron_raise(m, PLAIN, "AssertionError", arguments,
			       "num_experts must be non None to use expert model parallelism");
	else if (experts % ep)
		megatron_raise(m, m->job->model ? "experts-divisibility" : PLAIN, "AssertionError",
			       arguments,
			       "Number of experts should be a multiple of expert model "
			       "parallel_size.");
	else if (!strcmp(word(m, FIELD_PARAM_DTYPE), "float16"))
		megatron_raise(m, PLAIN, "AssertionError", arguments,
			       "Expert parallelism is not supported with fp16 training.");
	megatron_blame(m, FIELD_EP);
	megatron_blame(m, FIELD_MODEL_MOE_EXPERTS);
}

static void check_formats(struct megatron *m)
{
	const char *format = word(m, FIELD_CHECKPOINT_FORMAT);

	if (!strcmp(format, "torch_dcp"))
		refuse(m, !m->fsdp2 && (m->own_file || !m->fsdp), FIELD_CHECKPOINT_FORMAT,
		       FIELD_FSDP_VERSION, "--ckpt-format torch_dcp is only tested with FSDP.");
	if (!strcmp(format, "fsdp_dtensor"))
		refuse(m, lacks_fsdp(m), FIELD_CHECKPOINT_FORMAT, FIELD_SHARDING_MODE,
		       "--ckpt-format fsdp_dtensor is only tested with Megatron FSDP.");
}

/* ---- microbatches ---- */

static void check_constant_batch(struct megatron *m, int64_t global, int64_t micro)
{
	if (global % multiply(micro, m->degrees.dp) == 0)
		return;
	megatron_raise(m, "batch-remainder", "AssertionError",
		       "core/num_microbatches_calculator.py",
		       "global batch size (%" PRId64 ") is not divisible by micro batch size "
		       "(%" PRId64 ") times data parallel size (%" PRId64 ")",
		       global, micro, m->degrees.dp);
	megatron_blame(m, FIELD_GLOBAL_BATCH_SIZE);
	megatron_blame(m, FIELD_MICRO_BATCH_SIZE);
}

static void check_growing_batch(struct megatron *m, int64_t global, int64_t micro)
{
	const struct node *start = m->job->settings.items[FIELD_RAMPUP_BATCH_SIZE].node->first;
	const struct node *step = start ? start->next : NULL;

	if (!start || !step || !field_fits(FIELD_INT, start) || !field_fits(FIELD_INT, step) ||
	    start->integer < 1 || step->integer < 1)
		return;
	if (global < start->integer)
		megatron_raise(m, PLAIN, "AssertionError", "core/num_microbatches_calculator.py",
			       "expected global batch size to be greater than or equal to start "
			       "batch size, got %" PRId64 " and %" PRId64,
			       global, start->integer);
	else if ((global - start->integer) % step->integer)
		megatron_raise(m, PLAIN, "AssertionError", "core/num_microbatches_calculator.py",
			       "expected global batch size interval (%" PRId64
			       ") to be divisible by global batch size increment (%" PRId64 ")",
			       global - start->integer, step->integer);
	else if (start->integer % multiply(micro, m->degrees.dp))
		megatron_raise(m, PLAIN, "AssertionError", "core/num_microbatches_calculator.py",
			       "current global batch size (%" PRId64
			       ") is not divisible by micro-batch-size (%" PRId64
			       ") timesdata parallel size (%" PRId64 ")",
			       start->integer, micro, m->degrees.dp);
	megatron_blame(m, FIELD_RAMPUP_BATCH_SIZE);
	megatron_blame(m, FIELD_GLOBAL_BATCH_SIZE);
}

static void check_batch(struct megatron *m)
{
	const int64_t global = number(m, FIELD_GLOBAL_BATCH_SIZE);
	const int64_t micro = number(m, FIELD_MICRO_BATCH_SIZE);

	if (global < 1 || micro < 1 || m->degrees.dp < 1 || truth(m, FIELD_DECREASE_BATCH))
		return;
	if (known(m, FIELD_RAMPUP_BATCH_SIZE))
		check_growing_batch(m, global, micro);
	else
		check_constant_batch(m, global, micro);
}

void megatron_validate_arguments(struct megatron *m)
{
	static void (*const checks[])(struct megatron *) = {
		check_hierarchy,   megatron_validate_pipeline,
		check_gather,	   check_fsdp2,
		check_connections, check_sequence,
		check_positions,   check_overlap,
		check_experts,	   check_formats,
	};
	size_t i;

	check_degrees(m);
	if (!m->plan->error)
		check_world(m);
	for (i = 0; !m->plan->error && m->front == FRONT_ARGUMENTS &&
		    i < sizeof(checks) / sizeof(checks[0]);
	     i++)
		checks[i](m);
	if (m->plan->error || !m->counts_batch)
		return;
	check_batch(m);
	if (m->front == FRONT_OTHER) /* counted once the groups are there */
		plan_postpone(m->plan);
}
