#include "evidence/log/needles.h"

#include "base/die.h"

#include <string.h>

enum { BLOCKS = 65536, WINDOW_MOST = 16 };

void needles_init(struct needles *needles, struct arena *arena)
{
	memset(needles, 0, sizeof(*needles));
	needles->arena = arena;
	needles->window = WINDOW_MOST;
}

void needles_add(struct needles *needles, const char *text, size_t length, uint32_t id)
{
	struct needle needle = { .text = text, .length = length, .id = id };

	if (length < NEEDLE_LEAST)
		bug("'%.*s' is too short to look for", (int)length, text);
	if (length < needles->window)
		needles->window = length;
	vec_push(needles->arena, &needles->list, needle);
}

/* The three bytes that end at `end`, mixed: of two that fall together the shorter way on counts. */
static size_t block(const char *end)
{
	const size_t a = (unsigned char)end[-2], b = (unsigned char)end[-1],
		     c = (unsigned char)end[0];

	return (a << 11 ^ b << 5 ^ c) & (BLOCKS - 1);
}

void needles_close(struct needles *needles)
{
	const size_t window = needles->window;
	size_t i, at;

	needles->shift = arena_array(needles->arena, BLOCKS, sizeof(*needles->shift));
	needles->first = arena_array(needles->arena, BLOCKS, sizeof(*needles->first));
	memset(needles->shift, (int)(window - 2), BLOCKS);
	for (i = 0; i < needles->list.count; i++) {
		struct needle *needle = &needles->list.items[i];
		uint32_t *first = &needles->first[block(needle->text + window - 1)];

		memcpy(&needle->head, needle->text, sizeof(needle->head));
		for (at = 2; at < window; at++) {
			uint8_t *shift = &needles->shift[block(needle->text + at)];
			if (*shift > window - 1 - at)
				*shift = (uint8_t)(window - 1 - at);
		}
		needle->next = *first;
		*first = (uint32_t)i + 1;
	}
}

void needles_scan(const struct needles *needles, const char *text, size_t length,
		  void (*found)(void *context, uint32_t id, size_t at), void *context)
{
	const size_t window = needles->window;
	size_t end = window - 1, start;
	uint32_t next, head;

	while (end < length) {
		const size_t here = block(text + end), shift = needles->shift[here];

		if (shift) {
			end += shift;
			continue;
		}
		start = end - (window - 1);
		memcpy(&head, text + start, sizeof(head)); /* a window is longer */
		for (next = needles->first[here]; next;) {
			const struct needle *needle = &needles->list.items[next - 1];
			if (needle->head == head && needle->length <= length - start &&
			    !memcmp(text + start, needle->text, needle->length))
				found(context, needle->id, start);
			next = needle->next;
		}
		end++;
	}
}
