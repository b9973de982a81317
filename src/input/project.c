#include "input/project.h"

#include "base/glob.h"
#include "base/io.h"
#include "base/path.h"
#include "base/text.h"
#include "input/field.h"
#include "input/project_parts.h"
#include "input/syntax/reader.h"
#include "input/vocabulary.h"

#include <string.h>

/* ---- which file ---- */

const char *project_find(struct arena *arena, const char *config)
{
	bool named = config && strcmp(config, "-") != 0;
	const char *folder = named ? path_folder(arena, config) : ".";
	const char *at = path_absolute(arena, folder), *file;

	for (;;) {
		file = path_join(arena, at, PROJECT_FILE);
		if (io_exists(file))
			return named && *config == '/' ? file : path_relative(arena, ".", file);
		if (!strcmp(at, "/") || io_exists(path_join(arena, at, ".git")))
			return NULL;
		at = path_folder(arena, at);
	}
}

/* ---- what stands in it ---- */

struct walk {
	struct arena *arena;
	struct project *project;
	struct findings *findings;
	struct settings *scratch; /* values of cluster: are decoded once to see what is wrong */
};

static bool is_word(const struct node *node)
{
	return node->kind == NODE_SCALAR && node->type != SCALAR_NULL;
}

static void wants(struct walk *walk, const struct node *node, const char *key, const char *what)
{
	finding_add(walk->findings, &rule_wrong_type, node->span, "%s takes %s, not %s", key, what,
		    node_describe(walk->arena, node));
}

static struct project_word word_of(const struct node *node)
{
	return (struct project_word) { node->text, node->span };
}

/* NAME@VERSION, or NAME with the version as the map's value. */
static void add_pin(struct walk *walk, const struct node *node)
{
	size_t at = strcspn(node->text, "@");
	struct pin pin = { .span = node->span, .origin = ORIGIN_PROJECT };

	if (node->key) {
		pin.framework = node->key;
		pin.version = node->text;
		pin.key_span = node->key_span;
	} else {
		pin.framework = arena_strndup(walk->arena, node->text, at);
		pin.version = node->text[at] ? node->text + at + 1 : "latest";
	}
	vec_push(walk->arena, &walk->project->pins, pin);
}

static void read_framework(struct walk *walk, const struct node *node)
{
	const struct node *child;

	if (is_word(node)) {
		struct node alone = *node;
		alone.key = NULL;
		add_pin(walk, &alone);
		return;
	}
	if (node->kind == NODE_SCALAR) {
		wants(walk, node, "framework", "NAME@VERSION or a list of them");
		return;
	}
	for (child = node->first; child; child = child->next)
		if (is_word(child))
			add_pin(walk, child);
		else
			wants(walk, child, "framework", "NAME@VERSION or a list of them");
}

/* "a, b and c": the keys that the file may have. */
static char *project_keys(struct arena *arena);

static void unknown(struct walk *walk, const struct node *node, const char *prefix,
		    const char *const *names, size_t count)
{
	const char *near = text_nearest(node->key, names, count);
	struct finding *finding = finding_add(walk->findings, &rule_unknown_key, node->key_span,
					      "unknown key %s%.60s", prefix, node->key);

	if (near) {
		finding_fix(walk->findings, finding, "did you mean %s?", near);
		finding_edit(walk->findings, finding, node->key_span, "%s", near);
	} else {
		finding_fix(walk->findings, finding, "there are %s",
			    *prefix ? "the native config's: parplan explain --keys"
				    : project_keys(walk->arena));
	}
}

static void unknown_in_cluster(struct walk *walk, const struct node *node)
{
	VEC(const char *) names = { 0 };
	int id;

	for (id = 0; id < FIELD_COUNT; id = field_next(id))
		if (text_starts(field_of((enum field_id)id)->key, PROJECT_CLUSTER))
			vec_push(walk->arena, &names,
				 field_of((enum field_id)id)->key + strlen(PROJECT_CLUSTER));
	unknown(walk, node, PROJECT_CLUSTER, names.items, names.count);
}

/* A map below cluster: or world:, whose key is a pattern of paths. */
static void add_part(struct walk *walk, struct project_parts *parts, const struct node *node)
{
	struct project_part part = { node->key, node };
	const char *trouble = glob_trouble(walk->arena, node->key);

	if (trouble)
		finding_add(walk->findings, &rule_wrong_type, node->key_span,
			    "'%.60s' is no pattern of paths: %s", node->key, trouble);
	else
		vec_push(walk->arena, parts, part);
}

/* Fields of the cluster; below the top, maps are those of a pattern. */
static void read_fields(struct walk *walk, const struct node *node, bool top)
{
	struct decoder decoder = { walk->arena, walk->scratch, walk->findings };
	struct node *child;
	enum field_id field;

	for (child = node->first; child; child = child->next) {
		field = project_field(walk->arena, child);
		child->origin = NODE_FROM_PROJECT;
		if (field != FIELD_COUNT) {
			field_put(&decoder, field, child);
		} else if (top && child->kind == NODE_MAP) {
			add_part(walk, &walk->project->clusters, child);
			read_fields(walk, child, false);
		} else {
			unknown_in_cluster(walk, child);
		}
	}
}

static void read_cluster(struct walk *walk, const struct node *node)
{
	const struct project_part all = { NULL, node };

	if (node->kind != NODE_MAP) {
		wants(walk, node, "cluster", "a map");
		return;
	}
	vec_push(walk->arena, &walk->project->clusters, all);
	read_fields(walk, node, true);
}

static bool is_world(struct walk *walk, const struct node *node)
{
	const bool is = node->kind == NODE_SCALAR && node->type == SCALAR_INT && node->integer > 0;

	if (!is)
		wants(walk, node, "world", "a number of ranks, 1 or more");
	return is;
}

static void read_world(struct walk *walk, const struct node *node)
{
	const struct node *child;
	const struct project_part all = { NULL, node };

	if (node->kind != NODE_MAP && is_world(walk, node))
		vec_push(walk->arena, &walk->project->worlds, all);
	for (child = node->kind == NODE_MAP ? node->first : NULL; child; child = child->next)
		if (is_world(walk, child))
			add_part(walk, &walk->project->worlds, child);
}

static void read_rules(struct walk *walk, const struct node *node)
{
	if (node->kind == NODE_MAP)
		walk->project->rules = node;
	else
		wants(walk, node, "rules", "a map: {tp-across-nodes: error, checkpoint-off: off}");
}

static void read_ignore(struct walk *walk, const struct node *node)
{
	const struct node *child;

	if (is_word(node))
		vec_push(walk->arena, &walk->project->ignore, word_of(node));
	else if (node->kind != NODE_LIST)
		wants(walk, node, "ignore", "a rule or a list of rules");
	for (child = node->kind == NODE_LIST ? node->first : NULL; child; child = child->next)
		if (is_word(child))
			vec_push(walk->arena, &walk->project->ignore, word_of(child));
		else
			wants(walk, child, "ignore", "a rule or a list of rules");
}

static void add_glob(struct walk *walk, const struct node *node)
{
	const char *trouble;

	if (!is_word(node)) {
		wants(walk, node, "exclude", "a pattern or a list of patterns");
		return;
	}
	trouble = glob_trouble(walk->arena, node->text);
	if (trouble)
		finding_add(walk->findings, &rule_wrong_type, node->span,
			    "exclude: '%.60s' is no pattern of paths: %s", node->text, trouble);
	else
		vec_push(walk->arena, &walk->project->exclude, word_of(node));
}

static void read_exclude(struct walk *walk, const struct node *node)
{
	const struct node *child;

	if (node->kind != NODE_LIST)
		add_glob(walk, node);
	for (child = node->kind == NODE_LIST ? node->first : NULL; child; child = child->next)
		add_glob(walk, child);
}

static void read_baseline(struct walk *walk, const struct node *node)
{
	if (is_word(node) && *node->text)
		walk->project->baseline = word_of(node);
	else
		wants(walk, node, "baseline", "a path");
}

static const char fail_words[] = "error|warning|note|never";

static void read_fail_on(struct walk *walk, const struct node *node)
{
	struct decoder decoder = { walk->arena, walk->scratch, walk->findings };

	if (node->kind != NODE_SCALAR)
		wants(walk, node, "fail-on", "a severity");
	else if (!words_have(fail_words, node->text))
		field_bad_word(&decoder, fail_words, "fail-on", node);
	else
		walk->project->fail_on = word_of(node);
}

static void read_strict(struct walk *walk, const struct node *node)
{
	if (node->kind == NODE_SCALAR && node->type == SCALAR_BOOL)
		walk->project->strict = node->boolean;
	else
		wants(walk, node, "strict", "true or false");
}

/* To add a key: its reader, and a row. A fact says what is, the others what is wrong. */
static const struct {
	const char *key;
	void (*read)(struct walk *walk, const struct node *node);
	bool fact, typed;
	enum field_type type;
	const char *words, *help;
} keys[] = {
	{ "framework", read_framework, .fact = true,
	  .help = "versions that configs are judged by: NAME@VERSION, a list or a map of them" },
	{ "cluster", read_cluster, .fact = true,
	  .help = "cluster.* of the native config; below a pattern of paths for those configs" },
	{ "world", read_world, .fact = true, .typed = true, .type = FIELD_INT,
	  .help = "number of ranks; below a pattern of paths for those configs" },
	{ "rules", read_rules, .help = "levels of rules, by name" },
	{ "ignore", read_ignore, .typed = true, .type = FIELD_LIST,
	  .help = "rules whose findings are dropped" },
	{ "exclude", read_exclude, .typed = true, .type = FIELD_LIST,
	  .help = "patterns of paths that are not checked" },
	{ "baseline", read_baseline, .typed = true, .type = FIELD_TEXT,
	  .help = "file of findings that are known" },
	{ "fail-on", read_fail_on, .typed = true, .type = FIELD_TEXT, .words = fail_words,
	  .help = "check fails from this severity on" },
	{ "strict", read_strict, .typed = true, .type = FIELD_BOOL,
	  .help = "what is judged in part, or not at all, fails" },
};

enum { KEYS = sizeof(keys) / sizeof(*keys) };

bool project_is_policy(const char *key)
{
	size_t i;

	for (i = 0; i < KEYS; i++)
		if (!strcmp(keys[i].key, key))
			return !keys[i].fact;
	return true;
}

static char *project_keys(struct arena *arena)
{
	char *text = arena_strdup(arena, "");
	size_t i;

	for (i = 0; i < KEYS; i++)
		text = arena_printf(arena, "%s%s%s", text,
				    !i		   ? ""
				    : i + 1 < KEYS ? ", "
						   : " and ",
				    keys[i].key);
	return text;
}

static void read_member(struct walk *walk, const struct node *node)
{
	const char *names[KEYS];
	size_t i;

	for (i = 0; i < KEYS; i++) {
		names[i] = keys[i].key;
		if (strcmp(names[i], node->key) != 0)
			continue;
		if (node->kind != NODE_SCALAR || node->type != SCALAR_NULL)
			keys[i].read(walk, node);
		return;
	}
	unknown(walk, node, "", names, KEYS);
}

/* Fields of the cluster, for all configs and below a pattern of paths. */
static void add_cluster(struct vocabulary *vocabulary)
{
	int id;

	for (id = 0; id < FIELD_COUNT; id = field_next(id)) {
		const char *key = field_of((enum field_id)id)->key;
		if (!text_starts(key, PROJECT_CLUSTER))
			continue;
		vocabulary_add_field(vocabulary, (enum field_id)id, key);
		vocabulary_add_field(vocabulary, (enum field_id)id,
				     arena_join(vocabulary->arena, PROJECT_CLUSTER "*.",
						key + strlen(PROJECT_CLUSTER), ""));
	}
}

void project_vocabulary(struct vocabulary *vocabulary, struct arena *arena)
{
	static const char *const closed[] = { "", "cluster", "cluster.*", "world", "rules" };
	struct vocabulary_key key;
	size_t i;

	*vocabulary = (struct vocabulary) { .arena = arena };
	for (i = 0; i < KEYS; i++) {
		key = (struct vocabulary_key) { .path = keys[i].key,
						.field = FIELD_COUNT,
						.typed = keys[i].typed,
						.type = keys[i].type,
						.words = keys[i].words,
						.help = keys[i].help };
		vocabulary_add(vocabulary, &key);
		if (strcmp(key.path, "world") != 0)
			continue;
		key.path = "world.*";
		vocabulary_add(vocabulary, &key);
	}
	add_cluster(vocabulary);
	for (i = 0; i < sizeof(closed) / sizeof(*closed); i++)
		vocabulary_close(vocabulary, closed[i]);
}

void project_read(struct project *project, struct arena *arena, const char *path, const char *text,
		  size_t length)
{
	struct walk walk = { .arena = arena,
			     .project = project,
			     .findings = &project->findings,
			     .scratch = arena_new(arena, struct settings) };
	const struct node *root, *child;

	memset(project, 0, sizeof(*project));
	findings_init(&project->findings, arena);
	settings_init(walk.scratch);
	project->source = source_new(arena, path, text, length);
	project->folder = path_folder(arena, path);
	root = yaml_read(arena, project->source, &project->findings);
	if (!root || (root->kind == NODE_SCALAR && root->type == SCALAR_NULL))
		return;
	project->root = root;
	if (root->kind != NODE_MAP)
		wants(&walk, root, PROJECT_FILE, "a map");
	for (child = root->kind == NODE_MAP ? root->first : NULL; child; child = child->next)
		read_member(&walk, child);
}
