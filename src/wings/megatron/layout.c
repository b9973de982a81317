#include "base/arena.h"
#include "framework/stage_layout.h"
#include "wings/megatron/megatron.h"

#include <string.h>

/*
 * What Megatron-LM checks about --pipeline-model-parallel-layout at d98e8a64: training/arguments.py
 * while it counts stages, then core/transformer/pipeline_parallel_layer_layout.py.
 */

/* Prediction layers may stand in a layout since d7bf5aaaa8. */
enum { PREDICTIONS_PLACED = 20250826 };

const char *megatron_layout(const struct settings *settings)
{
	const char *split = setting_text(settings, FIELD_PP_LAYER_SPLIT, "even");

	return strcmp(split, "even") != 0 ? split : "";
}

const char *megatron_own_layout(const struct megatron *m)
{
	const struct setting *split = &m->job->settings.items[FIELD_PP_LAYER_SPLIT];

	if (!m->own_file || !setting_given(split) || !setting_known(split) || !split->node ||
	    split->node->kind != NODE_SCALAR)
		return NULL;
	return split->node->text;
}

static void blame(struct megatron *m, enum field_id other)
{
	megatron_blame(m, FIELD_PP_LAYER_SPLIT);
	megatron_blame(m, other);
}

static int64_t count_of(const char *words, char letter)
{
	int64_t count = 0;

	for (; *words; words++)
		count += *words == letter;
	return count;
}

/* parse_str_to_list, of the first letter that it does not know. */
static void raise_stranger(struct megatron *m, const char *words, const char *stranger)
{
	struct arena *arena = m->plan->arena;
	const char *stage = stranger;
	size_t length = 1;

	while (stage > words && stage[-1] != '|')
		stage--;
	while (((unsigned char)stranger[length] & 0xC0) == 0x80) /* the rest of a character */
		length++;
	megatron_raise(m, MEGATRON(LAYOUT_LETTER), VALUE(arena_strndup(arena, stranger, length)),
		       VALUE(arena_printf(arena, "%.*s", (int)strcspn(stage, "|"), stage)),
		       VALUE(arena_printf(arena, "%s", words)));
	megatron_blame(m, FIELD_PP_LAYER_SPLIT);
}

void megatron_validate_layout(struct megatron *m, const char *layout)
{
	char words[STAGE_LAYOUT_MOST];
	const char *stranger;
	int64_t stages;

	if (!stage_layout_write_out(layout, words))
		return;
	stranger = stage_layout_stranger(words);
	stages = count_of(words, '|') + 1;
	/* parplan's own form has words of its own. */
	if (stranger && m->own_file) {
		raise_stranger(m, words, stranger);
	} else if (!stranger && stages % m->degrees.pp) {
		megatron_raise(m, MEGATRON(LAYOUT_STAGES), VALUE(stages), VALUE(m->degrees.pp));
		blame(m, FIELD_PP);
	}
}

/* Its name in LayerType. */
static const char *name_of(char letter)
{
	switch (letter) {
	case 'E':
		return "embedding";
	case 'L':
		return "loss";
	case 't':
		return "decoder";
	default:
		return "mtp";
	}
}

/* Embedding and loss: first and last, once. */
static void check_ends(struct megatron *m, const char *words)
{
	const char *first = words + strspn(words, "|"), *last = words + strlen(words);

	while (last > first && last[-1] == '|')
		last--;
	if (last == first) /* flatten_layout[0] of none */
		megatron_raise(m, MEGATRON(LAYOUT_EMPTY));
	else if (*first != 'E')
		megatron_raise(m, MEGATRON(LAYOUT_FIRST), VALUE(name_of(*first)));
	else if (last[-1] != 'L')
		megatron_raise(m, MEGATRON(LAYOUT_LAST), VALUE(name_of(last[-1])));
	else if (count_of(words, 'E') != 1)
		megatron_raise(m, MEGATRON(LAYOUT_EMBEDDING));
	else if (count_of(words, 'L') != 1)
		megatron_raise(m, MEGATRON(LAYOUT_LOSS));
	if (m->plan->error)
		megatron_blame(m, FIELD_PP_LAYER_SPLIT);
}

/* What training/arguments.py said before, where it was asked. */
static void check_length(struct megatron *m, const char *words)
{
	const int64_t stages = count_of(words, '|') + 1;

	if (m->plan->error || stages % m->degrees.pp == 0)
		return;
	megatron_raise(m, MEGATRON(LAYOUT_LENGTH), VALUE(stages), VALUE(m->degrees.pp));
	blame(m, FIELD_PP);
}

static void check_decoders(struct megatron *m, const char *words)
{
	const int64_t decoders = count_of(words, 't');

	if (m->plan->error || m->layers < 1 || decoders == m->layers)
		return;
	megatron_raise(m, MEGATRON(LAYOUT_DECODERS), VALUE(decoders), VALUE(m->layers));
	blame(m, FIELD_MODEL_LAYERS);
}

/* A stage that holds some prediction layers and not all of them. */
static bool parts_predictions(const char *words, int64_t all)
{
	int64_t here = 0;

	for (;; words++) {
		if (*words == 'm') {
			here++;
		} else if (*words == '|' || !*words) {
			if (here && here != all)
				return true;
			here = 0;
		}
		if (!*words)
			return false;
	}
}

/* True where one stands before the last stage of its rank. */
static bool predicts_early(const struct megatron *m, const char *words)
{
	int64_t left = count_of(words, '|') + 1 - m->degrees.pp;

	for (; left > 0; words++) {
		if (*words == 'm')
			return true;
		left -= *words == '|';
	}
	return false;
}

static void check_predictions(struct megatron *m, const char *words)
{
	const struct settings *s = &m->job->settings;
	const int64_t held = count_of(words, 'm'), all = setting_int(s, FIELD_MODEL_MTP, 0);
	const char *first = strchr(words, 'm');

	if (m->plan->error || setting_unresolved(s, FIELD_MODEL_MTP))
		return;
	if (!megatron_since(m, PREDICTIONS_PLACED)) {
		if (!held)
			return;
		megatron_raise(m, MEGATRON(LAYOUT_NO_MTP));
	} else if (held != all) {
		megatron_raise(m, MEGATRON(LAYOUT_MTP));
	} else if (first && strchr(first, 't')) {
		megatron_raise(m, MEGATRON(LAYOUT_MTP_LAST));
	} else if (predicts_early(m, words)) {
		megatron_raise(m, MEGATRON(LAYOUT_MTP_EARLY));
	} else if (parts_predictions(words, all)) {
		megatron_raise(m, megatron_told(MEGATRON_LAYOUT_MTP_PARTED, m->when));
	} else {
		return;
	}
	blame(m, FIELD_MODEL_MTP);
}

static void check_alone(struct megatron *m)
{
	static const enum field_id others[] = { FIELD_PP_FIRST_STAGE_LAYERS,
						FIELD_PP_LAST_STAGE_LAYERS,
						FIELD_PP_FIRST_STAGE_LESS,
						FIELD_PP_LAST_STAGE_LESS };
	const struct settings *s = &m->job->settings;
	const bool ends[] = { setting_int(s, FIELD_PP_FIRST_STAGE_LESS, 0) > 0,
			      setting_int(s, FIELD_PP_LAST_STAGE_LESS, 0) > 0 };
	size_t i;

	if (!setting_known(&s->items[FIELD_PP_FIRST_STAGE_LAYERS]) &&
	    !setting_known(&s->items[FIELD_PP_LAST_STAGE_LAYERS]) && !ends[0] && !ends[1])
		return;
	megatron_raise(m, MEGATRON(LAYOUT_ALONE),
		       VALUE(megatron_number_or_none(m, FIELD_PP_FIRST_STAGE_LAYERS)),
		       VALUE(megatron_number_or_none(m, FIELD_PP_LAST_STAGE_LAYERS)),
		       VALUE(ends[0] ? "True" : "False"), VALUE(ends[1] ? "True" : "False"));
	megatron_blame(m, FIELD_PP_LAYER_SPLIT);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (setting_known(&s->items[others[i]]))
			megatron_blame(m, others[i]);
}

void megatron_validate_placed(struct megatron *m)
{
	const char *own = megatron_own_layout(m);
	const char *layout = own ? own : megatron_layout(&m->job->settings);
	char words[STAGE_LAYOUT_MOST];

	if ((!*layout && !own) || !stage_layout_write_out(layout, words) ||
	    stage_layout_stranger(words))
		return;
	check_alone(m);
	check_length(m, words);
	if (!m->plan->error && m->own_file)
		check_ends(m, words);
	check_decoders(m, words);
	if (m->own_file)
		check_predictions(m, words);
}
