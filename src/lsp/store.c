#define _XOPEN_SOURCE 700 /* realpath; NOLINT(bugprone-reserved-identifier) */
#include "lsp/store.h"

#include "base/path.h"
#include "base/source.h"
#include "input/keys.h"
#include "lsp/position.h"
#include "lsp/uri.h"

#include <stdlib.h>
#include <string.h>

struct open_text *store_find(const struct store *store, const char *uri)
{
	size_t i;

	for (i = 0; i < store->list.count; i++)
		if (!strcmp(store->list.items[i]->uri, uri))
			return store->list.items[i];
	return NULL;
}

static struct open_text *named(const struct store *store, const struct node *params)
{
	return store_find(store, keys_text(params, "textDocument.uri", ""));
}

/* A name for what has no file yet, by which its syntax is told. */
static const char *unnamed(const struct node *params)
{
	static const char *const names[][2] = { { "yaml", "untitled.yaml" },
						{ "toml", "untitled.toml" },
						{ "json", "untitled.json" },
						{ "python", "untitled.py" },
						{ "shellscript", "untitled.sh" } };
	const char *language = keys_text(params, "textDocument.languageId", "");
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i][0], language))
			return names[i][1];
	return "untitled";
}

/* The path with the links of its folder followed, so that a file has one name here; NULL of NULL.
 */
static const char *real_path(struct arena *arena, const char *path)
{
	char *folder = path ? realpath(path_folder(arena, path), NULL) : NULL;
	const char *real = folder ? path_join(arena, folder, strrchr(path, '/') + 1) : path;

	free(folder);
	return real;
}

struct open_text *store_open(struct store *store, const struct node *params)
{
	const char *uri = keys_text(params, "textDocument.uri", NULL);
	struct open_text *text;
	struct arena arena;

	if (!uri)
		return NULL;
	store_close(store, params); /* who opens twice means the second */
	arena_init(&arena);
	text = arena_new(&arena, struct open_text);
	text->arena = arena;
	text->uri = arena_strdup(&text->arena, uri);
	text->path = real_path(&text->arena, uri_path(&text->arena, uri));
	text->file = text->path != NULL;
	if (!text->file)
		text->path = unnamed(params);
	text->version = keys_int(params, "textDocument.version", 0);
	buf_init(&text->text);
	buf_text(&text->text, keys_text(params, "textDocument.text", ""));
	vec_push(store->arena, &store->list, text);
	return text;
}

/* Puts `with` in the place of a range, or of all. */
static void replace(struct open_text *text, const struct node *range, const char *with)
{
	const struct source *source;
	struct arena arena;
	struct buf whole;
	size_t start, end;

	arena_init(&arena);
	source = source_new(&arena, text->path, text->text.data, text->text.length);
	start = range ? position_offset(source, position_read(node_member(range, "start"))) : 0;
	end = range ? position_offset(source, position_read(node_member(range, "end")))
		    : source->length;
	buf_init(&whole);
	buf_bytes(&whole, text->text.data, start);
	buf_text(&whole, with);
	if (end > start)
		buf_bytes(&whole, text->text.data + end, text->text.length - end);
	else
		buf_bytes(&whole, text->text.data + start, text->text.length - start);
	buf_release(&text->text);
	text->text = whole;
	arena_release(&arena);
}

struct open_text *store_change(struct store *store, const struct node *params)
{
	const struct node *changes = node_member(params, "contentChanges"), *change;
	struct open_text *text = named(store, params);

	if (!text)
		return NULL;
	text->version = keys_int(params, "textDocument.version", text->version);
	for (change = changes ? changes->first : NULL; change; change = change->next)
		replace(text, node_member(change, "range"), keys_text(change, "text", ""));
	return text;
}

void store_release(struct store *store, struct open_text *text)
{
	struct arena arena = text->arena;
	size_t i;

	for (i = 0; i < store->list.count; i++)
		if (store->list.items[i] == text)
			store->list.items[i] = store->list.items[--store->list.count];
	buf_release(&text->text);
	arena_release(&arena);
}

void store_close(struct store *store, const struct node *params)
{
	struct open_text *text = named(store, params);

	if (text)
		store_release(store, text);
}
