#include "wings/megatron/keys.h"

#include "input/field.h"
#include "input/settings/uncounted.h"

#include <string.h>

/* What arguments come to beside what their rows say. */

/* Unless flags say otherwise the output projection is the embedding, linear layers have biases, and
 * experts pick their tokens from those of all ranks (NVIDIA/Megatron-LM@d98e8a64
 * megatron/training/arguments.py). */
void megatron_settle_itself(struct decoder *decoder, const struct node *map)
{
	struct settings *settings = decoder->settings;

	if (settings_of(settings, FIELD_MODEL_TIED_EMBEDDINGS)->origin == ORIGIN_UNSET)
		settings_put_bool(settings, FIELD_MODEL_TIED_EMBEDDINGS, true, ORIGIN_DEFAULT)
			->note = "Megatron-LM";
	if (settings_of(settings, FIELD_MODEL_ARCH)->origin == ORIGIN_UNSET &&
	    !megatron_is_on(map, "disable_bias_linear"))
		settings_put_text(settings, FIELD_MODEL_ARCH, "gpt", ORIGIN_DEFAULT)->note =
			"Megatron-LM's linear layers have biases";
	if (setting_int(settings, FIELD_MODEL_MOE_EXPERTS, 0) > 0 &&
	    settings_of(settings, FIELD_EXPERT_DISPATCHER)->origin == ORIGIN_UNSET)
		settings_put_text(settings, FIELD_EXPERT_DISPATCHER, "allgather", ORIGIN_DEFAULT)
			->note = "Megatron-LM";
}

/*
 * What changes a step, or what a rank keeps, and no forecast counts
 * (NVIDIA/Megatron-LM@d98e8a64 megatron/core/transformer/transformer_config.py and
 * megatron/core/model_parallel_config.py).
 */
static const struct uncounted_row uncounted[] = {
	{ "overlap_moe_expert_parallel_comm",
	  "experts' exchange overlaps with other microbatches" },
	{ "delay_wgrad_compute", "gradients of weights are computed while ranks exchange" },
	{ "window_size", "attention sees a window of tokens" },
	{ "moe_expert_capacity_factor", "experts drop tokens, or pad" },
	{ "mtp_use_repeated_layer", "one layer predicts all further tokens" },
	{ "offload_optimizer_states", "the optimizer's state waits in host memory" },
	{ "activation_func_fp8_input_store", "the input of the activation is kept in fp8" },
	{ "batch_invariant_mode", "kernels do not depend on the batch" },
	{ "kitchen_config_file", "products are as another library makes them" },
	{ "img_h", "a model of images, and what projects its output" },
};

static struct node *word_at(struct arena *arena, const char *word, struct span span)
{
	return node_scalar(arena, SCALAR_STRING, word, span);
}

/*
 * --moe-layer-recompute is one module more than those that are named, or than the one that
 * selective recomputation takes unasked (NVIDIA/Megatron-LM@d98e8a64
 * megatron/core/transformer/transformer_config.py).
 */
static void settle_moe_recompute(struct decoder *decoder, const struct node *map)
{
	const struct node *flag = megatron_argument(map, "moe_layer_recompute");
	const struct node *named = megatron_argument(map, "recompute_modules"), *word;
	struct node *list;

	if (!megatron_is_on(map, "moe_layer_recompute") ||
	    !strcmp(setting_text(decoder->settings, FIELD_AC_MODE, ""), "full"))
		return;
	list = node_container(decoder->arena, NODE_LIST, flag->span);
	word = named && named->kind == NODE_LIST ? named->first : named;
	if (!word)
		node_append(list, word_at(decoder->arena, "core_attn", flag->span));
	for (; word; word = named->kind == NODE_LIST ? word->next : NULL)
		if (strcmp(word->text, "moe") != 0)
			node_append(list, word_at(decoder->arena, word->text, word->span));
	node_append(list, word_at(decoder->arena, "moe", flag->span));
	settings_put_text(decoder->settings, FIELD_AC_MODE, "selective", ORIGIN_DERIVED)->span =
		flag->span;
	field_put(decoder, FIELD_AC_MODULES, list);
}

/* Beside images --seq-length counts what their model makes of one (examples/multimodal/model.py).
 */
static void settle_text_length(struct decoder *decoder, const struct node *map)
{
	const struct node *length = megatron_argument(map, "decoder_seq_length");

	if (length && megatron_argument(map, "img_h"))
		field_put(decoder, FIELD_SEQ_LEN, length);
}

void megatron_settle_implied(struct decoder *decoder, const struct node *map)
{
	settle_moe_recompute(decoder, map);
	settle_text_length(decoder, map);
	uncounted_put(decoder, map, megatron_argument, uncounted,
		      sizeof(uncounted) / sizeof(uncounted[0]));
}
