#include "input/keys.h"
#include "input/launch/form.h"
#include "input/vocabulary.h"
#include "wings/verl/keys.h"

#include <string.h>

/*
 * Engines beside FSDP and Megatron (verl-project/verl@1dda039b verl/workers/engine, from v0.7.1
 * on): TorchTitan's ParallelDims is told its degrees by verl's names; how VeOmni, Automodel,
 * FSDP-Turbo and MindSpeed place ranks is not modelled.
 */

/* torchtitan/transformer_impl.py; data_parallel_size and expert_tensor_parallel_size are read by
 * nothing there. */
static const struct key_row titan_rows[] = {
	{ "data_parallel_replicate_size", FIELD_DP_REPLICATE, KEY_VALUE, NULL },
	{ "data_parallel_shard_size", FIELD_DP_SHARD, KEY_VALUE, NULL },
	{ "context_parallel_size", FIELD_CP, KEY_VALUE, NULL },
	{ "tensor_parallel_size", FIELD_TP, KEY_VALUE, NULL },
	{ "pipeline_parallel_size", FIELD_PP, KEY_VALUE, NULL },
	{ "expert_parallel_size", FIELD_EP, KEY_VALUE, NULL },
	{ "reshard_after_forward", FIELD_RESHARD_AFTER_FORWARD, KEY_VALUE, NULL },
	{ "activation_checkpoint", FIELD_AC_MODE, KEY_VALUE, NULL },
	{ "spmd_backend", FIELD_SPMD_BACKEND, KEY_VALUE, NULL },
};

enum { TITAN_ROWS = sizeof(titan_rows) / sizeof(titan_rows[0]) };

/* Where the engine is chosen. */
static struct span place_of(const struct node *root)
{
	static const char *const paths[] = { "actor_rollout_ref.actor.strategy",
					     "groups.model_engine", "groups.engine",
					     "engine.strategy" };
	const struct node *node = NULL;
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]) && !node; i++)
		node = node_find(root, paths[i]);
	return node ? node->span : root->span;
}

void verl_engine(struct document *document, struct decoder *decoder, const char *engine,
		 const char *path)
{
	struct setting *shard = settings_of(decoder->settings, FIELD_DP_SHARD);

	if (strcmp(engine, "torchtitan") != 0) {
		launch_leave_open(
			document, place_of(document->root),
			arena_join(document->arena, "verl's engine ", engine, " lays them out"));
		return;
	}
	keys_put(decoder, node_find(document->root, path), titan_rows, TITAN_ROWS);
	if (!setting_given(shard) && !shard->unresolved)
		keys_default(decoder, FIELD_DP_SHARD, 1, "verl's engine/torchtitan.yaml");
	settings_put_text(decoder->settings, FIELD_ENGINE, engine, ORIGIN_DEFAULT)->note =
		"verl's engine";
	/* verl hands it losses, batches and lengths of its own: only its groups are claimed */
	settings_put_text(decoder->settings, FIELD_EXPERIMENT, "verl's torchtitan engine",
			  ORIGIN_DEFAULT);
}

void verl_offer_engines(struct vocabulary *vocabulary)
{
	vocabulary_guarded(vocabulary, "actor_rollout_ref.actor.torchtitan", titan_rows,
			   TITAN_ROWS);
}
