#include "input/components.h"

#include "base/text.h"
#include "input/keys.h"

#include <ctype.h>
#include <string.h>

enum { RELEASES = 31 }; /* bits of them */

/* A path that is looked up. */
struct look {
	struct decoder *decoder;
	const struct component_table *table;
	unsigned release;    /* its bit; 0: any */
	const char *version; /* that release, or NULL */
	const char **names;
	size_t room; /* for that many */
};

/* A part of a path that the module before it lacks. */
struct lack {
	const struct node *node;
	const char *module, *part;
	const char *rest;   /* behind the part */
	const char *loaded; /* the module, or that of the class */
	bool once;	    /* another version has it */
	unsigned releases;  /* those that do */
};

/* What was meant by one. */
struct guess {
	const char *path, *rest;
	bool sure; /* by a letter or two; else it is elsewhere, or may be of a later version */
};

static bool counts(const struct look *look, const struct component_row *row)
{
	return !look->release || (row->releases & look->release);
}

/* The names of a module; how many. `known`: whether any version has a row of it. */
static size_t names_of(const struct look *look, const char *module, bool *known)
{
	const struct component_row *row = look->table->rows;
	const struct component_row *end = row + look->table->count;
	size_t count = 0;

	for (*known = false; row < end; row++) {
		if (strcmp(row->module, module) != 0)
			continue;
		*known = true;
		if (counts(look, row))
			count += words_split(look->decoder->arena, row->names, look->names + count,
					     look->room - count);
	}
	return count;
}

static size_t common(const char *a, const char *b)
{
	size_t length = 0;

	while (a[length] && a[length] == b[length])
		length++;
	return length;
}

/* The same name in the module whose path is most like this one, or NULL: there is none. */
static const char *elsewhere(const struct look *look, const char *name, const char *path)
{
	const struct component_row *row, *best = NULL;

	for (row = look->table->rows; row < look->table->rows + look->table->count; row++)
		if (counts(look, row) && words_have(row->names, name) &&
		    (!best || common(row->module, path) > common(best->module, path)))
			best = row;
	return best ? arena_join(look->decoder->arena, best->module, ".", name) : NULL;
}

/* "deepseek_v5" for "deepseek_v4". */
static bool same_but_digits(const char *a, const char *b)
{
	static const char digits[] = "0123456789";

	while (*a && *b) {
		a += strspn(a, digits);
		b += strspn(b, digits);
		if (*a != *b)
			return false;
		a += *a != '\0';
		b += *b != '\0';
	}
	return !a[strspn(a, digits)] && !b[strspn(b, digits)];
}

/* The releases that have a name, by their bits; 0: none, or commits between alone. */
static unsigned releases_of(const struct look *look, const struct lack *lack, bool *any)
{
	const struct component_row *row = look->table->rows;
	const struct component_row *end = row + look->table->count;

	for (*any = false; row < end; row++)
		if (!strcmp(row->module, lack->module) && words_have(row->names, lack->part)) {
			*any = true;
			return row->releases;
		}
	return 0;
}

/* What was meant, or NULL, with the rest of the path. A name of a few letters may mean many things,
 * and not all private ones are listed. */
static struct guess guess_of(const struct look *look, const struct lack *lack, size_t count)
{
	struct arena *arena = look->decoder->arena;
	const char *near = text_nearest(lack->part, look->names, count), *part = lack->part;
	struct guess guess = { .rest = lack->rest };

	if (near && !lack->once && (*part != '_' || *near == '_')) {
		guess.path = arena_join(arena, lack->module, ".", near);
		guess.sure = !look->table->grows || !same_but_digits(near, part);
		return guess;
	}
	while (part && !guess.path) {
		guess.path = strlen(part) > 5 ? elsewhere(look, part, lack->node->text) : NULL;
		if (guess.path)
			break;
		part = *guess.rest
			       ? arena_strndup(arena, guess.rest + 1, strcspn(guess.rest + 1, "."))
			       : NULL;
		guess.rest += part ? 1 + strlen(part) : 0;
	}
	return guess;
}

static void say_raised(const struct look *look, struct finding *finding, const struct lack *lack)
{
	const struct component_table *table = look->table;
	struct findings *findings = look->decoder->findings;

	finding_actual(findings, finding, "%s %s", table->speaker, table->raises);
	if (!table->before)
		return;
	finding_quote(findings, finding, "%s%s%s%s%s%s'", table->before, lack->loaded, table->lacks,
		      lack->node->text + strlen(lack->loaded) + 1, table->path, lack->node->text);
	finding->speaker = table->speaker;
}

/* Its name for the nearest of releases before or after the pinned one, or NULL. */
static const char *nearest_release(const struct look *look, unsigned releases, int step)
{
	size_t i = 0;

	while (look->release >> i != 1)
		i++;
	for (i += (size_t)step; i < RELEASES && look->table->releases[i]; i += (size_t)step)
		if (releases >> i & 1)
			return look->table->releases[i];
	return NULL;
}

static void fix_by_release(const struct look *look, struct finding *finding,
			   const struct lack *lack)
{
	struct findings *findings = look->decoder->findings;
	const char *later = look->release ? nearest_release(look, lack->releases, 1) : NULL;
	const char *before = look->release ? nearest_release(look, lack->releases, -1) : NULL;

	if (!look->release)
		finding_fix(findings, finding,
			    "use one that is there, unless the version that runs has it");
	else if (later)
		finding_fix(findings, finding, "%s has it", later);
	else if (before)
		finding_fix(findings, finding, "use one that is there; %s still had it", before);
	else
		finding_fix(findings, finding, "use one that is there");
}

static void report(const struct look *look, const struct lack *lack, size_t count)
{
	struct decoder *decoder = look->decoder;
	const struct node *node = lack->node;
	const char *quote = node->quoted && node->origin == NODE_FROM_FILE ? "\"" : "";
	const struct guess guess = guess_of(look, lack, count);
	struct finding *finding;

	if (*lack->part == '_' && !guess.path)
		return;
	finding = finding_add(decoder->findings, &rule_bad_word, node->span,
			      "there is no %.60s in %s%s%s", lack->part, lack->module,
			      look->version ? " of " : "", look->version ? look->version : "");
	if (!guess.sure && !look->release)
		finding_cap(finding, guess.path ? SEVERITY_WARNING : SEVERITY_NOTE);
	if (guess.path || look->release)
		say_raised(look, finding, lack);
	if (guess.path) {
		finding_fix(decoder->findings, finding, "did you mean %s?", guess.path);
		finding_edit(decoder->findings, finding, node->span, "%s%s%s%s", quote, guess.path,
			     guess.rest, quote);
	} else {
		fix_by_release(look, finding, lack);
	}
}

/* Behind a class: a method that is nearly one of those that classes are called by. */
static void look_up_method(const struct look *look, struct lack *lack)
{
	const char *near =
		look->table->methods && !*lack->rest
			? words_nearest(look->decoder->arena, look->table->methods, lack->part)
			: NULL;

	if (!near || words_have(look->table->methods, lack->part))
		return;
	look->names[0] = near;
	report(look, lack, 1);
}

/* Goes down the modules that a path names, as far as they are known. */
static void look_up(const struct look *look, const struct node *node, const char *root)
{
	struct arena *arena = look->decoder->arena;
	struct lack lack = {
		.node = node, .module = root, .rest = node->text + strlen(root), .loaded = root
	};
	bool known = true, here = true;
	size_t count;

	while (here && *lack.rest == '.') {
		lack.part = arena_strndup(arena, lack.rest + 1, strcspn(lack.rest + 1, "."));
		lack.rest += 1 + strlen(lack.part);
		count = names_of(look, lack.module, &known);
		if (!known)
			break;
		here = text_among(lack.part, look->names, count);
		lack.loaded = lack.module;
		if (!here && *lack.part) {
			lack.releases = releases_of(look, &lack, &lack.once);
			report(look, &lack, count);
		}
		lack.module = arena_join(arena, lack.module, ".", lack.part);
	}
	if (!known)
		look_up_method(look, &lack);
}

/* Of another package than the framework's own the version is not that of its releases. */
static void look_up_at(const struct look *look, const struct node *node, const char *const *root)
{
	struct look any = *look;

	if (root != look->table->roots) {
		any.release = 0;
		any.version = NULL;
	}
	look_up(&any, node, *root);
}

static void judge(const struct look *look, const struct node *node)
{
	const char *const *root = look->table->roots;
	size_t length;

	if (node->kind != NODE_SCALAR || node->unresolved || strpbrk(node->text, "${: "))
		return;
	for (; *root; root++) {
		length = strlen(*root);
		if (!strncmp(node->text, *root, length) && node->text[length] == '.')
			look_up_at(look, node, root);
	}
}

static bool names_one(const struct component_table *table, const char *key)
{
	return key &&
	       (!strcmp(key, table->key) || (table->suffix && text_ends(key, table->suffix)));
}

/* "torch.optim.AdamW", and no word: one of those may be meant by any key, as by "target". */
static bool may_be_path(const struct node *node)
{
	return node->kind == NODE_SCALAR && isalpha((unsigned char)*node->text) &&
	       strchr(node->text, '.') && !strpbrk(node->text, "${:/ ");
}

/* A key that is nearly that of paths, where that is not there. */
static void report_near(const struct look *look, const struct node *map)
{
	const struct component_table *table = look->table;
	const struct node *child;

	if (map->kind != NODE_MAP || node_member(map, table->key))
		return;
	for (child = map->first; child; child = child->next)
		if (may_be_path(child) && text_nearest(child->key, &table->key, 1))
			keys_report_misspelt(look->decoder, child, table->key, table->speaker,
					     table->without);
}

static void walk(const struct look *look, const struct node *node)
{
	const struct component_table *table = look->table;
	const struct node *child;

	report_near(look, node);
	for (child = node->kind == NODE_SCALAR ? NULL : node->first; child; child = child->next) {
		if (names_one(table, child->key))
			judge(look, child);
		walk(look, child);
	}
}

/* No module has more names than all rows have. */
static size_t room_of(const struct component_table *table)
{
	size_t i, room = 1;
	const char *at;

	for (i = 0; i < table->count; i++)
		for (room++, at = table->rows[i].names; *at; at++)
			room += *at == '|';
	return room;
}

void components_judge(struct decoder *decoder, const struct document *document,
		      const struct component_table *table)
{
	struct look look = { .decoder = decoder, .table = table };

	if (!decoder->findings)
		return;

	look.room = room_of(table);
	look.names = arena_array(decoder->arena, look.room, sizeof(*look.names));
	look.release = document_release(document, table->framework, table->releases, &look.version);
	walk(&look, document->root);
}
