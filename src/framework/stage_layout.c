#include "framework/stage_layout.h"

#include "framework/placing_stages.h"

#include <stdlib.h>
#include <string.h>

/* What a layout repeats: `length` letters from `text` on, so often; what is next in the layout. */
struct repeat {
	const char *text;
	size_t length;
	long times;
	const char *next;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "*29" behind what is repeated. */
static bool repeat_times(const char *star, struct repeat *repeat)
{
	char *end;

	if (star[0] != '*' || !is_digit(star[1]))
		return false;
	repeat->times = strtol(star + 1, &end, 10);
	repeat->next = end;
	return true;
}

/* \(([^)]+)\)\*(\d+) */
static bool repeats_brackets(const char *at, struct repeat *repeat)
{
	const char *close = *at == '(' ? strchr(at, ')') : NULL;

	if (!close || close == at + 1)
		return false;
	*repeat = (struct repeat) { .text = at + 1, .length = (size_t)(close - at - 1) };
	return repeat_times(close + 1, repeat);
}

/* (.)\*(\d+) */
static bool repeats_letter(const char *at, struct repeat *repeat)
{
	*repeat = (struct repeat) { .text = at, .length = 1 };
	return *at != '\n' && repeat_times(at + 1, repeat);
}

static bool write_out(const char *text, char *words, bool (*repeats)(const char *, struct repeat *))
{
	size_t length = 0;

	while (*text) {
		struct repeat one = { 0 };
		if (!repeats(text, &one))
			one = (struct repeat) { text, 1, 1, text + 1 };
		for (; one.times > 0; one.times--) {
			if (length + one.length >= STAGE_LAYOUT_MOST)
				return false;
			memcpy(words + length, one.text, one.length);
			length += one.length;
		}
		text = one.next;
	}
	words[length] = '\0';
	return true;
}

/* A copy without commas, which part nothing. */
static bool drop_commas(const char *text, char *words)
{
	size_t length = 0;

	for (; *text; text++) {
		if (*text == ',')
			continue;
		if (length + 1 >= STAGE_LAYOUT_MOST)
			return false;
		words[length++] = *text;
	}
	words[length] = '\0';
	return true;
}

bool stage_layout_write_out(const char *text, char words[STAGE_LAYOUT_MOST])
{
	char bare[STAGE_LAYOUT_MOST], flat[STAGE_LAYOUT_MOST];

	return drop_commas(text, bare) && write_out(bare, flat, repeats_brackets) &&
	       write_out(flat, words, repeats_letter);
}

const char *stage_layout_stranger(const char *words)
{
	words += strspn(words, "ELtm|");
	return *words ? words : NULL;
}

int64_t stage_layout_read(const char *text, int64_t *layers, int64_t room)
{
	char words[STAGE_LAYOUT_MOST];
	const char *at = words;
	int64_t stage;

	if (!stage_layout_write_out(text, words) || stage_layout_stranger(words))
		return 0;
	for (stage = 0; stage < PLACED_STAGES_MOST; stage++) {
		const size_t length = strcspn(at, "|");
		size_t i;
		int64_t decoders = 0;
		for (i = 0; i < length; i++)
			decoders += at[i] == 't';
		if (layers && stage < room)
			layers[stage] = decoders;
		at += length;
		if (!*at++)
			return stage + 1;
	}
	return 0;
}
