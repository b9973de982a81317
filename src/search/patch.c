#include "search/patch.h"

#include "base/buf.h"
#include "base/text.h"
#include "input/field.h"
#include "input/syntax/reader.h"

#include <string.h>

enum syntax_kind { KIND_YAML, KIND_TOML, KIND_JSON };

static enum syntax_kind kind_of(const struct source *source)
{
	const char *syntax = document_syntax(source);

	if (!strcmp(syntax, "TOML"))
		return KIND_TOML;
	return !strcmp(syntax, "JSON") ? KIND_JSON : KIND_YAML;
}

bool patch_can(const struct document *document)
{
	return !document->shell && !document->task && !document->manifest &&
	       !document->launched_by && document->source->length > 0;
}

/* Whether its lines end as those of Windows do. */
static bool has_returns(const struct source *source)
{
	const char *end = memchr(source->text, '\n', source->length);

	return end && end > source->text && end[-1] == '\r';
}

/* A text with [start, end) of it replaced; new lines end as the others do. */
static const char *spliced(struct arena *arena, const struct source *source, size_t start,
			   size_t end, const char *by)
{
	const bool returns = has_returns(source);
	const char *text;
	struct buf out;

	buf_init(&out);
	buf_bytes(&out, source->text, start);
	for (; *by; by++) {
		if (*by == '\n' && returns)
			buf_char(&out, '\r');
		buf_char(&out, *by);
	}
	buf_bytes(&out, source->text + end, source->length - end);
	text = arena_strdup(arena, out.data);
	buf_release(&out);
	return text;
}

/* A scalar as the syntax writes it, or a list in brackets; `text`: what looks like a number is a
 * word, too. */
static const char *scalar_text(struct arena *arena, enum syntax_kind kind, const char *value,
			       bool text)
{
	double number;
	const bool numeric = text_to_double(value, &number);

	if (words_have("true|false|null", value) || (numeric && !text) || *value == '[')
		return value;
	if (kind == KIND_YAML && !numeric &&
	    !value[strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				 "_-./")])
		return value;
	return arena_printf(arena, "\"%s\"", value);
}

static size_t start_of(const struct source *source, struct span span)
{
	return source_offset(source, span.line, span.column);
}

static size_t end_of(const struct source *source, struct span span)
{
	return source_offset(source, span.end_line, span.end_column);
}

/* ---- a key that is not there ---- */

/* The last scalar below a node, or the node itself. */
static const struct node *last_below(const struct node *node)
{
	while (node->kind != NODE_SCALAR && node->last)
		node = node->last;
	return node;
}

/* "a: {b: VALUE}" of what is left of the path. */
static const char *nested(struct arena *arena, enum syntax_kind kind, const char *path,
			  const char *value)
{
	const char *rest = path, *quote = kind == KIND_JSON ? "\"" : "";
	const char *part = node_path_part(arena, &rest);

	if (!part)
		return NULL;
	if (*rest == '.')
		rest++;
	if (!*rest)
		return arena_printf(arena, "%s%s%s: %s", quote, part, quote, value);
	value = nested(arena, kind, rest, value);
	return value ? arena_printf(arena, "%s%s%s: {%s}", quote, part, quote, value) : NULL;
}

static size_t line_end(const struct source *source, size_t at)
{
	while (at < source->length && source->text[at] != '\n')
		at++;
	return at < source->length && at && source->text[at - 1] == '\r' ? at - 1 : at;
}

/* Whether the last member ends its line, but for a comma and a comment (JSON has none). */
static bool ends_line(const struct source *source, size_t at)
{
	const char *rest = source->text + at;

	rest += *rest == ',';
	rest += strspn(rest, " \t");
	return !*rest || strchr("#\r\n", *rest);
}

/* Behind the last member: on a line of its own where that has one. */
static const char *put_in_flow(struct arena *arena, const struct source *source,
			       const struct node *map, const char *member)
{
	const struct node *last = map->last;
	size_t at, end;
	bool comma;

	if (!last) {
		at = start_of(source, map->span) + 1;
		return spliced(arena, source, at, at, member);
	}
	at = end_of(source, last->span);
	if (last->key_span.line == map->span.line || !ends_line(source, at))
		return spliced(arena, source, at, at, arena_join(arena, ", ", member, ""));
	comma = source->text[at] == ',';
	end = line_end(source, at);
	return spliced(arena, source, at, end,
		       arena_printf(arena, "%s%.*s\n%*s%s%s", comma ? "" : ",", (int)(end - at),
				    source->text + at, (int)last->key_span.column - 1, "", member,
				    comma ? "," : ""));
}

static const char *put_in_block(struct arena *arena, const struct source *source,
				const struct node *map, const char *member)
{
	const struct node *first = map->first, *last;
	struct span end;
	size_t at;

	if (!first)
		return NULL;
	last = last_below(map);
	end = last == map ? map->span : last->span;
	at = line_end(source, end_of(source, end));
	return spliced(arena, source, at, at,
		       arena_printf(arena, "\n%*s%s", (int)first->key_span.column - 1, "", member));
}

static const char *put_member(struct arena *arena, const struct source *source,
			      enum syntax_kind kind, const struct node *map, const char *path,
			      const char *value)
{
	const char opening = source->text[start_of(source, map->span)];
	const bool quoted =
		map->first && source->text[start_of(source, map->first->key_span)] == '"';
	const char *member = nested(arena, quoted ? KIND_JSON : kind, path, value);

	if (!member)
		return NULL;
	if (kind == KIND_JSON || (span_known(map->span) && opening == '{'))
		return put_in_flow(arena, source, map, member);
	return put_in_block(arena, source, map, member);
}

/* The line behind the header of a table, or 0. */
static size_t behind_header(struct arena *arena, const struct source *source, const char *table)
{
	const char *header = arena_join(arena, "[", table, "]");
	const size_t length = strlen(header);
	uint32_t line;

	for (line = 1; line <= source->line_count; line++) {
		size_t size;
		const char *text = source_line(source, line, &size);
		const size_t blanks = strspn(text, " \t");
		if (size >= blanks + length && !strncmp(text + blanks, header, length))
			return line_end(source, (size_t)(text - source->text));
	}
	return 0;
}

static const char *put_in_table(struct arena *arena, const struct source *source, const char *path,
				const char *value)
{
	const char *dot = strrchr(path, '.');
	const char *table = dot ? arena_strndup(arena, path, (size_t)(dot - path)) : NULL;
	size_t at;

	if (!dot)
		return spliced(arena, source, 0, 0, arena_printf(arena, "%s = %s\n", path, value));
	at = behind_header(arena, source, table);
	if (at)
		return spliced(arena, source, at, at,
			       arena_printf(arena, "\n%s = %s", dot + 1, value));
	return spliced(
		arena, source, source->length, source->length,
		arena_printf(arena, "%s\n[%s]\n%s = %s\n",
			     source->length && source->text[source->length - 1] == '\n' ? "" : "\n",
			     table, dot + 1, value));
}

/* ---- a flag that is gone ---- */

/* Whether its map is a command line, where what is not said is left out: "MODEL_ARGS.--bf16". */
static bool is_flag(const char *path)
{
	const char *dot = strrchr(path, '.');

	return text_starts(dot ? dot + 1 : path, "--");
}

/* Without the line that a member of a map in block style has to itself. */
static const char *without(struct arena *arena, const struct source *source,
			   const struct node *node)
{
	size_t end = line_end(source, end_of(source, node->span));
	size_t start = start_of(source, node->key_span);

	while (start > 0 && source->text[start - 1] == ' ')
		start--;
	if (start > 0 && source->text[start - 1] != '\n')
		return NULL;
	end += end < source->length && source->text[end] == '\r';
	return spliced(arena, source, start, end + (end < source->length), "");
}

/* ---- a value at a path ---- */

/* JSON with comments, and YAML in braces, have been read as a config: for a framework that may. */
static struct node *read_tree(struct arena *arena, const struct source *source,
			      enum syntax_kind kind)
{
	struct node *root = NULL;
	struct findings findings;

	findings_init(&findings, arena);
	if (kind == KIND_TOML)
		return toml_read(arena, source, &findings);
	if (kind == KIND_JSON) {
		root = json_read(arena, source, &findings);
		root = root ? root : json_read_loose(arena, source);
	}
	return root ? root : yaml_read(arena, source, &findings);
}

/* The member of that name, or the one whose dashes are as good as its underscores: a framework to
 * which they are not reads the text back as another job. */
static const struct node *member_like(struct arena *arena, const struct node *map, const char *name)
{
	const struct node *child = node_member(map, name);
	char *key, *at;

	if (child)
		return child;
	for (child = map->first; child; child = child->next) {
		key = arena_strdup(arena, child->key);
		while ((at = strchr(key, '-')))
			*at = '_';
		if (!strcmp(key, name))
			return child;
	}
	return NULL;
}

/* Where a path leads as far as it can be followed, and what is left of it. */
static const struct node *follow(struct arena *arena, const struct node *node, const char **rest)
{
	while (node->kind == NODE_MAP && **rest) {
		const char *after = *rest, *part = node_path_part(arena, &after);
		const struct node *child = part ? member_like(arena, node, part) : NULL;
		if (!child)
			return node;
		*rest = after + (*after == '.');
		node = child;
	}
	return node;
}

/* Puts a member that is not there. */
static const char *put_new(struct arena *arena, const struct source *source, enum syntax_kind kind,
			   const struct node *map, const char *path, const char *rest,
			   const char *value)
{
	return kind == KIND_TOML ? put_in_table(arena, source, path, value)
				 : put_member(arena, source, kind, map, rest, value);
}

const char *patch_text(struct arena *arena, const struct source *source, const char *path,
		       const char *value, bool text)
{
	const enum syntax_kind kind = kind_of(source);
	const struct node *node = read_tree(arena, source, kind);
	const bool gone = is_flag(path) && words_have("null|false", value);
	const char *rest = path;

	if (!node || (kind == KIND_TOML && !strcmp(value, "null"))) /* it has none */
		return NULL;
	value = scalar_text(arena, kind, value, text);
	node = follow(arena, node, &rest);
	if (*rest && node->kind == NODE_MAP)
		return gone ? source->text : put_new(arena, source, kind, node, path, rest, value);
	if (*rest || node->kind != (*value == '[' ? NODE_LIST : NODE_SCALAR) ||
	    !span_known(node->span))
		return NULL;
	return gone ? without(arena, source, node)
		    : spliced(arena, source, start_of(source, node->span),
			      end_of(source, node->span), value);
}
