#include "input/syntax/reader.h"

#include "base/text.h"
#include "input/node.h"

#include <string.h>

const struct rule_id rule_syntax = {
	.name = "syntax-error",
	.code = "S001",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_RUN,
	.summary = "the text is not well-formed YAML, TOML or JSON",
	.explanation = "Nothing can be said about a config that its own loader would refuse. YAML "
		       "is read as "
		       "PyYAML's safe loader reads it, TOML as version 1.0, JSON as RFC 8259; text "
		       "is UTF-8.",
	.remedy = "Correct the text at the place shown; parplan has read nothing behind it.",
	.source = "YAML 1.1; TOML 1.0.0; RFC 8259",
};

const struct rule_id rule_duplicate_key = {
	.name = "duplicate-key",
	.code = "S002",
	.severity = SEVERITY_WARNING,
	.evidence = EVIDENCE_RUN,
	.summary = "a key is given twice in one map and the first value is lost",
	.explanation =
		"PyYAML and Python's json module keep the last value of a repeated key and say "
		"nothing, "
		"so an edit of the first one has no effect. TOML refuses repeated keys altogether.",
	.remedy = "Delete the line that is not meant.",
	.source = "PyYAML 6.0 BaseConstructor.construct_mapping; Python json.JSONDecoder",
};

const struct rule_id rule_too_large = {
	.name = "too-large",
	.code = "S003",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_RUN,
	.summary = "the text is larger or nested more deeply than any config",
	.explanation =
		"Configs of more than 4 MiB, more than 50,000 values, 100 levels of nesting or "
		"100,000 nodes copied by aliases are not read, so that a broken or hostile file "
		"costs no time or "
		"memory.",
	.remedy = "Check that this is the file you meant.",
	.source = "a limit of parplan's own",
};

const struct rule_id rule_several_documents = {
	.name = "several-documents",
	.code = "S004",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_RUN,
	.summary = "the YAML file holds more than one document",
	.explanation = "PyYAML's safe_load, which the frameworks call, raises ComposerError "
		       "\"expected a single "
		       "document in the stream\" when '---' starts a second one.",
	.remedy = "Keep one document per file; only the first one has been looked at.",
	.source = "PyYAML 6.0 Composer.get_single_node",
};

/* The first byte that may not stand in any config: a control character other than tab and breaks.
 */
static bool find_control(const struct source *source, size_t *at)
{
	size_t i;

	for (i = 0; i < source->length; i++) {
		unsigned char c = (unsigned char)source->text[i];
		if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F) {
			*at = i;
			return true;
		}
	}
	return false;
}

static bool report_encoding(const struct source *source, size_t bad, struct findings *findings)
{
	unsigned char c = (unsigned char)source->text[bad];
	struct finding *finding =
		finding_add(findings, &rule_syntax, source_span(source, bad, bad + 1),
			    "the byte 0x%02X is not valid UTF-8 here", c);

	if (bad == 0 && (c == 0xFF || c == 0xFE))
		finding_fix(
			findings, finding,
			"the file looks like UTF-16: save it as UTF-8 (iconv -f UTF-16 -t UTF-8)");
	else
		finding_fix(findings, finding, "save the file as UTF-8");
	return false;
}

static bool report_control(const struct source *source, size_t at, struct findings *findings)
{
	struct finding *finding =
		finding_add(findings, &rule_syntax, source_span(source, at, at + 1),
			    "the control character 0x%02X is not allowed in a config",
			    (unsigned char)source->text[at]);

	finding_fix(findings, finding, "check that this is a text file, and delete the character");
	return false;
}

/* A line that git leaves where two edits collide; false after a finding. */
static bool has_no_conflict(const struct source *source, struct findings *findings)
{
	static const char marker[] = "<<<<<<< ";
	struct finding *finding;
	uint32_t line;
	size_t length;

	for (line = 1; line <= source->line_count; line++) {
		const char *text = source_line(source, line, &length);
		if (length < strlen(marker) || memcmp(text, marker, strlen(marker)) != 0)
			continue;
		length += source->lines[line - 1];
		finding = finding_add(findings, &rule_syntax,
				      source_span(source, source->lines[line - 1], length),
				      "the file holds an unresolved merge conflict");
		finding_fix(findings, finding,
			    "keep one side and delete the lines with '<<<<<<<', '=======' and "
			    "'>>>>>>>'");
		return false;
	}
	return true;
}

bool reader_accepts(const struct source *source, struct findings *findings)
{
	size_t bad, control;
	bool valid, clean;

	if (source->length > READER_BYTES) {
		finding_add(findings, &rule_too_large, source_span(source, 0, 0),
			    "the text has %zu bytes; configs of at most %d are read",
			    source->length, READER_BYTES);
		return false;
	}
	valid = text_is_utf8(source->text, source->length, &bad);
	clean = !find_control(source, &control);
	if (!valid && (clean || bad < control))
		return report_encoding(source, bad, findings);
	return clean ? has_no_conflict(source, findings)
		     : report_control(source, control, findings);
}

void reader_refuse_mark(const struct source *source, struct findings *findings,
			const char *exception)
{
	struct finding *finding;

	if (!source->lines[0])
		return;
	finding =
		finding_add(findings, &rule_syntax, source_span(source, 0, source->lines[0]),
			    "the file starts with a byte order mark, which Python's reader of this "
			    "syntax refuses");
	finding_quote(findings, finding, "%s", exception);
	finding_fix(findings, finding, "save the file as UTF-8 without byte order mark");
}

/* Whether two values of one key read the same. */
static bool is_same_scalar(const struct node *a, const struct node *b)
{
	return a->kind == NODE_SCALAR && b->kind == NODE_SCALAR && a->type == b->type &&
	       strcmp(a->text, b->text) == 0;
}

void reader_duplicate(struct findings *findings, const struct node *old, const struct node *now)
{
	enum { ENOUGH = 200 };
	struct finding *finding;

	if (findings->list.count >= ENOUGH)
		return;
	finding = finding_add(findings, &rule_duplicate_key, now->key_span,
			      "the key '%.80s' is given twice in this map: %s is lost, %s counts",
			      now->key, node_describe(findings->arena, old),
			      node_describe(findings->arena, now));
	finding_relate(findings, finding, old->key_span, "first given here");
	if (is_same_scalar(old, now))
		finding_cap(finding, SEVERITY_NOTE);
}
