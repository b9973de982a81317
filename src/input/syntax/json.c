#include "base/json.h"

#include "base/text.h"
#include "input/node.h"
#include "input/syntax/reader.h"

#include <stdlib.h>
#include <string.h>

/* A container that is still open. */
struct level {
	struct node *node;
	struct members members; /* maps only */
	const char *key;	/* waiting for its value */
	struct span key_span;
};

struct tree {
	struct arena *arena;
	struct findings *findings;
	struct json_reader json;
	struct cursor cursor;
	struct level levels[READER_DEPTH];
	int depth;
	struct node *root;
};

static struct span token_span(struct tree *tree)
{
	return cursor_over(&tree->cursor, tree->json.start, tree->json.end);
}

/* Puts a value where it belongs. */
static void place(struct tree *tree, struct node *value)
{
	struct level *level = tree->depth ? &tree->levels[tree->depth - 1] : NULL;
	const struct node *old;

	if (!level) {
		tree->root = value;
	} else if (level->node->kind == NODE_LIST) {
		node_append(level->node, value);
	} else {
		value->key = level->key;
		value->key_span = level->key_span;
		old = members_put(&level->members, value);
		if (old)
			reader_duplicate(tree->findings, old, value);
	}
}

static bool open_level(struct tree *tree, enum node_kind kind)
{
	struct span span = token_span(tree);
	struct node *node;

	if (tree->depth == READER_DEPTH) {
		finding_add(tree->findings, &rule_too_large, span,
			    "nested more than %d levels deep", READER_DEPTH);
		return false;
	}
	node = node_container(tree->arena, kind, span);
	place(tree, node);
	tree->levels[tree->depth++] =
		(struct level) { .node = node, .members = { .arena = tree->arena } };
	return true;
}

static void close_level(struct tree *tree)
{
	struct level *level = &tree->levels[--tree->depth];
	struct span span = token_span(tree);

	if (level->node->kind == NODE_MAP)
		members_finish(&level->members, level->node);
	level->node->span.end_line = span.end_line;
	level->node->span.end_column = span.end_column;
}

/* Python's json module: a point or an exponent makes a float. */
static void set_number(struct node *node)
{
	node->number = strtod(node->text, NULL);
	if (strpbrk(node->text, ".eE"))
		node->type = SCALAR_FLOAT;
	else if (text_to_int(node->text, &node->integer))
		node->type = SCALAR_INT;
}

static void add_scalar(struct tree *tree, enum scalar_type type, const char *text)
{
	struct node *node = node_scalar(tree->arena, type, text, token_span(tree));

	node->quoted = type == SCALAR_STRING;
	node->boolean = tree->json.text[tree->json.start] == 't' && type == SCALAR_BOOL;
	place(tree, node);
}

static void add_number(struct tree *tree)
{
	struct node *node =
		node_scalar(tree->arena, SCALAR_STRING, tree->json.value, token_span(tree));

	set_number(node);
	place(tree, node);
}

static void set_key(struct tree *tree)
{
	struct level *level = &tree->levels[tree->depth - 1];

	level->key = tree->json.value;
	level->key_span = token_span(tree);
}

/* Takes one token into the tree; false after a finding. */
static bool take(struct tree *tree, enum json_token token)
{
	switch (token) {
	case JSON_OBJECT:
		return open_level(tree, NODE_MAP);
	case JSON_ARRAY:
		return open_level(tree, NODE_LIST);
	case JSON_OBJECT_END:
	case JSON_ARRAY_END:
		close_level(tree);
		return true;
	case JSON_KEY:
		set_key(tree);
		return true;
	case JSON_STRING:
		add_scalar(tree, SCALAR_STRING, tree->json.value);
		return true;
	case JSON_NUMBER:
		add_number(tree);
		return true;
	case JSON_TRUE:
		add_scalar(tree, SCALAR_BOOL, "true");
		return true;
	case JSON_FALSE:
		add_scalar(tree, SCALAR_BOOL, "false");
		return true;
	case JSON_NULL:
		add_scalar(tree, SCALAR_NULL, "null");
		return true;
	case JSON_ERROR:
	case JSON_END:
		break;
	}
	finding_add(tree->findings, &rule_syntax, token_span(tree), "not JSON: %s",
		    tree->json.error);
	return false;
}

/* The tree of a text as long as the source's, whose places are the source's. */
static struct node *read_text(struct arena *arena, const struct source *source, const char *text,
			      struct findings *findings)
{
	struct tree *tree = arena_new(arena, struct tree);
	enum json_token token;
	size_t first;

	tree->arena = arena;
	tree->findings = findings;
	cursor_init(&tree->cursor, source);
	first = tree->cursor.offset; /* behind a byte order mark */
	json_open(&tree->json, arena, text, source->length);
	tree->json.at = first;
	while ((token = json_next(&tree->json)) != JSON_END)
		if (!take(tree, token))
			return NULL;
	return tree->root;
}

struct node *json_read(struct arena *arena, const struct source *source, struct findings *findings)
{
	if (!reader_accepts(source, findings))
		return NULL;
	reader_refuse_mark(source, findings,
			   "json.decoder.JSONDecodeError: Unexpected UTF-8 BOM (decode using "
			   "utf-8-sig): line 1 column 1 (char 0)");
	return read_text(arena, source, source->text, findings);
}

/* Behind the string that begins at `at`. */
static size_t skip_string(const char *text, size_t at)
{
	for (at++; text[at] && text[at] != '"' && text[at] != '\n'; at++)
		if (text[at] == '\\' && text[at + 1])
			at++;
	return text[at] == '"' ? at + 1 : at;
}

/* How long a comment that begins here is; 0 when none does. */
static size_t comment_length(const char *at)
{
	const char *end;

	if (at[0] == '#' || (at[0] == '/' && at[1] == '/'))
		return strcspn(at, "\n");
	if (at[0] != '/' || at[1] != '*')
		return 0;
	end = strstr(at + 2, "*/");
	return end ? (size_t)(end - at) + 2 : strlen(at);
}

static void blank(char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (text[i] != '\n')
			text[i] = ' ';
}

/* Blanks comments, and commas that nothing follows. */
static void blank_extras(char *text)
{
	size_t at = 0, comma = 0, length;
	bool after_comma = false;

	while (text[at]) {
		length = comment_length(text + at);
		blank(text + at, length);
		if (after_comma && strchr("]}", text[at]))
			text[comma] = ' ';
		if (text[at] == ',')
			comma = at;
		if (!strchr(" \t\r\n", text[at]))
			after_comma = text[at] == ',';
		if (text[at] == '"')
			at = skip_string(text, at);
		else
			at += length ? length : 1;
	}
}

struct node *json_read_loose(struct arena *arena, const struct source *source)
{
	char *text = arena_strndup(arena, source->text, source->length);
	struct findings unheard;

	findings_init(&unheard, arena);
	blank_extras(text);
	return read_text(arena, source, text, &unheard);
}
