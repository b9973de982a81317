#include "wings/megatron/keys.h"

#include "base/buf.h"
#include "base/text.h"
#include "input/keys.h"
#include "input/settings/uncounted.h"

#include <string.h>

/*
 * Which blocks of a model of Megatron-LM's own see a window of tokens (NVIDIA/Megatron-LM@d98e8a64
 * megatron/training/arguments.py, tuple_type and moe_freq_type).
 */

enum { BLOCKS_MOST = 10000, DIGITS = 5 };

static const char *skip(const char *at)
{
	return at + strspn(at, "( )");
}

/* One "[1,1,0]*2" of a sum, as letters; NULL: it is none. */
static const char *term(const char *at, struct buf *turns)
{
	const size_t from = turns->length;
	int64_t number, times = 1;
	size_t length, i;

	if (*at != '[')
		return NULL;
	do {
		at++;
		if (!text_digits(&at, DIGITS, &number))
			return NULL;
		buf_char(turns, number ? 'w' : 'f');
	} while (*at == ',');
	if (*at++ != ']')
		return NULL;
	length = turns->length - from;
	at = skip(at);
	if (*at == '*' && (at++, !text_digits(&at, DIGITS, &times)))
		return NULL;
	if (times < 1 || times * (int64_t)length > BLOCKS_MOST)
		return NULL;
	for (i = length; i < length * (size_t)times; i++)
		buf_char(turns, turns->data[from + i - length]);
	return skip(at);
}

/* A sum of lists, in which 1 has the window. */
static bool sum(const char *at, struct buf *turns)
{
	at = term(skip(at), turns);
	while (at && *at == '+')
		at = term(skip(at + 1), turns);
	return at && !*at;
}

static bool list(const struct node *words, struct buf *turns)
{
	const struct node *word;

	for (word = words->first; word; word = word->next) {
		if (!field_fits(FIELD_INT, word))
			return false;
		buf_char(turns, word->integer ? 'w' : 'f');
	}
	return turns->length > 0;
}

/* Of so many blocks the last sees all tokens (core/transformer/utils.py,
 * is_layer_window_attention). */
static bool turns_of(const struct node *frequency, struct buf *turns)
{
	if (frequency->kind == NODE_LIST)
		return list(frequency, turns);
	if (!field_fits(FIELD_INT, frequency))
		return frequency->kind == NODE_SCALAR && sum(frequency->text, turns);
	if (frequency->integer < 1 || frequency->integer > BLOCKS_MOST)
		return false;
	buf_repeat(turns, 'w', (size_t)frequency->integer - 1);
	buf_char(turns, 'f');
	return true;
}

/* A whole number of a tuple's text; *at moves behind it. */
static bool whole(const char **at, int64_t *number)
{
	const int64_t sign = **at == '-' ? -1 : 1;

	*at += **at == '-';
	if (!text_digits(at, 8, number))
		return false;
	*number *= sign;
	return true;
}

/* Of "1024,0" the tokens before the query, -1: all, and those behind it, which none sees. */
static bool before_of(const struct node *size, int64_t *before)
{
	const struct node *first = size->kind == NODE_LIST ? size->first : NULL;
	const char *at = size->kind == NODE_SCALAR && size->text ? skip(size->text) : "";
	int64_t behind;

	if (first && field_fits(FIELD_INT, first)) {
		*before = first->integer;
		return true;
	}
	if (!whole(&at, before) || *at++ != ',' || !whole(&at, &behind))
		return false;
	return !*skip(at);
}

static bool put(struct decoder *decoder, const struct node *size, const struct node *frequency,
		struct buf *turns)
{
	int64_t before;

	if (!before_of(size, &before) || before >= INT32_MAX ||
	    (frequency && !turns_of(frequency, turns)))
		return false;
	megatron_put_number(decoder, FIELD_MODEL_WINDOW, before < 0 ? 0 : before + 1, size,
			    "those before the query, and its own");
	if (frequency)
		settings_put_text(decoder->settings, FIELD_MODEL_WINDOW_BLOCKS,
				  arena_strdup(decoder->arena, turns->data), ORIGIN_DERIVED)
			->note = "window_attn_skip_freq";
	return true;
}

void megatron_settle_window(struct decoder *decoder, const struct node *map, bool own)
{
	static const struct uncounted_row row = { "window_size",
						  "attention sees a window of tokens" };
	const struct node *size = megatron_argument(map, row.path);
	struct buf turns;

	buf_init(&turns);
	if (size &&
	    !(own && put(decoder, size, megatron_argument(map, "window_attn_skip_freq"), &turns)))
		uncounted_put(decoder, map, megatron_argument, &row, 1);
	buf_release(&turns);
}
