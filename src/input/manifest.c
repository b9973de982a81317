#include "input/manifest.h"

#include "base/buf.h"
#include "base/text.h"

#include <ctype.h>
#include <string.h>

/* What starts processes, then what only says how they would be started. */
static const char *const kinds[] = {
	"PyTorchJob", "TrainJob",	 "HyperPodPyTorchJob",	   "MPIJob",
	"RayJob",     "JobSet",		 "LeaderWorkerSet",	   "RayCluster",
	"Job",	      "TrainingRuntime", "ClusterTrainingRuntime", "StatefulSet",
	"Pod",
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static const char *text_at(const struct node *root, const char *path)
{
	const struct node *node = node_find(root, path);

	return node && node->kind == NODE_SCALAR ? node->text : "";
}

bool manifest_is(const struct node *root)
{
	return node_member(root, "apiVersion") && node_member(root, "kind");
}

/* The place of its kind in the table; behind it for other manifests, last for no manifest. */
static size_t rank_of(const struct node *root)
{
	const char *kind = text_at(root, "kind");
	size_t i;

	if (!manifest_is(root))
		return KINDS + 1;
	for (i = 0; i < KINDS; i++)
		if (!strcmp(kinds[i], kind))
			break;
	return i;
}

struct node *manifest_main(struct node *documents)
{
	struct node *best = documents, *node;

	for (node = documents; node; node = node->next)
		if (rank_of(node) < rank_of(best))
			best = node;
	return best;
}

const struct node *manifest_find(const struct node *documents, const char *kind, const char *name)
{
	const struct node *node;

	for (node = documents; node; node = node->next)
		if (!strcmp(text_at(node, "kind"), kind) &&
		    (!name || !strcmp(text_at(node, "metadata.name"), name)))
			return node;
	return NULL;
}

/* The value of a key that starts a line, up to the end of the line; or NULL. */
static const char *head_value(const struct source *source, const char *key)
{
	size_t length;
	uint32_t line;

	for (line = 1; line <= source->line_count; line++) {
		const char *text = source_line(source, line, &length);
		if (length > strlen(key) && !memcmp(text, key, strlen(key)))
			return text + strlen(key);
	}
	return NULL;
}

bool manifest_is_template(const struct source *source)
{
	return text_mentions(source->text, source->length, "{{") &&
	       head_value(source, "apiVersion:") && head_value(source, "kind:");
}

/* The end of the action that begins at `at`, behind its "}}"; the text's end when it stays open. */
static size_t action_end(const struct source *source, size_t at)
{
	const char *close = strstr(source->text + at, "}}");

	return close ? (size_t)(close - source->text) + 2 : source->length;
}

/* True when the line that begins at `at` holds nothing but actions, one at least. */
static bool is_action_line(const struct source *source, size_t at)
{
	bool any = false;

	for (; at < source->length && source->text[at] != '\n'; at++) {
		if (text_starts(source->text + at, "{{")) {
			at = action_end(source, at) - 1;
			any = true;
		} else if (!isspace((unsigned char)source->text[at])) {
			return false;
		}
	}
	return any;
}

/* One character of an action: a letter, digit or '_' of a variable's name; breaks stay. */
static void put_inside(struct buf *out, unsigned char c)
{
	if (c == '\n' || c == '\r' || isalnum(c))
		buf_char(out, (char)c);
	else if ((c & 0xC0) != 0x80)
		buf_char(out, '_');
}

static void put_blank(struct buf *out, unsigned char c)
{
	if (c == '\n' || c == '\r')
		buf_char(out, (char)c);
	else if ((c & 0xC0) != 0x80)
		buf_char(out, ' ');
}

/* "{{ .Values.nodes }}" as "${__Values_nodes__}". */
static void put_variable(struct buf *out, const struct source *source, size_t at, size_t end)
{
	buf_text(out, "${");
	for (at += 2; at + 1 < end; at++)
		put_inside(out, (unsigned char)source->text[at]);
	buf_char(out, '}');
}

const char *manifest_without_actions(struct arena *arena, const struct source *source,
				     size_t *length)
{
	size_t at = 0, end;
	bool start = true, blank = false;
	const char *text;
	struct buf out;

	buf_init(&out);
	while (at < source->length) {
		if (start)
			blank = is_action_line(source, at);
		end = text_starts(source->text + at, "{{") ? action_end(source, at) : at + 1;
		start = source->text[end - 1] == '\n';
		if (end > at + 1 && !blank)
			put_variable(&out, source, at, end);
		else if (blank)
			for (; at < end; at++)
				put_blank(&out, (unsigned char)source->text[at]);
		else
			buf_char(&out, source->text[at]);
		at = end;
	}
	*length = out.length;
	text = arena_strndup(arena, out.data, out.length);
	buf_release(&out);
	return text;
}

static void put_head(struct arena *arena, const struct source *source, struct node *map,
		     const char *key)
{
	char *name = arena_strndup(arena, key, strlen(key) - 1);
	const char *value = head_value(source, key);
	size_t start, end;
	struct node *node;

	if (!value)
		return;
	value += strspn(value, " \t\"'");
	start = (size_t)(value - source->text);
	end = start + strcspn(value, " \t\"'\r\n#");
	node = node_scalar(arena, SCALAR_STRING, arena_strndup(arena, value, end - start),
			   source_span(source, start, end));
	node->key = name;
	node->key_span = node->span;
	node_append(map, node);
}

struct node *manifest_head(struct arena *arena, const struct source *source)
{
	struct node *map = node_container(arena, NODE_MAP, source_span(source, 0, source->length));

	put_head(arena, source, map, "apiVersion:");
	put_head(arena, source, map, "kind:");
	return map;
}
