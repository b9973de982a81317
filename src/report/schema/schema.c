#include "report/schema/schema.h"

#include "base/text.h"

#include <string.h>

static void put_node(struct json_writer *json, const struct schema *schema, const char *name,
		     const struct schema_node *node);

/* ---- what people read ---- */

/* "tensor parallel (parallelism.tp)": what it does, and what it is called here. */
static void put_description(struct json_writer *json, const struct schema *schema,
			    const struct vocabulary_key *key)
{
	struct arena *arena = schema->vocabulary.arena;
	const char *text = key->help ? key->help : "", *own;

	if (key->field != FIELD_COUNT && strcmp(field_of(key->field)->key, key->path) != 0) {
		own = field_of(key->field)->key;
		text = arena_printf(arena, "%s%s%s%s", text, *text ? " (" : "", own,
				    *text ? ")" : "");
	}
	if (key->gone)
		text = arena_printf(arena, "%s%sgone from %s on", text, *text ? "; " : "",
				    key->gone);
	if (*text)
		json_string(json, "description", text);
}

static void put_default(struct json_writer *json, const struct vocabulary_key *key)
{
	int64_t number;
	double real;

	if (!key->fallback)
		return;
	if (key->type == FIELD_INT && text_to_int(key->fallback, &number))
		json_int(json, "default", number);
	else if (key->type == FIELD_REAL && text_to_double(key->fallback, &real))
		json_double(json, "default", real);
	else if (key->type == FIELD_BOOL)
		json_bool(json, "default", !strcmp(key->fallback, "true"));
	else
		json_string(json, "default", key->fallback);
}

/* The last row is the newest. */
static void put_notes(struct json_writer *json, const struct schema *schema,
		      const struct schema_node *node)
{
	const struct vocabulary_key *key =
		node->keys.count ? node->keys.items[node->keys.count - 1] : NULL;

	if (!key)
		return;
	put_description(json, schema, key);
	put_default(json, key);
	if (!key->gone)
		return;
	json_bool(json, "deprecated", true);
	json_string(
		json, "deprecationMessage",
		arena_printf(schema->vocabulary.arena, "nothing reads it from %s on", key->gone));
}

/* ---- maps ---- */

static const struct schema_node *any_name(const struct schema_node *map)
{
	size_t i;

	for (i = 0; i < map->members.count; i++)
		if (!strcmp(map->members.items[i]->name, "*"))
			return map->members.items[i];
	return NULL;
}

static void put_slips(struct json_writer *json, const struct schema_node *map)
{
	struct buf pattern;

	buf_init(&pattern);
	schema_slips(map, &pattern);
	if (pattern.length) {
		json_object(json, "patternProperties");
		json_bool(json, pattern.data, false);
		json_object_end(json);
	}
	buf_release(&pattern);
}

static void put_map(struct json_writer *json, const struct schema *schema,
		    const struct schema_node *map)
{
	const bool closed = vocabulary_is_closed(&schema->vocabulary, map->path);
	const struct schema_node *any = any_name(map);
	size_t i;

	json_object(json, "properties");
	for (i = 0; i < map->members.count; i++)
		if (map->members.items[i] != any)
			put_node(json, schema, map->members.items[i]->name, map->members.items[i]);
	if (closed) /* YAML's merge key */
		json_object(json, "<<"), json_object_end(json);
	json_object_end(json);
	if (any)
		put_node(json, schema, "additionalProperties", any);
	else if (closed)
		json_bool(json, "additionalProperties", false);
	else
		put_slips(json, map);
}

static void put_kind(struct json_writer *json, const char *kind)
{
	json_array(json, "type");
	json_string(json, NULL, kind);
	json_string(json, NULL, "null");
	json_array_end(json);
}

/* A value that may stand for a map's main key, or the map. */
static void put_either(struct json_writer *json, const struct schema *schema,
		       const struct schema_node *node)
{
	json_array(json, "anyOf");
	json_object(json, NULL);
	schema_value(json, &schema->vocabulary, node);
	json_object_end(json);
	json_object(json, NULL);
	put_kind(json, "object");
	put_map(json, schema, node);
	json_object_end(json);
	json_array_end(json);
}

static bool is_typed(const struct schema_node *node)
{
	size_t i;

	for (i = 0; i < node->keys.count; i++)
		if (!node->keys.items[i]->typed || node->keys.items[i]->type == FIELD_NODE)
			return false;
	return node->keys.count > 0;
}

/* A name that nothing reads, and that people write all the same. */
static bool is_elsewhere(const struct schema_node *node)
{
	return node->keys.count && node->keys.items[node->keys.count - 1]->instead;
}

static void put_node(struct json_writer *json, const struct schema *schema, const char *name,
		     const struct schema_node *node)
{
	if (is_elsewhere(node)) {
		json_bool(json, name, false);
		return;
	}
	json_object(json, name);
	put_notes(json, schema, node);
	if (!node->members.count) {
		schema_value(json, &schema->vocabulary, node);
	} else if (is_typed(node)) {
		put_either(json, schema, node);
	} else {
		if (!node->keys.count && vocabulary_is_closed(&schema->vocabulary, node->path))
			put_kind(json, "object");
		put_map(json, schema, node);
	}
	json_object_end(json);
}

void report_schema(struct schema *schema, struct buf *out)
{
	const struct schema_node *root = schema_tree(&schema->vocabulary);
	struct json_writer json;

	json_begin(&json, out);
	json_object(&json, NULL);
	json_string(&json, "$schema", "http://json-schema.org/draft-07/schema#");
	json_string(&json, "title", schema->title);
	json_string(&json, "description", schema->description);
	put_kind(&json, "object");
	put_map(&json, schema, root);
	json_object_end(&json);
	buf_char(out, '\n');
}
