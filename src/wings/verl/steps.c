#include "base/number.h"
#include "input/keys.h"
#include "input/node.h"
#include "input/vocabulary.h"
#include "wings/verl/keys.h"

/* What the actor trains on in a step: the lengths of sequences, and how many. */

static const struct key_row engine_rows[] = {
	{ "actor_rollout_ref.rollout.gpu_memory_utilization", FIELD_ROLLOUT_MEMORY, KEY_VALUE,
	  NULL },
};

/* Unless batches are dynamic. */
static const struct key_row micro_row = { "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu",
					  FIELD_MICRO_BATCH_SIZE, KEY_VALUE, NULL };

/* As many ranks as the trainer's pool, when that is known. */
int64_t verl_ranks(const struct document *document, const struct settings *settings)
{
	int64_t nodes = setting_int(settings, FIELD_CLUSTER_NODES, 0);
	int64_t devices = setting_int(settings, FIELD_CLUSTER_GPUS_PER_NODE, 0);

	if (document->overrides->world)
		return document->overrides->world;
	if (document->launch && document->launch->world)
		return document->launch->world;
	if (nodes < 1 || devices < 1 || nodes > INT32_MAX || devices > INT32_MAX)
		return 0;
	return nodes * devices;
}

void verl_put_padding(struct decoder *decoder, const struct node *root, const char *key)
{
	const struct setting *length = settings_of(decoder->settings, FIELD_SEQ_LEN);
	const struct node *removes = node_find(root, key);

	if (setting_known(length) && removes && !removes->unresolved && !keys_true(root, key))
		keys_default(decoder, FIELD_PAD_TO_MULTIPLE, length->integer,
			     "no padding is removed");
}

/* A whole number that is known; `otherwise` where none is written; 0: open. */
static int64_t number_at(const struct node *root, const char *path, int64_t otherwise)
{
	const struct node *node = node_find(root, path);

	if (!node)
		return otherwise;
	return node->kind == NODE_SCALAR && node->type == SCALAR_INT && !node->unresolved &&
			       node->integer > 0 && node->integer < INT32_MAX
		       ? node->integer
		       : 0;
}

bool verl_is_dynamic(const struct node *root)
{
	return keys_true(root, "actor_rollout_ref.actor.use_dynamic_bsz");
}

/*
 * What the actor trains on: prompts and answers of the greatest length, and of each mini-batch of
 * prompts all answers (verl/workers/fsdp_workers.py: ppo_mini_batch_size *= rollout.n). Dynamic
 * batches have no size of their own. What a command line does not say is ppo_trainer.yaml's.
 */
void verl_steps(const struct document *document, struct decoder *decoder)
{
	const struct node *root = document->root;
	const int64_t length = document->shell ? 512 : 0;
	const int64_t prompt = number_at(root, "data.max_prompt_length", length);
	const int64_t answer = number_at(root, "data.max_response_length", length);

	keys_put(decoder, root, engine_rows, sizeof(engine_rows) / sizeof(engine_rows[0]));
	if (keys_true(root, "actor_rollout_ref.actor.fsdp_config.param_offload") &&
	    keys_true(root, "actor_rollout_ref.actor.fsdp_config.optimizer_offload"))
		settings_put_bool(decoder->settings, FIELD_ROLLOUT_OFFLOAD, true, ORIGIN_DERIVED)
			->note = "actor.fsdp_config.param_offload and optimizer_offload";
	if (prompt && answer)
		keys_derive(decoder, FIELD_SEQ_LEN, prompt + answer, NULL,
			    "data.max_prompt_length and data.max_response_length");
	verl_put_padding(decoder, root, "actor_rollout_ref.model.use_remove_padding");
	if (!verl_is_dynamic(root))
		keys_put(decoder, root, &micro_row, 1);
}

/* Ranks that share one sample, by the model's axes or Ulysses. */
static int64_t sharers(const struct settings *settings)
{
	return multiply(
		multiply(setting_int(settings, FIELD_TP, 1), setting_int(settings, FIELD_PP, 1)),
		multiply(setting_int(settings, FIELD_CP, 1),
			 setting_int(settings, FIELD_ULYSSES, 1)));
}

/* Where it is whole samples for each rank: else cut by floor, unevenly, or refused. */
void verl_mini_batch(const struct document *document, struct decoder *decoder)
{
	const struct node *root = document->root;
	const bool shell = document->shell != NULL;
	const int64_t samples = number_at(root, "actor_rollout_ref.rollout.n", shell);
	const int64_t mini =
		number_at(root, "actor_rollout_ref.actor.ppo_mini_batch_size", shell ? 256 : 0);
	const int64_t world = verl_ranks(document, decoder->settings);
	const int64_t batch = multiply(multiply(mini, samples), sharers(decoder->settings));

	if (batch > 0 && world && batch % world == 0)
		keys_derive(decoder, FIELD_GLOBAL_BATCH_SIZE, mini * samples, NULL,
			    "actor.ppo_mini_batch_size, rollout.n answers to each");
}

/*
 * As many sequences of the greatest length as fit into the tokens of the ranks that share one,
 * where they cut a rank's evenly; verl makes uneven ones, too (verl/utils/seqlen_balancing.py).
 */
void verl_dynamic_batch(const struct document *document, struct decoder *decoder)
{
	const struct settings *all = decoder->settings;
	const int64_t world = verl_ranks(document, all),
		      length = setting_int(all, FIELD_SEQ_LEN, 0);
	const int64_t cp = setting_int(all, FIELD_CP, 1), tp = setting_int(all, FIELD_TP, 1);
	const int64_t inside = multiply(setting_int(all, FIELD_ULYSSES, 1), cp);
	const int64_t model = multiply(setting_int(all, FIELD_PP, 1), tp);
	const int64_t batch = setting_int(all, FIELD_GLOBAL_BATCH_SIZE, 0);
	const struct node *actor = node_find(document->root, "actor_rollout_ref.actor");
	const int64_t usual = document->shell ? 16384 : 0; /* actor.yaml */
	const int64_t tokens = number_at(actor, "ppo_max_token_len_per_gpu", usual);
	int64_t each, micro;

	if (!verl_is_dynamic(document->root) || world < 1 || length < 1 || tokens < 1 ||
	    batch > 1 << 20)
		return;
	each = multiply(multiply(batch, model), inside) / world;
	micro = multiply(tokens, inside) / length;
	micro = micro < 1 ? 1 : micro > each ? each : micro;
	while (micro > 1 && each % micro)
		micro--;
	if (micro > 0)
		keys_derive(decoder, FIELD_MICRO_BATCH_SIZE, micro, NULL,
			    "actor.ppo_max_token_len_per_gpu, at the greatest length");
}

void verl_offer_steps(struct vocabulary *vocabulary)
{
	vocabulary_rows(vocabulary, "", &micro_row, 1);
}
