#include "input/compose/interpolation.h"

#include "base/text.h"
#include "input/field.h"
#include "input/compose/resolver.h"
#include "input/syntax/scalar.h"

#include <ctype.h>
#include <string.h>

const struct rule_id rule_circular_reference = {
	.name = "circular-reference",
	.code = "K011",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_READ,
	.summary = "a value or a file that refers back to itself",
	.explanation =
		"The expression names a value whose own expression names it again, directly or "
		"through others; or a config builds on a file that builds on it. It has no value: "
		"reading it recurses until Python gives up.",
	.remedy = "Write the value out in one of the places.",
	.source = "omry/omegaconf 2.3 omegaconf/base.py (resolution of interpolations)",
	.says = (const struct saying[]) { { "omegaconf",
					    "InterpolationResolutionError: RecursionError raised "
					    "while resolving interpolation" },
					  { NULL, NULL } },
};

/* Limits that no config comes near: nested braces, references in a row, bytes, nodes copied. */
enum { BRACES = 32, REFERENCES = 128, TEXT_BYTES = 16384, COPIES = 100000 };

/* A node whose expression is being read, and for whose sake. */
struct frame {
	struct node *node;
	const struct frame *below;
	int depth;
};

struct scope {
	struct document *document;
	struct arena *arena;
	struct findings *findings;
	struct node *root;
	const char *mounts;
	const struct frame *top;
	const char *why; /* what the expression being read could not be given */
	int copies;
};

/* The place reached in an expression. */
struct reading {
	struct scope *scope;
	const struct node *from; /* where the expression stands */
	const char *at;
	int depth;
};

static void resolve_scalar(struct scope *scope, struct node *node);
static void resolve_tree(struct scope *scope, struct node *node);
static struct node *read_interpolation(struct reading *reading);

static struct node *refuse(struct scope *scope, const char *why)
{
	if (!scope->why)
		scope->why = why;
	return NULL;
}

static bool is_expression(const struct node *node)
{
	return node->kind == NODE_SCALAR && node->type == SCALAR_STRING && !node->unresolved &&
	       strstr(node->text, "${");
}

/* What has no value. In capitals alone "${NAME}" would pass for a variable of the environment. */
static struct node *refuse_path(struct scope *scope, const char *path)
{
	if (*path && !path[strspn(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")])
		return refuse(scope, path);
	return refuse(scope, arena_join(scope->arena, "${", path, "}"));
}

/* ---- what a path names ---- */

/* The part of a path at *at, which moves behind it; brackets and quotes are gone. */
static char *path_part(struct arena *arena, const char **at)
{
	const char *start, *end;

	*at += strspn(*at, ".[]");
	start = *at;
	if (*start == '\'' || *start == '"') {
		end = strchr(start + 1, *start);
		if (!end)
			return NULL;
		*at = end + 1;
		return arena_strndup(arena, start + 1, (size_t)(end - start - 1));
	}
	*at += strcspn(start, ".[]");
	return *at == start ? NULL : arena_strndup(arena, start, (size_t)(*at - start));
}

static struct node *element(const struct node *list, const char *part)
{
	struct node *child = list->first;
	int64_t index;

	if (!text_to_int(part, &index) || index < 0)
		return NULL;
	while (child && index--)
		child = child->next;
	return child;
}

static struct node *walk(struct scope *scope, struct node *base, const char *path)
{
	const char *part;

	while (base && (part = path_part(scope->arena, &path))) {
		if (is_expression(base))
			resolve_scalar(scope, base);
		if (base->unresolved || base->kind == NODE_SCALAR)
			return base->unresolved ? base : NULL;
		base = base->kind == NODE_LIST ? element(base, part) : node_member(base, part);
	}
	return base;
}

/* Where a path begins, which moves behind the dots that say so. */
static struct node *base_of(const struct reading *reading, const char **path)
{
	struct scope *scope = reading->scope;
	struct node *base = reading->from->parent;
	size_t dots = strspn(*path, "."), length;
	const char *mount;

	*path += dots;
	if (dots) {
		while (base && base != scope->root && --dots)
			base = base->parent;
		return dots > 1 ? NULL : base;
	}
	length = strcspn(*path, ".");
	mount = arena_strndup(scope->arena, *path, length);
	if ((*path)[length] && words_have(scope->mounts, mount) && !node_member(scope->root, mount))
		*path += length + 1;
	return scope->root;
}

/* True when the value is being looked for already, or holds one that is. */
static bool is_circular(const struct scope *scope, const struct node *target)
{
	const struct frame *frame;
	const struct node *node;

	for (frame = scope->top; frame; frame = frame->below)
		for (node = frame->node; node; node = node->parent)
			if (node == target)
				return true;
	return false;
}

static void report_circle(struct scope *scope, const struct node *from, const struct node *target)
{
	const struct frame *frame = scope->top;
	struct finding *finding;
	const char *way = arena_strdup(scope->arena, "");

	for (; frame; frame = frame->below) {
		way = arena_printf(scope->arena, "%s%s%s", node_path(scope->arena, frame->node),
				   *way ? " -> " : "", way);
		if (frame->node == target)
			break;
	}
	finding = finding_add(scope->findings, &rule_circular_reference, from->span,
			      "this leads back to itself: %.200s -> %.60s", way,
			      node_path(scope->arena, target));
	/* A file of its own may be meant for a place where the name is another's. */
	if (scope->top && !scope->top->below)
		finding_cap(finding, SEVERITY_WARNING);
}

/* The value at a path, resolved; NULL when there is none, which is no refusal yet. */
static struct node *look_up(struct reading *reading, const char *path)
{
	struct scope *scope = reading->scope;
	const char *rest = path;
	struct node *base = base_of(reading, &rest), *target;

	target = base && *rest ? walk(scope, base, rest) : NULL;
	if (!target)
		return NULL;
	if (is_circular(scope, target)) {
		report_circle(scope, reading->from, target);
		return refuse_path(scope, path);
	}
	if (!scope->top || scope->top->depth >= REFERENCES)
		return refuse_path(scope, path);
	resolve_tree(scope, target);
	return target->unresolved ? refuse(scope, target->unresolved) : target;
}

/* ---- texts with values in them ---- */

struct mixture {
	char *text;
	struct node *only; /* the one value, while nothing else was read */
	bool literal, open;
	int values;
};

static void mix_text(struct scope *scope, struct mixture *mixture, const char *text, size_t length)
{
	mixture->text = arena_join(scope->arena, mixture->text,
				   arena_strndup(scope->arena, text, length), "");
	mixture->literal = true;
}

static const char *as_text(const struct node *value)
{
	if (value->type == SCALAR_NULL)
		return "None";
	if (value->type == SCALAR_BOOL)
		return value->boolean ? "True" : "False";
	return value->text;
}

static void mix_value(struct scope *scope, struct mixture *mixture, struct node *value)
{
	mixture->values++;
	mixture->only = value;
	if (!value)
		mixture->open = true;
	else if (value->kind == NODE_SCALAR)
		mixture->text = arena_join(scope->arena, mixture->text, as_text(value), "");
	if (strlen(mixture->text) > TEXT_BYTES) {
		refuse(scope, "a text of many kilobytes");
		mixture->open = true;
	}
}

/* Reads up to one of `stops` or the end: what stands there literally, and the values between. */
static struct mixture read_mixture(struct reading *reading, const char *stops)
{
	struct mixture mixture = { .text = arena_strdup(reading->scope->arena, "") };
	const char *start;

	while (*reading->at && !strchr(stops, *reading->at)) {
		if (text_starts(reading->at, "${")) {
			mix_value(reading->scope, &mixture, read_interpolation(reading));
			if (mixture.open && !*reading->at)
				break;
			continue;
		}
		start = reading->at;
		do {
			reading->at += *reading->at == '\\' && reading->at[1] ? 2 : 1;
		} while (*reading->at && !strchr(stops, *reading->at) &&
			 !text_starts(reading->at, "${"));
		mix_text(reading->scope, &mixture, start, (size_t)(reading->at - start));
	}
	return mixture;
}

/* The value of what was mixed; NULL when a part of it is not known. */
static struct node *mixed(struct scope *scope, const struct mixture *mixture)
{
	const struct span nowhere = { 0 };

	if (mixture->open)
		return NULL;
	if (mixture->values == 1 && !mixture->literal)
		return mixture->only;
	return node_scalar(scope->arena, SCALAR_STRING, mixture->text, nowhere);
}

/* ---- resolvers and their arguments ---- */

static void skip_blanks(struct reading *reading)
{
	reading->at += strspn(reading->at, " \t\n");
}

static struct node *read_argument(struct reading *reading);

static struct node *read_quoted(struct reading *reading)
{
	const char quote[2] = { *reading->at++, '\0' };
	struct mixture mixture = read_mixture(reading, quote);
	struct node *value = mixed(reading->scope, &mixture);

	reading->at += *reading->at != '\0';
	return value;
}

/* "[a, b]"; a dict in braces is skipped and is an empty map. */
static struct node *read_list(struct reading *reading)
{
	const struct span nowhere = { 0 };
	bool map = *reading->at == '{';
	const char close = map ? '}' : ']';
	struct node *list =
		node_container(reading->scope->arena, map ? NODE_MAP : NODE_LIST, nowhere);
	struct node *item;
	bool open = false;

	reading->at++;
	skip_blanks(reading);
	while (*reading->at && *reading->at != close) {
		item = read_argument(reading);
		open = open || !item;
		if (item && !map)
			node_append(list, node_copy(reading->scope->arena, item));
		reading->at += *reading->at == ',';
		skip_blanks(reading);
		if (*reading->at == (map ? ']' : '}'))
			break;
	}
	reading->at += *reading->at == close;
	return open ? NULL : list;
}

static struct node *read_plain(struct reading *reading)
{
	struct mixture mixture = read_mixture(reading, ",]}");
	struct node *value = mixed(reading->scope, &mixture);
	size_t length = strlen(mixture.text);

	if (!value || value == mixture.only)
		return value;
	while (length && isspace((unsigned char)mixture.text[length - 1]))
		length--;
	return decoded_text(reading->scope->arena,
			    arena_strndup(reading->scope->arena, mixture.text, length),
			    value->span);
}

static struct node *read_argument(struct reading *reading)
{
	struct node *value;

	skip_blanks(reading);
	if (reading->depth >= BRACES)
		return refuse(reading->scope, "braces in braces");
	reading->depth++;
	if (*reading->at == '\'' || *reading->at == '"')
		value = read_quoted(reading);
	else if (*reading->at == '[' || *reading->at == '{')
		value = read_list(reading);
	else
		value = read_plain(reading);
	reading->depth--;
	skip_blanks(reading);
	return value;
}

/* OmegaConf's sign of a value that somebody else must give. */
static bool is_missing(const char *text)
{
	return !strcmp(text, "???");
}

static struct node *select_value(struct reading *reading, const struct resolver_call *call)
{
	struct node *key = call->arguments[0], *value;
	const char *before = reading->scope->why;

	if (!key || key->kind != NODE_SCALAR)
		return refuse(reading->scope, call->text);
	value = look_up(reading, key->text);
	if (value || before || (reading->scope->why && !is_missing(reading->scope->why)))
		return value;
	reading->scope->why = NULL; /* what is missing is as if it were not there */
	if (call->count > 1)
		return call->arguments[1] ? call->arguments[1] : refuse(reading->scope, call->text);
	return decoded_text(reading->scope->arena, "null", key->span);
}

/* oc.decode reads its text as a config does: what it holds of ${...} is resolved once more. */
static struct node *decode_again(struct reading *reading, struct node *value)
{
	struct reading inner = { .scope = reading->scope,
				 .from = reading->from,
				 .at = value->text,
				 .depth = reading->depth + 1 };
	struct mixture mixture;

	if (inner.depth >= BRACES)
		return refuse(reading->scope, value->text);
	mixture = read_mixture(&inner, "");
	return mixed(reading->scope, &mixture);
}

static struct node *call_resolver(struct reading *reading, const struct resolver_call *call)
{
	struct scope *scope = reading->scope;
	const char *missing = NULL;
	struct node *value;

	if (call->open)
		return refuse(scope, call->text);
	if (!strcmp(call->name, "oc.select"))
		return select_value(reading, call);
	value = resolver_run(scope->document, call, &missing);
	if (value && !strcmp(call->name, "oc.decode") && is_expression(value))
		return decode_again(reading, value);
	return value ? value : refuse(scope, missing ? missing : call->text);
}

/* "name: a, b}" behind "${"; NULL without moving when it is no resolver's call. */
static const char *resolver_name(struct reading *reading)
{
	size_t length = 0;
	const char *at = reading->at;

	while (isalnum((unsigned char)at[length]) || (at[length] && strchr("_.-", at[length])))
		length++;
	if (!length || *at == '.' || at[length + strspn(at + length, " ")] != ':')
		return NULL;
	reading->at += length + strspn(at + length, " ") + 1;
	return arena_strndup(reading->scope->arena, at, length);
}

static struct node *read_call(struct reading *reading, const char *start, const char *name)
{
	struct resolver_call call = { .name = name };
	struct node *value;

	skip_blanks(reading);
	while (*reading->at && *reading->at != '}') {
		value = read_argument(reading);
		if (call.count < RESOLVER_ARGUMENTS)
			call.arguments[call.count++] = value;
		call.open = call.open || !value;
		if (*reading->at != ',')
			break;
		reading->at++;
	}
	call.text = arena_printf(reading->scope->arena, "%.*s}", (int)(reading->at - start), start);
	return call_resolver(reading, &call);
}

static struct node *read_reference(struct reading *reading)
{
	struct mixture mixture = read_mixture(reading, "}");
	struct node *value;
	size_t length = strlen(mixture.text);

	if (mixture.open)
		return NULL;
	while (length && isspace((unsigned char)mixture.text[length - 1]))
		mixture.text[--length] = '\0';
	value = look_up(reading, mixture.text);
	return value ? value : refuse_path(reading->scope, mixture.text);
}

/* The value of the "${...}" at reading->at, which moves behind it. */
static struct node *read_interpolation(struct reading *reading)
{
	const char *start = reading->at, *name;
	struct node *value;

	if (reading->depth >= BRACES) {
		reading->at += strlen(reading->at);
		return refuse(reading->scope, "braces in braces");
	}
	reading->depth++;
	reading->at += 2;
	skip_blanks(reading);
	name = resolver_name(reading);
	value = name ? read_call(reading, start, name) : read_reference(reading);
	reading->depth--;
	if (*reading->at != '}') {
		reading->at += strlen(reading->at);
		return refuse(reading->scope, arena_strdup(reading->scope->arena, start));
	}
	reading->at++;
	return value;
}

/* ---- the tree ---- */

static int size_of(const struct node *node)
{
	const struct node *child;
	int size = 1;

	for (child = node->first; child && size < COPIES; child = child->next)
		size += size_of(child);
	return size;
}

/* Puts what a value is in the place of a node, which keeps its own place and key. */
static void assign(struct scope *scope, struct node *node, const struct node *value)
{
	const struct node *child;

	scope->copies += size_of(value);
	if (scope->copies > COPIES) {
		node->unresolved = node->text;
		return;
	}
	node->kind = value->kind;
	node->type = value->type;
	node->quoted = value->quoted;
	node->text = value->text;
	node->integer = value->integer;
	node->number = value->number;
	node->boolean = value->boolean;
	for (child = value->first; child; child = child->next)
		node_append(node, node_copy(scope->arena, child));
}

static void resolve_scalar(struct scope *scope, struct node *node)
{
	struct frame frame = { node, scope->top, scope->top ? scope->top->depth + 1 : 0 };
	struct reading reading = { .scope = scope, .from = node, .at = node->text };
	const char *why = scope->why;
	struct mixture mixture;
	struct node *value;

	if (is_circular(scope, node) || frame.depth > REFERENCES)
		return;
	scope->top = &frame;
	scope->why = NULL;
	mixture = read_mixture(&reading, "");
	value = mixed(scope, &mixture);
	if (value)
		assign(scope, node, value);
	else
		node->unresolved = scope->why ? scope->why : node->text;
	scope->top = frame.below;
	scope->why = why;
}

/* OmegaConf's loader takes 1e-5 for a number (omegaconf/_utils.py get_yaml_loader). */
static void read_number(struct node *node)
{
	if (node->quoted || !strpbrk(node->text, "eE") || !strpbrk(node->text, "0123456789") ||
	    !text_to_double(node->text, &node->number))
		return;
	node->type = SCALAR_FLOAT;
}

static void resolve_tree(struct scope *scope, struct node *node)
{
	struct node *child;

	if (is_expression(node))
		resolve_scalar(scope, node);
	else if (node->kind == NODE_SCALAR && node->type == SCALAR_STRING && is_missing(node->text))
		node->unresolved = node->text;
	else if (node->kind == NODE_SCALAR && node->type == SCALAR_STRING && !node->unresolved)
		read_number(node);
	for (child = node->first; child; child = child->next)
		resolve_tree(scope, child);
}

void interpolate_omegaconf(struct document *document, struct node *root, const char *mounts,
			   struct findings *findings)
{
	struct scope scope = { .document = document,
			       .arena = document->arena,
			       .findings = findings,
			       .root = root,
			       .mounts = mounts };

	resolve_tree(&scope, root);
}
