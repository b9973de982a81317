/*
 * What an editor sends: messages are cut apart whatever the pieces that they come in, texts change
 * by any range, and at every place of one it is known what is being written.
 */
#include "tree.h"

#include "lsp/message.h"
#include "lsp/position.h"
#include "lsp/store.h"
#include "lsp/typing.h"

#include <string.h>

static void type_everywhere(struct arena *arena, const struct open_text *text)
{
	static const char *const names[] = { "a.yaml", "a.toml", "a.json" };
	struct typing typing;
	size_t i, at;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (at = 0; at <= text->text.length && at < 400; at++) {
			typing_at(&typing, arena, names[i], text->text.data, at);
			if (typing.start > at || !typing.map)
				bug("the word at %zu of %s begins behind it", at, names[i]);
		}
}

static void find_places(struct arena *arena, const struct open_text *text)
{
	const struct source *source =
		source_new(arena, text->path, text->text.data, text->text.length);
	size_t at;

	for (at = source->lines[0]; at <= source->length && at < 400; at++)
		if (position_offset(source, position_of(source, at)) < at &&
		    source->text[at] != '\n' && source->text[at] != '\r')
			bug("byte %zu is not where its position is", at);
}

static void take(struct store *store, struct arena *arena, const char *json, size_t length)
{
	struct findings findings;
	const struct node *root, *params;
	struct open_text *text;

	findings_init(&findings, arena);
	json = arena_strndup(arena, json, length);
	root = json_read(arena, source_new(arena, "<message>", json, length), &findings);
	params = node_member(root, "params");
	text = store_find(store, "file:///a") ? store_change(store, params)
					      : store_open(store, params);
	if (!text)
		return;
	type_everywhere(arena, text);
	find_places(arena, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t piece = size ? data[0] % 13 + 1 : 1;
	struct message_reader messages;
	struct arena arena;
	struct store store = { .arena = &arena };
	const char *json;
	size_t at, length;

	arena_init(&arena);
	message_begin(&messages);
	for (at = 0; at < size; at += piece) {
		message_feed(&messages, (const char *)data + at,
			     size - at < piece ? size - at : piece);
		while (message_next(&messages, &json, &length))
			take(&store, &arena, json, length);
	}
	while (store.list.count)
		store_release(&store, store.list.items[0]);
	message_end(&messages);
	arena_release(&arena);
	return 0;
}
