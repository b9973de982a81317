#include "input/syntax/yaml_error.h"

#include "base/text.h"
#include "input/node.h"
#include "input/syntax/reader.h"

#include <stdbool.h>
#include <string.h>

/* What the finding points at: where libyaml stopped, or where the thing it was reading began. */
enum shown { SHOWN_END, SHOWN_START };

struct wording {
	enum shown shown;
	const char *problem;  /* libyaml's */
	const char *sentence; /* ours */
	const char *fix;
};

static const struct wording wordings[] = {
	{ SHOWN_START, "could not find expected ':'", "a key starts here, but no ':' follows it",
	  "write 'key: value', or quote a text that goes over several lines" },
	{ SHOWN_END, "mapping values are not allowed in this context",
	  "a ':' cannot stand here: it would start a map inside a value",
	  "quote a value that contains ': ', put a space after the ':' of a key, and indent the "
	  "keys of one map alike" },
	{ SHOWN_END, "mapping keys are not allowed in this context", "a key cannot stand here",
	  "start the key on a line of its own, indented like its neighbours" },
	{ SHOWN_END, "did not find expected key", "this line does not belong to the map it is in",
	  "indent the keys of one map alike, and close open quotes and brackets" },
	{ SHOWN_END, "did not find expected '-' indicator",
	  "this line does not belong to the list it is in",
	  "start every item of the list with '- ', all indented alike" },
	{ SHOWN_END, "block sequence entries are not allowed in this context",
	  "a list item '-' cannot stand here",
	  "start the list on the line below its key, or write it as [a, b]" },
	{ SHOWN_END, "did not find expected ',' or ']'", "',' or ']' is missing in this list",
	  "separate the items with ',' and close the list with ']'" },
	{ SHOWN_END, "did not find expected ',' or '}'", "',' or '}' is missing in this map",
	  "separate the members with ',' and close the map with '}'" },
	{ SHOWN_START, "found unexpected end of stream",
	  "the string that starts here is never closed",
	  "close the string with the quote it starts with" },
	{ SHOWN_END, "found unexpected document indicator",
	  "a '---' or '...' line stands inside a quoted string",
	  "close the string before that line, or indent the line" },
	{ SHOWN_END, "found unknown escape character", "the character after '\\' makes no escape",
	  "use single quotes, in which '\\' is an ordinary character, or write '\\\\'" },
	{ SHOWN_END, "did not find expected hexdecimal number",
	  "the escape lacks hexadecimal digits",
	  "write \\x with 2, \\u with 4 or \\U with 8 hexadecimal digits" },
	{ SHOWN_END, "found invalid Unicode character escape code",
	  "the escape names no Unicode character",
	  "surrogates (\\uD800 to \\uDFFF) and codes above 10FFFF are no characters" },
	{ SHOWN_END, "did not find expected node content", "a value was expected here",
	  "write a value, or quote one that starts with a special character" },
	{ SHOWN_END, "did not find expected <document start>",
	  "text stands before or after the document",
	  "start a document after a directive or '...' with '---'" },
	{ SHOWN_END, "found undefined tag handle", "this tag has a prefix that is not declared",
	  "delete the tag, or quote a value that starts with '!'" },
	{ SHOWN_END, "did not find expected whitespace or line break",
	  "a space is missing after the tag",
	  "put a space between the tag and its value, or quote a value that starts with '!'" },
	{ SHOWN_END, "did not find expected alphabetic or numeric character",
	  "the name after '&' or '*' is missing or not made of letters, digits, '-' and '_'",
	  "quote a value that starts with '&' or '*'" },
	{ SHOWN_END, "found a tab character that violates indentation", "a tab cannot indent YAML",
	  "replace the tabs at the line's start with spaces" },
	{ SHOWN_END, "found a tab character where an indentation space is expected",
	  "a tab cannot indent YAML", "replace the tabs at the line's start with spaces" },
	{ SHOWN_END, "did not find expected comment or line break",
	  "after '|' or '>' only a comment may stand on the line",
	  "start the text on the next line, or quote the value" },
	{ SHOWN_END, "found incompatible YAML document",
	  "the %YAML directive names a version other than 1.1 or 1.2", "delete the directive" },
	{ SHOWN_END, "found an indentation indicator equal to 0",
	  "the digit after '|' or '>' is the indentation and cannot be 0", "leave the digit away" },
	{ SHOWN_END, "found unknown directive name",
	  "a line that starts with '%' is a YAML directive",
	  "quote the value, or delete the line" },
};

struct place {
	const char *context;
	const char *words;
};

static const struct place places[] = {
	{ "while parsing a block mapping", "the map starts here" },
	{ "while parsing a flow mapping", "the map starts here" },
	{ "while parsing a block collection", "the list starts here" },
	{ "while parsing a flow sequence", "the list starts here" },
	{ "while scanning a quoted scalar", "the string starts here" },
	{ "while parsing a quoted scalar", "the string starts here" },
	{ "while scanning a simple key", "the key starts here" },
	{ "while scanning a block scalar", "the text block starts here" },
	{ "while scanning a plain scalar", "the value starts here" },
};

/* "found character that cannot start any token", which covers several mistakes. */
static void complain_token(struct findings *findings, const struct yaml_complaint *complaint)
{
	struct finding *finding;

	if (complaint->offender == '\t') {
		finding = finding_add(findings, &rule_syntax, complaint->at,
				      "a tab cannot indent YAML");
		finding_fix(findings, finding, "replace the tabs at the line's start with spaces");
		return;
	}
	finding = finding_add(findings, &rule_syntax, complaint->at,
			      "a value without quotes cannot start with '%c'", complaint->offender);
	finding_fix(findings, finding, "put the value in quotes");
}

/* A ':' so far to the right that what stands before it is no key any more (YAML 1.1, 9.2). */
static bool ends_long_key(const struct yaml_complaint *complaint)
{
	enum { LONGEST_KEY = 1024 };

	return complaint->at.column > LONGEST_KEY &&
	       !strcmp(complaint->problem, "mapping values are not allowed in this context");
}

static const struct wording *find_wording(const char *problem)
{
	size_t i;

	for (i = 0; i < sizeof(wordings) / sizeof(wordings[0]); i++)
		if (!strcmp(wordings[i].problem, problem))
			return &wordings[i];
	return NULL;
}

static void relate(struct findings *findings, struct finding *finding,
		   const struct yaml_complaint *complaint)
{
	size_t i;

	if (!complaint->context || !span_known(complaint->since) || complaint->offender == '\t' ||
	    !span_compare(complaint->since, complaint->at))
		return;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (!strcmp(places[i].context, complaint->context))
			finding_relate(findings, finding, complaint->since, "%s", places[i].words);
}

void yaml_complain(struct findings *findings, const struct yaml_complaint *complaint)
{
	const struct wording *wording = find_wording(complaint->problem);
	bool at_start = wording && wording->shown == SHOWN_START && span_known(complaint->since);
	struct finding *finding;

	if (!strcmp(complaint->problem, "found character that cannot start any token")) {
		complain_token(findings, complaint);
	} else if (ends_long_key(complaint)) {
		finding_add(findings, &rule_syntax, complaint->at,
			    "a key of more than 1,024 characters is not a key in YAML");
	} else if (!wording) {
		finding = finding_add(findings, &rule_syntax, complaint->at, "not YAML: %s",
				      complaint->problem);
		relate(findings, finding, complaint);
	} else {
		finding = finding_add(findings, &rule_syntax,
				      at_start ? complaint->since : complaint->at, "%s",
				      wording->sentence);
		finding_fix(findings, finding, "%s", wording->fix);
		if (!at_start)
			relate(findings, finding, complaint);
	}
}

/* A tag as people write it: "!!int" for "tag:yaml.org,2002:int". */
static const char *tag_shown(struct arena *arena, const char *tag)
{
	static const char prefix[] = "tag:yaml.org,2002:";

	return text_starts(tag, prefix) ? arena_printf(arena, "!!%.80s", tag + strlen(prefix))
					: arena_printf(arena, "%.80s", tag);
}

bool yaml_refuse_tag(struct arena *arena, struct findings *findings, const char *tag,
		     struct span span)
{
	struct finding *finding = finding_add(findings, &rule_syntax, span,
					      "the tag %s is unknown or does not fit this value",
					      tag_shown(arena, tag));

	finding_fix(findings, finding,
		    "delete the tag; a safe loader builds no objects, and configs need no tags but "
		    "!!str, !!int, !!float, !!bool, !!null, !!map and !!seq");
	return false;
}

void yaml_refuse_second(struct findings *findings, const struct node *root, struct span second)
{
	struct finding *finding;

	finding = finding_add(findings, &rule_several_documents, second,
			      "a second YAML document starts here; configs are single documents");
	finding_quote(findings, finding,
		      "yaml.composer.ComposerError: expected a single document in the stream");
	if (span_compare(root->span, finding->span) < 0)
		finding_relate(findings, finding, root->span, "the first document");
}
