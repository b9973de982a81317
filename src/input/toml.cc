/*
 * TOML through toml++, the only C++ here: behind toml_read, which throws nothing. Its tree is
 * walked once and becomes ours; its positions are 1-based lines and code points, as ours are.
 */
#define TOML_EXCEPTIONS			0
#define TOML_ENABLE_FORMATTERS		0
#define TOML_ENABLE_UNRELEASED_FEATURES 0

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

extern "C" {
#include "base/die.h"
#include "base/text.h"
#include "input/node.h"
#include "input/reader.h"
}

namespace
{

/* Byte offsets of code points in constant time, however long the lines are. */
class offsets
{
	static constexpr size_t stride = 256;
	const source *text;
	std::vector<size_t> line_index; /* code points before each line */
	std::vector<size_t> marks;	/* byte offset of every stride-th code point */

	bool starts(size_t at) const
	{
		return (static_cast<unsigned char>(text->text[at]) & 0xC0) != 0x80;
	}

      public:
	explicit offsets(const source *source) : text(source)
	{
		size_t at, index = 0;

		line_index.push_back(0);
		for (at = source->lines[0]; at < source->length; at++) {
			if (!starts(at))
				continue;
			if (index++ % stride == 0)
				marks.push_back(at);
			if (source->text[at] == '\n')
				line_index.push_back(index);
		}
	}

	size_t of(const toml::source_position &position) const
	{
		size_t line = std::min<size_t>(position.line, line_index.size());
		size_t index = line_index[line - 1] + position.column - 1, left = index % stride,
		       at;

		if (index / stride >= marks.size())
			return text->length;
		for (at = marks[index / stride]; left && at < text->length; left--)
			for (at++; at < text->length && !starts(at); at++)
				;
		return at;
	}
};

struct reading {
	struct arena *arena;
	const struct source *source;
	struct findings *findings;
	const offsets &places;
	int depth;
};

span span_of(const reading &run, const toml::source_region &region)
{
	span span = {};

	span.source = run.source;
	span.line = region.begin.line;
	span.column = region.begin.column;
	span.end_line = region.end.line;
	span.end_column = region.end.column;
	return span;
}

/* A copy as C string; NULL after a finding when there is a NUL inside. */
const char *text_of(const reading &run, std::string_view text, const span &span)
{
	if (text.find('\0') == text.npos)
		return arena_strndup(run.arena, text.data(), text.size());
	finding_add(run.findings, &rule_syntax, span, "a NUL character is not allowed in a config");
	return nullptr;
}

node *convert(reading &run, const toml::node &from);

/* A value that is no string keeps the text it has in the file. */
node *scalar(const reading &run, const toml::node &from, scalar_type type)
{
	size_t start = run.places.of(from.source().begin), end = run.places.of(from.source().end);
	const char *text = arena_strndup(run.arena, run.source->text + start, end - start);

	return node_scalar(run.arena, type, text, span_of(run, from.source()));
}

node *convert_string(const reading &run, const toml::node &from)
{
	span span = span_of(run, from.source());
	const char *text = text_of(run, from.as_string()->get(), span);
	node *node;

	if (!text)
		return nullptr;
	node = node_scalar(run.arena, SCALAR_STRING, text, span);
	node->quoted = true;
	return node;
}

/* A table's own span ends with its last member; members may also stand in later sections. */
void extend(node *parent, const node *child)
{
	span *whole = &parent->span;

	if (child->span.end_line < whole->end_line || (child->span.end_line == whole->end_line &&
						       child->span.end_column <= whole->end_column))
		return;
	whole->end_line = child->span.end_line;
	whole->end_column = child->span.end_column;
}

bool append(reading &run, node *parent, const toml::node &from, const toml::key *key)
{
	node *child = convert(run, from);

	if (!child)
		return false;
	if (key) {
		child->key_span = span_of(run, key->source());
		child->key = text_of(run, key->str(), child->key_span);
		if (!child->key)
			return false;
	}
	node_append(parent, child);
	extend(parent, child);
	return true;
}

/* toml++ sorts its tables by key; the order of the file is what counts. */
bool fill_map(reading &run, node *map, const toml::table &table)
{
	std::vector<std::pair<const toml::key *, const toml::node *>> members;

	for (auto &&[key, value] : table)
		members.emplace_back(&key, &value);
	std::sort(members.begin(), members.end(), [](const auto &a, const auto &b) {
		return a.first->source().begin < b.first->source().begin;
	});
	for (const auto &[key, value] : members)
		if (!append(run, map, *value, key))
			return false;
	return true;
}

bool fill_list(reading &run, node *list, const toml::array &array)
{
	for (auto &&item : array)
		if (!append(run, list, item, nullptr))
			return false;
	return true;
}

void report_depth(const reading &run, const span &span)
{
	finding_add(run.findings, &rule_too_large, span, "nested more than %d levels deep",
		    READER_DEPTH);
}

node *convert_container(reading &run, const toml::node &from)
{
	const toml::table *table = from.as_table();
	node *node = node_container(run.arena, table ? NODE_MAP : NODE_LIST,
				    span_of(run, from.source()));
	bool good;

	if (run.depth == READER_DEPTH) {
		report_depth(run, node->span);
		return nullptr;
	}
	run.depth++;
	good = table ? fill_map(run, node, *table) : fill_list(run, node, *from.as_array());
	run.depth--;
	return good ? node : nullptr;
}

node *convert(reading &run, const toml::node &from)
{
	node *node;

	switch (from.type()) {
	case toml::node_type::table:
	case toml::node_type::array:
		return convert_container(run, from);
	case toml::node_type::string:
		return convert_string(run, from);
	case toml::node_type::integer:
		node = scalar(run, from, SCALAR_INT);
		node->integer = from.as_integer()->get();
		node->number = static_cast<double>(node->integer);
		return node;
	case toml::node_type::floating_point:
		node = scalar(run, from, SCALAR_FLOAT);
		node->number = from.as_floating_point()->get();
		return node;
	case toml::node_type::boolean:
		node = scalar(run, from, SCALAR_BOOL);
		node->boolean = from.as_boolean()->get();
		return node;
	default: /* dates and times stay text */
		return scalar(run, from, SCALAR_STRING);
	}
}

/* The end of the string that opens at `at`, or of its line when it never closes. */
const char *skip_string(const char *at, const char *end)
{
	char quote = *at;
	bool block = end - at >= 3 && at[1] == quote && at[2] == quote;

	for (at += block ? 3 : 1; at < end; at++) {
		if (*at == '\\' && quote == '"' && at + 1 < end)
			at++;
		else if (block && *at == quote && end - at >= 3 && at[1] == quote && at[2] == quote)
			return at + 3;
		else if (!block && (*at == quote || *at == '\n'))
			return at + 1;
	}
	return end;
}

/*
 * toml++ limits nested brackets but not dotted keys, and frees tables by recursion: a key with
 * 200,000 parts would overflow the stack. No value outside a string has more than a dot or two.
 */
bool dotted_too_deeply(const source *source, size_t *where)
{
	const char *at = source->text, *end = at + source->length;
	int dots = 0;

	while (at < end) {
		if (*at == '"' || *at == '\'') {
			at = skip_string(at, end);
			continue;
		}
		if (*at == '#')
			at += std::min<size_t>(strcspn(at, "\n"), static_cast<size_t>(end - at));
		if (at < end && strchr("=,[]{}\n", *at))
			dots = 0;
		else if (at < end && *at == '.' && ++dots > READER_DEPTH) {
			*where = static_cast<size_t>(at - source->text);
			return true;
		}
		at += at < end;
	}
	return false;
}

const char *remedy_of(std::string_view description)
{
	static const struct {
		const char *part;
		const char *remedy;
	} remedies[] = {
		{ "cannot redefine",
		  "TOML refuses a key or section that is given twice: delete one" },
		{ "could not determine value type",
		  "put text in quotes; numbers, true and false stand without" },
		{ "decimal integer: expected digit", "put text in quotes" },
		{ "leading zeroes", "write the number without leading zeros" },
		{ "parsing boolean", "write true or false, in lower case and without quotes" },
		{ "unescaped control", "close the string on the line where it starts" },
		{ "escape sequence", "in single quotes ('...') a '\\' is an ordinary character" },
		{ "parsing inline table",
		  "an inline table {...} stands on one line, without a last "
		  "comma: use a [section] for more" },
		{ "parsing date", "write a date as YYYY-MM-DD, or put text in quotes" },
		{ "expected value, saw", "write a value after '='" },
		{ "expected '=', saw",
		  "write 'key = value'; a key that is not made of letters A to Z, "
		  "digits, '-' and '_' needs quotes" },
		{ "end-of-file", "the text ends too early: close the quote or bracket" },
		{ "expected keys",
		  "a line is 'key = value' or '[section]'; other keys need quotes" },
		{ "expected a comment or whitespace", "one 'key = value' stands on a line" },
		{ "expected ']'", "close the section's name with ']' on its line" },
	};

	for (const auto &row : remedies)
		if (description.find(row.part) != description.npos)
			return row.remedy;
	return nullptr;
}

/* "Error while parsing WHAT: WHY" becomes "not TOML: WHY (in WHAT)". */
void report(const reading &run, const toml::parse_error &error)
{
	static constexpr std::string_view lead = "Error while parsing ";
	std::string_view text = error.description(), what;
	size_t colon = text.find(": ");
	span span = span_of(run, error.source());
	const char *remedy = remedy_of(text);
	finding *finding;

	if (text.find("maximum nested") != text.npos) {
		report_depth(run, span);
		return;
	}
	if (text.substr(0, lead.size()) == lead && colon != text.npos) {
		what = text.substr(lead.size(), colon - lead.size());
		text = text.substr(colon + 2);
	}
	finding =
		finding_add(run.findings, &rule_syntax, span, "not TOML: %.*s%s%.*s%s",
			    static_cast<int>(text.size()), text.data(), what.empty() ? "" : " (in ",
			    static_cast<int>(what.size()), what.data(), what.empty() ? "" : ")");
	if (remedy)
		finding_fix(run.findings, finding, "%s", remedy);
}

node *read(struct arena *arena, const source *source, findings *findings)
{
	std::string_view text(source->text, source->length);
	toml::parse_result result = toml::parse(text);
	offsets places(source);
	reading run = { arena, source, findings, places, 0 };

	if (result)
		return convert(run, result.table());
	report(run, result.error());
	return nullptr;
}

} // namespace

extern "C" struct node *toml_read(struct arena *arena, const struct source *source,
				  struct findings *findings)
{
	size_t where;

	if (!reader_accepts(source, findings))
		return nullptr;
	if (dotted_too_deeply(source, &where)) {
		finding_add(findings, &rule_too_large, source_span(source, where, where + 1),
			    "nested more than %d levels deep", READER_DEPTH);
		return nullptr;
	}
	try {
		return read(arena, source, findings);
	} catch (const std::bad_alloc &) {
		die_out_of_memory();
	}
}
