#include "input/compose/composition.h"

#include "base/text.h"
#include "input/launch/launch.h"

#include <string.h>

/* How deep lists of defaults may lead to others. */
enum { GENERATIONS = 12 };

/* One file that hydra is composed of, in the order of the list: later ones win. */
struct part {
	const struct node *tree;
	const char *package; /* dotted, where it lands; "" is the root */
};

/* What a list or a word of the command line says about a group: which option, by whom first. */
struct choice {
	const char *group, *option;
	const char *package; /* of `group@package`, or NULL */
	bool said;	     /* on the command line */
};

struct composition {
	struct document *document;
	struct findings *findings;
	VEC(struct part) parts;
	VEC(struct choice) overrides; /* `override group: option`; the first of a group wins */
	VEC(struct choice) choices;   /* `group: option`, for ${group} in later options */
};

/* One entry of a list: "optional group@package: option". */
struct entry {
	const char *group;   /* "" for a name without a group */
	const char *package; /* behind '@', or NULL */
	const char *option;  /* NULL: none is chosen */
	const struct node *node;
	bool optional, overrides;
	bool chooses; /* "group: option", which others may override; a name they may not */
};

/* The file in whose list an entry stands. */
struct place {
	const char *group;   /* the folder it lies in, from the document's: "training/llama" */
	const char *package; /* where it lands */
	int generation;
};

static const char *joined(struct arena *arena, const char *left, const char *between,
			  const char *right)
{
	if (!*left || !*right)
		return *left ? left : right;
	return arena_join(arena, left, between, right);
}

static char *dotted(struct arena *arena, const char *group)
{
	char *text = arena_strdup(arena, group), *at;

	for (at = text; *at; at++)
		if (*at == '/')
			*at = '.';
	return text;
}

/* ---- entries ---- */

static bool take_word(const char **text, const char *word)
{
	size_t length = strlen(word);

	if (!text_starts(*text, word) || (*text)[length] != ' ')
		return false;
	*text += length + strspn(*text + length, " ");
	return true;
}

/* "group@package" in its two parts. */
static void split_package(struct arena *arena, const char *key, struct entry *entry)
{
	const char *at = strchr(key, '@');

	entry->group = at ? arena_strndup(arena, key, (size_t)(at - key)) : key;
	entry->package = at ? at + 1 : NULL;
}

/* "folder/name": the last part is what is taken of the group before it. */
static void split_name(struct arena *arena, const char *name, struct entry *entry)
{
	const char *slash;

	split_package(arena, name, entry);
	slash = strrchr(entry->group, '/');
	entry->option = slash ? slash + 1 : entry->group;
	entry->group =
		slash ? arena_strndup(arena, entry->group, (size_t)(slash - entry->group)) : "";
}

/* False for an entry that is no file: `_self_`, null, a group of hydra's own. */
static bool read_entry(struct arena *arena, const struct node *item, struct entry *entry)
{
	const struct node *option = item->kind == NODE_MAP ? item->first : NULL;
	const char *key = option ? option->key : item->text;

	*entry = (struct entry) { .node = option ? option : item };
	if (!option && (item->kind != NODE_SCALAR || item->type == SCALAR_NULL))
		return false;
	entry->optional = take_word(&key, "optional");
	entry->overrides = take_word(&key, "override");
	if (!option) {
		split_name(arena, key, entry);
		return true;
	}
	split_package(arena, key, entry);
	entry->chooses = true;
	if (option->kind == NODE_SCALAR && option->type != SCALAR_NULL)
		entry->option = option->text;
	return !text_starts(entry->group, "hydra/") && !text_starts(entry->group, "/hydra/");
}

static const char *chosen(const struct choice *choices, size_t count, const char *group)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(choices[i].group, group))
			return choices[i].option;
	return NULL;
}

/* "${engine}_actor" with the options chosen so far; as it is when one is not known. */
static const char *expanded(struct composition *c, const char *option)
{
	struct arena *arena = c->document->arena;
	const char *open = strstr(option, "${"), *close, *value;

	close = open ? strchr(open, '}') : NULL;
	if (!close)
		return option;
	value = chosen(c->choices.items, c->choices.count,
		       arena_strndup(arena, open + 2, (size_t)(close - open - 2)));
	if (!value || strstr(value, "${"))
		return option;
	option = arena_printf(arena, "%.*s%s%s", (int)(open - option), option, value, close + 1);
	return expanded(c, option);
}

/* ---- where a file lands ---- */

/* The word behind "# @package " in a line, or NULL. */
static const char *package_in(struct arena *arena, const char *line, size_t length)
{
	static const char word[] = "@package ";
	const char *text = arena_strndup(arena, line, length), *at;

	at = *text == '#' ? text + 1 + strspn(text + 1, " \t") : text;
	if (at == text || !text_starts(at, word))
		return NULL;
	at += strlen(word);
	at += strspn(at, " ");
	return arena_strndup(arena, at, strcspn(at, " \t\r\n"));
}

/* What the comments at the head of a file say of where it lands, or NULL. */
static const char *header_package(struct arena *arena, const struct source *source)
{
	const char *line, *package;
	uint32_t number;
	size_t length;

	for (number = 1; number <= source->line_count; number++) {
		line = source_line(source, number, &length);
		package = package_in(arena, line, length);
		if (package || (length && *line != '#' && *line != '\r'))
			return package;
	}
	return NULL;
}

/* Where a file of `group`, taken up at `place`, lands. */
static const char *package_of(struct arena *arena, const struct place *place,
			      const struct entry *entry, const char *group, const struct node *tree)
{
	const char *header = header_package(arena, tree->span.source);
	const char *package = entry->package ? entry->package : header;
	bool absolute = text_starts(entry->group, "/");

	if (!package)
		return joined(arena, absolute ? "" : place->package, ".",
			      dotted(arena, entry->group + absolute));
	if (!strcmp(package, "_global_"))
		return "";
	if (!strcmp(package, "_here_"))
		return place->package;
	if (!strcmp(package, "_group_"))
		return dotted(arena, group);
	if (text_starts(package, "_global_."))
		return package + strlen("_global_.");
	return joined(arena, entry->package ? place->package : "", ".", package);
}

/* ---- the list ---- */

static void add_file(struct composition *c, const struct place *place, struct node *tree);

/* `group=option` of the command line is no key of the tree, whatever read it as one. */
static void forget_word(struct composition *c, const char *group)
{
	struct node *node = node_find(c->document->root, dotted(c->document->arena, group));

	if (node && node->kind == NODE_SCALAR && node->origin == NODE_FROM_FLAG)
		node_remove(node);
}

/* The option that was chosen instead of an entry's own, or NULL. */
static const char *overridden(struct composition *c, const struct entry *entry, const char *group)
{
	size_t i;

	for (i = 0; entry->chooses && i < c->overrides.count; i++) {
		const struct choice *choice = &c->overrides.items[i];
		if (strcmp(choice->group, group) != 0 ||
		    (choice->package && entry->package &&
		     strcmp(choice->package, entry->package) != 0))
			continue;
		if (choice->said)
			forget_word(c, group);
		return choice->option;
	}
	return NULL;
}

static void add_entry(struct composition *c, const struct place *place, const struct entry *entry)
{
	struct arena *arena = c->document->arena;
	bool absolute = text_starts(entry->group, "/");
	const char *group =
		joined(arena, absolute ? "" : place->group, "/", entry->group + absolute);
	const char *option = overridden(c, entry, group), *file;
	struct place inner = { .group = group, .generation = place->generation + 1 };
	const size_t said = c->findings->list.count;
	struct node *tree;

	option = option ? option : entry->option ? expanded(c, entry->option) : NULL;
	if (!option)
		return;
	vec_push(arena, &c->choices, ((struct choice) { .group = group, .option = option }));
	file = joined(arena, group, "/", option);
	if (!text_ends(file, ".yaml"))
		file = arena_join(arena, file, ".yaml", "");
	tree = inner.generation < GENERATIONS ? document_load(c->document, NULL, file, c->findings)
					      : NULL;
	if (!tree && !entry->optional)
		vec_push(arena, &c->document->absent, file);
	if (!tree && !entry->optional && c->findings->list.count == said) {
		finding_fix(c->findings,
			    finding_add(c->findings, &rule_absent_parent, entry->node->span,
					"%.120s is not there: what it says stays unknown", file),
			    "check the config where that file lies, or give its values: --set "
			    "KEY=VALUE");
	}
	if (!tree)
		return;
	inner.package = package_of(arena, place, entry, group, tree);
	add_file(c, &inner, tree);
}

static void collect_overrides(struct composition *c, const struct node *list)
{
	const struct node *item;
	struct entry entry;

	for (item = list->first; item; item = item->next)
		if (read_entry(c->document->arena, item, &entry) && entry.overrides)
			vec_push(c->document->arena, &c->overrides,
				 ((struct choice) { .group = entry.group + (*entry.group == '/'),
						    .option = entry.option,
						    .package = entry.package }));
}

static bool is_self(const struct node *item)
{
	return item->kind == NODE_SCALAR && !strcmp(item->text, "_self_");
}

/* Adds what a file's list names and the file itself, each in its place. */
static void add_file(struct composition *c, const struct place *place, struct node *tree)
{
	const struct node *list = node_member(tree, "defaults"), *item;
	struct part self = { tree, place->package };
	struct entry entry;
	bool added = false;

	if (!list || list->kind != NODE_LIST) {
		vec_push(c->document->arena, &c->parts, self);
		return;
	}
	collect_overrides(c, list);
	for (item = list->first; item; item = item->next) {
		if (is_self(item)) {
			vec_push(c->document->arena, &c->parts, self);
			added = true;
		} else if (read_entry(c->document->arena, item, &entry) && !entry.overrides) {
			add_entry(c, place, &entry);
		}
	}
	if (!added)
		vec_push(c->document->arena, &c->parts, self);
	if (tree != c->document->root)
		node_remove(node_member(tree, "defaults"));
}

/* ---- the tree ---- */

/* Makes `old` what `copy` is, where it stands. */
static void take_place(struct node *old, const struct node *copy)
{
	struct node *next = old->next, *parent = old->parent, *child;

	*old = *copy;
	old->next = next;
	old->parent = parent;
	for (child = old->first; child; child = child->next)
		child->parent = old;
}

/* What --set said stays; else what comes later takes the place of what was there. */
static void merge_above(struct arena *arena, struct node *map, const struct node *above)
{
	const struct node *child;
	struct node *mine;

	for (child = above->first; child; child = child->next) {
		mine = node_member(map, child->key);
		if (!mine)
			node_append(map, node_copy(arena, child));
		else if (mine->kind == NODE_MAP && child->kind == NODE_MAP)
			merge_above(arena, mine, child);
		else if (mine->origin == NODE_FROM_FILE)
			take_place(mine, node_copy(arena, child));
	}
}

/* The map under that key, made when it is not there. */
static struct node *map_under(struct arena *arena, struct node *map, const char *key,
			      const struct node *tree)
{
	struct node *child = node_member(map, key), *made;

	if (child && child->kind == NODE_MAP)
		return child;
	made = node_container(arena, NODE_MAP, tree->span);
	made->key = key;
	made->key_span = tree->span;
	if (!child) {
		node_append(map, made);
		return made;
	}
	take_place(child, made);
	return child;
}

static void merge_part(struct arena *arena, struct node *root, const struct part *part)
{
	struct node *at = root;
	const char *path = part->package;

	while (*path) {
		size_t length = strcspn(path, ".");
		at = map_under(arena, at, arena_strndup(arena, path, length), part->tree);
		path += length + (path[length] == '.');
	}
	merge_above(arena, at, part->tree);
}

/* ---- the command line ---- */

/* Words like `group=option` and `group@package=option`, which come before all lists. */
static void collect_words(struct composition *c)
{
	struct arena *arena = c->document->arena;
	const struct launch *launch = c->document->launch;
	struct entry entry = { 0 };
	size_t i;

	for (i = 0; launch && i < launch->strays.count; i++) {
		const char *text = launch->strays.items[i].text, *value;
		text += strspn(text, "+");
		value = strchr(text, '=');
		if (!value || *text == '~' || !value[1])
			continue;
		split_package(arena, arena_strndup(arena, text, (size_t)(value - text)), &entry);
		vec_push(arena, &c->overrides,
			 ((struct choice) { .group = entry.group,
					    .option = value + 1,
					    .package = entry.package,
					    .said = true }));
	}
}

/* True when a word after the `from`-th puts that key there again. */
static bool is_put_later(const struct launch *launch, size_t from, const char *path)
{
	size_t i, length = strlen(path);

	for (i = from + 1; i < launch->strays.count; i++) {
		const char *text = launch->strays.items[i].text;
		text += strspn(text, "+");
		if (text_starts(text, path) && text[length] == '=')
			return true;
	}
	return false;
}

/* Words like `~a.b` take a key out of what was composed; what --set said stays. */
static void delete_words(struct document *document)
{
	const struct launch *launch = document->launch;
	struct node *node;
	size_t i;

	for (i = 0; launch && i < launch->strays.count; i++) {
		const char *text = launch->strays.items[i].text;
		if (*text != '~')
			continue;
		text = arena_strndup(document->arena, text + 1, strcspn(text + 1, "="));
		node = node_find(document->root, text);
		if (node && node->origin != NODE_FROM_SET && !is_put_later(launch, i, text))
			node_remove(node);
	}
}

static void compose_lists(struct document *document, struct findings *findings)
{
	struct arena *arena = document->arena;
	struct composition c = { .document = document, .findings = findings };
	struct place place = { .group = "", .package = "" };
	struct node *list = node_member(document->root, "defaults"), *merged;
	size_t i;

	if (!list || list->kind != NODE_LIST)
		return;
	collect_words(&c);
	add_file(&c, &place, document->root);
	merged = node_container(arena, NODE_MAP, document->root->span);
	for (i = 0; i < c.parts.count; i++)
		merge_part(arena, merged, &c.parts.items[i]);
	document->root = merged;
}

void compose_hydra(struct document *document, struct findings *findings)
{
	compose_lists(document, findings);
	delete_words(document);
}
