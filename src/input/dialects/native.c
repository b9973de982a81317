#include "base/text.h"
#include "input/document.h"
#include "input/settings/foreign_keys.h"
#include "input/settings/layer_split.h"
#include "input/settings/native_keys.h"
#include "input/field.h"
#include "input/launch/launch.h"
#include "input/node.h"

#include <string.h>

/*
 * The native config: its keys are the fields of input/fields.def, so translating is
 * decoding. What this file adds are the short forms, the `framework:` pins, and names that
 * people bring along from other tools.
 */

enum { SCHEMA = 1, UNKNOWN_MOST = 50 };

/* Native in all but the first line: maps of the native config, and a degree by its native name. */
static bool all_but_version(const struct node *root)
{
	static const char *const maps[] = { "framework",   "cluster",	  "world",
					    "model",	   "mesh",	  "expect",
					    "parallelism", "training",	  "checkpoint",
					    "launch",	   "environment", "fault_tolerance",
					    "own",	   "defaults" };
	static const char *const degrees[] = { "dp_replicate", "dp_shard", "tp", "pp", "cp", "ep" };
	const struct node *child, *parallelism = node_member(root, "parallelism");
	size_t i;

	if (root->kind != NODE_MAP || !parallelism)
		return false;
	for (child = root->first; child; child = child->next) {
		for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
			if (!strcmp(maps[i], child->key))
				break;
		if (i == sizeof(maps) / sizeof(maps[0]))
			return false;
	}
	for (i = 0; i < sizeof(degrees) / sizeof(degrees[0]); i++)
		if (node_member(parallelism, degrees[i]))
			return true;
	return false;
}

static int native_detect(const struct document *document)
{
	if (node_member(document->root, "parplan"))
		return 100;
	return all_but_version(document->root) ? 5 : 0;
}

struct walk {
	struct arena *arena;
	struct decoder decoder;
	struct document *document;
	int unknown; /* keys reported so far */
};

/* The key without the maps that it shares with `path`: what to write in place of the last part. */
static const char *replacement(const char *path, const char *key)
{
	size_t section = (size_t)(native_leaf(path) - path);

	if (!strncmp(path, key, section) && !strchr(key + section, '.'))
		return key + section;
	return NULL;
}

static void unknown_key(struct walk *walk, const struct node *node, const char *path)
{
	const char *owner = NULL;
	const char *ours = foreign_name(native_leaf(path), &owner);
	struct findings *findings = walk->decoder.findings;
	struct finding *finding;

	if (++walk->unknown > UNKNOWN_MOST)
		return;
	if (ours && strcmp(ours, path) != 0) {
		finding = finding_add(findings, &rule_unknown_key, node->key_span,
				      "unknown key %s: %s is %s's name; here it is %s", path,
				      native_leaf(path), owner, ours);
	} else {
		ours = native_nearest_key(walk->arena, path);
		if (!ours)
			ours = foreign_stem(walk->arena, native_leaf(path));
		finding = finding_add(findings, &rule_unknown_key, node->key_span, "unknown key %s",
				      path);
	}
	if (walk->unknown == UNKNOWN_MOST)
		finding_actual(findings, finding, "further unknown keys are not listed");
	if (!ours) {
		finding_fix(findings, finding,
			    "remove it, or correct it: parplan explain --keys lists all keys");
		return;
	}
	finding_fix(findings, finding, "did you mean %s?", ours);
	if (field_find(ours) != FIELD_COUNT)
		settings_of(walk->decoder.settings, field_find(ours))->doubtful = true;
	if (replacement(path, ours))
		finding_edit(findings, finding, node->key_span, "%s", replacement(path, ours));
}

static void read_node(struct walk *walk, const struct node *node, const char *path);

static void read_members(struct walk *walk, const struct node *map, const char *prefix)
{
	const struct node *child;

	for (child = map->first; child; child = child->next)
		read_node(walk, child,
			  *prefix ? arena_printf(walk->arena, "%s.%s", prefix, child->key)
				  : child->key);
}

/* Unknown keys below a tree that is kept as it is. */
static void check_tree(struct walk *walk, const struct node *map, const char *prefix)
{
	const struct node *child;

	if (map->kind != NODE_MAP || !native_is_section(prefix))
		return;
	for (child = map->first; child; child = child->next) {
		const char *path = arena_printf(walk->arena, "%s.%s", prefix, child->key);
		if (native_is_tree_key(path))
			continue;
		if (native_is_section(path) && child->kind == NODE_MAP)
			check_tree(walk, child, path);
		else
			unknown_key(walk, child, path);
	}
}

static bool is_scalar(const struct node *node)
{
	return node->kind == NODE_SCALAR;
}

static void wants(struct walk *walk, const struct node *node, const char *path, const char *what)
{
	finding_add(walk->decoder.findings, &rule_wrong_type, node->span, "%s takes %s, not %s",
		    path, what, node_describe(walk->arena, node));
}

static bool is_words(const struct node *node)
{
	return is_scalar(node) && node->type == SCALAR_STRING;
}

/* What fields that are kept as trees take; others take any. */
static const struct shape {
	enum field_id field;
	bool map, list, words;
	const char *name;
} shapes[] = {
	{ FIELD_MESH, .map = true, .name = "a map" },
	{ FIELD_EXPECT, .map = true, .name = "a map" },
	{ FIELD_OWN, .map = true, .name = "a map" },
	{ FIELD_ENVIRONMENT, .map = true, .name = "a map" },
	{ FIELD_MODEL_DTYPES, .map = true, .name = "a map" },
	{ FIELD_PP_STAGES, .list = true, .name = "a list" },
	{ FIELD_CLUSTER_DEVICES, .list = true, .name = "a list" },
	{ FIELD_PP_LAYER_SPLIT, .list = true, .words = true, .name = "a list or a layout" },
	{ FIELD_CHECKPOINT_RESUME, .map = true, .words = true,
	  .name = "a path or a map of degrees" },
};

/* What the field takes, where it does not take that node; else NULL. */
static const char *misshapen(enum field_id field, const struct node *node)
{
	size_t i;

	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		const struct shape *shape = &shapes[i];
		if (shape->field != field)
			continue;
		return (shape->map && node->kind == NODE_MAP) ||
				       (shape->list && node->kind == NODE_LIST) ||
				       (shape->words && is_words(node))
			       ? NULL
			       : shape->name;
	}
	return NULL;
}

static void read_tree(struct walk *walk, enum field_id field, const struct node *node)
{
	const char *key = field_of(field)->key;
	const char *what = misshapen(field, node);

	if (is_scalar(node) && node->type == SCALAR_NULL)
		return;
	if (what) {
		wants(walk, node, key, what);
		settings_of(walk->decoder.settings, field)->invalid = true;
	}
	check_tree(walk, node, key);
}

/* `unknown` stands for a value that nothing at hand says: neither a value nor the default. */
static const struct node *left_open(struct walk *walk, const struct node *node)
{
	struct node *open;

	if (!is_words(node) || node->quoted || strcmp(node->text, "unknown") != 0)
		return node;
	open = arena_new(walk->arena, struct node);
	*open = *node;
	open->unresolved = "it";
	return open;
}

static void read_node(struct walk *walk, const struct node *node, const char *path)
{
	enum field_id field = field_find(path);

	if (field != FIELD_COUNT) {
		field_put(&walk->decoder, field, left_open(walk, node));
		if (field_of(field)->type == FIELD_NODE)
			read_tree(walk, field, node);
	} else if (!native_is_section(path)) {
		unknown_key(walk, node, path);
	} else if (node->kind == NODE_MAP) {
		if (strcmp(path, "framework") != 0)
			read_members(walk, node, path);
	} else if (is_scalar(node) && native_shorthand(path) != FIELD_COUNT) {
		field_put(&walk->decoder, native_shorthand(path), node);
	} else if (!(is_scalar(node) && node->type == SCALAR_NULL) &&
		   strcmp(path, "framework") != 0) {
		wants(walk, node, path, "a map");
	}
}

/* The empty span in front of another. */
static struct span span_before(struct span span)
{
	span.end_line = span.line;
	span.end_column = span.column;
	return span;
}

static void check_schema(struct walk *walk, const struct node *version)
{
	const struct node *first = walk->document->root->first;
	struct finding *finding;

	if (!version) {
		finding = finding_add(walk->decoder.findings, &rule_schema_version, first->key_span,
				      "this reads like a native config, but does not say so");
		finding_fix(walk->decoder.findings, finding, "begin with `parplan: %d`", SCHEMA);
		if (span_known(first->key_span) && first->key_span.column == 1)
			finding_edit(walk->decoder.findings, finding, span_before(first->key_span),
				     "parplan: %d\n", SCHEMA);
		return;
	}
	if (field_fits(FIELD_INT, version) && version->integer == SCHEMA)
		return;
	finding = finding_add(walk->decoder.findings, &rule_schema_version, version->span,
			      "this config is of schema version %s; version %d is the one known",
			      field_fits(FIELD_INT, version) ? version->text
							     : node_describe(walk->arena, version),
			      SCHEMA);
	if (is_scalar(version))
		finding_edit(walk->decoder.findings, finding, version->span, "%d", SCHEMA);
}

static void add_pin(struct document *document, const char *framework, const struct node *value)
{
	struct pin pin = { framework, value->text, value->span, ORIGIN_GIVEN, value->key_span };

	if (value->origin == NODE_FROM_SET)
		pin.origin = ORIGIN_SET;
	if (is_scalar(value) && value->type != SCALAR_NULL)
		vec_push(document->arena, &document->pins, pin);
}

/* `framework: torchtitan@v0.2.0`. */
static void add_joined_pin(struct document *document, const struct node *node)
{
	size_t at = strcspn(node->text, "@");
	struct pin pin = { arena_strndup(document->arena, node->text, at),
			   "latest",
			   node->span,
			   ORIGIN_GIVEN,
			   { 0 } };

	if (node->text[at])
		pin.version = node->text + at + 1;
	vec_push(document->arena, &document->pins, pin);
}

static void native_pins(struct document *document)
{
	const struct node *framework = node_member(document->root, "framework");
	const struct node *child;

	if (!framework)
		return;
	if (is_scalar(framework) && framework->type == SCALAR_STRING)
		add_joined_pin(document, framework);
	for (child = framework->first; child; child = child->next)
		if (framework->kind == NODE_MAP)
			add_pin(document, child->key, child);
		else if (is_scalar(child))
			add_joined_pin(document, child);
}

static void unset(struct settings *settings, enum field_id field)
{
	struct setting *setting = settings_of(settings, field);

	if (setting->origin == ORIGIN_DEFAULT)
		setting->origin = ORIGIN_UNSET;
}

/* The dialect of a framework that the config names and whose defaults go by its version; or NULL.
 */
static const struct dialect *named_dialect(const struct document *document)
{
	const struct dialect *const *row;
	size_t i;

	for (row = dialects; *row; row++)
		for (i = 0; (*row)->defaults && i < document->pins.count; i++)
			if (!strcmp(document->pins.items[i].framework, (*row)->framework))
				return *row;
	return NULL;
}

/* What a native config leaves out is what the framework that it names would default to. */
static void fill_defaults(const struct document *document, struct settings *settings)
{
	const struct dialect *named = named_dialect(document);

	if (!document->high || !named)
		return;
	named->defaults(document->arena, settings, document->high);
	/* One way of counting a batch is enough: the others are not the config's. */
	if (setting_given(settings_of(settings, FIELD_MICRO_BATCH_SIZE)))
		unset(settings, FIELD_LOCAL_BATCH_SIZE);
	if (setting_given(settings_of(settings, FIELD_LOCAL_BATCH_SIZE)) ||
	    setting_given(settings_of(settings, FIELD_MICRO_BATCH_SIZE))) {
		unset(settings, FIELD_TOKENS_PER_MICROBATCH);
		unset(settings, FIELD_TOKENS_PER_STEP);
	}
}

/* Flags alone have nobody to read them here; those behind a launcher are the script's affair. */
static void refuse_flags(const struct launch *launch, struct findings *findings)
{
	struct finding *finding;
	size_t i;

	if (!launch || launch->launched)
		return;
	for (i = 0; i < launch->flags.count; i++) {
		finding =
			finding_add(findings, &rule_unknown_flag, launch->flags.items[i].name_span,
				    "--%.60s is a flag of a framework, and this file is a native "
				    "config, which has none",
				    launch->flags.items[i].name);
		finding_fix(findings, finding,
			    "override a key with --set KEY=VALUE in front of the --");
	}
	for (i = 0; i < launch->strays.count; i++)
		finding_add(findings, &rule_unknown_flag, launch->strays.items[i].span,
			    "'%.60s' belongs to no flag", launch->strays.items[i].text);
}

/*
 * What nobody said and the framework's own reader takes: the same keys below `defaults`, which are
 * values, but not asked for.
 */
static void read_defaults(struct walk *walk, const struct node *map)
{
	struct settings *settings = walk->decoder.settings;
	struct settings *taken = arena_new(walk->arena, struct settings);
	int id;

	if (map->kind != NODE_MAP) {
		wants(walk, map, map->key, "a map");
		return;
	}
	settings_init(taken);
	walk->decoder.settings = taken;
	read_members(walk, map, "");
	walk->decoder.settings = settings;
	for (id = 0; id < FIELD_COUNT; id = field_next(id)) {
		if (!setting_given(&taken->items[id]))
			continue;
		settings->items[id] = taken->items[id];
		settings->items[id].origin = ORIGIN_DEFAULT;
		settings->items[id].note = "defaults";
	}
}

static void native_settle(struct document *document, moment_t when, struct settings *settings,
			  struct findings *findings)
{
	struct walk walk = {
		document->arena, { document->arena, settings, findings }, document, 0
	};
	const struct node *child;

	(void)when;
	if (!document->root || document->root->kind != NODE_MAP)
		return;
	if (document->root->first)
		check_schema(&walk, node_member(document->root, "parplan"));
	if (node_member(document->root, "defaults"))
		read_defaults(&walk, node_member(document->root, "defaults"));
	for (child = document->root->first; child; child = child->next)
		if (strcmp(child->key, "parplan") != 0 && strcmp(child->key, "defaults") != 0)
			read_node(&walk, child, child->key);
	layer_split_settle(&walk.decoder);
	fill_defaults(document, settings);
	refuse_flags(document->launch, findings);
}

const struct dialect dialect_native = {
	.name = "parplan",
	.summary = "the native YAML config",
	.signs = "'parplan: 1'",
	.framework = NULL,
	.holds_expect = true,
	.detect = native_detect,
	.pins = native_pins,
	.vocabulary = native_vocabulary,
	.settle = native_settle,
};
