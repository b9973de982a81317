#include "input/reader.h"

#include "base/die.h"
#include "base/map.h"
#include "base/text.h"
#include "base/vec.h"
#include "input/node.h"
#include "input/scalar.h"
#include "input/yaml_error.h"

#include <string.h>
#include <yaml.h>

/* How many nodes aliases and merges may copy; a config has some hundreds, an alias bomb billions.
 */
enum { COPY_BUDGET = 100000 };

struct anchor {
	struct node *node; /* NULL while what it names is still being read */
	struct span span;
};

/* One run over one text. The current event is there from a successful advance() to the next. */
struct yaml {
	struct arena *arena;
	const struct source *source;
	struct findings *findings;
	yaml_parser_t parser;
	yaml_event_t event;
	struct cursor cursor;
	size_t first_index; /* code points of the source before what libyaml sees */
	struct map anchor_index;
	VEC(struct anchor) anchors;
	int copies;
	int depth;
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

	if (parser->error == YAML_MEMORY_ERROR)
		die_out_of_memory();
	if (parser->error == YAML_READER_ERROR) {
		size_t at = source_offset(yaml->source, 1, 1) + parser->problem_offset;
		finding_add(yaml->findings, &rule_syntax, source_span(yaml->source, at, at + 1),
			    "the character U+%04X is not allowed in YAML", parser->problem_value);
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

/* Counts a copied node; false after a finding when the budget is spent. */
static bool spend(struct yaml *yaml, struct span alias)
{
	if (++yaml->copies <= COPY_BUDGET)
		return true;
	finding_add(yaml->findings, &rule_too_large, alias,
		    "aliases expand to more than %s nodes; no config does that",
		    text_count(yaml->arena, COPY_BUDGET));
	return false;
}

/* A deep copy without key and parent, or NULL after a finding. Depth is that of the original. */
static struct node *copy_tree(struct yaml *yaml, const struct node *from, struct span alias)
{
	struct node *copy = arena_new(yaml->arena, struct node), *child;
	const struct node *member;

	if (!spend(yaml, alias))
		return NULL;
	*copy = *from;
	copy->key = NULL;
	copy->key_span = (struct span) { 0 };
	copy->parent = copy->first = copy->last = copy->next = NULL;
	for (member = from->first; member; member = member->next) {
		child = copy_tree(yaml, member, alias);
		if (!child)
			return NULL;
		child->key = member->key;
		child->key_span = member->key_span;
		node_append(copy, child);
	}
	return copy;
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

/* Notes that the current event starts an anchored node; the index, or -1 without anchor. */
static int64_t anchor_open(struct yaml *yaml, const yaml_char_t *name, struct span span)
{
	struct anchor anchor = { .span = span };
	const char *text = (const char *)name;
	int64_t at;

	if (!name)
		return -1;
	at = map_find(&yaml->anchor_index, text);
	if (at >= 0) {
		yaml->anchors.items[at] = anchor;
		return at;
	}
	map_add(&yaml->anchor_index, arena_strdup(yaml->arena, text),
		(uint32_t)yaml->anchors.count);
	vec_push(yaml->arena, &yaml->anchors, anchor);
	return (int64_t)yaml->anchors.count - 1;
}

static struct node *anchor_close(struct yaml *yaml, int64_t anchor, struct node *node)
{
	if (anchor >= 0)
		yaml->anchors.items[anchor].node = node;
	return node;
}

/* What the current alias event names, or NULL after a finding. */
static struct node *alias_target(struct yaml *yaml)
{
	const char *name = (const char *)yaml->event.data.alias.anchor;
	int64_t at = map_find(&yaml->anchor_index, name);
	struct span span = event_span(yaml);
	const struct anchor *anchor;
	struct finding *finding;

	if (at < 0) {
		finding = finding_add(yaml->findings, &rule_syntax, span,
				      "the alias *%s names no anchor", name);
		finding_fix(yaml->findings, finding,
			    "define &%s before this line, or quote a value that starts with '*'",
			    name);
		return NULL;
	}
	anchor = &yaml->anchors.items[at];
	if (anchor->node)
		return anchor->node;
	finding = finding_add(yaml->findings, &rule_syntax, span,
			      "the alias *%s stands inside the node that it names", name);
	finding_relate(yaml->findings, finding, anchor->span, "&%s starts here", name);
	finding_fix(yaml->findings, finding, "a config cannot contain itself: delete the alias");
	return NULL;
}

static struct node *read_alias(struct yaml *yaml)
{
	const struct node *target = alias_target(yaml);
	struct node *copy;
	struct span span;

	if (!target)
		return NULL;
	span = event_span(yaml);
	if (yaml->depth + tree_depth(target) > READER_DEPTH + 1) {
		report_depth(yaml, span);
		return NULL;
	}
	copy = copy_tree(yaml, target, span);
	if (copy)
		copy->span = span;
	return copy;
}

/* The span of a scalar's own text, without the anchor and the tag before it. */
static struct span scalar_span(struct yaml *yaml)
{
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

static bool report_tag(struct yaml *yaml, const char *tag, struct span span)
{
	struct finding *finding = finding_add(yaml->findings, &rule_syntax, span,
					      "the tag <%.80s> does not fit this value", tag);

	finding_fix(yaml->findings, finding,
		    "delete the tag; only !!str, !!int, !!float, !!bool, !!null, !!map and !!seq "
		    "are read, as configs need no other");
	return false;
}

/* Types a scalar by its tag, its quotes or its text; false after a finding. */
static bool scalar_type(struct yaml *yaml, struct node *node)
{
	const char *tag = (const char *)yaml->event.data.scalar.tag;

	if (tag && strcmp(tag, "!") != 0)
		return scalar_resolve_as(yaml->arena, node, tag) ||
		       report_tag(yaml, tag, event_span(yaml));
	if (yaml->event.data.scalar.plain_implicit)
		scalar_resolve(yaml->arena, node);
	return true;
}

static struct node *read_scalar(struct yaml *yaml)
{
	yaml_scalar_style_t style = yaml->event.data.scalar.style;
	struct span span = scalar_span(yaml);
	int64_t anchor = anchor_open(yaml, yaml->event.data.scalar.anchor, span);
	const char *text = scalar_text(yaml, span);
	struct node *node;

	if (!text)
		return NULL;
	node = node_scalar(yaml->arena, SCALAR_STRING, text, span);
	node->quoted = style != YAML_PLAIN_SCALAR_STYLE;
	return scalar_type(yaml, node) ? anchor_close(yaml, anchor, node) : NULL;
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
		report_tag(yaml, (const char *)tag, span);
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
	anchor = anchor_open(yaml, yaml->event.data.sequence_start.anchor, list->span);
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
	return anchor_close(yaml, anchor, list);
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
	finding_fix(yaml->findings, finding, "use a plain word as key, or quote it");
	return false;
}

static void report_duplicate(struct yaml *yaml, const struct node *old, const struct node *now)
{
	struct finding *finding = finding_add(
		yaml->findings, &rule_duplicate_key, now->key_span,
		"the key '%.80s' is given twice in this map: %s is lost, %s counts", now->key,
		node_describe(yaml->arena, old), node_describe(yaml->arena, now));

	finding_relate(yaml->findings, finding, old->key_span, "first given here");
}

/* Sources of a merge key; those of the lowest rank come first. */
struct merges {
	VEC(const struct node *) maps;
};

static bool report_merge(struct yaml *yaml, const struct node *value)
{
	struct finding *finding =
		finding_add(yaml->findings, &rule_syntax, value->span,
			    "the merge key '<<' needs a map or a list of maps, not %s",
			    node_describe(yaml->arena, value));

	finding_fix(yaml->findings, finding,
		    "write '<<: *name' with an anchored map, or quote the key");
	return false;
}

/* Notes what `<<: value` merges; in a list the first map wins. False after a finding. */
static bool add_merge(struct yaml *yaml, struct merges *merges, const struct node *value)
{
	const struct node *item;
	size_t first = merges->maps.count, last, middle;

	if (value->kind == NODE_MAP) {
		vec_push(yaml->arena, &merges->maps, value);
		return true;
	}
	if (value->kind != NODE_LIST)
		return report_merge(yaml, value);
	for (item = value->first; item; item = item->next) {
		if (item->kind != NODE_MAP)
			return report_merge(yaml, item);
		vec_push(yaml->arena, &merges->maps, item);
	}
	last = merges->maps.count;
	for (middle = first + (last - first) / 2; first < middle; first++) {
		const struct node *swapped = merges->maps.items[first];
		merges->maps.items[first] = merges->maps.items[--last];
		merges->maps.items[last] = swapped;
	}
	return true;
}

/* The merged members first, then the map's own, which win: the order of PyYAML's dict. */
static bool apply_merges(struct yaml *yaml, const struct merges *merges, struct members *own,
			 struct node *map)
{
	struct members all = { .arena = yaml->arena };
	const struct node *member;
	struct node *copy;
	size_t i;

	for (i = 0; i < merges->maps.count; i++)
		for (member = merges->maps.items[i]->first; member; member = member->next) {
			copy = copy_tree(yaml, member, map->span);
			if (!copy)
				return false;
			copy->key = member->key;
			copy->key_span = member->key_span;
			members_put(&all, copy);
		}
	for (i = 0; i < own->nodes.count; i++)
		members_put(&all, own->nodes.items[i]);
	members_finish(&all, map);
	return true;
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
		return add_merge(yaml, merges, value);
	value->key = key.text;
	value->key_span = key.span;
	old = members_put(own, value);
	if (old)
		report_duplicate(yaml, old, value);
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
	anchor = anchor_open(yaml, yaml->event.data.mapping_start.anchor, map->span);
	for (;;) {
		if (!advance(yaml))
			return NULL;
		if (yaml->event.type == YAML_MAPPING_END_EVENT)
			break;
		if (!read_member(yaml, map, &own, &merges))
			return NULL;
	}
	if (!apply_merges(yaml, &merges, &own, map))
		return NULL;
	close_container(yaml, map, flow);
	return anchor_close(yaml, anchor, map);
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

/* kubectl reads several manifests from one file, as no training framework does. */
static bool is_manifest(const struct node *root)
{
	return node_member(root, "apiVersion") && node_member(root, "kind");
}

/* Document end and stream end; a second document is a finding, the first one stays good. */
static struct node *read_rest(struct yaml *yaml, struct node *root)
{
	struct finding *finding;

	if (yaml->event.type == YAML_STREAM_END_EVENT)
		return root;
	if (!advance(yaml) || !advance(yaml))
		return NULL;
	if (yaml->event.type == YAML_STREAM_END_EVENT)
		return root;
	finding = finding_add(yaml->findings, &rule_several_documents, event_span(yaml),
			      "a second YAML document starts here; configs are single documents");
	finding_quote(yaml->findings, finding,
		      "yaml.composer.ComposerError: expected a single document in the stream");
	finding_relate(yaml->findings, finding, root->span, "the first document");
	if (is_manifest(root))
		finding_cap(finding, SEVERITY_NOTE);
	return root;
}

struct node *yaml_value(struct arena *arena, const struct source *source, size_t start,
			struct findings *findings)
{
	struct yaml yaml = { .arena = arena,
			     .source = source,
			     .findings = findings,
			     .anchor_index = { .arena = arena } };
	struct node *root;

	if (!reader_accepts(source, findings))
		return NULL;
	cursor_init(&yaml.cursor, source);
	cursor_to_offset(&yaml.cursor, start);
	yaml.first_index = yaml.cursor.index;
	if (!yaml_parser_initialize(&yaml.parser))
		die_out_of_memory();
	yaml_parser_set_encoding(&yaml.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&yaml.parser,
				     (const unsigned char *)source->text + yaml.cursor.offset,
				     source->length - yaml.cursor.offset);
	root = read_first(&yaml);
	if (root)
		root = read_rest(&yaml, root);
	yaml_event_delete(&yaml.event);
	yaml_parser_delete(&yaml.parser);
	return root;
}

struct node *yaml_read(struct arena *arena, const struct source *source, struct findings *findings)
{
	return yaml_value(arena, source, 0, findings);
}
