#include "lsp/request.h"

#include "base/io.h"
#include "base/text.h"
#include "lsp/uri.h"

#include <string.h>

static void put_location(struct json_writer *json, const char *uri, struct span span)
{
	json_object(json, "result");
	json_string(json, "uri", uri);
	position_range(json, "range", span);
	json_object_end(json);
}

/* A file that was read because the text names it: an include, a parent, a DeepSpeed file. */
static const char *file_of(const struct look *look, const char *name)
{
	const struct document *document = &look->job.document;
	const char *base = strrchr(name, '/');
	size_t i;

	base = base ? base + 1 : name;
	for (i = 0; *base && i < document->loaded.count; i++) {
		const char *path = document->loaded.items[i], *slash = strrchr(path, '/');
		const char *leaf = slash ? slash + 1 : path;
		const bool same = text_starts(leaf, base) &&
				  (!leaf[strlen(base)] || leaf[strlen(base)] == '.');
		if (same && io_exists(path))
			return path;
	}
	return NULL;
}

/* The node that "${a.b}" stands for, in the file or in what it is made of. */
static const struct node *named_by(const struct look *look, const struct node *node)
{
	const char *open = strstr(node->text, "${"), *close = open ? strchr(open, '}') : NULL;

	return close ? node_find(look->root,
				 arena_strndup(look->arena, open + 2, (size_t)(close - open - 2)))
		     : NULL;
}

/* What is written at that byte, between blanks, quotes and brackets. */
static const char *word_at(const struct look *look, size_t offset)
{
	static const char between[] = " \t\r\n\"'[]{},:=";
	const char *text = look->source->text;
	size_t start = offset, end = offset;

	while (start && !strchr(between, text[start - 1]))
		start--;
	while (end < look->source->length && !strchr(between, text[end]))
		end++;
	return arena_strndup(look->arena, text + start, end - start);
}

/* Where the value that holds was given: a parent's file, the settings of the repository. */
static const struct setting *set_elsewhere(const struct look *look, const struct node *node)
{
	const struct setting *setting = node ? look_setting(look, node) : NULL;

	while (setting && setting->parent_count && setting->origin == ORIGIN_DERIVED)
		setting = setting->parents[0];
	return setting && span_known(setting->span) &&
			       !position_within(look->source, node->span,
						setting->span.source == look->source
							? source_offset(look->source,
									setting->span.line,
									setting->span.column)
							: look->source->length + 1)
		       ? setting
		       : NULL;
}

static void answer(struct look *look, const struct node *params, struct json_writer *json)
{
	const size_t offset = request_offset(look, params);
	const struct node *node = look_node(look, offset), *named;
	const char *file = file_of(look, word_at(look, offset));
	const struct setting *setting = set_elsewhere(look, node);

	named = node && node->kind == NODE_SCALAR ? named_by(look, node) : NULL;
	if (file)
		put_location(json, uri_of(look->arena, file), (struct span) { 0 });
	else if (named && look_uri(look, named->span))
		put_location(json, look_uri(look, named->span), named->span);
	else if (setting && look_uri(look, setting->span))
		put_location(json, look_uri(look, setting->span), setting->span);
	else
		json_null(json, "result");
}

const struct lsp_request request_definition = {
	.method = "textDocument/definition",
	.provider = "definitionProvider",
	.answer = answer,
};
