#include "input/yaml_error.h"

#include "input/reader.h"

#include <string.h>

struct wording {
	const char *problem;  /* libyaml's */
	const char *sentence; /* ours */
	const char *fix;
};

static const struct wording wordings[] = {
	{ "could not find expected ':'", "the key that starts here is not followed by ':'",
	  "write 'key: value', or quote a text that goes over several lines" },
	{ "mapping values are not allowed in this context",
	  "a ':' cannot stand here: it would start a map inside a value",
	  "quote a value that contains ': ', and indent the keys of one map alike" },
	{ "mapping keys are not allowed in this context", "a key cannot stand here",
	  "start the key on a line of its own, indented like its neighbours" },
	{ "did not find expected key", "this line does not belong to the map it is in",
	  "indent the keys of one map alike, and close open quotes and brackets" },
	{ "did not find expected '-' indicator", "this line does not belong to the list it is in",
	  "start every item of the list with '- ', all indented alike" },
	{ "block sequence entries are not allowed in this context",
	  "a list item '-' cannot stand here",
	  "start the list on the line below its key, or write it as [a, b]" },
	{ "did not find expected ',' or ']'", "',' or ']' is missing in this list",
	  "separate the items with ',' and close the list with ']'" },
	{ "did not find expected ',' or '}'", "',' or '}' is missing in this map",
	  "separate the members with ',' and close the map with '}'" },
	{ "found unexpected end of stream", "the text ends inside a quoted string",
	  "close the string with the quote it starts with" },
	{ "found unexpected document indicator",
	  "a '---' or '...' line stands inside a quoted string",
	  "close the string before that line, or indent the line" },
	{ "found unknown escape character", "the character after '\\' makes no escape",
	  "use single quotes, in which '\\' is an ordinary character, or write '\\\\'" },
	{ "did not find expected hexdecimal number", "the escape lacks hexadecimal digits",
	  "write \\x with 2, \\u with 4 or \\U with 8 hexadecimal digits" },
	{ "found invalid Unicode character escape code", "the escape names no Unicode character",
	  "surrogates (\\uD800 to \\uDFFF) and codes above 10FFFF are no characters" },
	{ "did not find expected node content", "a value was expected here",
	  "write a value, or quote one that starts with a special character" },
	{ "did not find expected <document start>", "text stands before or after the document",
	  "start a document after a directive or '...' with '---'" },
	{ "found undefined tag handle", "this tag has a prefix that is not declared",
	  "delete the tag, or quote a value that starts with '!'" },
	{ "did not find expected whitespace or line break", "a space is missing after the tag",
	  "put a space between the tag and its value, or quote a value that starts with '!'" },
	{ "did not find expected alphabetic or numeric character",
	  "the name after '&' or '*' is missing or not made of letters, digits, '-' and '_'",
	  "quote a value that starts with '&' or '*'" },
	{ "found a tab character that violates indentation", "a tab cannot indent YAML",
	  "replace the tabs at the line's start with spaces" },
	{ "found a tab character where an indentation space is expected",
	  "a tab cannot indent YAML", "replace the tabs at the line's start with spaces" },
	{ "did not find expected comment or line break",
	  "after '|' or '>' only a comment may stand on the line",
	  "start the text on the next line, or quote the value" },
	{ "found incompatible YAML document",
	  "the %YAML directive names a version other than 1.1 or 1.2", "delete the directive" },
	{ "found unknown directive name", "a line that starts with '%' is a YAML directive",
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

static struct finding *complain_wording(struct findings *findings,
					const struct yaml_complaint *complaint)
{
	const struct wording *end = wordings + sizeof(wordings) / sizeof(wordings[0]), *row;
	struct finding *finding;

	for (row = wordings; row < end; row++)
		if (!strcmp(row->problem, complaint->problem))
			break;
	if (row == end)
		return finding_add(findings, &rule_syntax, complaint->at, "not YAML: %s",
				   complaint->problem);
	finding = finding_add(findings, &rule_syntax, complaint->at, "%s", row->sentence);
	finding_fix(findings, finding, "%s", row->fix);
	return finding;
}

void yaml_complain(struct findings *findings, const struct yaml_complaint *complaint)
{
	struct finding *finding;
	size_t i;

	if (!strcmp(complaint->problem, "found character that cannot start any token")) {
		complain_token(findings, complaint);
		return;
	}
	finding = complain_wording(findings, complaint);
	if (!complaint->context || !span_known(complaint->since) ||
	    !span_compare(complaint->since, complaint->at))
		return;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (!strcmp(places[i].context, complaint->context)) {
			finding_relate(findings, finding, complaint->since, "%s", places[i].words);
			return;
		}
	finding_relate(findings, finding, complaint->since, "%s from here", complaint->context);
}
