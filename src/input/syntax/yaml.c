#include "input/syntax/reader.h"

#include "base/die.h"
#include "base/text.h"
#include "input/syntax/anchor.h"
#include "input/manifest.h"
#include "input/compose/merge.h"
#include "input/node.h"
#include "input/syntax/scalar.h"
#include "input/syntax/yaml_error.h"

#include <string.h>
#include <yaml.h>

/* One run over one text. The current event is there from a successful advance() to the next. */
struct yaml {
	struct arena *arena;
	const struct source *source;
	struct findings *findings;
	yaml_parser_t parser;
	yaml_event_t event;
	struct cursor cursor;
	size_t first_index; /* code points of the source before what libyaml sees */
	struct anchors anchors;
	int depth;
	size_t seen;	 /* bytes up to here have been searched for tabs */
	const char *tab; /* the first one that PyYAML would not read, or NULL */
	bool template;	 /* actions of a template stand in the source */
};

/* A key as it stands in a map. */
struct key {
	const char *text;
	struct span span;
	bool merge; /* a plain << */
};

static struct span marks_span(struct yaml *yaml, yaml_mark_t start, yaml_mark_t end)
{
	struct cursor from;

	cursor_to_index(&yaml->cursor, yaml->first_index + start.index);
	from = yaml->cursor;
	cursor_to_index(&yaml->cursor, yaml->first_index + end.index);
	return cursor_span(&from, &yaml->cursor);
}

static struct span event_span(struct yaml *yaml)
{
	return marks_span(yaml, yaml->event.start_mark, yaml->event.end_mark);
}

/* The span of one mark: the character there, or nothing at the end of the text. */
static struct span mark_span(struct yaml *yaml, yaml_mark_t mark)
{
	yaml_mark_t next = mark;

	next.index++;
	return marks_span(yaml, mark, next);
}

static void report_parser(struct yaml *yaml)
{
	const yaml_parser_t *parser = &yaml->parser;
	struct yaml_complaint complaint = { .problem = parser->problem,
					    .context = parser->context };
	struct finding *finding;

	if (parser->error == YAML_MEMORY_ERROR)
		die_out_of_memory();
	if (parser->error == YAML_READER_ERROR) {
		size_t at = source_offset(yaml->source, 1, 1) + parser->problem_offset;
		finding = finding_add(
			yaml->findings, &rule_syntax, source_span(yaml->source, at, at + 1),
			"the character U+%04X is not allowed in YAML", parser->problem_value);
		finding_fix(yaml->findings, finding, "delete the character");
		return;
	}
	if (parser->context)
		complaint.since = mark_span(yaml, parser->context_mark);
	complaint.at = mark_span(yaml, parser->problem_mark);
	cursor_to_index(&yaml->cursor, yaml->first_index + parser->problem_mark.index);
	complaint.offender = yaml->source->text[yaml->cursor.offset];
	yaml_complain(yaml->findings, &complaint);
}

/* Takes the next event; false after a finding. */
static bool advance(struct yaml *yaml)
{
	yaml_event_delete(&yaml->event);
	if (yaml_parser_parse(&yaml->parser, &yaml->event))
		return true;
	memset(&yaml->event, 0, sizeof(yaml->event));
	report_parser(yaml);
	return false;
}

/* The number of levels below and including `node`. */
static int tree_depth(const struct node *node)
{
	const struct node *child;
	int deepest = 0, depth;

	for (child = node->first; child; child = child->next) {
		depth = tree_depth(child);
		if (depth > deepest)
			deepest = depth;
	}
	return 1 + deepest;
}

static bool report_depth(struct yaml *yaml, struct span span)
{
	finding_add(yaml->findings, &rule_too_large, span, "nested more than %d levels deep",
		    READER_DEPTH);
	return false;
}

static struct node *read_alias(struct yaml *yaml)
{
	struct span span = event_span(yaml);
	const char *name = (const char *)yaml->event.data.alias.anchor;
	const struct node *target = anchors_find(&yaml->anchors, name, span);
	struct node *copy;

	if (!target)
		return NULL;
	if (yaml->depth + tree_depth(target) > READER_DEPTH + 1) {
		report_depth(yaml, span);
		return NULL;
	}
	copy = anchors_copy(&yaml->anchors, target, span);
	if (copy)
		copy->span = span;
	return copy;
}

/*
 * Searches the text up to `end` for a tab. libyaml takes one for a blank in many places, PyYAML
 * in none but comments; quoted strings and text blocks are left out by the caller.
 */
static void look_for_tab(struct yaml *yaml, size_t end)
{
	const char *text = yaml->source->text, *at = text + yaml->seen;

	for (; at < text + end && !yaml->tab; at++) {
		if (*at == '\t')
			yaml->tab = at;
		else if (*at == '#' && (at == text || strchr(" \t\r\n", at[-1])))
			at += strcspn(at, "\n");
	}
	yaml->seen = end;
}

/* The span of a scalar's own text, without the anchor and the tag before it. */
static struct span scalar_span(struct yaml *yaml)
{
	bool plain = yaml->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	const char *text = yaml->source->text;
	struct cursor from;

	cursor_to_index(&yaml->cursor, yaml->first_index + yaml->event.start_mark.index);
	while (text[yaml->cursor.offset] == '&' || text[yaml->cursor.offset] == '!') {
		size_t at = yaml->cursor.offset;
		at += strcspn(text + at, " \t\r\n");
		cursor_to_offset(&yaml->cursor, at + strspn(text + at, " \t\r\n"));
	}
	from = yaml->cursor;
	cursor_to_index(&yaml->cursor, yaml->first_index + yaml->event.end_mark.index);
	look_for_tab(yaml, plain ? yaml->cursor.offset : from.offset);
	yaml->seen = yaml->cursor.offset;
	return cursor_span(yaml->cursor.offset < from.offset ? &yaml->cursor : &from,
			   &yaml->cursor);
}

/* A copy of the current scalar's text, or NULL after a finding: C strings end at a NUL. */
static const char *scalar_text(struct yaml *yaml, struct span span)
{
	const char *text = (const char *)yaml->event.data.scalar.value;
	size_t length = yaml->event.data.scalar.length;

	if (!memchr(text, '\0', length))
		return arena_strndup(yaml->arena, text, length);
	finding_add(yaml->findings, &rule_syntax, span,
		    "a NUL character is not allowed in a config");
	return NULL;
}

/* Types a scalar by its tag, its quotes or its text; false after a finding. */
static bool scalar_type(struct yaml *yaml, struct node *node)
{
	const char *tag = (const char *)yaml->event.data.scalar.tag;

	if (tag && strcmp(tag, "!") != 0)
		return scalar_resolve_as(yaml->arena, node, tag) ||
		       yaml_refuse_tag(yaml->arena, yaml->findings, tag, event_span(yaml));
	if (yaml->event.data.scalar.plain_implicit)
		scalar_resolve(yaml->arena, node);
	return true;
}

/* What a template would put there is not known: nor is any value that holds it. */
static void leave_open(const struct yaml *yaml, struct node *node)
{
	size_t start = source_offset(yaml->source, node->span.line, node->span.column);
	size_t end = source_offset(yaml->source, node->span.end_line, node->span.end_column);

	if (end > start && text_mentions(yaml->source->text + start, end - start, "{{"))
		node->unresolved =
			arena_strndup(yaml->arena, yaml->source->text + start, end - start);
}

static struct node *read_scalar(struct yaml *yaml)
{
	yaml_scalar_style_t style = yaml->event.data.scalar.style;
	struct span span = scalar_span(yaml);
	int64_t anchor =
		anchors_open(&yaml->anchors, (const char *)yaml->event.data.scalar.anchor, span);
	const char *text = scalar_text(yaml, span);
	struct node *node;

	if (!text)
		return NULL;
	node = node_scalar(yaml->arena, SCALAR_STRING, text, span);
	node->quoted = style != YAML_PLAIN_SCALAR_STYLE;
	if (!scalar_type(yaml, node))
		return NULL;
	if (yaml->template && style != YAML_LITERAL_SCALAR_STYLE &&
	    style != YAML_FOLDED_SCALAR_STYLE)
		leave_open(yaml, node);
	anchors_close(&yaml->anchors, anchor, node);
	return node;
}

static struct node *read_node(struct yaml *yaml);

/* Begins a map or list at the current event; NULL after a finding. */
static struct node *open_container(struct yaml *yaml, enum node_kind kind, const yaml_char_t *tag)
{
	static const char *const tags[] = {
		[NODE_MAP] = "tag:yaml.org,2002:map", [NODE_LIST] = "tag:yaml.org,2002:seq"
	};
	struct span span = event_span(yaml);

	if (yaml->depth >= READER_DEPTH) {
		report_depth(yaml, span);
		return NULL;
	}
	if (tag && strcmp((const char *)tag, "!") != 0 &&
	    strcmp((const char *)tag, tags[kind]) != 0) {
		yaml_refuse_tag(yaml->arena, yaml->findings, (const char *)tag, span);
		return NULL;
	}
	yaml->depth++;
	return node_container(yaml->arena, kind, span);
}

/* A block reaches to the end of the last thing in it. */
static void extend(struct node *container, struct span last)
{
	container->span.end_line = last.end_line;
	container->span.end_column = last.end_column;
}

/* Ends a container at the current event, which is the closing bracket in flow style. */
static void close_container(struct yaml *yaml, struct node *node, bool flow)
{
	yaml->depth--;
	if (flow)
		extend(node, event_span(yaml));
}

static struct node *read_list(struct yaml *yaml)
{
	bool flow = yaml->event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
	struct node *list = open_container(yaml, NODE_LIST, yaml->event.data.sequence_start.tag);
	struct node *item;
	int64_t anchor;

	if (!list)
		return NULL;
	anchor = anchors_open(&yaml->anchors, (const char *)yaml->event.data.sequence_start.anchor,
			      list->span);
	for (;;) {
		if (!advance(yaml))
			return NULL;
		if (yaml->event.type == YAML_SEQUENCE_END_EVENT)
			break;
		item = read_node(yaml);
		if (!item)
			return NULL;
		node_append(list, item);
		extend(list, item->span);
	}
	close_container(yaml, list, flow);
	anchors_close(&yaml->anchors, anchor, list);
	return list;
}

/* Reads the key at the current event; false after a finding. */
static bool read_key(struct yaml *yaml, struct key *key)
{
	const struct node *node;
	struct finding *finding;

	if (yaml->event.type == YAML_SCALAR_EVENT || yaml->event.type == YAML_ALIAS_EVENT) {
		key->merge = yaml->event.type == YAML_SCALAR_EVENT &&
			     yaml->event.data.scalar.plain_implicit &&
			     !strcmp((const char *)yaml->event.data.scalar.value, "<<");
		node = read_node(yaml);
		if (!node)
			return false;
		key->text = node->text;
		key->span = node->span;
		if (node->kind == NODE_SCALAR)
			return true;
	}
	finding = finding_add(yaml->findings, &rule_syntax, event_span(yaml),
			      "the key of a map cannot be a list or a map itself");
	finding_fix(
		yaml->findings, finding,
		yaml->event.type == YAML_MAPPING_START_EVENT
			? "use a plain word as key; a template ('{{ ... }}') must be rendered first"
			: "use a plain word as key, or quote it");
	return false;
}

/* Reads one `key: value` whose key is the current event; false after a finding. */
static bool read_member(struct yaml *yaml, struct node *map, struct members *own,
			struct merges *merges)
{
	struct key key = { 0 };
	struct node *value;
	const struct node *old;

	if (!read_key(yaml, &key) || !advance(yaml))
		return false;
	value = read_node(yaml);
	if (!value)
		return false;
	extend(map, value->span);
	if (key.merge)
		return merges_add(merges, &yaml->anchors, value);
	value->key = key.text;
	value->key_span = key.span;
	old = members_put(own, value);
	if (old && yaml->template) /* the branches of an {{ if }} */
		value->unresolved = "{{ if }}";
	else if (old)
		reader_duplicate(yaml->findings, old, value);
	return true;
}

static struct node *read_map(struct yaml *yaml)
{
	bool flow = yaml->event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
	struct node *map = open_container(yaml, NODE_MAP, yaml->event.data.mapping_start.tag);
	struct members own = { .arena = yaml->arena };
	struct merges merges = { 0 };
	int64_t anchor;

	if (!map)
		return NULL;
	anchor = anchors_open(&yaml->anchors, (const char *)yaml->event.data.mapping_start.anchor,
			      map->span);
	for (;;) {
		if (!advance(yaml))
			return NULL;
		if (yaml->event.type == YAML_MAPPING_END_EVENT)
			break;
		if (!read_member(yaml, map, &own, &merges))
			return NULL;
	}
	if (!merges_apply(&merges, &yaml->anchors, &own, map))
		return NULL;
	close_container(yaml, map, flow);
	anchors_close(&yaml->anchors, anchor, map);
	return map;
}

/* The node that starts with the current event, or NULL after a finding. */
static struct node *read_node(struct yaml *yaml)
{
	switch (yaml->event.type) {
	case YAML_ALIAS_EVENT:
		return read_alias(yaml);
	case YAML_SCALAR_EVENT:
		return read_scalar(yaml);
	case YAML_SEQUENCE_START_EVENT:
		return read_list(yaml);
	case YAML_MAPPING_START_EVENT:
		return read_map(yaml);
	default:
		bug("libyaml gave event %d where a node begins", (int)yaml->event.type);
	}
}

/* Stream start and document start; an empty text is null. */
static struct node *read_first(struct yaml *yaml)
{
	if (!advance(yaml) || !advance(yaml))
		return NULL;
	if (yaml->event.type == YAML_STREAM_END_EVENT)
		return node_scalar(yaml->arena, SCALAR_NULL, "", event_span(yaml));
	return advance(yaml) ? read_node(yaml) : NULL;
}

static bool is_empty(const struct node *root)
{
	return root->kind == NODE_SCALAR && root->type == SCALAR_NULL;
}

/*
 * The next document behind `last`, or NULL at the end of the stream and after a finding, which sets
 * *broken. The current event is the start of a document or the end of the stream.
 */
static struct node *read_next(struct yaml *yaml, bool *broken)
{
	struct node *next = NULL;

	*broken = false;
	if (yaml->event.type == YAML_STREAM_END_EVENT)
		return NULL;
	if (advance(yaml))
		next = read_node(yaml);
	*broken = !next || !advance(yaml) || !advance(yaml);
	return *broken ? NULL : next;
}

/*
 * Document end and stream end. Manifests, which kubectl reads several of from one file, are linked
 * by `next`; before anything else a second document is a finding, and the first one stays good.
 */
static struct node *read_rest(struct yaml *yaml, struct node *root)
{
	struct node *last = root;
	struct span second;
	bool broken;

	if (yaml->event.type == YAML_STREAM_END_EVENT)
		return root;
	if (!advance(yaml) || !advance(yaml))
		return NULL;
	if (yaml->event.type == YAML_STREAM_END_EVENT)
		return root;
	second = event_span(yaml);
	if (!manifest_is(root) && !is_empty(root)) {
		yaml_refuse_second(yaml->findings, root, second);
		return root;
	}
	while (last) {
		last->next = read_next(yaml, &broken);
		if (broken)
			return NULL;
		last = last->next;
	}
	if (!manifest_is(manifest_main(root)))
		yaml_refuse_second(yaml->findings, root, second);
	return root;
}

/* A tab that only libyaml takes for a blank is an error after all; but kubectl takes it, too. */
static struct node *refuse_tab(struct yaml *yaml, struct node *root)
{
	struct finding *finding;
	size_t at;

	look_for_tab(yaml, yaml->source->length);
	if (!yaml->tab || manifest_is(manifest_main(root)))
		return root;
	at = (size_t)(yaml->tab - yaml->source->text);
	finding = finding_add(yaml->findings, &rule_syntax, source_span(yaml->source, at, at + 1),
			      "a tab stands outside quotes and comments");
	finding_quote(
		yaml->findings, finding,
		"yaml.scanner.ScannerError: found character '\\t' that cannot start any token");
	finding_fix(yaml->findings, finding, "replace the tab with spaces");
	return NULL;
}

/* libyaml looks through all %TAG directives for each new one; no config has any. */
static bool has_few_directives(const struct source *source, struct findings *findings)
{
	enum { MOST = 100 };
	uint32_t line, count = 0;

	for (line = 1; line <= source->line_count; line++) {
		size_t start = source->lines[line - 1];
		count += start < source->length && source->text[start] == '%';
		if (count > MOST) {
			finding_add(findings, &rule_too_large,
				    source_span(source, start, start + 1),
				    "more than %d directives ('%%' lines)", MOST);
			return false;
		}
	}
	return true;
}

/* Reads `text`, which has as many characters as the source behind the cursor. */
static struct node *read_text(struct yaml *yaml, const char *text, size_t length)
{
	struct node *root;

	yaml->first_index = yaml->cursor.index;
	yaml->seen = yaml->cursor.offset;
	if (!yaml_parser_initialize(&yaml->parser))
		die_out_of_memory();
	yaml_parser_set_encoding(&yaml->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&yaml->parser, (const unsigned char *)text, length);
	root = read_first(yaml);
	if (root)
		root = read_rest(yaml, root);
	if (root)
		root = refuse_tab(yaml, root);
	yaml_event_delete(&yaml->event);
	yaml_parser_delete(&yaml->parser);
	return root;
}

struct node *yaml_value(struct arena *arena, const struct source *source, size_t start,
			struct findings *findings)
{
	struct yaml yaml = { .arena = arena,
			     .source = source,
			     .findings = findings,
			     .anchors = { .arena = arena, .findings = findings } };

	if (!reader_accepts(source, findings) || !has_few_directives(source, findings))
		return NULL;
	cursor_init(&yaml.cursor, source);
	cursor_to_offset(&yaml.cursor, start);
	return read_text(&yaml, source->text + yaml.cursor.offset,
			 source->length - yaml.cursor.offset);
}

/* A template has no syntax errors before it is rendered; what can be read of it is. */
static struct node *read_template(struct arena *arena, const struct source *source,
				  struct findings *findings)
{
	struct findings unsaid;
	struct yaml yaml = { .arena = arena,
			     .source = source,
			     .findings = &unsaid,
			     .anchors = { .arena = arena, .findings = &unsaid },
			     .template = true };
	struct node *root;
	const char *text;
	size_t length;

	if (!reader_accepts(source, findings))
		return NULL;
	findings_init(&unsaid, arena);
	cursor_init(&yaml.cursor, source);
	text = manifest_without_actions(arena, source, &length);
	root = read_text(&yaml, text + yaml.cursor.offset, length - yaml.cursor.offset);
	return root && manifest_is(manifest_main(root)) ? root : manifest_head(arena, source);
}

struct node *yaml_read(struct arena *arena, const struct source *source, struct findings *findings)
{
	if (manifest_is_template(source))
		return read_template(arena, source, findings);
	return yaml_value(arena, source, 0, findings);
}

const char *yaml_library(void)
{
	return yaml_get_version_string();
}
