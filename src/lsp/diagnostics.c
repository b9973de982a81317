#include "lsp/request.h"

#include "base/text.h"
#include "report/findings/remarks.h"

#include <string.h>

/* DiagnosticSeverity: 1 error, 2 warning, 3 information. */
static const int severities[] = {
	[SEVERITY_NOTE] = 3,
	[SEVERITY_WARNING] = 2,
	[SEVERITY_ERROR] = 1,
};

/* DiagnosticTag: 2, struck out. */
enum { DEPRECATED = 2 };

/* Lines behind the first are not told apart from those of the message but by their indentation. */
static const char *indented(struct arena *arena, const char *text)
{
	const char *whole = "";
	size_t length;

	for (; text[length = strcspn(text, "\n")]; text += length + 1)
		whole = arena_printf(arena, "%s%.*s\n  ", whole, (int)length, text);
	return arena_join(arena, whole, text, "");
}

static const char *message_of(const struct look *look, const struct finding *finding)
{
	struct remark remarks[REMARKS];
	const size_t count = remarks_of(look->arena, finding, remarks);
	const char *text = text_on_line(look->arena, finding->message);
	size_t i;

	if (span_known(finding->span) && finding->span.source != look->source)
		text = arena_printf(look->arena, "%s (%s:%u:%u)", text,
				    text_on_line(look->arena, finding->span.source->path),
				    (unsigned int)finding->span.line,
				    (unsigned int)finding->span.column);
	for (i = 0; i < count; i++)
		text = arena_printf(look->arena, "%s\n%s: %s", text, remarks[i].label,
				    indented(look->arena, remarks[i].text));
	return text;
}

static void put_related(const struct look *look, const struct finding *finding,
			struct json_writer *json)
{
	size_t i;

	json_array(json, "relatedInformation");
	for (i = 0; i < finding->related.count; i++) {
		const struct related *related = &finding->related.items[i];
		const char *uri = look_uri(look, related->span);
		if (!uri || !span_known(related->span))
			continue;
		json_object(json, NULL);
		json_object(json, "location");
		json_string(json, "uri", uri);
		position_range(json, "range", related->span);
		json_object_end(json);
		json_string(json, "message", text_on_line(look->arena, related->message));
		json_object_end(json);
	}
	json_array_end(json);
}

void diagnostic_write(const struct look *look, const struct finding *finding,
		      struct json_writer *json)
{
	const bool here = finding->span.source == look->source;

	json_object(json, NULL);
	position_range(json, "range", here ? finding->span : (struct span) { 0 });
	json_int(json, "severity", severities[finding->severity]);
	json_string(json, "code", finding->rule->name);
	json_string(json, "source", "parplan");
	json_string(json, "message", message_of(look, finding));
	if (finding->rule == &rule_renamed_key) {
		json_array(json, "tags");
		json_int(json, NULL, DEPRECATED);
		json_array_end(json);
	}
	put_related(look, finding, json);
	json_object_end(json);
}

void diagnostics_write(const struct look *look, struct json_writer *json)
{
	size_t i;

	json_array(json, "diagnostics");
	for (i = 0; look->known && i < look->findings->list.count; i++)
		diagnostic_write(look, look->findings->list.items[i], json);
	json_array_end(json);
}
