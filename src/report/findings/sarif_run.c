#include "report/findings/sarif.h"

#include "base/text.h"
#include "report/findings/catalogue.h"

#include <ctype.h>
#include <string.h>

static void put_message(struct json_writer *json, const char *key, const char *text)
{
	json_object(json, key);
	json_string(json, "text", text);
	json_object_end(json);
}

/* "degrees-product" as SARIF likes its names: "DegreesProduct". */
static void put_name(struct json_writer *json, const char *name)
{
	struct buf buf;
	bool starts = true;

	buf_init(&buf);
	for (; *name; name++) {
		if (*name != '-')
			buf_char(&buf, (char)(starts ? toupper((unsigned char)*name) : *name));
		starts = *name == '-';
	}
	json_string(json, "name", buf.data);
	buf_release(&buf);
}

static void put_help(struct json_writer *json, const struct rule *rule)
{
	struct buf buf;

	buf_init(&buf);
	catalogue_rule_markdown(rule->id, &buf);
	json_object(json, "help");
	json_string(json, "text", rule->id->remedy);
	json_string(json, "markdown", buf.data);
	json_object_end(json);
	buf_clear(&buf);
	buf_bytes(&buf, rule->id->source, strcspn(rule->id->source, " ,;"));
	if (text_starts(buf.data, "https://"))
		json_string(json, "helpUri", buf.data);
	buf_release(&buf);
}

/* What code scanning sorts by: how often a finding of the rule is right, from how it is known. */
static const char *const precisions[] = {
	[EVIDENCE_DERIVED] = "low",
	[EVIDENCE_REPORTED] = "medium",
	[EVIDENCE_READ] = "high",
	[EVIDENCE_RUN] = "very-high",
};

static const char *const problems[] = {
	[SEVERITY_NOTE] = "recommendation",
	[SEVERITY_WARNING] = "warning",
	[SEVERITY_ERROR] = "error",
};

/* A reportingDescriptor. */
static void put_descriptor(struct json_writer *json, const struct rule *rule)
{
	const struct rule_id *id = rule->id;

	json_object(json, NULL);
	json_string(json, "id", id->name);
	put_name(json, id->name);
	put_message(json, "shortDescription", id->summary);
	put_message(json, "fullDescription", id->explanation);
	put_help(json, rule);
	json_object(json, "defaultConfiguration");
	json_string(json, "level", severity_name(id->severity));
	json_object_end(json);
	json_object(json, "properties");
	json_array(json, "tags");
	json_string(json, NULL, rule_topic(rule)->topic);
	json_array_end(json);
	json_string(json, "code", id->code);
	json_string(json, "precision", precisions[id->evidence]);
	json_string(json, "problem.severity", problems[id->severity]);
	json_object_end(json);
	json_object_end(json);
}

/* The member "tool", up to the array of its rules, which is open then. */
static void open_tool(struct json_writer *json, const char *version)
{
	json_object(json, "tool");
	json_object(json, "driver");
	json_string(json, "name", "parplan");
	if (version)
		json_string(json, "version", version);
	json_array(json, "rules");
}

static void close_tool(struct json_writer *json)
{
	json_array_end(json);
	json_object_end(json);
	json_object_end(json);
}

void sarif_tool(struct json_writer *json, const char *version, const struct rule_id *const *rules,
		size_t count)
{
	size_t i;

	open_tool(json, version);
	for (i = 0; i < count; i++)
		put_descriptor(json, rule_find(rules[i]->name));
	close_tool(json);
}

void sarif_open(struct json_writer *json, struct buf *out)
{
	json_begin(json, out);
	json_object(json, NULL);
	json_string(json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	json_string(json, "version", "2.1.0");
	json_array(json, "runs");
	json_object(json, NULL);
	json_string(json, "columnKind", "unicodeCodePoints");
	json_object(json, "originalUriBaseIds");
	json_object(json, "%SRCROOT%");
	put_message(json, "description", "the folder in which parplan was run");
	json_object_end(json);
	json_object_end(json);
	json_array(json, "results");
}

void sarif_close(struct json_writer *json)
{
	json_object_end(json);
	json_array_end(json);
	json_object_end(json);
	buf_char(json->out, '\n');
}

void sarif_catalogue(const char *version, struct buf *out)
{
	const struct rule *rule = NULL;
	struct json_writer json;

	sarif_open(&json, out);
	json_array_end(&json);
	open_tool(&json, version);
	while ((rule = rule_next(rule)))
		put_descriptor(&json, rule);
	close_tool(&json);
	sarif_close(&json);
}
