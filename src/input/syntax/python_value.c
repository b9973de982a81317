#include "input/syntax/python_value.h"

#include "base/text.h"
#include "input/syntax/reader.h"

#include <ctype.h>
#include <string.h>

enum { CALLS = 12 };

static bool at_end(const struct python_frame *frame)
{
	return frame->at >= frame->end;
}

static bool is(const struct python_frame *frame, const char *text)
{
	return !at_end(frame) && python_is(&frame->python->words, frame->at, text);
}

static bool take(struct python_frame *frame, const char *text)
{
	if (!is(frame, text))
		return false;
	frame->at++;
	return true;
}

/* ---- literals ---- */

static struct node *number(struct python_frame *frame)
{
	struct arena *arena = frame->python->arena;
	char *text = python_text(arena, &frame->python->words, frame->at), *from, *to;
	struct node *node;

	for (from = to = text; *from; from++)
		if (*from != '_')
			*to++ = *from;
	*to = '\0';
	node = node_scalar(arena, SCALAR_INT, text,
			   python_span(&frame->python->words, frame->at, frame->at + 1));
	if (!text_to_int(text, &node->integer)) {
		node->type = SCALAR_FLOAT;
		if (!text_to_double(text, &node->number))
			node->unresolved = text;
	} else {
		node->number = (double)node->integer;
	}
	frame->at++;
	return node;
}

/* The text of a string literal without prefix, quotes and the plainest escapes; NULL: not plain. */
static char *string_text(struct arena *arena, char *text)
{
	const size_t prefix = strcspn(text, "\"'");
	const char quote = text[prefix];
	size_t length = strlen(text), open = prefix + 1;

	if (strpbrk(text, "\\") || (prefix && !strchr("rRuU", text[0])) || prefix > 1)
		return NULL;
	if (length >= prefix + 6 && text[prefix + 1] == quote && text[prefix + 2] == quote)
		open = prefix + 3;
	return arena_strndup(arena, text + open, length - open - (open - prefix));
}

/* Strings, one behind the other, are one. */
static struct node *string(struct python_frame *frame)
{
	const struct python_words *words = &frame->python->words;
	struct arena *arena = frame->python->arena;
	const size_t first = frame->at;
	const char *whole = "";
	struct node *node;

	for (; !at_end(frame) && words->tokens.items[frame->at].kind == PYTHON_STRING;
	     frame->at++) {
		const char *part = string_text(arena, python_text(arena, words, frame->at));
		whole = part && whole && python_spend(frame, (long)strlen(whole))
				? arena_join(arena, whole, part, "")
				: NULL;
	}
	if (!whole)
		return python_unknown(frame, NULL, first, frame->at);
	node = node_scalar(arena, SCALAR_STRING, whole, python_span(words, first, frame->at));
	node->quoted = true;
	return node;
}

/* ---- brackets ---- */

static void skip_to(struct python_frame *frame, bool colon)
{
	int depth = 0;

	for (; !at_end(frame); frame->at++) {
		if (is(frame, "(") || is(frame, "[") || is(frame, "{"))
			depth++;
		else if (is(frame, ")") || is(frame, "]") || is(frame, "}"))
			if (!depth--)
				return;
		if (!depth && (is(frame, ",") || (colon && is(frame, ":"))))
			return;
	}
}

static struct node *list(struct python_frame *frame, const char *close)
{
	const size_t first = frame->at++;
	struct node *node = node_container(frame->python->arena, NODE_LIST,
					   python_span(&frame->python->words, first, first + 1));
	size_t before = 0;
	bool comma = false;

	while (!at_end(frame) && !is(frame, close) && frame->at != before &&
	       python_spend(frame, 1)) {
		struct node *item;
		before = frame->at;
		item = python_expression(frame);
		if (take(frame, ","))
			comma = true;
		if (!python_fits(frame, node, item))
			continue;
		item = item->parent ? node_copy(frame->python->arena, item) : item;
		item->key = NULL;
		node_append(node, item);
	}
	if (!take(frame, close))
		frame->at = frame->end;
	node->span = python_span(&frame->python->words, first, frame->at);
	if (*close == ')' && !comma && node->first && !node->first->next) { /* no tuple */
		struct node *only = node->first;
		node_remove(only);
		return only;
	}
	return node;
}

/* A dict; sets and comprehensions are not known. */
static struct node *dict(struct python_frame *frame)
{
	const size_t first = frame->at++;
	struct node *node = node_container(frame->python->arena, NODE_MAP,
					   python_span(&frame->python->words, first, first + 1));

	while (!at_end(frame) && !is(frame, "}") && python_spend(frame, 1)) {
		struct node *key = python_expression(frame);
		if (!take(frame, ":") || key->kind != NODE_SCALAR || key->unresolved) {
			python_open(frame, node, "a dict whose keys are not plain");
			skip_to(frame, false);
		} else {
			python_put(frame, node, key->text, key->span, python_expression(frame));
		}
		if (!take(frame, ","))
			break;
	}
	skip_to(frame, false);
	if (!take(frame, "}"))
		frame->at = frame->end;
	node->span = python_span(&frame->python->words, first, frame->at);
	return node;
}

/* ---- calls ---- */

/* Functions that leave their arguments as they are. */
static bool leaves_arguments(const char *callee)
{
	static const char *const readers[] = {
		"len", "cast",	"print", "isinstance", "replace", "deepcopy", "copy",	"str",
		"int", "float", "list",	 "dict",       "tuple",	  "getattr",  "hasattr"
	};
	const char *last = strrchr(callee, '.');
	size_t i;

	last = last ? last + 1 : callee;
	for (i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (!strcmp(last, readers[i]))
			return true;
	return isupper((unsigned char)*last); /* a class */
}

static bool is_object(const struct node *node)
{
	return node->kind == NODE_MAP;
}

/* An argument; a keyword is a member, what is spread over them opens the call. */
static void argument(struct python_frame *frame, struct node *call, const char *callee,
		     int *positional)
{
	const struct python_words *words = &frame->python->words;
	const bool keyword = frame->at + 1 < frame->end &&
			     words->tokens.items[frame->at].kind == PYTHON_NAME &&
			     python_is(words, frame->at + 1, "=");
	const size_t first = frame->at;
	const char *key;
	struct node *value;

	if (take(frame, "*") || take(frame, "**")) {
		(void)python_expression(frame);
		python_open(frame, call, python_unknown(frame, NULL, first, frame->at)->text);
		return;
	}
	key = keyword ? python_text(frame->python->arena, words, frame->at)
		      : arena_printf(frame->python->arena, "#%d", (*positional)++);
	frame->at += keyword ? 2 : 0;
	value = python_expression(frame);
	if (frame->effect && is_object(value) && !leaves_arguments(callee)) {
		python_open(frame, value,
			    arena_printf(frame->python->arena, "%s() may change it", callee));
		return;
	}
	python_put(frame, call, key, python_span(words, first, first + 1), value);
}

static struct node *arguments(struct python_frame *frame, const char *callee, size_t first)
{
	struct arena *arena = frame->python->arena;
	const struct python_words *words = &frame->python->words;
	struct node *call = node_container(arena, NODE_MAP, python_span(words, first, frame->at)),
		    *name;
	int positional = 0;

	name = node_scalar(arena, SCALAR_STRING, callee, call->span);
	python_put(frame, call, "()", call->span, name);
	frame->at++;
	while (!at_end(frame) && !is(frame, ")") && python_spend(frame, 1)) {
		argument(frame, call, callee, &positional);
		if (!take(frame, ","))
			break;
	}
	skip_to(frame, false); /* a generator */
	if (!take(frame, ")"))
		frame->at = frame->end;
	call->span = python_span(words, first, frame->at);
	return call;
}

/* dataclasses.replace(x, name=value) and copies. */
static struct node *copied(struct python_frame *frame, struct node *call, const char *callee)
{
	const bool replaces = !strcmp(callee, "dataclasses.replace");
	struct node *from = python_member(frame, call, "#0"), *made, *child, *next;

	if ((!replaces && strcmp(callee, "copy.deepcopy") != 0 &&
	     strcmp(callee, "copy.copy") != 0) ||
	    !from || !is_object(from) || !python_spend(frame, python_height(frame, from)))
		return call;
	made = node_copy(frame->python->arena, from);
	for (child = call->first; child; child = next) {
		next = child->next;
		if (child->key[0] == '#' || child->key[0] == '(')
			continue;
		node_remove(child);
		python_put(frame, made, child->key, child->key_span, child);
	}
	return made;
}

/* A function of the file itself that needs no arguments is read where it is called. */
static struct node *called(struct python_frame *frame, struct node *call, const char *callee,
			   size_t first)
{
	struct python *python = frame->python;
	const int64_t at = map_find(&python->function_index, callee);
	const struct python_function *function = at < 0 ? NULL : &python->functions.items[at];
	struct node *made;

	if (!function)
		return copied(frame, call, callee);
	if (!function->plain || call->first->next || python->calls >= CALLS ||
	    !python_spend(frame, 1))
		return call;
	python->calls++;
	made = python_call(python, function);
	python->calls--;
	return made ? made : python_unknown(frame, NULL, first, frame->at);
}

/* ---- names ---- */

/* A method may do anything to what it is called on. */
static struct node *method(struct python_frame *frame, struct node *object, size_t first)
{
	skip_to(frame, false);
	while (is(frame, "(")) {
		frame->at++;
		skip_to(frame, false);
		while (take(frame, ","))
			skip_to(frame, false);
		if (!take(frame, ")"))
			frame->at = frame->end;
	}
	if (object && is_object(object))
		python_open(frame, object, "a method may change it");
	return python_unknown(frame, NULL, first, frame->at > first ? frame->at : first + 1);
}

/* A member; one that nothing says is there, and may be followed and set under another name. */
static struct node *attribute(struct python_frame *frame, struct node *object, const char *key)
{
	struct node *child = is_object(object) ? python_member(frame, object, key) : NULL;

	if (!is_object(object) || child || frame->python->budget <= 0)
		return child;
	child = node_container(frame->python->arena, NODE_MAP,
			       python_span(&frame->python->words, frame->at + 1, frame->at + 2));
	python_put(frame, object, key, child->span, child);
	return child->parent ? child : NULL;
}

/* What follows a name that is a value: attributes; a call of one, or an index, is unknown. */
static struct node *attributes(struct python_frame *frame, struct node *value, size_t first)
{
	struct node *inner = value;

	while (inner && is(frame, ".") && frame->at + 1 < frame->end) {
		const char *key =
			python_text(frame->python->arena, &frame->python->words, frame->at + 1);
		if (frame->at + 2 < frame->end &&
		    python_is(&frame->python->words, frame->at + 2, "("))
			break;
		inner = attribute(frame, inner, key);
		frame->at += 2;
	}
	if (is(frame, ".") || is(frame, "(") || is(frame, "[")) {
		const bool calls = !is(frame, "[");
		if (calls)
			return method(frame, inner, first);
		skip_to(frame, true);
		return python_unknown(frame, NULL, first, frame->at);
	}
	return inner ? inner : python_unknown(frame, NULL, first, frame->at);
}

/* "a.b.c" from the tokens, the first of them as its import says; moves behind it. */
static const char *dotted(struct python_frame *frame, const struct python_name *name)
{
	struct arena *arena = frame->python->arena;
	const char *text = python_text(arena, &frame->python->words, frame->at++);

	text = name && name->dotted ? name->dotted : text;
	while (is(frame, ".") && frame->at + 1 < frame->end &&
	       python_spend(frame, (long)strlen(text))) {
		text = arena_join(arena, text, ".",
				  python_text(arena, &frame->python->words, frame->at + 1));
		frame->at += 2;
	}
	return text;
}

static struct node *name(struct python_frame *frame)
{
	static const char *const words[] = { "lambda", "not", "await", "yield" };
	struct arena *arena = frame->python->arena;
	const size_t first = frame->at;
	const char *text = python_text(arena, &frame->python->words, first);
	const struct python_name *known = python_find(frame, text);
	struct node *made;
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(text, words[i])) {
			skip_to(frame, false);
			return python_unknown(frame, NULL, first, frame->at);
		}
	if (known && known->value) {
		frame->at++;
		return attributes(frame, known->value, first);
	}
	text = dotted(frame, known);
	if (!is(frame, "("))
		return python_unknown(frame, NULL, first, frame->at);
	made = arguments(frame, text, first);
	made = called(frame, made, text, first);
	return is(frame, ".") || is(frame, "(") ? method(frame, made, first) : made;
}

static struct node *constant(struct python_frame *frame)
{
	static const char *const words[] = { "True", "False", "None" };
	struct node *node;
	size_t i;

	for (i = 0; i < 3 && !is(frame, words[i]); i++)
		;
	if (i == 3)
		return NULL;
	node = node_scalar(frame->python->arena, i == 2 ? SCALAR_NULL : SCALAR_BOOL,
			   i == 0   ? "true"
			   : i == 1 ? "false"
				    : "",
			   python_span(&frame->python->words, frame->at, frame->at + 1));
	node->boolean = i == 0;
	frame->at++;
	return node;
}

/* ---- arithmetic of whole numbers ---- */

static struct node *primary(struct python_frame *frame);

static struct node *negated(struct python_frame *frame)
{
	const size_t first = frame->at++;
	struct node *node;

	if (++frame->depth > READER_DEPTH / 2)
		skip_to(frame, false);
	node = at_end(frame) || frame->depth > READER_DEPTH / 2
		       ? python_unknown(frame, NULL, first, frame->at)
		       : primary(frame);
	frame->depth--;
	if (node->kind != NODE_SCALAR || node->unresolved || node->integer == INT64_MIN ||
	    (node->type != SCALAR_INT && node->type != SCALAR_FLOAT))
		return python_unknown(frame, NULL, first, frame->at);
	node = node->parent ? node_copy(frame->python->arena, node) : node;
	node->integer = -node->integer;
	node->number = -node->number;
	node->text = arena_join(frame->python->arena, "-", node->text, "");
	node->span = python_span(&frame->python->words, first, frame->at);
	return node;
}

static struct node *primary(struct python_frame *frame)
{
	const enum python_kind kind = frame->python->words.tokens.items[frame->at].kind;
	struct node *node = constant(frame);

	if (node)
		return node;
	if (kind == PYTHON_NUMBER)
		return number(frame);
	if (kind == PYTHON_STRING)
		return string(frame);
	if (kind == PYTHON_NAME)
		return name(frame);
	if (is(frame, "("))
		return list(frame, ")");
	if (is(frame, "["))
		return list(frame, "]");
	if (is(frame, "{"))
		return dict(frame);
	if (is(frame, "-") && frame->at + 1 < frame->end)
		return negated(frame);
	frame->at++;
	return python_unknown(frame, NULL, frame->at - 1, frame->at);
}

static bool is_int(const struct node *node)
{
	return node->kind == NODE_SCALAR && node->type == SCALAR_INT && !node->unresolved;
}

/* a * b, a // b: the operators that fold from left to right. NULL: not whole numbers. */
static struct node *product(struct python_frame *frame, const struct node *a, const char *operator,
			    const struct node * b, size_t first)
{
	struct node *node;
	int64_t result = 0;
	bool overflows = true;

	if (!is_int(a) || !is_int(b))
		return NULL;
	if (*operator== '*')
		overflows = __builtin_mul_overflow(a->integer, b->integer, &result);
	else if (b->integer > 0 && a->integer >= 0)
		overflows = false, result = a->integer / b->integer;
	if (overflows)
		return NULL;
	node = node_scalar(frame->python->arena, SCALAR_INT,
			   arena_printf(frame->python->arena, "%lld", (long long)result),
			   python_span(&frame->python->words, first, frame->at));
	node->integer = result;
	node->number = (double)result;
	return node;
}

static bool ends_here(const struct python_frame *frame)
{
	return at_end(frame) || is(frame, ",") || is(frame, ")") || is(frame, "]") ||
	       is(frame, "}") || is(frame, ":");
}

struct node *python_expression(struct python_frame *frame)
{
	const size_t first = frame->at;
	struct node *node;

	if (at_end(frame) || ++frame->depth > READER_DEPTH / 2 || !python_spend(frame, 1)) {
		frame->depth -= !at_end(frame);
		skip_to(frame, false);
		return python_unknown(frame, "too much is nested",
				      first < frame->end ? first : frame->end - 1, frame->at);
	}
	node = primary(frame);
	while (node && (is(frame, "*") || is(frame, "//")) && frame->at + 1 < frame->end) {
		const char *operator= is(frame, "*") ? "*" : "//";
		frame->at++;
		node = product(frame, node, operator, primary(frame), first);
	}
	if (!node || !ends_here(frame)) {
		skip_to(frame, false);
		node = python_unknown(frame, NULL, first, frame->at);
	}
	frame->depth--;
	return node;
}
