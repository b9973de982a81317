#include "input/syntax/python.h"

#include "base/text.h"
#include "input/syntax/python_value.h"
#include "input/syntax/reader.h"

#include <ctype.h>
#include <string.h>

/*
 * The plainest part of Python programs that make configs: imports, names, calls with keywords,
 * attributes that are set, functions that begin with what another makes. Nothing is executed: what
 * else stands there makes unknown what it may touch.
 */

enum { STEPS = 2000000, BLOCKS = 40 };

static const struct python_line *line_at(const struct python *python, size_t line)
{
	return &python->words.lines.items[line];
}

static bool begins(const struct python *python, size_t line, const char *word)
{
	return python_is(&python->words, line_at(python, line)->first, word);
}

/* The line behind the block of a compound statement. */
static size_t block_end(const struct python *python, size_t line)
{
	const uint32_t indent = line_at(python, line)->indent;
	size_t end = line + 1;

	while (end < python->words.lines.count && line_at(python, end)->indent > indent)
		end++;
	return end;
}

/* The first of these operators outside brackets from `at` on, or `end`. */
static size_t find(const struct python_words *words, size_t at, size_t end,
		   const char *const *texts)
{
	int depth = 0, i;

	for (; at < end; at++) {
		for (i = 0; texts[i] && !depth; i++)
			if (python_is(words, at, texts[i]))
				return at;
		if (python_is(words, at, "(") || python_is(words, at, "[") ||
		    python_is(words, at, "{"))
			depth++;
		else if (python_is(words, at, ")") || python_is(words, at, "]") ||
			 python_is(words, at, "}"))
			depth--;
	}
	return end;
}

static struct node *value_of(struct python_frame *frame, size_t first, size_t end)
{
	struct node *value;

	frame->at = first;
	frame->end = end;
	frame->depth = 0;
	value = python_expression(frame);
	return frame->at < end ? python_unknown(frame, NULL, first, end) : value;
}

/* ---- imports ---- */

/* "a.b", "..a": the dotted name at *at, which moves behind it. */
static const char *module_name(struct python *python, size_t *at, size_t end)
{
	const struct python_words *words = &python->words;
	const size_t first = *at;
	size_t from, to;

	while (*at < end && !python_is(words, *at, "import") && !python_is(words, *at, "as") &&
	       !python_is(words, *at, ","))
		(*at)++;
	if (*at == first)
		return "";
	from = words->tokens.items[first].start;
	to = words->tokens.items[*at - 1].end;
	return arena_strndup(python->arena, words->source->text + from, to - from);
}

/* A name for what an import brings, or the one behind `as`. */
static void bind_import(struct python_frame *frame, const char *what, const char *name, size_t *at,
			size_t end)
{
	const struct python_words *words = &frame->python->words;

	if (*at + 1 < end && python_is(words, *at, "as")) {
		name = python_text(frame->python->arena, words, *at + 1);
		*at += 2;
	}
	python_bind(frame, name, (struct python_name) { .dotted = what });
}

static void import(struct python_frame *frame, const struct python_line *line)
{
	struct arena *arena = frame->python->arena;
	const struct python_words *words = &frame->python->words;
	size_t at = line->first + 1;

	while (at < line->end) {
		const char *what = module_name(frame->python, &at, line->end);
		const size_t first = strcspn(what, ".");
		const bool as = at < line->end && python_is(words, at, "as");
		const char *top = arena_strndup(arena, what, first);
		bind_import(frame, as ? what : top, top, &at, line->end);
		at++; /* the comma */
	}
}

static void from_import(struct python_frame *frame, const struct python_line *line)
{
	struct arena *arena = frame->python->arena;
	const struct python_words *words = &frame->python->words;
	size_t at = line->first + 1;
	const char *module = module_name(frame->python, &at, line->end);

	for (at++; at < line->end; at++) {
		const char *name;
		if (words->tokens.items[at].kind != PYTHON_NAME)
			continue;
		name = python_text(arena, words, at++);
		bind_import(frame,
			    arena_join(arena, module, text_ends(module, ".") ? "" : ".", name),
			    name, &at, line->end);
		at--;
	}
}

/* ---- statements ---- */

/* The value, unless something else decides whether it is set. */
static struct node *if_sure(struct python_frame *frame, struct node *value)
{
	struct node *unknown;

	if (!frame->maybe)
		return value;
	unknown = node_scalar(frame->python->arena, SCALAR_STRING, frame->maybe, value->span);
	unknown->unresolved = frame->maybe;
	return unknown;
}

/* a.b.c = value: the map a.b, made on the way; NULL when that is no object that is followed. */
static struct node *object_at(struct python_frame *frame, size_t first, size_t last)
{
	const struct python_words *words = &frame->python->words;
	struct arena *arena = frame->python->arena;
	const struct python_name *name = python_find(frame, python_text(arena, words, first));
	struct node *object = name ? name->value : NULL, *child;
	size_t at;

	for (at = first + 2; object && at < last; at += 2) {
		const char *key = python_text(arena, words, at);
		if (object->kind != NODE_MAP)
			return NULL;
		child = node_member(object, key);
		if (!child) {
			child = node_container(arena, NODE_MAP, python_span(words, at, at + 1));
			python_put(frame, object, key, child->span, child);
		}
		object = child;
	}
	return object && object->kind == NODE_MAP ? object : NULL;
}

/* Whether the tokens are a, or a.b.c. */
static bool is_path(const struct python_words *words, size_t first, size_t end)
{
	size_t at;

	for (at = first; at < end; at++)
		if ((at - first) % 2 ? !python_is(words, at, ".")
				     : words->tokens.items[at].kind != PYTHON_NAME)
			return false;
	return (end - first) % 2 == 1;
}

/* What is set by an index or by several at once: nobody knows what of the object stays. */
static void open_target(struct python_frame *frame, size_t first, size_t end, const char *why)
{
	const struct python_words *words = &frame->python->words;
	const struct python_name *name;

	for (; first < end; first++) {
		if (words->tokens.items[first].kind != PYTHON_NAME)
			continue;
		name = python_find(frame, python_text(frame->python->arena, words, first));
		if (name && name->value)
			python_open(frame, name->value, why);
	}
}

static void assign(struct python_frame *frame, size_t first, size_t end, struct node *value)
{
	const struct python_words *words = &frame->python->words;
	struct arena *arena = frame->python->arena;
	struct node *object;

	if (!is_path(words, first, end)) {
		open_target(frame, first, end, "not a plain assignment");
		return;
	}
	value = if_sure(frame, value);
	if (end == first + 1) {
		python_bind(frame, python_text(arena, words, first),
			    (struct python_name) { .value = value });
		return;
	}
	object = object_at(frame, first, end - 1);
	if (object)
		python_put(frame, object, python_text(arena, words, end - 1),
			   python_span(words, first, end), value);
}

static bool is_augmented(const struct python_words *words, size_t at)
{
	const struct python_token *token = &words->tokens.items[at];
	const char last = words->source->text[token->end - 1];

	return token->kind == PYTHON_OPERATOR && token->end - token->start > 1 && last == '=' &&
	       !strchr("=!<>:", words->source->text[token->start]);
}

/* a = b = value; a: T = value; a += value. False when it is none. */
static bool assignment(struct python_frame *frame, const struct python_line *line)
{
	static const char *const equals[] = { "=", NULL };
	static const char *const colon[] = { ":", "=", NULL };
	const struct python_words *words = &frame->python->words;
	size_t target = line->first, equal = find(words, target, line->end, equals), next, type;
	struct node *value;

	if (equal == line->end) {
		for (next = line->first; next < line->end && !is_augmented(words, next); next++)
			;
		if (next > line->first && next < line->end)
			assign(frame, line->first, next,
			       python_unknown(frame, NULL, line->first, line->end));
		return next < line->end;
	}
	for (next = equal; next < line->end; next = find(words, next + 1, line->end, equals))
		equal = next;
	value = equal + 1 < line->end ? value_of(frame, equal + 1, line->end) : NULL;
	for (; value && target <= equal; target = next + 1) {
		next = find(words, target, equal + 1, equals);
		type = find(words, target, next, colon);
		if (type > target)
			assign(frame, target, type, value);
	}
	return true;
}

static void give_back(struct python_frame *frame, const struct python_line *line)
{
	struct node *value =
		line->first + 1 < line->end ? value_of(frame, line->first + 1, line->end) : NULL;

	if (frame->maybe)
		frame->result_maybe = frame->maybe;
	frame->returned = !frame->maybe;
	frame->result = value ? value : frame->result;
}

static bool is_compound(const struct python *python, size_t line)
{
	static const char *const words[] = { "if",  "elif",   "else",	 "for",	  "while", "with",
					     "try", "except", "finally", "match", "async", "case" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (begins(python, line, words[i]))
			return true;
	return false;
}

static void run(struct python_frame *frame, size_t line, size_t end, int blocks);

static void simple(struct python_frame *frame, const struct python_line *line)
{
	static const char *const ignored[] = { "assert",   "pass",  "global",
					       "nonlocal", "break", "continue" };
	const struct python_words *words = &frame->python->words;
	size_t i;

	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		if (python_is(words, line->first, ignored[i]))
			return;
	if (python_is(words, line->first, "import")) {
		import(frame, line);
	} else if (python_is(words, line->first, "from")) {
		from_import(frame, line);
	} else if (python_is(words, line->first, "return")) {
		give_back(frame, line);
	} else if (python_is(words, line->first, "del")) {
		open_target(frame, line->first + 1, line->end, "a part of it is deleted");
	} else if (python_is(words, line->first, "raise")) {
		frame->returned = !frame->maybe;
	} else if (!assignment(frame, line)) {
		frame->effect = true;
		value_of(frame, line->first, line->end);
		frame->effect = false;
	}
}

/* for NAME in, with ... as NAME: from here on it stands for something else. */
static void forget_bound(struct python_frame *frame, const struct python_line *head)
{
	const struct python_words *words = &frame->python->words;
	bool binds = python_is(words, head->first, "for");
	size_t at;

	for (at = head->first + 1; at < head->end; at++) {
		if (python_is(words, at, "in") || python_is(words, at, ","))
			binds = binds && python_is(words, at, ",");
		else if (python_is(words, at, "as"))
			binds = true;
		else if (binds && words->tokens.items[at].kind == PYTHON_NAME)
			python_bind(frame, python_text(frame->python->arena, words, at),
				    (struct python_name) { .value = NULL });
	}
}

/* What stands in a block that may be run or not, and behind the colon of its head. */
static void compound(struct python_frame *frame, size_t line, size_t end, int blocks)
{
	static const char *const colon[] = { ":", NULL };
	struct python *python = frame->python;
	const struct python_line *head = line_at(python, line);
	struct python_line inner = *head;
	const char *before = frame->maybe;

	inner.first = find(&python->words, head->first, head->end, colon) + 1;
	frame->maybe = arena_printf(python->arena, "'%s' in line %u decides",
				    python_text(python->arena, &python->words, head->first),
				    python->words.tokens.items[head->first].from.line);
	forget_bound(frame, head);
	if (inner.first < inner.end)
		simple(frame, &inner);
	if (blocks < BLOCKS)
		run(frame, line + 1, end, blocks + 1);
	else
		frame->result_maybe = "too much is nested";
	frame->maybe = before;
}

/* A def or class within: its name stands for nothing that is followed. */
static void inner_definition(struct python_frame *frame, size_t line)
{
	const struct python_line *head = line_at(frame->python, line);

	if (head->first + 1 < head->end)
		python_bind(
			frame,
			python_text(frame->python->arena, &frame->python->words, head->first + 1),
			(struct python_name) { .value = NULL });
}

static void run(struct python_frame *frame, size_t line, size_t end, int blocks)
{
	struct python *python = frame->python;

	while (line < end && !frame->returned && python->budget-- > 0) {
		const size_t behind = block_end(python, line);
		python->budget -= (long)(behind - line);
		if (begins(python, line, "def") || begins(python, line, "class") ||
		    begins(python, line, "@")) {
			inner_definition(frame, line);
			line = behind;
		} else if (is_compound(python, line)) {
			compound(frame, line, behind < end ? behind : end, blocks);
			line = behind;
		} else {
			simple(frame, line_at(python, line));
			line++;
		}
	}
}

/* ---- functions ---- */

/* def f(a, b=1) needs an argument; def f(a=1, *, b=2, **c) does not. */
static bool needs_arguments(const struct python_words *words, size_t at, size_t end)
{
	static const char *const comma[] = { ",", NULL }, *const equal[] = { "=", NULL };
	size_t next;

	for (; at < end; at = next + 1) {
		next = find(words, at, end, comma);
		if (words->tokens.items[at].kind == PYTHON_NAME &&
		    find(words, at, next, equal) == next)
			return true;
	}
	return false;
}

static void bind_defaults(struct python_frame *frame, size_t at, size_t end)
{
	static const char *const comma[] = { ",", NULL }, *const equal[] = { "=", NULL };
	const struct python_words *words = &frame->python->words;
	size_t next, value;

	for (; at < end; at = next + 1) {
		next = find(words, at, end, comma);
		value = find(words, at, next, equal);
		if (value + 1 < next)
			python_bind(
				frame, python_text(frame->python->arena, words, at),
				(struct python_name) { .value = value_of(frame, value + 1, next) });
	}
}

struct node *python_call(struct python *python, const struct python_function *function)
{
	struct python_names names = { .index = { .arena = python->arena } };
	struct python_frame frame = { .python = python, .names = &names };
	const struct python_line *head = line_at(python, function->line);
	struct python_line inner = *head;

	bind_defaults(&frame, function->first_parameter, function->colon);
	inner.first = function->colon;
	while (inner.first < inner.end && !python_is(&python->words, inner.first, ":"))
		inner.first++;
	inner.first++;
	if (inner.first < inner.end)
		simple(&frame, &inner);
	run(&frame, function->line + 1, function->body_end, 0);
	if (frame.result && frame.result_maybe)
		python_open(&frame, frame.result, frame.result_maybe);
	return frame.result;
}

/* The parameters stand between the brackets; a type may follow them. */
static void define(struct python *python, size_t line, bool decorated)
{
	static const char *const close[] = { ")", NULL };
	const struct python_line *head = line_at(python, line);
	struct python_function function = { .line = line, .body_end = block_end(python, line) };
	int64_t at;

	if (head->first + 3 >= head->end ||
	    python->words.tokens.items[head->first + 1].kind != PYTHON_NAME ||
	    !python_is(&python->words, head->first + 2, "("))
		return;
	function.name = python_text(python->arena, &python->words, head->first + 1);
	function.first_parameter = head->first + 3;
	function.colon = find(&python->words, function.first_parameter, head->end, close);
	function.plain = !decorated &&
			 !needs_arguments(&python->words, function.first_parameter, function.colon);
	at = map_find(&python->function_index, function.name);
	if (at >= 0)
		python->functions.items[at] = function;
	else {
		map_add(&python->function_index, function.name, (uint32_t)python->functions.count);
		vec_push(python->arena, &python->functions, function);
	}
}

static void find_functions(struct python *python)
{
	size_t line;

	for (line = 0; line < python->words.lines.count; line++)
		if (!line_at(python, line)->indent && begins(python, line, "def"))
			define(python, line, line && begins(python, line - 1, "@"));
}

/* A config function: it is no helper, and makes an object. */
static void add_made(struct python *python, struct python_frame *frame, struct node *root,
		     const struct python_function *function)
{
	const size_t name = line_at(python, function->line)->first + 1;
	struct node *made =
		function->plain && function->name[0] != '_' ? python_call(python, function) : NULL;

	if (!made || made->kind != NODE_MAP || !node_member(made, "()"))
		return;
	if (python->budget <= 0)
		python_open(frame, made, "the program is too large");
	made = made->parent ? node_copy(python->arena, made) : made;
	made->key = arena_join(python->arena, function->name, "()", "");
	made->key_span = python_span(&python->words, name, name + 1);
	node_append(root, made);
}

struct node *python_read(struct arena *arena, const struct source *source,
			 struct findings *findings)
{
	struct python python = { .arena = arena, .budget = STEPS };
	struct python_frame module = { .python = &python, .names = &python.names };
	struct node *root;
	size_t i;

	if (!reader_accepts(source, findings))
		return NULL;
	python.names.index.arena = python.function_index.arena = arena;
	python_scan(arena, source, &python.words);
	root = node_container(arena, NODE_MAP,
			      source_span(source, source->lines[0], source->lines[0]));
	find_functions(&python);
	run(&module, 0, python.words.lines.count, 0);
	for (i = 0; i < python.functions.count; i++)
		add_made(&python, &module, root, &python.functions.items[i]);
	return root;
}
