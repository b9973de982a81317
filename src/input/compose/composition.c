#include "input/compose/composition.h"

#include "base/path.h"
#include "input/compose/interpolation.h"

#include <string.h>

const struct rule_id rule_absent_parent = {
	.name = "absent-parent",
	.code = "K012",
	.severity = SEVERITY_NOTE,
	.evidence = EVIDENCE_RUN,
	.summary = "a file that the config builds on is not there",
	.explanation =
		"The config takes values from another file, named relative to it, and there is no "
		"such file. Its values are not known; parplan assumes none, and does not check "
		"what depends on them.",
	.remedy = "Check the config where its parent files are, or give the values with --set "
		  "KEY=VALUE.",
	.source = "parplan's own limit",
};

/* How many files may build on each other. */
enum { GENERATIONS = 16 };

static void report_absent(struct document *document, const struct node *name, const char *path,
			  struct findings *findings, bool told)
{
	struct finding *finding;

	vec_push(document->arena, &document->absent, path);
	if (told)
		return;
	finding = finding_add(findings, &rule_absent_parent, name->span,
			      "%.120s is not there: what it says stays unknown", path);
	finding_fix(findings, finding,
		    "check the config where that file lies, or give its values: --set KEY=VALUE");
}

static void report_circle(const struct node *name, struct findings *findings)
{
	finding_add(findings, &rule_circular_reference, name->span,
		    "%.120s builds on this file, which builds on it", name->text);
}

/* What `below` has and `above` has not; a map of `above` that says so takes nothing. */
static void merge_below(struct arena *arena, struct node *above, const struct node *below)
{
	const struct node *child;
	struct node *mine;

	for (child = below->first; child; child = child->next) {
		mine = node_member(above, child->key);
		if (!mine)
			node_append(above, node_copy(arena, child));
		else if (!keys_true(mine, "_override_"))
			node_merge(arena, mine, child);
	}
}

struct family {
	struct document *document;
	const char *key;
	void (*expressions)(struct document *document, struct node *root);
	struct findings *findings;
};

/* A file and those that build on it. */
struct lineage {
	const char *path; /* absolute */
	const struct lineage *child;
};

static void add_parents(const struct family *family, struct node *root, const char *path,
			const struct lineage *lineage, int generation);

static bool is_of(const struct lineage *lineage, const char *path)
{
	for (; lineage; lineage = lineage->child)
		if (!strcmp(lineage->path, path))
			return true;
	return false;
}

/* The tree of one parent with its own parents below it, or NULL. */
static struct node *read_parent(const struct family *family, const struct node *name,
				const char *beside, const struct lineage *lineage, int generation)
{
	const size_t said = family->findings->list.count;
	struct lineage own = { .child = lineage };
	struct node *parent;

	if (name->kind != NODE_SCALAR || name->type == SCALAR_NULL)
		return NULL;
	if (generation >= GENERATIONS) {
		report_circle(name, family->findings);
		return NULL;
	}
	parent = document_load(family->document, beside, name->text, family->findings);
	if (!parent) {
		report_absent(family->document, name, name->text, family->findings,
			      family->findings->list.count > said);
		return NULL;
	}
	own.path = path_absolute(family->document->arena, parent->span.source->path);
	if (is_of(lineage, own.path)) {
		report_circle(name, family->findings);
		return NULL;
	}
	add_parents(family, parent, parent->span.source->path, &own, generation + 1);
	return parent;
}

static void add_parents(const struct family *family, struct node *root, const char *path,
			const struct lineage *lineage, int generation)
{
	struct arena *arena = family->document->arena;
	const struct node *names, *name;
	struct node *merged = node_container(arena, NODE_MAP, root->span), *parent;
	size_t absent = family->document->absent.count;

	if (family->expressions)
		family->expressions(family->document, root);
	names = node_member(root, family->key);
	if (!names)
		return;
	name = names->kind == NODE_LIST ? names->first : names;
	for (; name; name = names->kind == NODE_LIST ? name->next : NULL) {
		parent = read_parent(family, name, path, lineage, generation);
		if (!parent)
			continue;
		merge_below(arena, parent, merged);
		merged = parent;
	}
	if (family->document->absent.count == absent || generation)
		node_remove(node_member(root, family->key));
	merge_below(arena, root, merged);
}

/* The file that names the parents, where a script or manifest named that; else NULL. */
static const char *elsewhere_of(const struct document *document, const struct node *names)
{
	const struct source *source = document->launch && names && names->origin == NODE_FROM_FILE
					      ? names->span.source
					      : NULL;

	return source && source != document->source && *source->path != '<' ? source->path : NULL;
}

void compose_parents(struct document *document, const char *key,
		     void (*expressions)(struct document *document, struct node *root),
		     struct findings *findings)
{
	struct family family = { document, key, expressions, findings };
	const char *elsewhere = elsewhere_of(document, node_member(document->root, key));
	const struct lineage own = { path_absolute(document->arena,
						   elsewhere ? elsewhere : document->source->place),
				     NULL };

	if (document->root->kind == NODE_MAP)
		add_parents(&family, document->root, elsewhere, &own, 0);
}

void leave_open(struct settings *settings, const struct key_row *rows, size_t count,
		const char *who)
{
	struct setting *setting;
	size_t i;

	for (i = 0; i < count; i++) {
		setting = settings_of(settings, rows[i].field);
		if (rows[i].sense == KEY_KNOWN || setting_given(setting) || setting->invalid)
			continue;
		setting->invalid = true;
		setting->unresolved = who;
		setting->spelling = rows[i].path;
		setting->text = "";
	}
}

void leave_to_absent(const struct document *document, struct settings *settings,
		     const struct key_row *rows, size_t count)
{
	if (document->absent.count)
		leave_open(settings, rows, count, document->absent.items[0]);
}
