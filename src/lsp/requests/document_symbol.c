#include "lsp/request.h"

#include "base/text.h"

/* SymbolKind: what a node is. */
enum { BOOLEAN = 17, NUMBER = 16, STRING = 15, ARRAY = 18, OBJECT = 19, NOTHING = 21 };
enum { MOST = 5000, DEEPEST = 60 };

static int kind_of(const struct node *node)
{
	static const int kinds[] = {
		[SCALAR_NULL] = NOTHING, [SCALAR_BOOL] = BOOLEAN,  [SCALAR_INT] = NUMBER,
		[SCALAR_FLOAT] = NUMBER, [SCALAR_STRING] = STRING,
	};

	if (node->kind == NODE_MAP)
		return OBJECT;
	return node->kind == NODE_LIST ? ARRAY : kinds[node->type];
}

/* From the key to the end of the value. */
static void put_ranges(const struct look *look, const struct node *node, struct json_writer *json)
{
	const struct source *source = look->source;
	const struct span key = node->key_span, value = node->span;
	const size_t start = source_offset(source, key.line, key.column);
	const size_t middle = source_offset(source, key.end_line, key.end_column);
	const size_t end = span_known(value) && value.source == source
				   ? source_offset(source, value.end_line, value.end_column)
				   : middle;

	position_bytes(json, "range", source, start, end > middle ? end : middle);
	position_bytes(json, "selectionRange", source, start, middle);
}

static void put_members(const struct look *look, const struct node *map, int depth, int *left,
			struct json_writer *json)
{
	const struct node *child;

	for (child = map->first; child && depth < DEEPEST; child = child->next) {
		if (!child->key || child->key_span.source != look->source || --*left < 0)
			continue;
		json_object(json, NULL);
		json_string(json, "name",
			    *child->key ? text_on_line(look->arena, child->key) : "\"\"");
		if (child->kind == NODE_SCALAR)
			json_string(json, "detail", text_on_line(look->arena, child->text));
		json_int(json, "kind", kind_of(child));
		put_ranges(look, child, json);
		json_array(json, "children");
		if (child->kind == NODE_MAP)
			put_members(look, child, depth + 1, left, json);
		json_array_end(json);
		json_object_end(json);
	}
}

static void answer(struct look *look, const struct node *params, struct json_writer *json)
{
	int left = MOST;

	(void)params;
	json_array(json, "result");
	if (look->known && look->root)
		put_members(look, look->root, 0, &left, json);
	json_array_end(json);
}

const struct lsp_request request_document_symbol = {
	.method = "textDocument/documentSymbol",
	.provider = "documentSymbolProvider",
	.answer = answer,
};
