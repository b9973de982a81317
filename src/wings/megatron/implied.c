#include "wings/megatron/keys.h"

#include "base/buf.h"
#include "base/text.h"
#include "input/field.h"
#include "input/settings/uncounted.h"

#include <string.h>

/* What arguments come to beside what their rows say. */

static void drop_unasked(struct settings *settings, enum field_id id)
{
	struct setting *setting = settings_of(settings, id);

	if (setting->origin != ORIGIN_UNSET)
		return;
	setting = settings_put_text(settings, id, "0.1", ORIGIN_DEFAULT);
	setting->number = 0.1;
	setting->note = "Megatron-LM";
}

/* Unless flags say otherwise the output projection is the embedding, linear layers have biases,
 * both kinds of dropout drop a tenth, gated networks or not, and experts pick their tokens from
 * those of all ranks (NVIDIA/Megatron-LM@d98e8a64 megatron/training/arguments.py). */
void megatron_settle_itself(struct decoder *decoder, const struct node *map)
{
	struct settings *settings = decoder->settings;

	if (settings_of(settings, FIELD_MODEL_TIED_EMBEDDINGS)->origin == ORIGIN_UNSET)
		settings_put_bool(settings, FIELD_MODEL_TIED_EMBEDDINGS, true, ORIGIN_DEFAULT)
			->note = "Megatron-LM";
	drop_unasked(settings, FIELD_MODEL_HIDDEN_DROPOUT);
	drop_unasked(settings, FIELD_MODEL_ATTENTION_DROPOUT);
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

/* The letter of a name in LayerType, or 0. */
static char letter_of(struct arena *arena, const struct node *name)
{
	static const struct {
		const char *name;
		char letter;
	} letters[] = { { "embedding", 'E' }, { "decoder", 't' }, { "mtp", 'm' }, { "loss", 'L' } };
	const char *text = name->kind == NODE_SCALAR ? text_lower(arena, name->text) : "";
	size_t i;

	for (i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (!strcmp(text, letters[i].name))
			return letters[i].letter;
	return 0;
}

/* Appends the letters of a stage; false where it is no list of layers. */
static bool put_letters(struct arena *arena, struct buf *words, const struct node *stage)
{
	const struct node *name;
	char letter;

	for (name = stage->first; name; name = name->next) {
		letter = letter_of(arena, name);
		if (!letter)
			return false;
		buf_char(words, letter);
	}
	return stage->kind == NODE_LIST;
}

/*
 * A layout as lists of names, [[embedding, decoder], [decoder, loss]], is the same in letters,
 * "Et|tL" (core/transformer/pipeline_parallel_layer_layout.py).
 */
static void settle_layout(struct decoder *decoder, const struct node *map)
{
	const struct node *lists = megatron_argument(map, "pipeline_model_parallel_layout"), *stage;
	struct buf words;
	bool read = true;

	if (!lists || lists->kind != NODE_LIST || !lists->first)
		return;
	buf_init(&words);
	for (stage = lists->first; stage && read; stage = stage->next) {
		if (stage != lists->first)
			buf_char(&words, '|');
		read = put_letters(decoder->arena, &words, stage);
	}
	if (read)
		field_put(decoder, FIELD_PP_LAYER_SPLIT,
			  word_at(decoder->arena, arena_strdup(decoder->arena, words.data),
				  lists->span));
	buf_release(&words);
}

void megatron_settle_implied(struct decoder *decoder, const struct node *map)
{
	settle_moe_recompute(decoder, map);
	settle_text_length(decoder, map);
	settle_layout(decoder, map);
	uncounted_put(decoder, map, megatron_argument, uncounted,
		      sizeof(uncounted) / sizeof(uncounted[0]));
}
