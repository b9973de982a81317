#include "base/text.h"
#include "input/compose/interpolation.h"
#include "input/document.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "input/settings/hf_model.h"
#include "wings/areal/allocation.h"

#include <string.h>

/*
 * AReaL's YAML (areal-project/AReaL@cbff54d6, areal/api/cli_args.py): `actor.backend` says who
 * trains and how, "fsdp:d4t2"; the engine that generates has ranks of its own (`rollout.backend`).
 * Before that one text said both: `allocation_mode: sglang:d4+fsdp:d4`.
 */

static const struct key_row rows[] = {
	{ "cluster.n_gpus_per_node", FIELD_COUNT, KEY_KNOWN, NULL },
	{ "actor.gradient_checkpointing", FIELD_AC_MODE, KEY_VALUE, "true=full|false=none" },
	{ "actor.use_lora", FIELD_TUNER, KEY_VALUE, "true=lora|false=" },
	{ "actor.dtype", FIELD_PARAM_DTYPE, KEY_VALUE, NULL },
	{ "total_train_steps", FIELD_STEPS, KEY_VALUE, NULL },
	{ "actor.optimizer.gradient_clipping", FIELD_MAX_NORM, KEY_VALUE, NULL },
};

static const struct key_row optimizer_row = { "actor.megatron.ddp.use_distributed_optimizer",
					      FIELD_OPTIMIZER_DISTRIBUTED, KEY_VALUE, NULL };

/* Of FSDP alone, in which parameters were stored as they are computed before 237a49f6a. */
static const struct key_row stored_row = { "actor.optimizer_dtype", FIELD_MASTER_DTYPE, KEY_VALUE,
					   NULL };

#define ROWS(name) name, sizeof(name) / sizeof((name)[0])

static int areal_detect(const struct document *document)
{
	const struct node *root = document->root;

	if (!node_member(root, "experiment_name") || !node_member(root, "trial_name") ||
	    !node_find(root, "cluster.n_nodes"))
		return 0;
	return node_find(root, "actor.backend") || node_member(root, "allocation_mode") ||
			       node_find(root, "rollout.backend")
		       ? 85
		       : 0;
}

static void areal_compose(struct document *document, struct findings *findings)
{
	interpolate_omegaconf(document, document->root, NULL, findings);
}

/* Machines that what trains fills: on others the engine that generates has devices, too. */
static void put_machines(struct decoder *decoder, const struct node *root)
{
	const struct node *devices = node_find(root, "cluster.n_gpus_per_node");
	const int64_t each = keys_int(root, "cluster.n_gpus_per_node", 0);

	if (each > 0 && allocation_ranks(decoder->settings) % each == 0)
		field_put(decoder, FIELD_CLUSTER_GPUS_PER_NODE, devices);
}

/*
 * DistributedDataParallelConfig (areal/api/cli_args.py) cuts the optimizer's state unless it is
 * told otherwise, and sequences are cut beside every tp (areal/models/mcore/registry.py).
 */
static void put_megatron(struct decoder *decoder, const struct node *root)
{
	struct settings *settings = decoder->settings;

	if (strcmp(setting_text(settings, FIELD_ENGINE, ""), "megatron") != 0)
		return;
	settings_put_bool(settings, FIELD_OPTIMIZER_DISTRIBUTED, true, ORIGIN_DEFAULT)->note =
		"AReaL's default";
	keys_put(decoder, root, &optimizer_row, 1);
	settings_put_bool(settings, FIELD_SEQUENCE_PARALLEL, true, ORIGIN_DEFAULT)->note =
		"AReaL's Megatron";
}

static void put_fsdp(struct decoder *decoder, const struct node *root)
{
	if (!strcmp(setting_text(decoder->settings, FIELD_ENGINE, ""), "fsdp"))
		keys_put(decoder, root, &stored_row, 1);
}

static void areal_settle(struct document *document, moment_t when, struct settings *settings,
			 struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct node *root = document->root, *backend = node_find(root, "actor.backend");

	(void)when;
	keys_put(&decoder, root, ROWS(rows));
	keys_optimizer(&decoder, node_find(root, "actor.optimizer"));
	keys_optimizer(&decoder, node_find(root, "model.optimizer"));
	keys_misspelt(&decoder, root, ROWS(rows), "AReaL", "refuses keys that it does not know");
	hf_model_put(&decoder, document, node_find(root, "actor.path"));
	if (!backend)
		backend = node_member(root, "allocation_mode");
	if (!backend)
		document->no_job = "a config of AReaL without an actor only generates";
	allocation_put(&decoder, backend ? backend : node_find(root, "rollout.backend"));
	put_megatron(&decoder, root);
	put_fsdp(&decoder, root);
	put_machines(&decoder, root);
}

const struct dialect dialect_areal = {
	.name = "areal",
	.summary = "AReaL's YAML: an actor trained by FSDP2, Megatron or Archon",
	.signs = "'experiment_name', 'trial_name', 'cluster.n_nodes' and 'actor.backend' or "
		 "'allocation_mode'",
	.framework = "areal",
	.as_of = "cbff54d6",
	.command = COMMAND_HYDRA,
	.detect = areal_detect,
	.compose = areal_compose,
	.settle = areal_settle,
};
