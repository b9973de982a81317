#include "cli/search/combine.h"

#include "base/die.h"
#include "base/sha256.h"
#include "cli/machine.h"
#include "input/node.h"
#include "input/syntax/reader.h"

#include <string.h>

/* What one value of a dimension sets: a key, or several together. */
struct point {
	VEC(struct sweep_value) values;
};

struct dimension {
	VEC(struct point) points;
};

struct combining {
	struct arena *arena;
	VEC(struct dimension) dimensions;
	const struct point **chosen; /* one for each dimension */
	struct sweep_rows *rows;
};

enum { COMBINATIONS_MOST = 10000 };

/* ---- what is varied ---- */

static _Noreturn void refuse(const struct node *node, const char *why)
{
	die("search: --sweep %s:%u:%u: %s", node->span.source->path, node->span.line,
	    node->span.column, why);
}

static void add_value(struct combining *combining, struct point *point, const char *key,
		      const struct node *node)
{
	struct sweep_value value = { key, node->text, false };

	if (node->kind != NODE_SCALAR || node->type == SCALAR_NULL)
		refuse(node, "a key has a value, a list of values, or a list of maps of values");
	vec_push(combining->arena, &point->values, value);
}

static void add_point(struct combining *combining, struct dimension *dimension, const char *key,
		      const struct node *node)
{
	struct point point = { 0 };
	const struct node *member;

	if (node->kind != NODE_MAP)
		add_value(combining, &point, key, node);
	else
		for (member = node->first; member; member = member->next)
			add_value(combining, &point, member->key, member);
	vec_push(combining->arena, &dimension->points, point);
}

static void add_dimension(struct combining *combining, const struct node *node)
{
	struct dimension dimension = { 0 };
	const struct node *item;

	if (node->kind != NODE_LIST)
		add_point(combining, &dimension, node->key, node);
	else
		for (item = node->first; item; item = item->next)
			add_point(combining, &dimension, node->key, item);
	if (!dimension.points.count)
		refuse(node, "a list of no values leaves nothing to search");
	vec_push(combining->arena, &combining->dimensions, dimension);
}

/* The last of several values of a key would hold, which nobody means here. */
static void refuse_twice(const struct findings *findings)
{
	size_t i;

	for (i = 0; i < findings->list.count; i++) {
		const struct finding *finding = findings->list.items[i];
		if (finding->rule == &rule_duplicate_key)
			die("search: --sweep %s:%u:%u: %s", finding->span.source->path,
			    finding->span.line, finding->span.column, finding->message);
	}
}

static void read_file(struct combining *combining, const char *path)
{
	const struct source *source;
	const struct node *root, *member;
	struct findings findings;

	if (!path)
		return;
	source = machine_source(combining->arena, "search", path);
	findings_init(&findings, combining->arena);
	root = yaml_read(combining->arena, source, &findings);
	machine_complain("search", &findings);
	refuse_twice(&findings);
	if (!root || root->kind != NODE_MAP || !root->first)
		die("search: --sweep %s: it is a map of keys and their values, as in gpus: [64, "
		    "128]",
		    path);
	for (member = root->first; member; member = member->next)
		add_dimension(combining, member);
}

static void add_files(struct combining *combining, const struct operands *files)
{
	struct dimension dimension = { 0 };
	size_t i;

	for (i = 0; i < files->count; i++) {
		struct sweep_value value = { "file", files->items[i], true };
		if (!strcmp(files->items[i], "-"))
			die("search: several searches cannot all read stdin ('-'): name the file");
		struct point point = { 0 };
		vec_push(combining->arena, &point.values, value);
		vec_push(combining->arena, &dimension.points, point);
	}
	if (files->count > 1)
		vec_push(combining->arena, &combining->dimensions, dimension);
}

/* ---- all of it with all else ---- */

/* One of two values of a key would do nothing. */
static void add_once(struct combining *combining, struct sweep_row *row,
		     const struct sweep_value *value)
{
	size_t i;

	for (i = 0; i < row->values.count; i++)
		if (!strcmp(row->values.items[i].key, value->key))
			die("search: --sweep gives %s twice in one search: a list has several "
			    "values, %s: [A, B]",
			    value->key, value->key);
	vec_push(combining->arena, &row->values, *value);
}

static void add_row(struct combining *combining)
{
	struct sweep_row row = { 0 };
	size_t i, k;

	for (i = 0; i < combining->dimensions.count; i++)
		for (k = 0; k < combining->chosen[i]->values.count; k++)
			add_once(combining, &row, &combining->chosen[i]->values.items[k]);
	vec_push(combining->arena, &combining->rows->list, row);
}

static void add_rows(struct combining *combining, size_t dimension)
{
	size_t i;

	if (dimension == combining->dimensions.count) {
		add_row(combining);
		return;
	}
	for (i = 0; i < combining->dimensions.items[dimension].points.count; i++) {
		combining->chosen[dimension] =
			&combining->dimensions.items[dimension].points.items[i];
		add_rows(combining, dimension + 1);
	}
}

void combine(const struct invocation *invocation, const char *path, struct sweep_rows *rows)
{
	struct combining combining = { .arena = invocation->arena, .rows = rows };
	size_t i, count = 1;

	add_files(&combining, &invocation->operands);
	read_file(&combining, path);
	for (i = 0; i < combining.dimensions.count && count <= COMBINATIONS_MOST; i++)
		count *= combining.dimensions.items[i].points.count;
	if (count > COMBINATIONS_MOST)
		die("search: --sweep: these are more than 10,000 searches");
	combining.chosen = arena_array(combining.arena, combining.dimensions.count, sizeof(void *));
	add_rows(&combining, 0);
}

/* ---- what a row is called ---- */

/* So that no two rows are the same text. */
static void put_counted(struct buf *out, const char *key, const char *value)
{
	buf_printf(out, "%zu %s=%zu %s\n", strlen(key), key, strlen(value), value);
}

const char *combine_digest(const struct sweep_rows *rows, struct arena *arena)
{
	char digest[SHA256_BASE64];
	struct buf all;
	size_t i, k;

	buf_init(&all);
	for (i = 0; i < rows->list.count; i++) {
		const struct sweep_row *row = &rows->list.items[i];
		for (k = 0; k < row->values.count; k++)
			if (!row->values.items[k].file)
				put_counted(&all, row->values.items[k].key,
					    row->values.items[k].value);
		buf_char(&all, '\n');
	}
	sha256_base64(all.data, all.length, digest);
	buf_release(&all);
	return arena_strdup(arena, digest);
}

/* Any run of what is no plain letter is one '-': nothing in a value makes a path of its own. */
static void put_plain(struct buf *name, const char *text)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
	size_t length;

	for (; *text; text += length) {
		length = strspn(text, plain);
		buf_bytes(name, text, length);
		if (length)
			continue;
		length = strcspn(text, plain);
		buf_char(name, '-');
	}
}

static void put_value(struct buf *name, const struct sweep_value *value)
{
	const char *slash = value->file ? strrchr(value->value, '/') : NULL;

	buf_char(name, '_');
	put_plain(name, value->key);
	buf_char(name, '-');
	put_plain(name, slash ? slash + 1 : value->value);
}

const char *combine_name(const struct sweep_row *row, size_t number, size_t of, struct arena *arena)
{
	enum { NAME_MOST = 120 };
	int digits = 1;
	struct buf name;
	const char *text;
	size_t i;

	for (; of > 9; of /= 10)
		digits++;
	buf_init(&name);
	buf_printf(&name, "%0*zu", digits, number);
	for (i = 0; i < row->values.count; i++)
		put_value(&name, &row->values.items[i]);
	text = arena_strndup(arena, name.data, name.length < NAME_MOST ? name.length : NAME_MOST);
	buf_release(&name);
	return text;
}
