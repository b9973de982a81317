#include "base/number.h"
#include "base/text.h"
#include "input/settings/uncounted.h"
#include "input/document.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "input/launch/launch.h"
#include "input/settings/hf_model.h"
#include "input/vocabulary.h"
#include "wings/prime_rl/keys.h"

#include <string.h>

/*
 * prime-rl's TOML (PrimeIntellect-ai/prime-rl@559b4477, packages/prime-rl-configs): of `rl` the
 * trainer's keys lie below [trainer], of `sft` and `trainer` at the root. FSDP2 shares over all
 * ranks that dp_replicate leaves (trainer/parallel_dims.py); there is no tp and no pp.
 */

static const struct key_row rows[] = {
	{ "model.dp_replicate", FIELD_DP_REPLICATE, KEY_VALUE, NULL },
	{ "model.cp", FIELD_CP, KEY_VALUE, NULL },
	{ "model.cp_style", FIELD_CP_METHOD, KEY_VALUE, NULL },
	{ "model.ep", FIELD_EP, KEY_VALUE, "auto=" },
	{ "model.seq_len", FIELD_SEQ_LEN, KEY_VALUE, NULL },
	{ "model.reshard_after_forward", FIELD_RESHARD_AFTER_FORWARD, KEY_VALUE,
	  "true=always|false=never" },
	{ "model.fsdp_cpu_offload", FIELD_CPU_OFFLOAD, KEY_VALUE, NULL },
	{ "model.optimization_dtype", FIELD_MASTER_DTYPE, KEY_VALUE, NULL },
	{ "model.reduce_dtype", FIELD_REDUCE_DTYPE, KEY_VALUE, NULL },
	{ "model.quantization.type", FIELD_MATMUL_DTYPE, KEY_VALUE, NULL },
	{ "model.moe_use_grouped_mm", FIELD_EXPERTS_BY, KEY_VALUE, "true=grouped|false=loop" },
	{ "model.ep_comm_backend", FIELD_EXPERT_DISPATCHER, KEY_VALUE, "torch=" },
	{ "optim.type", FIELD_OPTIMIZER_NAME, KEY_VALUE, NULL },
	{ "optim.max_norm", FIELD_MAX_NORM, KEY_VALUE, NULL },
	{ "max_steps", FIELD_STEPS, KEY_VALUE, NULL },
};

/* Of `sft` alone. */
static const struct key_row data_rows[] = {
	{ "data.seq_len", FIELD_SEQ_LEN, KEY_VALUE, NULL },
	{ "data.batch_size", FIELD_GLOBAL_BATCH_SIZE, KEY_VALUE, NULL },
	{ "data.micro_batch_size", FIELD_MICRO_BATCH_SIZE, KEY_VALUE, NULL },
};

/* prime_rl/configs/orchestrator.py and sft.py, whose fields have ge=1 and 0. */
static const struct key_kind kinds[] = {
	{ "orchestrator.batch_size", KIND_NUMBER, "1..", "pydantic refuses it" },
	{ "orchestrator.token_batch_size", KIND_NUMBER, "1..", "pydantic refuses it" },
	{ "orchestrator.group_size", KIND_NUMBER, "1..", "pydantic refuses it" },
};

/* What `rl` hands on from its root where [trainer] does not say it. */
static const struct key_row shared_rows[] = {
	{ "seq_len", FIELD_SEQ_LEN, KEY_VALUE, NULL },
	{ "max_steps", FIELD_STEPS, KEY_VALUE, NULL },
};

#define ROWS(name) name, sizeof(name) / sizeof((name)[0])

/* Of [model]; trainer/optim/state_offload.py. */
static const struct uncounted_row uncounted[] = {
	{ "model.optim_cpu_offload", "the optimizer's state waits in host memory between steps" },
	{ "model.full_offload", "the optimizer and its gradients are in host memory" },
	{ "model.moe_fused_kernel", "experts are one kernel, and computed again" },
	{ "model.debug.num_layers", "the model has fewer layers" },
};

static bool is_rl(const struct node *root)
{
	return node_member(root, "orchestrator") != NULL;
}

static int prime_rl_detect(const struct document *document)
{
	const struct node *root = document->root;

	if (is_rl(root))
		return node_member(root, "trainer") || node_member(root, "inference") ||
				       node_member(root, "deployment")
			       ? 85
			       : 0;
	if (!strchr(keys_text(root, "model.name", ""), '/'))
		return 0;
	if (node_find(root, "deployment.num_train_gpus") ||
	    node_find(root, "deployment.num_train_nodes"))
		return 85;
	return node_member(root, "max_steps") &&
			       (node_member(root, "data") || node_member(root, "optim"))
		       ? 60
		       : 0;
}

/* The ranks that the launcher gives the trainer: devices of one machine, or whole machines. */
static void put_ranks(struct decoder *decoder, const struct node *root)
{
	const struct node *nodes = node_find(root, "deployment.num_train_nodes");
	const struct node *devices = node_find(root, "deployment.num_train_gpus"), *from;
	const int64_t each = keys_int(root, "deployment.gpus_per_node", 8);
	const bool several =
		!strcmp(keys_text(root, "deployment.type", "single_node"), "multi_node");
	struct setting *world;

	from = several ? nodes : devices;
	if (!from || !field_fits(FIELD_INT, from))
		return;
	world = settings_put_int(decoder->settings, decoder->arena, FIELD_WORLD,
				 several ? multiply(from->integer, each) : from->integer,
				 ORIGIN_DERIVED);
	world->span = from->span;
	world->note = several ? "num_train_nodes x gpus_per_node" : "num_train_gpus";
	if (several)
		settings_put_int(decoder->settings, decoder->arena, FIELD_CLUSTER_GPUS_PER_NODE,
				 each, ORIGIN_DERIVED)
			->note = "deployment.gpus_per_node";
}

/* nodes_per_fsdp_group says how many machines share one copy of the parameters. */
static void put_replicas(struct decoder *decoder, const struct node *root)
{
	const struct node *group = node_find(root, "deployment.nodes_per_fsdp_group");
	const int64_t nodes = keys_int(root, "deployment.num_train_nodes", 0);

	if (group && field_fits(FIELD_INT, group) && group->integer > 0 && nodes > 0 &&
	    nodes % group->integer == 0)
		keys_derive(decoder, FIELD_DP_REPLICATE, nodes / group->integer, NULL,
			    "num_train_nodes / nodes_per_fsdp_group")
			->span = group->span;
	else
		keys_default(decoder, FIELD_DP_REPLICATE, 1, "prime-rl's default");
}

/* "auto" and nothing: 1 of a dense model, up to 8 of one with experts, by its config on the hub. */
static void put_experts(struct decoder *decoder, const struct node *trainer)
{
	struct setting *ep = settings_of(decoder->settings, FIELD_EP);
	const struct node *impl = node_find(trainer, "model.impl");

	if (setting_given(ep) && setting_known(ep))
		return;
	if (impl && impl->kind == NODE_SCALAR && !strcmp(impl->text, "hf")) {
		keys_default(decoder, FIELD_EP, 1, "transformers' own model has no ep");
		return;
	}
	ep->unresolved = "auto";
	ep->invalid = true;
	ep->spelling = "model.ep";
}

/* What is recomputed is said by a key that is not understood here. */
static void leave_recompute(struct decoder *decoder, const struct node *said, const char *why)
{
	struct setting *mode =
		settings_put_text(decoder->settings, FIELD_AC_MODE, why, ORIGIN_GIVEN);

	mode->unresolved = why;
	mode->invalid = true;
	mode->span = said->span;
	mode->key_span = said->key_span;
	mode->spelling = node_path(decoder->arena, said);
}

static bool is_none(const struct node *said)
{
	return said && said->kind == NODE_SCALAR &&
	       (said->type == SCALAR_NULL || words_have("None|false", said->text));
}

/* Each block, or each so many-th, unless model.ac is "None" (configs/trainer.py); targets inside
 * blocks are not known here. */
static void put_recompute(struct decoder *decoder, const struct node *trainer)
{
	const struct node *said = node_find(trainer, "model.ac");
	const struct node *inside = node_find(trainer, "model.ac.mode");
	const struct node *every = node_find(trainer, "model.ac.freq");
	const int64_t blocks = keys_int(trainer, "model.ac.freq", every ? 0 : 1);
	/* what is offloaded is recomputed (ac_offloading_requires_ac) */
	const bool none = is_none(said) && is_none(node_find(trainer, "model.ac_offloading"));
	const char *word;
	struct setting *mode;

	if (!none && inside && strcmp(keys_text(trainer, "model.ac.mode", "full"), "full") != 0) {
		leave_recompute(decoder, inside, "which targets inside blocks");
		return;
	}
	if (!none && every && blocks < 1) {
		leave_recompute(decoder, every, "how many blocks");
		return;
	}
	word = blocks > 1 ? "selective" : "full";
	mode = settings_put_text(decoder->settings, FIELD_AC_MODE, none ? "none" : word,
				 said ? ORIGIN_DERIVED : ORIGIN_DEFAULT);
	mode->note = "prime-rl recomputes blocks unless told otherwise";
	if (said)
		mode->span = said->span;
	if (blocks > 1 && !none)
		field_put(decoder, FIELD_AC_OPTION, every);
}

/* Inputs of blocks go to host memory unless told otherwise, as torchtune's do (utils/
 * act_offloading.py). */
static void put_offload(struct decoder *decoder, const struct node *trainer)
{
	const struct node *said = node_find(trainer, "model.ac_offloading");
	struct setting *offload =
		settings_put_bool(decoder->settings, FIELD_AC_OFFLOAD, !is_none(said),
				  said ? ORIGIN_DERIVED : ORIGIN_DEFAULT);

	offload->note = "prime-rl offloads unless told otherwise";
	if (said)
		offload->span = said->span;
}

/*
 * `rl` takes log-probabilities of 8192 tokens and entries of the vocabulary at a time unless told
 * otherwise (trainer/models/layers/lm_head.py, whose gradients add up in the weight's type rather
 * than fp32); `sft` has all logits whatever it is told (trainer/sft/train.py).
 */
static void put_loss(struct decoder *decoder, const struct node *root, const struct node *trainer)
{
	const struct node *said = node_find(trainer, "model.fused_lm_head_token_chunk_size");
	const bool whole = !is_rl(root) ||
			   (said && said->kind == NODE_SCALAR && !strcmp(said->text, "disabled"));
	struct setting *kind =
		settings_put_text(decoder->settings, FIELD_LOSS_KIND, whole ? "whole" : "tiled",
				  said ? ORIGIN_DERIVED : ORIGIN_DEFAULT);

	kind->note = "prime-rl's output layer";
	if (said)
		kind->span = said->span;
}

/* Where a key that is not there is on. */
static const struct node *at_root(const struct node *map, const char *path)
{
	(void)path;
	return map;
}

/* On unless the key is "None"; so is optim_cpu_offload, unless another offload is asked for. */
static void put_defaults(struct decoder *decoder, const struct node *trainer)
{
	static const char offload[] = "model.optim_cpu_offload";
	const struct node *said = node_find(trainer, "model.compile");
	const bool other = keys_true(trainer, "model.fsdp_cpu_offload") ||
			   node_find(trainer, "model.full_offload");
	struct setting *compile =
		settings_put_bool(decoder->settings, FIELD_COMPILE, !is_none(said),
				  said ? ORIGIN_DERIVED : ORIGIN_DEFAULT);

	compile->note = "prime-rl compiles unless told otherwise";
	if (said)
		compile->span = said->span;
	uncounted_put(decoder, trainer, NULL, uncounted, sizeof(uncounted) / sizeof(uncounted[0]));
	if (!other && !node_find(trainer, offload))
		uncounted_put(decoder, trainer, at_root, uncounted, 1);
}

/* Flags and deployment of `rl` and `sft`; under torchrun the trainer alone has what that says. */
static void put_launch(struct document *document, struct decoder *decoder)
{
	if (document->launch && document->launch->launched)
		launch_settle(document->launch, document->arena, decoder->settings);
	else
		put_ranks(decoder, document->root);
}

static void prime_rl_settle(struct document *document, moment_t when, struct settings *settings,
			    struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct node *root = document->root, *trainer = root, *name;

	(void)when;
	if (is_rl(root)) {
		trainer = node_member(root, "trainer");
		keys_put(&decoder, root, ROWS(shared_rows));
	}
	if (trainer)
		keys_put(&decoder, trainer, ROWS(rows));
	keys_kinds(&decoder, root, ROWS(kinds));
	prime_rl_refuse(&decoder, root, is_rl(root));
	keys_optimizer(&decoder, node_find(trainer, "optim"));
	if (!is_rl(root))
		keys_put(&decoder, root, ROWS(data_rows));
	keys_put_word(&decoder, FIELD_TUNER, trainer, "model.lora", "lora");
	name = node_find(trainer, "model.name");
	hf_model_put(&decoder, document, name ? name : node_find(root, "model.name"));
	put_launch(document, &decoder);
	if (!setting_given(settings_of(settings, FIELD_DP_REPLICATE)))
		put_replicas(&decoder, root);
	keys_default(&decoder, FIELD_DP_SHARD, -1, "FSDP2 over all other ranks");
	keys_default(&decoder, FIELD_TP, 1, "prime-rl has no tp");
	keys_default(&decoder, FIELD_PP, 1, "prime-rl has no pp");
	put_experts(&decoder, trainer);
	put_recompute(&decoder, trainer);
	put_offload(&decoder, trainer);
	put_loss(&decoder, root, trainer);
	put_defaults(&decoder, trainer);
	settings_put_text(settings, FIELD_ENGINE, "fsdp", ORIGIN_DEFAULT)->note =
		"prime-rl's fully_shard";
	settings_put_text(settings, FIELD_FSDP_VERSION, "2", ORIGIN_DEFAULT);
}

/* `rl` has its batches of the orchestrator. */
static void prime_rl_vocabulary(struct vocabulary *vocabulary)
{
	const bool rl = vocabulary->document && is_rl(vocabulary->document->root);

	if (rl || !vocabulary->document) {
		vocabulary_rows(vocabulary, "", ROWS(shared_rows));
		vocabulary_rows(vocabulary, "trainer", ROWS(rows));
		prime_rl_offer(vocabulary, true);
	}
	if (!rl) {
		vocabulary_rows(vocabulary, "", ROWS(rows));
		vocabulary_rows(vocabulary, "", ROWS(data_rows));
		prime_rl_offer(vocabulary, false);
	}
}

const struct dialect dialect_prime_rl = {
	.name = "prime-rl",
	.summary = "prime-rl's TOML for rl, sft and trainer: FSDP2, dp_replicate, cp and ep",
	.signs = "'orchestrator' with 'trainer', 'inference' or 'deployment'; or 'model.name', "
		 "'max_steps' and 'data' or 'optim'",
	.framework = "prime-rl",
	.as_of = "559b4477",
	.command = COMMAND_SWITCHES,
	.detect = prime_rl_detect,
	.vocabulary = prime_rl_vocabulary,
	.settle = prime_rl_settle,
};
