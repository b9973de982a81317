#include "input/settings/padded_vocab.h"

#include "input/keys.h"
#include "input/node.h"

#include <inttypes.h>

/* Tokens, and those of a part of all ranks, beyond which a number is none of a vocabulary. */
enum { TOKENS_MOST = 1 << 28, PARTS_MOST = 1 << 24 };

bool padded_vocab_settle(struct settings *settings, struct arena *arena)
{
	struct setting *vocab = settings_of(settings, FIELD_MODEL_VOCAB);
	const int64_t tp = setting_int(settings, FIELD_TP, 1);
	int64_t unit, size;

	if (vocab->part < 1 || tp < 1 || tp > PARTS_MOST / vocab->part)
		return false;
	unit = vocab->part * tp;
	size = (vocab->whole + unit - 1) / unit * unit;
	if (size == vocab->integer)
		return false;
	vocab->integer = size;
	vocab->number = (double)size;
	vocab->text = arena_printf(arena, "%" PRId64, size);
	return true;
}

void padded_vocab_put(struct decoder *decoder, int64_t size, int64_t part, const struct node *named,
		      const char *note)
{
	struct setting *vocab;

	if (size < 1 || size > TOKENS_MOST || part < 1 || part > PARTS_MOST)
		return;
	vocab = keys_derive(decoder, FIELD_MODEL_VOCAB, size, NULL, note);
	if (named) {
		vocab->span = named->span;
		vocab->key_span = named->key_span;
		vocab->spelling = node_path(decoder->arena, named);
	}
	vocab->whole = size;
	vocab->part = part;
	padded_vocab_settle(decoder->settings, decoder->arena);
}
