#include "report/findings/json.h"

#include "base/text.h"

/* Members "line" to "end_column"; null when there is no place. */
static void put_span(struct json_writer *json, struct span span)
{
	if (!span_known(span)) {
		json_null(json, "span");
		return;
	}
	json_object(json, "span");
	json_int(json, "line", span.line);
	json_int(json, "column", span.column);
	json_int(json, "end_line", span.end_line);
	json_int(json, "end_column", span.end_column);
	json_object_end(json);
}

static const char *path_of(struct span span, const char *otherwise)
{
	return span_known(span) ? span.source->path : otherwise;
}

static void put_related(struct json_writer *json, const char *path, const struct finding *finding)
{
	size_t i;

	json_array(json, "related");
	for (i = 0; i < finding->related.count; i++) {
		const struct related *related = &finding->related.items[i];

		json_object(json, NULL);
		json_string(json, "message", related->message);
		json_string(json, "path", path_of(related->span, path));
		put_span(json, related->span);
		json_object_end(json);
	}
	json_array_end(json);
}

static void put_fix(struct json_writer *json, const struct finding *finding)
{
	size_t i;

	json_object(json, "fix");
	json_string(json, "description", finding->fix ? finding->fix : finding->rule->remedy);
	json_array(json, "edits");
	for (i = 0; i < finding->edits.count; i++) {
		json_object(json, NULL);
		put_span(json, finding->edits.items[i].span);
		json_string(json, "text", finding->edits.items[i].text);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

/* Where to read on: the source when it is a page, else the command that explains the rule. */
static void put_help(struct json_writer *json, const struct rule_id *rule)
{
	struct buf text;

	if (text_starts(rule->source, "https://")) {
		json_string(json, "help", rule->source);
		return;
	}
	buf_init(&text);
	buf_printf(&text, "parplan explain %s", rule->name);
	json_string(json, "help", text.data);
	buf_release(&text);
}

void finding_json(struct json_writer *json, const char *path, const struct finding *finding)
{
	json_object(json, NULL);
	json_string(json, "rule", finding->rule->name);
	json_string(json, "code", finding->rule->code);
	json_string(json, "severity", severity_name(finding->severity));
	json_string(json, "message", finding->message);
	json_string(json, "path", path_of(finding->span, path));
	put_span(json, finding->span);
	put_related(json, path, finding);
	json_string(json, "requested", finding->requested);
	json_string(json, "actual", finding->actual);
	json_string(json, "consequence", finding->consequence);
	json_string(json, "quote", finding->quote);
	put_fix(json, finding);
	put_help(json, finding->rule);
	json_object_end(json);
}
