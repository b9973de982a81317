#include "base/number.h"
#include "base/text.h"
#include "input/settings/uncounted.h"
#include "input/compose/composition.h"
#include "input/document.h"
#include "input/compose/interpolation.h"
#include "input/settings/hf_model.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "wings/megatron/keys.h"
#include "input/settings/open_axis.h"
#include "input/vocabulary.h"
#include "wings/nemo_rl/keys.h"

#include <string.h>

/*
 * NeMo-RL's YAML (NVIDIA-NeMo/RL@7ea279ab): the policy is trained by DTensor or by Megatron,
 * whichever block is enabled, on the ranks of the cluster that generation leaves it.
 */

static const struct key_row rows[] = {
	{ "cluster.num_nodes", FIELD_CLUSTER_NODES, KEY_VALUE, NULL },
	{ "cluster.gpus_per_node", FIELD_CLUSTER_GPUS_PER_NODE, KEY_VALUE, NULL },
	{ "policy.train_global_batch_size", FIELD_GLOBAL_BATCH_SIZE, KEY_VALUE, NULL },
	{ "policy.train_micro_batch_size", FIELD_MICRO_BATCH_SIZE, KEY_VALUE, NULL },
	{ "policy.max_total_sequence_length", FIELD_SEQ_LEN, KEY_VALUE, NULL },
	{ "policy.precision", FIELD_PARAM_DTYPE, KEY_VALUE, NULL },
	{ "policy.sequence_packing.enabled", FIELD_PACKING, KEY_VALUE, NULL },
};

/* nemo_rl/models/policy/__init__.py, models/megatron/setup.py; those of the engine in use. */
static const struct uncounted_row uncounted[] = {
	{ "policy.quant_cfg", "weights are quantized as they are used" },
	{ "policy.draft.enabled", "a draft model is trained beside" },
};

static const struct uncounted_row dtensor_uncounted[] = {
	{ "automodel_kwargs.use_liger_kernel", "Liger's kernels compute layers" },
};

static const struct uncounted_row megatron_uncounted[] = {
	{ "fp8_cfg.fp8_param", "parameters are kept in 8 bits" },
	{ "use_fused_linear_logprobs", "log-probabilities are computed without all logits" },
	{ "model_overrides", "the model's config is told more" },
	{ "optimizer.use_precision_aware_optimizer", "gradients have no copy for the optimizer" },
};

/* Below policy.dtensor_cfg, or policy.automodel_cfg, as later versions call it. */
static const struct key_row dtensor_rows[] = {
	{ "tensor_parallel_size", FIELD_TP, KEY_VALUE, NULL },
	{ "context_parallel_size", FIELD_CP, KEY_VALUE, NULL },
	{ "expert_parallel_size", FIELD_EP, KEY_VALUE, NULL },
	{ "sequence_parallel", FIELD_SEQUENCE_PARALLEL, KEY_VALUE, NULL },
	{ "lora_cfg.enabled", FIELD_TUNER, KEY_VALUE, "true=lora|false=" },
	{ "cpu_offload", FIELD_CPU_OFFLOAD, KEY_VALUE, NULL },
	{ "activation_checkpointing", FIELD_AC_MODE, KEY_VALUE, "true=full|false=none" },
};

/* Degrees of the block in use that a parent may bring along. */
static const struct key_row megatron_rows[] = {
	{ "policy.megatron_cfg.peft.enabled", FIELD_TUNER, KEY_VALUE, "true=lora|false=" },
	{ "policy.megatron_cfg.tensor_model_parallel_size", FIELD_TP, KEY_VALUE, NULL },
	{ "policy.megatron_cfg.pipeline_model_parallel_size", FIELD_PP, KEY_VALUE, NULL },
	{ "policy.megatron_cfg.context_parallel_size", FIELD_CP, KEY_VALUE, NULL },
	{ "policy.megatron_cfg.expert_model_parallel_size", FIELD_EP, KEY_VALUE, NULL },
	{ "policy.megatron_cfg.expert_tensor_parallel_size", FIELD_ETP, KEY_VALUE, NULL },
};

/*
 * Below policy.megatron_cfg: what setup.py hands to Megatron Core (NVIDIA-NeMo/RL@7ea279ab
 * nemo_rl/models/megatron/setup.py). Other arguments of Megatron are read by nobody.
 */
static const struct key_row policy_rows[] = {
	{ "tensor_model_parallel_size", FIELD_TP, KEY_VALUE, NULL },
	{ "pipeline_model_parallel_size", FIELD_PP, KEY_VALUE, NULL },
	{ "num_layers_in_first_pipeline_stage", FIELD_PP_FIRST_STAGE_LAYERS, KEY_VALUE, NULL },
	{ "num_layers_in_last_pipeline_stage", FIELD_PP_LAST_STAGE_LAYERS, KEY_VALUE, NULL },
	{ "context_parallel_size", FIELD_CP, KEY_VALUE, NULL },
	{ "expert_model_parallel_size", FIELD_EP, KEY_VALUE, NULL },
	{ "expert_tensor_parallel_size", FIELD_ETP, KEY_VALUE, NULL },
	{ "sequence_parallel", FIELD_SEQUENCE_PARALLEL, KEY_VALUE, NULL },
	{ "activation_checkpointing", FIELD_AC_MODE, KEY_VALUE, "true=full|false=none" },
	{ "optimizer.use_distributed_optimizer", FIELD_OPTIMIZER_DISTRIBUTED, KEY_VALUE, NULL },
	{ "optimizer.optimizer", FIELD_OPTIMIZER_NAME, KEY_VALUE, NULL },
	{ "fp8_cfg.enabled", FIELD_MATMUL_DTYPE, KEY_VALUE, "true=fp8|false=" },
	{ "peft.enabled", FIELD_TUNER, KEY_VALUE, "true=lora|false=" },
	{ "cuda_graph_impl", FIELD_CUDA_GRAPH, KEY_VALUE, NULL },
	{ "distributed_data_parallel_config.grad_reduce_in_fp32", FIELD_REDUCE_DTYPE, KEY_VALUE,
	  "true=float32|false=bfloat16" },
	{ "distributed_data_parallel_config.overlap_grad_reduce", FIELD_OVERLAP_GRAD_REDUCE,
	  KEY_VALUE, NULL },
	{ "distributed_data_parallel_config.overlap_param_gather", FIELD_OVERLAP_PARAM_GATHER,
	  KEY_VALUE, NULL },
};

static const struct key_row share_row = { "optimizer.optimizer_offload_fraction",
					  FIELD_OPTIMIZER_OFFLOAD, KEY_VALUE, NULL };

/* Refused by DTensor's first worker (lm_policy.py), handed to Automodel by its second. */
static const struct key_row replicas_row = { "dp_replicate_size", FIELD_DP_REPLICATE, KEY_POSITIVE,
					     NULL };

/* "parent.yaml", or a list of such. */
static bool names_files(const struct node *defaults)
{
	const struct node *first =
		defaults && defaults->kind == NODE_LIST ? defaults->first : defaults;

	return first && first->kind == NODE_SCALAR && first->type == SCALAR_STRING &&
	       (text_ends(first->text, ".yaml") || text_ends(first->text, ".yml"));
}

/* run_eval.py's files: an engine that generates, and nothing that trains. */
static bool only_generates(const struct node *root)
{
	return !node_member(root, "policy") && node_member(root, "eval") &&
	       node_member(root, "cluster") && node_find(root, "generation.vllm_cfg");
}

/* A section by which a child of another file is its. */
static bool has_section(const struct node *root)
{
	static const char *const sections[] = { "cluster", "grpo", "ppo",	   "sft",
						"dpo",	   "rm",   "distillation", "checkpointing",
						"data",	   "env",  "data_plane" };
	size_t i;

	for (i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		if (node_member(root, sections[i]))
			return true;
	return false;
}

static int nemo_rl_detect(const struct document *document)
{
	const struct node *root = document->root, *policy = node_member(root, "policy");
	bool parent = names_files(node_member(root, "defaults"));

	if (policy && policy->kind == NODE_MAP && (node_member(root, "cluster") || parent))
		return 85;
	if (only_generates(root))
		return 70;
	return parent && has_section(root) ? 60 : 0;
}

static void nemo_rl_compose(struct document *document, struct findings *findings)
{
	compose_parents(document, "defaults", NULL, findings);
	interpolate_omegaconf(document, document->root, NULL, findings);
}

/* Whether the data of the kind, a map or a list of maps, is judged by the reward model. */
static bool is_rewarded(const struct node *data)
{
	const struct node *item = data && data->kind == NODE_LIST ? data->first : data;

	for (; item; item = item->next) {
		if (!strcmp(keys_text(item, "env_name", ""), "reward_model"))
			return true;
		if (item == data)
			break;
	}
	return false;
}

/* A number of machines or devices; 0 where none is said. */
static int64_t count_of(const struct node *map, const char *key, int64_t otherwise)
{
	const int64_t count = keys_int(map, key, otherwise);

	return count > 0 ? count : 0;
}

/* What a reward model has to itself (grpo.py, setup; datasets/utils.py), by the name; or 0. */
static int64_t reward_takes(const struct node *root, const char *what)
{
	const struct node *resources = node_find(root, "env.reward_model.resources");

	if (!resources || !(node_member(root, "grpo") || node_member(root, "ppo")) ||
	    !(is_rewarded(node_find(root, "data.train")) ||
	      is_rewarded(node_find(root, "data.validation")) ||
	      is_rewarded(node_find(root, "data.default"))))
		return 0;
	return count_of(resources, what, 0);
}

/* Whether a teacher before this one has the same model, which both then share. */
static bool is_shared(const struct node *teachers, const struct node *teacher)
{
	const struct node *other;

	for (other = teachers->first; other != teacher; other = other->next)
		if (other->kind == NODE_SCALAR && teacher->kind == NODE_SCALAR &&
		    !strcmp(other->text, teacher->text))
			return true;
	return false;
}

/* Machines of teachers that have their own (models/policy/teacher_worker_group.py). */
static int64_t teachers_take(const struct node *root)
{
	enum { MOST = 1000 }; /* teachers that are compared */
	const struct node *distillation = node_member(root, "on_policy_distillation");
	const struct node *own = node_find(distillation, "non_colocated_teachers");
	const struct node *teachers = node_find(distillation, "teacher_model_by_agent_name");
	const struct node *share =
		node_find(distillation, "deduplicate_shared_teacher_checkpoints");
	const int64_t each = count_of(node_member(own, "default_teacher_cfg"), "num_nodes", 1);
	const struct node *teacher, *override;
	int64_t taken = 0, seen = 0;

	if (!keys_true(distillation, "enabled") || !keys_true(own, "enabled") || !teachers)
		return 0;
	for (teacher = teachers->first; teacher && seen++ < MOST; teacher = teacher->next) {
		if ((!share || share->boolean) && is_shared(teachers, teacher))
			continue;
		override = node_member(node_member(own, "teacher_overrides"), teacher->key);
		taken = add(taken, count_of(override, "num_nodes", each));
	}
	return taken;
}

/* Machines, or devices of the only one, that generation has to itself. */
static int64_t generation_takes(const struct node *root, const char *what)
{
	const struct node *colocated = node_find(root, "policy.generation.colocated");

	if (!node_member(colocated, "enabled") ||
	    !field_fits(FIELD_BOOL, node_member(colocated, "enabled")) ||
	    keys_true(colocated, "enabled"))
		return 0;
	return count_of(node_member(colocated, "resources"), what, 0);
}

/* Ranks that others have to themselves: whole machines, or devices of the only one. */
static void settle_cluster(struct decoder *decoder, const struct node *root)
{
	struct setting *nodes = settings_of(decoder->settings, FIELD_CLUSTER_NODES);
	struct setting *devices = settings_of(decoder->settings, FIELD_CLUSTER_GPUS_PER_NODE);
	int64_t machines, taken, policy;

	if (!setting_known(nodes) || !setting_known(devices))
		return;
	machines = nodes->integer;
	policy = machines -
		 add(teachers_take(root), machines > 1 ? reward_takes(root, "num_nodes") : 0);
	if (policy > 1)
		policy -= generation_takes(root, "num_nodes");
	else if (policy == 1) {
		taken = add(generation_takes(root, "gpus_per_node"),
			    machines == 1 ? reward_takes(root, "gpus_per_node") : 0);
		if (taken > 0 && taken < devices->integer)
			keys_derive(decoder, FIELD_CLUSTER_GPUS_PER_NODE, devices->integer - taken,
				    devices, "devices that others leave to training");
	}
	if (policy > 0 && policy < machines)
		keys_derive(decoder, FIELD_CLUSTER_NODES, policy, nodes,
			    "machines that others leave to training");
}

/* What megatron_cfg says in NeMo-RL's own way, or in vain. */
static void settle_policy(struct decoder *decoder, const struct node *block)
{
	static const enum field_id unread[] = { FIELD_OVERLAP_TP, FIELD_PP_VIRTUAL_STAGES,
						FIELD_PP_LAYERS_PER_STAGE, FIELD_AC_METHOD,
						FIELD_AC_LAYERS };
	const char *granularity = keys_text(block, "recompute_granularity", "full");
	size_t i;

	for (i = 0; i < sizeof(unread) / sizeof(unread[0]); i++)
		setting_forget(decoder->settings, unread[i]);
	setting_forget(decoder->settings, FIELD_AC_MODE);
	keys_put(decoder, block, policy_rows, sizeof(policy_rows) / sizeof(policy_rows[0]));
	if (keys_true(block, "optimizer.optimizer_cpu_offload"))
		keys_put(decoder, block, &share_row, 1);
	uncounted_put(decoder, block, NULL, megatron_uncounted,
		      sizeof(megatron_uncounted) / sizeof(megatron_uncounted[0]));
	if (!strcmp(granularity, "selective") &&
	    !strcmp(setting_text(decoder->settings, FIELD_AC_MODE, ""), "full"))
		settings_put_text(decoder->settings, FIELD_AC_MODE, granularity, ORIGIN_DERIVED)
			->note = "recompute_granularity";
}

static void settle_megatron(const struct document *document, struct decoder *decoder)
{
	static const struct megatron_habits habits = { .whose = "NeMo-RL", .etp = 1 };
	const struct node *block = node_find(document->root, "policy.megatron_cfg");

	if (block && block->kind == NODE_MAP) {
		megatron_settle(decoder, block, &habits);
		settle_policy(decoder, block);
	}
	settings_put_text(decoder->settings, FIELD_ENGINE, "megatron", ORIGIN_DEFAULT)->note =
		"policy.megatron_cfg.enabled";
	leave_to_absent(document, decoder->settings, megatron_rows,
			sizeof(megatron_rows) / sizeof(megatron_rows[0]));
}

static const struct node *dtensor_of(const struct node *root)
{
	const struct node *block = node_find(root, "policy.automodel_cfg");

	return block ? block : node_find(root, "policy.dtensor_cfg");
}

/* Before both blocks there was FSDP1 over all ranks, by now refused. */
static bool is_fsdp1(const struct node *root, const struct node *block)
{
	return !keys_true(block, "enabled") && (node_find(root, "policy.training_backend") ||
						node_find(root, "policy.fsdp_offload_enabled"));
}

/* FSDP2 over what tp and cp leave. */
static void settle_dtensor(const struct document *document, struct decoder *decoder)
{
	const struct node *block = dtensor_of(document->root);
	bool fsdp1 = block && is_fsdp1(document->root, block);

	if (block && !fsdp1)
		keys_put(decoder, block, dtensor_rows,
			 sizeof(dtensor_rows) / sizeof(dtensor_rows[0]));
	if (block && !fsdp1)
		keys_put(decoder, block, &replicas_row, 1);
	if (block && keys_true(block, "_v2"))
		uncounted_put(decoder, block, NULL, dtensor_uncounted, 1);
	keys_put_class(decoder, document->root, "policy.optimizer.name", FIELD_OPTIMIZER_NAME);
	settings_put_text(decoder->settings, FIELD_ENGINE, "fsdp", ORIGIN_DEFAULT)->note =
		"NeMo-RL's DTensor policy";
	settings_put_text(decoder->settings, FIELD_FSDP_VERSION, fsdp1 ? "1" : "2", ORIGIN_DEFAULT)
		->note = "NeMo-RL";
	keys_default(decoder, FIELD_PP, 1, "NeMo-RL's DTensor policy");
	keys_default(decoder, FIELD_DP_SHARD, -1, "what tp and cp leave of the world");
	leave_to_absent(document, decoder->settings, dtensor_rows,
			sizeof(dtensor_rows) / sizeof(dtensor_rows[0]));
}

/* Blocks of a child whose parent, which enables one of them, is not there. */
static bool is_megatron(const struct document *document)
{
	const struct node *root = document->root, *dtensor = dtensor_of(root);

	if (node_find(root, "policy.megatron_cfg.enabled"))
		return keys_true(root, "policy.megatron_cfg.enabled");
	return document->absent.count && node_find(root, "policy.megatron_cfg") &&
	       (!dtensor || (node_member(dtensor, "enabled") && !keys_true(dtensor, "enabled")));
}

/* Documents in packs are padded so that cp and tp cut them evenly (lm_policy.py). */
static void pad_packs(struct decoder *decoder)
{
	struct settings *settings = decoder->settings;
	int64_t tp = setting_int(settings, FIELD_TP, 1), cp = setting_int(settings, FIELD_CP, 1);

	if (setting_bool(settings, FIELD_PACKING, false))
		keys_default(decoder, FIELD_PAD_TO_MULTIPLE, cp > 1 ? 2 * cp * tp : tp,
			     "NeMo-RL's sequence packing");
}

/*
 * Batches by tokens: of packs, or of what is sorted by length (models/automodel/data.py). At the
 * greatest length a microbatch has as many sequences as fit, where these cut a rank's evenly.
 */
static void put_tokens(struct decoder *decoder, const struct node *root)
{
	static const struct {
		const char *enabled, *tokens;
	} ways[] = {
		{ "policy.sequence_packing.enabled", "policy.sequence_packing.train_mb_tokens" },
		{ "policy.dynamic_batching.enabled", "policy.dynamic_batching.train_mb_tokens" },
	};
	const int64_t length = setting_int(decoder->settings, FIELD_SEQ_LEN, 0);
	const int64_t batch = setting_int(decoder->settings, FIELD_GLOBAL_BATCH_SIZE, 0);
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const int64_t tokens = keys_int(root, ways[i].tokens, 0);
		const int64_t micro = length > 0 ? tokens / length : 0;
		if (keys_true(root, ways[i].enabled) && micro > 0 && batch % micro == 0)
			keys_derive(decoder, FIELD_MICRO_BATCH_SIZE, micro, NULL, ways[i].tokens)
				->span = node_find(root, ways[i].tokens)->span;
	}
}

/*
 * A section says what is trained for. DPO's reference is the state as it was loaded, which takes
 * the trained one's place from host memory while a batch's log-probabilities are computed
 * (algorithms/ dpo.py, add_ref_logprobs_to_data; dtensor_policy_worker.py, use_reference_model).
 */
static void settle_objective(struct decoder *decoder, const struct node *root)
{
	static const char *const sections[] = { "dpo", "rm", "grpo", "ppo", "distillation" };
	static const char whose[] = "NeMo-RL's reference policy";
	size_t i;

	for (i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		if (node_member(root, sections[i]))
			settings_put_text(decoder->settings, FIELD_OBJECTIVE, sections[i],
					  ORIGIN_DERIVED)
				->span = node_member(root, sections[i])->key_span;
	if (!node_member(root, "dpo"))
		return;
	settings_put_text(decoder->settings, FIELD_REFERENCE_HELD, "host", ORIGIN_DEFAULT)->note =
		whose;
	settings_put_text(decoder->settings, FIELD_REFERENCE_DTYPE,
			  strcmp(setting_text(decoder->settings, FIELD_ENGINE, ""), "megatron")
				  ? "float32"
				  : "bfloat16",
			  ORIGIN_DEFAULT)
		->note = whose;
}

/* Whether what a model's config is told is more than what changes no size. */
static bool tells_sizes(const struct node *overrides)
{
	const struct node *key = overrides && overrides->kind == NODE_MAP ? overrides->first : NULL;

	for (; key; key = key->next)
		if (key->kind == NODE_MAP && !strcmp(key->key, "text_config")
			    ? tells_sizes(key)
			    : !text_starts(key->key, "rope") &&
				      !words_have("max_position_embeddings|router_aux_loss_coef",
						  key->key))
			return true;
	return false;
}

/* The model, unless its config is told other sizes. */
static void put_model(struct decoder *decoder, struct document *document)
{
	if (!tells_sizes(node_find(document->root, "policy.hf_config_overrides")))
		hf_model_put(decoder, document, node_find(document->root, "policy.model_name"));
}

/* What NVIDIA-NeMo/RL@7ea279ab tells apart by name, and raises a ValueError at others:
 * algorithms/grpo.py and ppo.py. */
static const struct key_choice choices[] = {
	{ "grpo.adv_estimator.name", "grpo|gdpo|opd|reinforce_plus_plus", CHOICE_OPEN },
	{ "ppo.adv_estimator.name", "gae|raw_reward", CHOICE_OPEN },
	{ "policy.generation.backend", "vllm|megatron|sglang|trtllm|dynamo", CHOICE_OPEN },
};

static void nemo_rl_settle(struct document *document, moment_t when, struct settings *settings,
			   struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct node *root = document->root;

	(void)when;
	keys_put(&decoder, root, rows, sizeof(rows) / sizeof(rows[0]));
	keys_optimizer(&decoder, node_find(root, "policy.optimizer.kwargs"));
	keys_choose(&decoder, root, choices, sizeof(choices) / sizeof(choices[0]));
	keys_misspelt(&decoder, root, rows, sizeof(rows) / sizeof(rows[0]), "NeMo-RL",
		      "knows it by another name");
	leave_to_absent(document, settings, rows, sizeof(rows) / sizeof(rows[0]));
	settle_cluster(&decoder, root);
	if (only_generates(root))
		leave_open(settings, dtensor_rows, sizeof(dtensor_rows) / sizeof(dtensor_rows[0]),
			   "an evaluation trains nothing");
	else if (is_megatron(document))
		settle_megatron(document, &decoder);
	else
		settle_dtensor(document, &decoder);
	nemo_rl_keys(&decoder, root);
	pad_packs(&decoder);
	put_tokens(&decoder, root);
	uncounted_put(&decoder, root, NULL, uncounted, sizeof(uncounted) / sizeof(uncounted[0]));
	settle_objective(&decoder, root);
	put_model(&decoder, document);
	open_axis_fill(document, &decoder);
}

static void nemo_rl_vocabulary(struct vocabulary *vocabulary)
{
	vocabulary_guarded(vocabulary, "", rows, sizeof(rows) / sizeof(rows[0]));
	vocabulary_choices(vocabulary, "", choices, sizeof(choices) / sizeof(choices[0]));
	vocabulary_rows(vocabulary, "policy.dtensor_cfg", dtensor_rows,
			sizeof(dtensor_rows) / sizeof(dtensor_rows[0]));
	vocabulary_rows(vocabulary, "policy.automodel_cfg", dtensor_rows,
			sizeof(dtensor_rows) / sizeof(dtensor_rows[0]));
	vocabulary_rows(vocabulary, "policy.megatron_cfg", policy_rows,
			sizeof(policy_rows) / sizeof(policy_rows[0]));
}

const struct dialect dialect_nemo_rl = {
	.name = "nemo-rl",
	.summary = "NeMo-RL's YAML: a policy trained by DTensor or Megatron",
	.signs = "'policy' with 'cluster' or 'defaults: parent.yaml'",
	.framework = "nemo-rl",
	.as_of = "7ea279ab",
	.command = COMMAND_HYDRA,
	.detect = nemo_rl_detect,
	.compose = nemo_rl_compose,
	.vocabulary = nemo_rl_vocabulary,
	.settle = nemo_rl_settle,
};
