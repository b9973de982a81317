#include "input/settings/layer_split.h"

#include "base/text.h"
#include "input/node.h"

#include <string.h>

enum { OTHER_WORDS = -1 };

/* Layers that each end of the model counts for, by those words. */
static int64_t ends_of(struct arena *arena, const char *words)
{
	if (!strcmp(words, "even"))
		return 0;
	if (!strcmp(words, "embedding and head count as layers"))
		return 1;
	if (text_starts(words, "type:"))
		return strstr(text_lower(arena, words), "embedding") != NULL;
	return OTHER_WORDS;
}

static bool is_layout(const char *words)
{
	return strspn(words, "ELtm|()*,0123456789") == strlen(words);
}

static void count_end(struct decoder *decoder, enum field_id id, const struct setting *split)
{
	struct setting *end;

	if (setting_given(settings_of(decoder->settings, id)))
		return;
	end = settings_put_int(decoder->settings, decoder->arena, id, 1, ORIGIN_DERIVED);
	end->span = split->span;
	end->note = "counts as a layer";
	setting_from(end, split);
}

void layer_split_settle(struct decoder *decoder)
{
	struct setting *split = settings_of(decoder->settings, FIELD_PP_LAYER_SPLIT);
	struct finding *finding;
	int64_t ends;

	if (!setting_known(split) || !split->node || split->node->kind != NODE_SCALAR)
		return;
	ends = ends_of(decoder->arena, split->text);
	if (ends == OTHER_WORDS && !is_layout(split->text)) {
		finding = finding_add(decoder->findings, &rule_bad_word, split->span,
				      "which stage holds which layers is not known: nobody reads "
				      "layer_split \"%.60s\", and equal parts are assumed",
				      split->text);
		finding_fix(decoder->findings, finding,
			    "a list of layers per stage, \"even\", \"embedding and head count as "
			    "layers\", DeepSpeed's \"type:transformer\" or a layout of Megatron's "
			    "as \"Et*3|(tt|)*29L\"");
		finding_cap(finding, SEVERITY_WARNING);
	}
	if (ends == OTHER_WORDS)
		return;
	split->text = "even";
	if (ends > 0) {
		count_end(decoder, FIELD_PP_FIRST_STAGE_LESS, split);
		count_end(decoder, FIELD_PP_LAST_STAGE_LESS, split);
	}
}
