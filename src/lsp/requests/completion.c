#include "lsp/request.h"

#include "lsp/typing.h"
#include "report/known_words.h"

#include <string.h>

/* CompletionItemKind. */
enum { PROPERTY = 10, VALUE = 12, MODULE = 9 };
/* CompletionItemTag. */
enum { DEPRECATED = 1 };

/* What items are made for. */
struct offer {
	struct look *look;
	struct vocabulary vocabulary;
	struct typing typing;
	const struct source *source; /* with the line that is being written */
	size_t end;
	struct json_writer *json;
};

static void describe(struct json_writer *json)
{
	static const char *const triggers[] = { ":", "=", " ", "\"", "." };
	size_t i;

	json_array(json, "triggerCharacters");
	for (i = 0; i < sizeof(triggers) / sizeof(*triggers); i++)
		json_string(json, NULL, triggers[i]);
	json_array_end(json);
}

static void begin_item(struct offer *offer, const char *label, int kind, const char *text)
{
	struct json_writer *json = offer->json;

	json_object(json, NULL);
	json_string(json, "label", label);
	json_int(json, "kind", kind);
	json_object(json, "textEdit");
	position_bytes(json, "range", offer->source, offer->typing.start, offer->end);
	json_string(json, "newText", text);
	json_object_end(json);
}

/* ---- keys ---- */

/* The member of a map that a path leads to, or the way to it: "tp" of "parallelism.tp"; NULL. */
static const char *member_of(struct offer *offer, const char *path, bool *leaf)
{
	const char *map = offer->typing.map;
	size_t parts = 1;

	for (; *map; map++)
		parts += *map == '.';
	for (map = offer->typing.map; *map && parts; parts--) {
		const size_t length = strcspn(path, "."), name = strcspn(map, ".");
		if (!path[length] || !((length == 1 && *path == '*') ||
				       (length == name && !strncmp(path, map, length))))
			return NULL;
		path += length + 1;
		map += name + (map[name] == '.');
	}
	*leaf = !strchr(path, '.');
	return arena_strndup(offer->look->arena, path, strcspn(path, "."));
}

/* The key with what follows it in that form. */
static const char *as_key(struct offer *offer, const char *name, bool leaf)
{
	struct arena *arena = offer->look->arena;
	const char *quote = offer->typing.form == FORM_JSON && !offer->typing.quoted ? "\"" : "";
	const char *close = offer->typing.form == FORM_JSON ? "\"" : "";

	if (offer->typing.form == FORM_TOML)
		return arena_join(arena, name, " = ", "");
	return arena_printf(arena, "%s%s%s:%s", quote, name, close, leaf ? " " : "");
}

static void put_key(struct offer *offer, const struct vocabulary_key *key, const char *name)
{
	struct json_writer *json = offer->json;

	begin_item(offer, name, PROPERTY, as_key(offer, name, true));
	if (key->fallback)
		json_string(json, "detail",
			    arena_join(offer->look->arena, "default ", key->fallback, ""));
	if (key->help)
		json_string(json, "documentation", key->help);
	if (key->gone) {
		json_array(json, "tags");
		json_int(json, NULL, DEPRECATED);
		json_array_end(json);
	}
	json_object_end(json);
}

static void put_section(struct offer *offer, const char *name)
{
	begin_item(offer, name, MODULE, as_key(offer, name, false));
	json_object_end(offer->json);
}

/* Names that are offered already, and those that stand in the map. */
struct names {
	VEC(const char *) list;
};

static bool take(struct offer *offer, struct names *names, const char *name)
{
	size_t i;

	for (i = 0; i < names->list.count; i++)
		if (!strcmp(names->list.items[i], name))
			return false;
	vec_push(offer->look->arena, &names->list, name);
	return strcmp(name, "*") != 0;
}

static const struct node *map_at(const struct offer *offer)
{
	return *offer->typing.map ? node_find(offer->look->root, offer->typing.map)
				  : offer->look->root;
}

static void put_keys(struct offer *offer)
{
	const struct node *map = map_at(offer), *child;
	struct names names = { 0 };
	size_t i;
	bool leaf;

	for (child = map && map->kind == NODE_MAP ? map->first : NULL; child; child = child->next)
		take(offer, &names, child->key);
	for (i = offer->vocabulary.keys.count; i > 0; i--) {
		const struct vocabulary_key *key = &offer->vocabulary.keys.items[i - 1];
		const char *name = member_of(offer, key->path, &leaf);
		if (!name || !take(offer, &names, name) || key->instead)
			continue;
		if (leaf)
			put_key(offer, key, name);
		else if (offer->typing.form != FORM_TOML)
			put_section(offer, name);
	}
}

/* Sections for a header: "[parallelism]". */
static void put_headers(struct offer *offer)
{
	struct names names = { 0 };
	size_t i;

	for (i = 0; i < offer->vocabulary.keys.count; i++) {
		const char *path = offer->vocabulary.keys.items[i].path;
		const char *dot = strrchr(path, '.');
		const char *name =
			dot ? arena_strndup(offer->look->arena, path, (size_t)(dot - path)) : NULL;
		if (!name || !take(offer, &names, name))
			continue;
		begin_item(offer, name, MODULE, name);
		json_object_end(offer->json);
	}
}

/* ---- values ---- */

static void put_value(struct offer *offer, const char *word, bool text)
{
	const bool quote = text && offer->typing.form != FORM_YAML && !offer->typing.quoted;

	begin_item(offer, word, VALUE,
		   quote ? arena_printf(offer->look->arena, "\"%s\"", word) : word);
	json_object_end(offer->json);
}

static void put_words(struct offer *offer, const char *words, bool text)
{
	size_t length;

	for (; *words; words += length + (words[length] == '|')) {
		length = strcspn(words, "|");
		if (length && strncmp(words, "N", length) != 0)
			put_value(offer, arena_strndup(offer->look->arena, words, length), text);
	}
}

static void put_values(struct offer *offer)
{
	struct arena *arena = offer->look->arena;
	const char *map = offer->typing.map;
	const char *path =
		*map ? arena_join(arena, map, ".", offer->typing.key) : offer->typing.key;
	const struct vocabulary_key *key = vocabulary_find(&offer->vocabulary, path);
	const char *known = key ? known_words(arena, key->field) : NULL;

	if (!key)
		return;
	if (key->words)
		put_words(offer, key->words, key->type == FIELD_TEXT);
	else if (key->typed && key->type == FIELD_BOOL)
		put_words(offer, "true|false", false);
	else if (known)
		put_words(offer, known, true);
}

static void answer(struct look *look, const struct node *params, struct json_writer *json)
{
	struct offer offer = { .look = look, .json = json };
	const struct open_text *text = look->text;

	offer.source = source_new(look->arena, look->path, text->text.data, text->text.length);
	offer.end = position_offset(offer.source, position_read(node_member(params, "position")));
	typing_at(&offer.typing, look->arena, look->path, text->text.data, offer.end);
	look_vocabulary(look, &offer.vocabulary);
	json_array(json, "result");
	if (offer.typing.header)
		put_headers(&offer);
	else if (offer.typing.key)
		put_values(&offer);
	else
		put_keys(&offer);
	json_array_end(json);
}

const struct lsp_request request_completion = {
	.method = "textDocument/completion",
	.provider = "completionProvider",
	.describe = describe,
	.typing = true,
	.answer = answer,
};
