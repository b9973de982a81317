#include "lsp/request.h"

#include "base/text.h"

#include <string.h>

static void describe(struct json_writer *json)
{
	json_array(json, "codeActionKinds");
	json_string(json, NULL, "quickfix");
	json_array_end(json);
}

/* Bytes of a range of the message. */
static bool touches(const struct look *look, const struct finding *finding,
		    const struct node *range)
{
	const struct span span = finding->span;
	const size_t start =
		position_offset(look->source, position_read(node_member(range, "start")));
	const size_t end = position_offset(look->source, position_read(node_member(range, "end")));

	return span_known(span) && span.source == look->source &&
	       source_offset(span.source, span.line, span.column) <= end &&
	       start <= source_offset(span.source, span.end_line, span.end_column);
}

/* Edits of one file, of which each must be known. */
static void put_edits(const struct look *look, const struct finding *finding, const char *uri,
		      struct json_writer *json)
{
	size_t i;

	json_array(json, uri);
	for (i = 0; i < finding->edits.count; i++) {
		const struct edit *edit = &finding->edits.items[i];
		if (strcmp(look_uri(look, edit->span), uri) != 0)
			continue;
		json_object(json, NULL);
		position_range(json, "range", edit->span);
		json_string(json, "newText", edit->text);
		json_object_end(json);
	}
	json_array_end(json);
}

static bool is_first_of_file(const struct look *look, const struct finding *finding, size_t which)
{
	const char *uri = look_uri(look, finding->edits.items[which].span);
	size_t i;

	for (i = 0; i < which; i++)
		if (!strcmp(look_uri(look, finding->edits.items[i].span), uri))
			return false;
	return true;
}

/* Half a fix is none: all of its places must be in files. */
static bool is_whole(const struct look *look, const struct finding *finding)
{
	size_t i;

	for (i = 0; i < finding->edits.count; i++)
		if (!span_known(finding->edits.items[i].span) ||
		    !look_uri(look, finding->edits.items[i].span))
			return false;
	return finding->edits.count > 0;
}

static void begin(const struct look *look, const struct finding *finding, const char *title,
		  bool preferred, struct json_writer *json)
{
	json_object(json, NULL);
	json_string(json, "title", text_on_line(look->arena, title));
	json_string(json, "kind", "quickfix");
	json_bool(json, "isPreferred", preferred);
	json_array(json, "diagnostics");
	diagnostic_write(look, finding, json);
	json_array_end(json);
	json_object(json, "edit");
	json_object(json, "changes");
}

static void end(struct json_writer *json)
{
	json_object_end(json);
	json_object_end(json);
	json_object_end(json);
}

static void put_fix(const struct look *look, const struct finding *finding,
		    struct json_writer *json)
{
	const struct edit *first = finding->edits.items;
	const char *title = finding->fix ? finding->fix : finding->rule->remedy;
	size_t i;

	if (finding->edits.count == 1 && *first->text && strlen(first->text) < 60)
		title = arena_printf(look->arena, "Write %s", first->text);
	begin(look, finding, title, true, json);
	for (i = 0; i < finding->edits.count; i++)
		if (is_first_of_file(look, finding, i))
			put_edits(look, finding, look_uri(look, finding->edits.items[i].span),
				  json);
	end(json);
}

/* A comment above the line that silences the rule there; JSON has none. */
static void put_silence(const struct look *look, const struct finding *finding,
			struct json_writer *json)
{
	size_t length;
	const char *line = source_line(look->source, finding->span.line, &length);
	const size_t start = (size_t)(line - look->source->text);
	const int indent = (int)strspn(line, " \t");

	if (text_ends(look->path, ".json") || finding->severity == SEVERITY_ERROR)
		return;
	begin(look, finding,
	      arena_printf(look->arena, "Ignore %s on this line", finding->rule->name), false,
	      json);
	json_array(json, look->text->uri);
	json_object(json, NULL);
	position_bytes(json, "range", look->source, start, start);
	json_string(json, "newText",
		    arena_printf(look->arena, "%.*s# parplan: ignore=%s\n",
				 indent <= (int)length ? indent : 0, line, finding->rule->name));
	json_object_end(json);
	json_array_end(json);
	end(json);
}

static void answer(struct look *look, const struct node *params, struct json_writer *json)
{
	const struct node *range = node_member(params, "range");
	size_t i;

	json_array(json, "result");
	for (i = 0; look->known && i < look->findings->list.count; i++) {
		const struct finding *finding = look->findings->list.items[i];
		if (!touches(look, finding, range))
			continue;
		if (is_whole(look, finding))
			put_fix(look, finding, json);
		if (!look->settings)
			put_silence(look, finding, json);
	}
	json_array_end(json);
}

const struct lsp_request request_code_action = {
	.method = "textDocument/codeAction",
	.provider = "codeActionProvider",
	.describe = describe,
	.answer = answer,
};
