#include "report/findings/catalogue.h"

#include "base/json.h"
#include "rules/known.h"
#include "rules/sayings.h"

#include <string.h>

/* What a rule needs, in words; facts that only make it silent are not listed. */
static const struct {
	enum need need;
	const char *text;
} needs[] = {
	{ NEEDS_WORLD, "the world size" },     { NEEDS_MODEL, "a model" },
	{ NEEDS_CLUSTER, "a cluster" },	       { NEEDS_DEVICE, "a device" },
	{ NEEDS_TORCHTITAN, "TorchTitan" },    { NEEDS_OTHER, "a framework other than TorchTitan" },
	{ NEEDS_RESUME, "checkpoint.resume" }, { NEEDS_EXPECT, "an expect: block" },
};

enum { NEEDS = sizeof(needs) / sizeof(*needs) };

static void put_needs(const struct rule *rule, struct buf *out)
{
	bool any = false;
	size_t i;

	for (i = 0; i < NEEDS; i++)
		if (rule->needs & needs[i].need) {
			buf_printf(out, "%s%s", any ? ", " : "", needs[i].text);
			any = true;
		}
	if (!any)
		buf_text(out, "nothing but the file");
}

static void put_heading(const char *heading, const struct style *style, struct buf *out)
{
	style_put(style, out, COLOR_BOLD);
	buf_text(out, heading);
	style_put(style, out, COLOR_PLAIN);
}

void catalogue_text(const struct style *style, struct buf *out)
{
	const struct ruleset *const *set;
	size_t i;

	for (set = rulesets; *set; set++) {
		if (set != rulesets)
			buf_char(out, '\n');
		put_heading((*set)->summary, style, out);
		buf_char(out, '\n');
		for (i = 0; i < (*set)->count; i++) {
			const struct rule_id *id = (*set)->rules[i].id;

			buf_printf(out, "  %s  ", id->code);
			style_put(style, out, style_severity(id->severity));
			buf_printf(out, "%-7s", severity_name(id->severity));
			style_put(style, out, COLOR_PLAIN);
			buf_printf(out, "  %s\n        ", id->name);
			wrap_text(out, id->summary, 8, 8, style->columns);
			buf_char(out, '\n');
		}
	}
	buf_text(out, "\nparplan explain RULE says more.\n");
}

static void put_json_needs(struct json_writer *json, const struct rule *rule)
{
	size_t i;

	json_array(json, "needs");
	for (i = 0; i < NEEDS; i++)
		if (rule->needs & needs[i].need)
			json_string(json, NULL, needs[i].text);
	json_array_end(json);
}

static void put_json_sayings(struct json_writer *json, const struct rule_id *id)
{
	struct saying_walk walk = { .id = id };
	const struct saying *saying;

	json_array(json, "says");
	while ((saying = saying_next(&walk))) {
		json_object(json, NULL);
		json_string(json, "speaker", saying->speaker);
		json_string(json, "text", saying->text);
		json_object_end(json);
	}
	json_array_end(json);
}

/* The words of a text separated by blanks, as strings of an array. */
static void put_json_words(struct json_writer *json, struct arena *arena, const char *key,
			   const char *text)
{
	size_t length;

	json_array(json, key);
	for (; *text; text += length) {
		text += strspn(text, " ");
		length = strcspn(text, " ");
		if (length)
			json_string(json, NULL, arena_strndup(arena, text, length));
	}
	json_array_end(json);
}

static void put_json_known(struct json_writer *json, struct arena *arena)
{
	const struct knowns *const *list;
	size_t i;

	json_array(json, "known");
	for (list = known_lists; *list; list++)
		for (i = 0; i < (*list)->count; i++) {
			const struct known *known = &(*list)->rows[i];
			json_object(json, NULL);
			json_string(json, "id", known->id);
			json_string(json, "what", known->what);
			put_json_words(json, arena, "rules", known->rules);
			json_string(json, "remark", known->remark);
			json_string(json, "source", known->source);
			json_object_end(json);
		}
	json_array_end(json);
}

void catalogue_json(struct arena *arena, struct buf *out)
{
	const struct rule *rule = NULL;
	struct json_writer json;

	json_begin(&json, out);
	json_object(&json, NULL);
	json_string(&json, "schema", "parplan.rules/1");
	json_array(&json, "rules");
	while ((rule = rule_next(rule))) {
		json_object(&json, NULL);
		json_string(&json, "name", rule->id->name);
		json_string(&json, "code", rule->id->code);
		json_string(&json, "topic", rule_topic(rule)->topic);
		json_string(&json, "severity", severity_name(rule->id->severity));
		json_string(&json, "evidence", evidence_name(rule->id->evidence));
		json_string(&json, "summary", rule->id->summary);
		json_string(&json, "explanation", rule->id->explanation);
		json_string(&json, "remedy", rule->id->remedy);
		json_string(&json, "source", rule->id->source);
		put_json_needs(&json, rule);
		put_json_sayings(&json, rule->id);
		json_object_end(&json);
	}
	json_array_end(&json);
	put_json_known(&json, arena);
	json_object_end(&json);
	buf_char(out, '\n');
}

static void put_paragraph(const char *label, const char *text, struct buf *out)
{
	buf_text(out, label);
	wrap_text(out, text, (int)strlen(label), 0, 100);
	buf_text(out, "\n\n");
}

static void put_markdown_sayings(const struct rule_id *id, struct buf *out)
{
	struct saying_walk walk = { .id = id };
	const struct saying *saying = saying_next(&walk);

	if (!saying)
		return;
	buf_text(out, "Seen as:\n\n");
	for (; saying; saying = saying_next(&walk))
		buf_printf(out, "* %s: `%s`\n", saying->speaker, saying->text);
	buf_char(out, '\n');
}

void catalogue_rule_markdown(const struct rule_id *id, struct buf *out)
{
	put_paragraph("", id->explanation, out);
	put_markdown_sayings(id, out);
	put_paragraph("Way out: ", id->remedy, out);
	put_paragraph("Source: ", id->source, out);
}

static void put_markdown_rule(const struct rule *rule, struct buf *out)
{
	const struct rule_id *id = rule->id;

	buf_printf(out, "### %s\n\n", id->name);
	buf_printf(out, "`%s`, at most %s, evidence: %s; needs ", id->code,
		   severity_name(id->severity), evidence_name(id->evidence));
	put_needs(rule, out);
	buf_printf(out, ".\n**%s.**\n\n", id->summary);
	catalogue_rule_markdown(id, out);
}

static void put_markdown_known(const struct known *known, struct buf *out)
{
	buf_printf(out, "| %s | %s%s", known->id, known->what, *known->source ? "" : " |");
	if (*known->source)
		buf_printf(out, " ([source](%s)) |", known->source);
	if (*known->rules)
		buf_printf(out, " %s", known->rules);
	else
		buf_text(out, " out of reach:");
	buf_printf(out, "%s%s |\n",
		   !*known->remark ? ""
		   : *known->rules ? "; "
				   : " ",
		   known->remark);
}

static void put_markdown_knowns(struct buf *out)
{
	const struct knowns *const *list;
	size_t i;

	buf_text(out,
		 "# What has bitten people\n\n"
		 "Every known defect of the frameworks and every mistake seen in real configs,\n"
		 "with the rules that find it or the reason why no look at a config can.\n");
	for (list = known_lists; *list; list++) {
		buf_printf(out, "\n## %s\n\n| | what | found by |\n|---|---|---|\n",
			   (*list)->summary);
		for (i = 0; i < (*list)->count; i++)
			put_markdown_known(&(*list)->rows[i], out);
	}
}

void catalogue_markdown(struct buf *out)
{
	const struct ruleset *const *set;
	size_t i;

	buf_text(out,
		 "# Rules\n\n"
		 "Made by `parplan rules --format markdown`; a test holds the two together.\n\n"
		 "The severity is the highest a rule can have. A version that was inferred and a\n"
		 "claim that holds for a part of the interval only lower an error to a warning.\n"
		 "Evidence says how a claim is known: run (seen in a run, ours or upstream's), "
		 "read\n"
		 "(the code was read), reported (a thread says so; at most a warning), derived\n"
		 "(computed from the code, never run; at most a note).\n\n");
	for (set = rulesets; *set; set++) {
		buf_printf(out, "## %s\n\n", (*set)->summary);
		for (i = 0; i < (*set)->count; i++)
			put_markdown_rule(&(*set)->rules[i], out);
	}
	put_markdown_knowns(out);
}

static void put_section(const char *heading, const char *text, const struct style *style,
			struct buf *out)
{
	put_heading(heading, style, out);
	buf_text(out, "\n  ");
	wrap_text(out, text, 2, 2, style->columns);
	buf_char(out, '\n');
}

static void put_explained_sayings(const struct rule_id *id, const struct style *style,
				  struct buf *out)
{
	struct saying_walk walk = { .id = id };
	const struct saying *saying = saying_next(&walk);

	if (!saying)
		return;
	put_heading("Seen as", style, out);
	buf_char(out, '\n');
	for (; saying; saying = saying_next(&walk)) {
		buf_printf(out, "  %s: ", saying->speaker);
		wrap_text(out, saying->text, 4 + (int)strlen(saying->speaker), 4, style->columns);
		buf_char(out, '\n');
	}
}

void catalogue_explain(const struct rule *rule, const struct style *style, struct buf *out)
{
	const struct rule_id *id = rule->id;
	struct buf text;

	buf_init(&text);
	style_put(style, out, style_severity(id->severity));
	buf_text(out, id->name);
	style_put(style, out, COLOR_PLAIN);
	buf_printf(out, " (%s): at most %s, evidence: %s\n", id->code, severity_name(id->severity),
		   evidence_name(id->evidence));
	put_section("What", id->summary, style, out);
	put_section("Why and when", id->explanation, style, out);
	put_needs(rule, &text);
	put_section("Needs", text.data, style, out);
	put_explained_sayings(id, style, out);
	put_section("Way out", id->remedy, style, out);
	put_section("Source", id->source, style, out);
	buf_release(&text);
}
