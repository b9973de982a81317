#include "input/keys.h"

#include "base/text.h"
#include "input/field.h"
#include "input/syntax/scalar.h"

#include <string.h>
#include <strings.h>

const struct rule_id rule_misspelt_key = {
	.name = "misspelt-key",
	.code = "K009",
	.severity = SEVERITY_WARNING,
	.evidence = EVIDENCE_READ,
	.summary = "an unknown key, nearly the name of one that is read",
	.explanation =
		"Many frameworks silently accept any key: a misspelt one leaves the default in "
		"place, and the job runs with other degrees, or another batch or recipe, than "
		"its config shows. Where all names of a framework are known, each is looked at; "
		"elsewhere those that set a degree or a batch.",
	.remedy = "Correct the spelling, or remove the key.",
	.source = "axolotl@067b021c (pydantic's default, since cc3cebfa), torchtune@bd2a0fc7, "
		  "deepspeed@edaa7221 config.py (top level)",
};

/* What `theirs` is in the table of words, or itself; "" when it is as if it were not there. */
static const char *translated(struct arena *arena, const char *words, const char *theirs)
{
	while (words) {
		size_t length = strcspn(words, "|"), name = strcspn(words, "=");
		if (name < length && strlen(theirs) == name && !strncasecmp(words, theirs, name))
			return arena_strndup(arena, words + name + 1, length - name - 1);
		words = words[length] ? words + length + 1 : NULL;
	}
	return theirs;
}

static bool says_nothing(const struct node *node)
{
	return node->kind == NODE_SCALAR &&
	       (node->type == SCALAR_NULL ||
		(node->type == SCALAR_STRING && words_have("none|None|null|NULL", node->text)));
}

/* Whether the table has the text itself as a word, which YAML's null is not. */
static bool is_word(const char *words, const struct node *node)
{
	const size_t length = node->type == SCALAR_STRING ? strlen(node->text) : 0;

	for (; length && words && *words; words += strcspn(words, "|"), words += *words == '|')
		if (strcspn(words, "=|") == length && !strncasecmp(words, node->text, length))
			return true;
	return false;
}

/* Makes a scalar one of our words: a boolean, a whole number or text. */
static void put_word(struct node *scalar, const char *word)
{
	scalar->text = word;
	scalar->boolean = !strcmp(word, "true");
	scalar->type = scalar->boolean || !strcmp(word, "false") ? SCALAR_BOOL : SCALAR_STRING;
	if (text_to_int(word, &scalar->integer)) {
		scalar->type = SCALAR_INT;
		scalar->number = (double)scalar->integer;
	}
}

/* A number that stands for nothing, where only positive ones count. */
static bool is_off(enum field_id field, const struct node *node)
{
	if (field_of(field)->type == FIELD_REAL)
		return field_fits(FIELD_REAL, node) && node->number <= 0;
	return field_fits(FIELD_INT, node) && node->integer < 1;
}

static bool decides(enum field_id field);

/* None of the numbers that people write for an axis that is not used: 0 and -1. */
static void report_none(struct decoder *decoder, const struct key_row *row, const struct node *node)
{
	struct finding *finding;

	if (!decoder->findings || !decides(row->field) || node->integer >= -1)
		return;
	finding = finding_add(decoder->findings, &rule_out_of_range, node->span,
			      "%s %.20s is as good as none", node_path(decoder->arena, node),
			      node->text);
	finding_cap(finding, SEVERITY_WARNING);
	finding_actual(decoder->findings, finding, "as without it: numbers below 1 are not used");
	finding_fix(decoder->findings, finding, "give a number from 1 on, or leave the key out");
}

/* The value in words of ours, or NULL when it says nothing. */
static const struct node *meaning(struct decoder *decoder, const struct key_row *row,
				  const struct node *node)
{
	const char *text;
	struct node *copy;

	if (node->unresolved)
		return node;
	if (says_nothing(node) && !is_word(row->words, node))
		return NULL;
	if (row->sense == KEY_POSITIVE && is_off(row->field, node)) {
		report_none(decoder, row, node);
		return NULL;
	}
	if (!row->words || node->kind != NODE_SCALAR)
		return node;
	text = translated(decoder->arena, row->words, node->text);
	if (!*text)
		return NULL;
	if (!strcmp(text, node->text))
		return node;
	copy = arena_new(decoder->arena, struct node);
	*copy = *node;
	put_word(copy, text);
	return copy;
}

void keys_put_node(struct decoder *decoder, const struct key_row *row, const struct node *node)
{
	const struct node *value = meaning(decoder, row, node);

	if (!value)
		return;
	if (row->sense == KEY_NOT)
		field_put_not(decoder, row->field, value);
	else
		field_put(decoder, row->field, value);
}

void keys_put(struct decoder *decoder, const struct node *root, const struct key_row *rows,
	      size_t count)
{
	const struct node *node;
	size_t i;

	for (i = 0; i < count; i++) {
		node = rows[i].sense == KEY_KNOWN ? NULL : node_find(root, rows[i].path);
		if (node)
			keys_put_node(decoder, &rows[i], node);
	}
}

void keys_unquote(struct arena *arena, const struct node *root, const struct key_row *rows,
		  size_t count)
{
	struct node *node;
	size_t i;

	for (i = 0; i < count; i++) {
		enum field_type type = field_of(rows[i].field)->type;
		node = rows[i].sense == KEY_KNOWN ? NULL : node_find(root, rows[i].path);
		if (node && node->kind == NODE_SCALAR && node->quoted && !node->unresolved &&
		    (type == FIELD_INT || type == FIELD_REAL || type == FIELD_BOOL))
			scalar_resolve(arena, node);
	}
}

/* Fields whose silent loss changes what is built. */
static bool decides(enum field_id field)
{
	static const enum field_id fields[] = {
		FIELD_DP,
		FIELD_DP_REPLICATE,
		FIELD_DP_SHARD,
		FIELD_CP,
		FIELD_TP,
		FIELD_PP,
		FIELD_EP,
		FIELD_ETP,
		FIELD_SP,
		FIELD_WEIGHT_SHARDS,
		FIELD_EXPERT_WEIGHT_SHARDS,
		FIELD_ZERO_STAGE,
		FIELD_MICRO_BATCH_SIZE,
		FIELD_GLOBAL_BATCH_SIZE,
		FIELD_GRADIENT_ACCUMULATION,
	};
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i] == field)
			return true;
	return false;
}

bool keys_guard(const struct key_row *row)
{
	return row->sense != KEY_KNOWN && decides(row->field);
}

static const char *leaf_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

/* The map that a row's key lies in, or NULL. */
static const struct node *home_of(struct arena *arena, const struct node *root, const char *path)
{
	const char *leaf = leaf_of(path);

	if (leaf == path)
		return root;
	return node_find(root, arena_strndup(arena, path, (size_t)(leaf - path - 1)));
}

/* The path that a neighbour of a row's key has. Parents are not asked: a map may be made of nodes
 * that keep the parents they have in the file. */
static const char *path_beside(struct arena *arena, const char *path, const char *key)
{
	return arena_printf(arena, "%.*s%s", (int)(leaf_of(path) - path), path, key);
}

/* True when it is the key of some row, or a map that holds one. */
static bool is_known(const char *path, const struct key_row *rows, size_t count)
{
	size_t i, length = strlen(path);

	for (i = 0; i < count; i++)
		if (!strncmp(rows[i].path, path, length) &&
		    (!rows[i].path[length] || rows[i].path[length] == '.'))
			return true;
	return false;
}

/* How many bytes of a text are the key, '-' being '_'; 0 when it does not begin there. */
static size_t stands_at(const char *at, const char *key)
{
	size_t i = 0;

	while (key[i] && (at[i] == key[i] || (at[i] == '-' && key[i] == '_')))
		i++;
	return key[i] ? 0 : i;
}

void keys_rename(struct decoder *decoder, struct finding *finding, const struct node *node,
		 const char *name)
{
	const struct span *span = &node->key_span;
	char *spelt = arena_strdup(decoder->arena, name + strspn(name, "-")), *c;
	size_t start, length;

	if (!span_known(*span))
		return;
	start = source_offset(span->source, span->line, span->column);
	start += strspn(span->source->text + start, "+-\"'");
	length = stands_at(span->source->text + start, node->key + strspn(node->key, "-"));
	for (c = spelt; *c && memchr(span->source->text + start, '-', length); c++)
		if (*c == '_')
			*c = '-';
	if (length)
		finding_edit(decoder->findings, finding,
			     source_span(span->source, start, start + length), "%s", spelt);
}

/* Two tables may have names near to the same key. */
static bool is_reported(const struct findings *findings, struct span span)
{
	return findings_have(findings, span, &rule_misspelt_key, &rule_unknown_flag) ||
	       findings_have(findings, span, &rule_unknown_key, &rule_unknown_key);
}

struct finding *keys_report_misspelt(struct decoder *decoder, const struct node *node,
				     const char *near, const char *framework, const char *becomes)
{
	struct finding *finding;

	if (is_reported(decoder->findings, node->key_span))
		return NULL;
	finding = finding_add(decoder->findings, &rule_misspelt_key, node->key_span,
			      "nothing reads %s; %s %s", node_path(decoder->arena, node), framework,
			      becomes);
	finding_fix(decoder->findings, finding, "did you mean %s?", near);
	keys_rename(decoder, finding, node, near);
	return finding;
}

/* Whether it can be nothing but the name of a batch's key: those are long, and like no other. */
static bool is_slip(enum field_id field, const char *key, const char *leaf)
{
	enum { LONG = 20 };
	const size_t slips = strlen(leaf) < LONG ? 1 : 2;

	if (field != FIELD_MICRO_BATCH_SIZE && field != FIELD_GLOBAL_BATCH_SIZE &&
	    field != FIELD_GRADIENT_ACCUMULATION)
		return false;
	return strlen(leaf) > LONG / 2 && text_distance(key, leaf, slips) <= slips;
}

/* Of two the framework reads one: which was meant is not known. */
static void report_beside(struct decoder *decoder, const struct node *node,
			  const struct node *beside, const char *framework, const char *becomes)
{
	struct finding *finding;

	if (is_reported(decoder->findings, node->key_span))
		return;
	finding = finding_add(decoder->findings, &rule_misspelt_key, node->key_span,
			      "nothing reads %s; %s %s", node_path(decoder->arena, node), framework,
			      becomes);
	finding_relate(decoder->findings, finding, beside->key_span, "%s", beside->key);
	finding_fix(decoder->findings, finding, "drop it: %s is there", beside->key);
}

/* The unknown key of `home` that is nearest to the row's; beside that, only what is a slip of it.
 */
static void look_near(struct decoder *decoder, const struct node *root, const struct key_row *rows,
		      size_t count, size_t row, const char *framework, const char *becomes)
{
	const char *leaf = leaf_of(rows[row].path);
	const struct node *home = home_of(decoder->arena, root, rows[row].path), *child, *beside;

	if (!home || home->kind != NODE_MAP)
		return;
	beside = node_member(home, leaf);
	for (child = home->first; child; child = child->next) {
		if (child->kind != NODE_SCALAR || !text_nearest(child->key, &leaf, 1) ||
		    is_known(path_beside(decoder->arena, rows[row].path, child->key), rows, count))
			continue;
		if (!beside)
			keys_report_misspelt(decoder, child, leaf, framework, becomes);
		else if (is_slip(rows[row].field, child->key, leaf))
			report_beside(decoder, child, beside, framework, becomes);
	}
}

void keys_misspelt(struct decoder *decoder, const struct node *root, const struct key_row *rows,
		   size_t count, const char *framework, const char *becomes)
{
	size_t i;

	for (i = 0; decoder->findings && i < count; i++)
		if (keys_guard(&rows[i]))
			look_near(decoder, root, rows, count, i, framework, becomes);
}

/* Null in all its spellings, and paths of modules, are no names of the framework's own. */
static bool is_chosen(struct arena *arena, const struct key_choice *row, const struct node *node)
{
	if (row->sense == CHOICE_CAPITALS && words_have(row->words, text_upper(arena, node->text)))
		return true;
	return says_nothing(node) || node->unresolved || words_have(row->words, node->text) ||
	       (row->sense && strpbrk(node->text, "/.$"));
}

static void choose(struct decoder *decoder, const struct key_choice *row, const struct node *node)
{
	struct finding *finding;

	if (is_chosen(decoder->arena, row, node) ||
	    findings_have(decoder->findings, node->span, &rule_bad_word, &rule_wrong_type))
		return;
	finding = field_bad_word(decoder, row->words, node_path(decoder->arena, node), node);
	if (!row->sense || words_nearest(decoder->arena, row->words, node->text))
		return;
	finding_cap(finding, SEVERITY_NOTE);
	finding_fix(decoder->findings, finding,
		    "use one of them, unless a plug-in or the version that runs has it");
}

void keys_choose_node(struct decoder *decoder, const struct key_choice *row,
		      const struct node *node)
{
	const struct node *item = node && node->kind == NODE_LIST ? node->first : NULL;

	if (!decoder->findings || !node)
		return;
	if (node->kind == NODE_SCALAR)
		choose(decoder, row, node);
	for (; item; item = item->next)
		if (item->kind == NODE_SCALAR)
			choose(decoder, row, item);
}

void keys_choose(struct decoder *decoder, const struct node *root, const struct key_choice *rows,
		 size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		keys_choose_node(decoder, &rows[i], node_find(root, rows[i].path));
}

/* "tensor_parallel_size" of "--tensor-parallel-size". */
static char *plain_key(struct arena *arena, const char *key)
{
	char *plain = arena_strdup(arena, key + strspn(key, "-")), *c;

	for (c = plain; *c; c++)
		if (*c == '-')
			*c = '_';
	return plain;
}

/* A name in the spelling of a key: its dashes. */
static char *spelt_like(struct arena *arena, const char *key, const char *name)
{
	size_t dashes = strspn(key, "-");
	char *spelt = arena_printf(arena, "%.*s%s", (int)dashes, key, name), *c;

	for (c = spelt + dashes; *c && strchr(key + dashes, '-'); c++)
		if (*c == '_')
			*c = '-';
	return spelt;
}

static bool has_plain(struct arena *arena, const struct node *map, const char *name)
{
	const struct node *child;

	for (child = map->first; child; child = child->next)
		if (!strcmp(plain_key(arena, child->key), name))
			return true;
	return false;
}

void keys_near(struct decoder *decoder, const struct node *map, const char *const *names,
	       size_t count, const char *framework, const char *becomes)
{
	const struct node *child;
	const char *key, *near;
	size_t i;

	if (!decoder->findings || !map || map->kind != NODE_MAP)
		return;
	for (child = map->first; child; child = child->next) {
		key = plain_key(decoder->arena, child->key);
		for (i = 0;
		     i < count && strcmp(names[i], key) != 0 && strcmp(names[i], child->key) != 0;
		     i++)
			;
		near = i < count || child->kind != NODE_SCALAR ? NULL
							       : text_nearest(key, names, count);
		if (near && !has_plain(decoder->arena, map, near))
			keys_report_misspelt(decoder, child,
					     spelt_like(decoder->arena, child->key, near),
					     framework, becomes);
	}
}

int64_t keys_int(const struct node *root, const char *path, int64_t otherwise)
{
	const struct node *node = node_find(root, path);

	return node && field_fits(FIELD_INT, node) ? node->integer : otherwise;
}

const char *keys_text(const struct node *root, const char *path, const char *otherwise)
{
	const struct node *node = node_find(root, path);

	return node && node->kind == NODE_SCALAR && node->type != SCALAR_NULL ? node->text
									      : otherwise;
}

bool keys_true(const struct node *root, const char *path)
{
	const struct node *node = node_find(root, path);

	return node && node->kind == NODE_SCALAR && node->type == SCALAR_BOOL && node->boolean;
}

void keys_put_class(struct decoder *decoder, const struct node *root, const char *path,
		    enum field_id id)
{
	const char *name = keys_text(root, path, NULL), *dot;
	struct setting *setting;

	if (!name)
		return;
	dot = strrchr(name, '.');
	setting =
		settings_put_text(decoder->settings, id,
				  text_lower(decoder->arena, dot ? dot + 1 : name), ORIGIN_DERIVED);
	setting->span = node_find(root, path)->span;
}

static bool is_nothing(const struct node *node)
{
	if (node->kind != NODE_SCALAR)
		return !node->first;
	return node->type == SCALAR_NULL || (node->type == SCALAR_BOOL && !node->boolean) ||
	       (node->type == SCALAR_INT && !node->integer) || !*node->text;
}

void keys_put_word(struct decoder *decoder, enum field_id id, const struct node *root,
		   const char *path, const char *word)
{
	const struct node *node = node_find(root, path);
	struct node *value;

	if (!node || (!node->unresolved && is_nothing(node)))
		return;
	value = node_scalar(decoder->arena, SCALAR_STRING, word, node->span);
	value->key = node->key;
	value->key_span = node->key_span;
	value->parent = node->parent;
	value->origin = node->origin;
	value->unresolved = node->unresolved;
	field_put(decoder, id, value);
}

struct setting *keys_derive(struct decoder *decoder, enum field_id id, int64_t value,
			    const struct setting *parent, const char *note)
{
	struct setting *setting, *said;

	if (parent == settings_of(decoder->settings, id)) { /* it takes its own place */
		said = arena_new(decoder->arena, struct setting);
		*said = *parent;
		parent = said;
	}
	setting = settings_put_int(decoder->settings, decoder->arena, id, value, ORIGIN_DERIVED);
	setting->note = note;
	if (parent) {
		setting->span = parent->span;
		setting->key_span = parent->key_span;
		setting->spelling = parent->spelling;
		setting_from(setting, parent);
	}
	return setting;
}

struct setting *keys_default(struct decoder *decoder, enum field_id id, int64_t value,
			     const char *note)
{
	struct setting *setting =
		settings_put_int(decoder->settings, decoder->arena, id, value, ORIGIN_DEFAULT);

	setting->note = note;
	return setting;
}

enum field_id keys_field_of(const struct key_row *rows, size_t count, const char *leaf)
{
	const char *dot;
	size_t i;

	for (i = 0; strchr(leaf, '_') && i < count; i++) {
		dot = strrchr(rows[i].path, '.');
		if (rows[i].sense == KEY_VALUE &&
		    (!rows[i].words || !strcmp(rows[i].words, "auto=")) &&
		    !strcmp(dot ? dot + 1 : rows[i].path, leaf))
			return rows[i].field;
	}
	return FIELD_COUNT;
}

void keys_leave_open(struct decoder *decoder, enum field_id id, const struct node *node,
		     const char *what)
{
	struct setting *setting = settings_of(decoder->settings, id);

	setting_forget(decoder->settings, id);
	setting->unresolved = what;
	setting->invalid = true;
	if (node->key)
		setting->spelling = node->key;
	setting->span = node->span;
	setting->key_span = node->key_span;
}
