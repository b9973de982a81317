#include "framework/torch/mesh_expr.h"

#include "base/text.h"

#include <string.h>

enum { TEXT_LIMIT = 64 * 1024, DEPTH_LIMIT = 64 };

enum token_kind { TOKEN_END, TOKEN_SEPARATOR, TOKEN_NAME, TOKEN_NUMBER, TOKEN_MARK, TOKEN_BAD };

struct token {
	enum token_kind kind;
	size_t start, end;
	const char *text; /* names without their quotes, numbers, marks */
	bool quoted;
	int64_t number;
};

/* A mesh, or one axis of it (get_group). */
struct value {
	struct device_mesh *mesh;
	const struct device_mesh *holder; /* get_group: the mesh of the group, else NULL */
	int axis;
};

struct variable {
	const char *name;
	struct value value;
};

struct parser {
	struct torch_world *world;
	const struct source *source;
	struct token token;
	size_t at;   /* first byte behind `token` */
	size_t last; /* end of the token before */
	int depth;
	VEC(struct variable) variables;
	const char *problem;
	struct span span; /* of the problem, of the call that raised, or of the last expression */
	bool raised;	  /* `span` is that of the call that raised */
};

/* Names given in brackets or as `name=size`. */
struct names {
	const char *items[TORCH_AXES + 1];
	int64_t sizes[TORCH_AXES + 1];
	int count;
};

static void fail(struct parser *p, size_t start, size_t end, const char *problem)
{
	if (p->problem || p->world->error.type)
		return;
	p->problem = problem;
	p->span = source_span(p->source, start, end > start ? end : start + 1);
}

static bool stopped(const struct parser *p)
{
	return p->problem || p->world->error.type;
}

/* Remembers the innermost call during which PyTorch raised. */
static void note_raised(struct parser *p, size_t start)
{
	if (p->raised || !p->world->error.type)
		return;
	p->raised = true;
	p->span = source_span(p->source, start, p->last);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char peek(const struct parser *p, size_t at)
{
	return at < p->source->length ? p->source->text[at] : '\0';
}

static void take(struct parser *p, enum token_kind kind, size_t start, size_t end)
{
	p->token = (struct token) { .kind = kind, .start = start, .end = end };
	p->token.text = arena_strndup(p->world->arena, p->source->text + start, end - start);
	p->at = end;
}

static void take_quoted(struct parser *p, size_t start)
{
	size_t end = start + 1;

	while (end < p->source->length && peek(p, end) != peek(p, start) && peek(p, end) != '\n')
		end++;
	if (peek(p, end) != peek(p, start)) {
		take(p, TOKEN_BAD, start, end);
		fail(p, start, end, "this quote is not closed");
		return;
	}
	take(p, TOKEN_NAME, start + 1, end);
	p->token.quoted = true;
	p->token.start = start;
	p->token.end = p->at = end + 1;
}

static void take_word(struct parser *p, size_t start)
{
	bool number = is_digit(peek(p, start));
	size_t end = start;

	while (is_letter(peek(p, end)) || is_digit(peek(p, end)))
		end++;
	take(p, number ? TOKEN_NUMBER : TOKEN_NAME, start, end);
	if (number && (!text_to_int(p->token.text, &p->token.number) || p->token.number < 1))
		fail(p, start, end, "a size is a whole number from 1 on");
}

/* The first byte that is neither blank nor comment; comments run from "#" to the line's end. */
static size_t skip(const struct parser *p, size_t at)
{
	bool comment = false;
	char c;

	for (; at < p->source->length; at++) {
		c = peek(p, at);
		comment = c != '\n' && (comment || c == '#');
		if (!comment && c != ' ' && c != '\t' && c != '\r')
			break;
	}
	return at;
}

static void next(struct parser *p)
{
	size_t at = skip(p, p->at);
	char c = peek(p, at);

	p->last = p->token.end;
	if (at >= p->source->length)
		take(p, TOKEN_END, at, at);
	else if (c == ';' || c == '\n')
		take(p, TOKEN_SEPARATOR, at, at + 1);
	else if (c == '\'' || c == '"')
		take_quoted(p, at);
	else if (is_letter(c) || is_digit(c))
		take_word(p, at);
	else if (c && strchr("=,()[]", c))
		take(p, TOKEN_MARK, at, at + 1);
	else {
		take(p, TOKEN_BAD, at, at + 1);
		fail(p, at, at + 1, "this character means nothing here");
	}
}

static bool at_mark(const struct parser *p, char mark)
{
	return p->token.kind == TOKEN_MARK && p->token.text[0] == mark;
}

/* Skips line breaks inside brackets. */
static void next_inside(struct parser *p)
{
	do
		next(p);
	while (p->token.kind == TOKEN_SEPARATOR && p->token.text[0] == '\n');
}

static bool expect(struct parser *p, char mark, const char *problem, bool inside)
{
	if (!at_mark(p, mark)) {
		fail(p, p->token.start, p->token.end, problem);
		return false;
	}
	if (inside)
		next_inside(p);
	else
		next(p);
	return !p->problem;
}

static const char *expect_name(struct parser *p, const char *problem)
{
	const char *name = p->token.text;

	if (p->token.kind != TOKEN_NAME || !*name) {
		fail(p, p->token.start, p->token.end, problem);
		return NULL;
	}
	next_inside(p);
	return name;
}

static bool add_name(struct parser *p, struct names *names, const char *name, int64_t size)
{
	if (!name)
		return false;
	if (names->count == TORCH_AXES) {
		fail(p, p->token.start, p->token.end, "meshes of at most 8 axes are modelled");
		return false;
	}
	names->items[names->count] = name;
	names->sizes[names->count++] = size;
	return true;
}

/* "a=2, b=4)" up to and with the parenthesis. */
static bool parse_sizes(struct parser *p, struct names *names)
{
	do {
		const char *name = expect_name(p, "an axis is given as NAME=SIZE");
		int64_t size;
		if (!name || !expect(p, '=', "an axis is given as NAME=SIZE", true))
			return false;
		size = p->token.number;
		if (p->token.kind != TOKEN_NUMBER) {
			fail(p, p->token.start, p->token.end, "a size is a whole number from 1 on");
			return false;
		}
		next_inside(p);
		if (!add_name(p, names, name, size))
			return false;
		if (!at_mark(p, ','))
			break;
		next_inside(p);
	} while (!p->problem);
	return expect(p, ')', "')' or ',' is missing here", false);
}

static struct value parse_expression(struct parser *p);

/* Names up to the bracket that closes them. */
static bool parse_names(struct parser *p, struct names *names)
{
	while (add_name(p, names, expect_name(p, "a name of an axis belongs here"), 0)) {
		if (!at_mark(p, ','))
			break;
		next_inside(p);
	}
	return !p->problem;
}

static struct value whole(struct device_mesh *mesh)
{
	return (struct value) { mesh, NULL, -1 };
}

/* m[names] and m[[names]]; the token is "[". */
static struct value parse_slice(struct parser *p, struct value value, size_t start)
{
	struct names names = { .count = 0 };
	struct device_mesh *mesh;
	bool list;

	next_inside(p);
	list = at_mark(p, '[');
	if (list)
		next_inside(p);
	if (!parse_names(p, &names) ||
	    (list && !expect(p, ']', "']' or ',' is missing here", true)) ||
	    !expect(p, ']', "']' or ',' is missing here", false))
		return value;
	if (value.holder) {
		fail(p, start, p->last, "a process group cannot be sliced");
		return value;
	}
	if (stopped(p))
		return value;
	mesh = list ? device_mesh_slice_list(p->world, value.mesh, names.count, names.items)
		    : device_mesh_slice(p->world, value.mesh, names.count, names.items);
	note_raised(p, start);
	return whole(mesh);
}

static struct value call_init(struct parser *p)
{
	struct names names = { .count = 0 };
	int64_t ranks = 1;
	int i;

	if (!parse_sizes(p, &names))
		return whole(NULL);
	for (i = 0; i < names.count; i++) {
		if (ranks > INT64_MAX / names.sizes[i]) {
			fail(p, p->last - 1, p->last,
			     "the product of these sizes is beyond 64 bits");
			return whole(NULL);
		}
		ranks *= names.sizes[i];
	}
	if (!p->world->size)
		p->world->size = ranks;
	return whole(device_mesh_init(p->world, names.count, names.items, names.sizes));
}

/* A mesh as an argument: not a process group. */
static struct device_mesh *parse_mesh(struct parser *p)
{
	size_t start = p->token.start;
	struct value value = parse_expression(p);

	while (p->token.kind == TOKEN_SEPARATOR && p->token.text[0] == '\n')
		next(p);
	if (value.holder && !p->problem)
		fail(p, start, p->last, "a mesh belongs here, not a process group");
	return value.mesh;
}

/* The rest of "f(M" or "f(M, NAME": the name or NULL, up to and with the parenthesis. */
static const char *parse_last_name(struct parser *p)
{
	const char *name = NULL;

	if (at_mark(p, ',')) {
		next_inside(p);
		name = expect_name(p, "a name belongs here");
	}
	if (!p->problem)
		expect(p, ')', "')' is missing here", false);
	return name;
}

static struct value call_flatten(struct parser *p)
{
	struct device_mesh *mesh = parse_mesh(p);
	const char *name = parse_last_name(p);

	return whole(stopped(p) ? NULL : device_mesh_flatten(p->world, mesh, name));
}

static struct value call_get_group(struct parser *p)
{
	struct device_mesh *mesh = parse_mesh(p);
	const char *name = parse_last_name(p);
	struct torch_group group;

	if (stopped(p))
		return whole(NULL);
	group = device_mesh_get_group(p->world, mesh, name);
	return (struct value) { mesh, group.mesh, group.axis };
}

static struct value call_unflatten(struct parser *p)
{
	struct device_mesh *mesh = parse_mesh(p);
	struct names names = { .count = 0 };
	const char *name;
	size_t start, end;
	int axis;

	if (!expect(p, ',', "unflatten(MESH, AXIS, NAME=SIZE, ...) needs the axis", true))
		return whole(NULL);
	start = p->token.start;
	end = p->token.end;
	name = expect_name(p, "the name of an axis belongs here");
	if (!name || !expect(p, ',', "unflatten(MESH, AXIS, NAME=SIZE, ...) needs sizes", true) ||
	    !parse_sizes(p, &names) || stopped(p))
		return whole(NULL);
	axis = device_mesh_axis(mesh, name);
	if (axis < 0)
		fail(p, start, end, "the mesh has no axis of this name");
	return whole(axis < 0 ? NULL
			      : device_mesh_unflatten(p->world, mesh, axis, names.count,
						      names.items, names.sizes, 0));
}

static struct value call_concatenate(struct parser *p)
{
	VEC(struct device_mesh *) meshes = { 0 };

	for (;;) {
		vec_push(p->world->arena, &meshes, parse_mesh(p));
		if (stopped(p) || !at_mark(p, ','))
			break;
		next_inside(p);
	}
	if (!p->problem)
		expect(p, ')', "')' or ',' is missing here", false);
	if (stopped(p))
		return whole(NULL);
	return whole(device_mesh_concatenate(p->world, (int)meshes.count, meshes.items));
}

static const struct {
	const char *name;
	struct value (*call)(struct parser *p);
} functions[] = {
	{ "init", call_init },		 { "flatten", call_flatten },
	{ "unflatten", call_unflatten }, { "concatenate", call_concatenate },
	{ "get_group", call_get_group },
};

enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static const char *unknown(struct parser *p, const char *what, const char *name,
			   const char *const *known, size_t count)
{
	const char *near = text_nearest(name, known, count);

	if (near)
		return arena_printf(p->world->arena, "there is no %s '%s' here; did you mean '%s'?",
				    what, name, near);
	return arena_printf(p->world->arena, "there is no %s '%s' here", what, name);
}

/* The token behind the name is "(". */
static struct value parse_call(struct parser *p, struct token name)
{
	const char *names[FUNCTIONS];
	struct value value;
	size_t i;

	for (i = 0; i < FUNCTIONS; i++) {
		names[i] = functions[i].name;
		if (strcmp(names[i], name.text) != 0)
			continue;
		next_inside(p);
		value = functions[i].call(p);
		note_raised(p, name.start);
		return value;
	}
	fail(p, name.start, name.end, unknown(p, "function", name.text, names, FUNCTIONS));
	return whole(NULL);
}

static struct value parse_variable(struct parser *p, struct token name)
{
	VEC(const char *) known = { 0 };
	size_t i;

	for (i = p->variables.count; i-- > 0;) {
		if (!strcmp(p->variables.items[i].name, name.text))
			return p->variables.items[i].value;
		vec_push(p->world->arena, &known, p->variables.items[i].name);
	}
	fail(p, name.start, name.end, unknown(p, "mesh", name.text, known.items, known.count));
	return whole(NULL);
}

static struct value parse_primary(struct parser *p)
{
	struct token first = p->token;
	struct value value;

	if (at_mark(p, '(')) {
		next_inside(p);
		value = parse_expression(p);
		if (!p->problem)
			expect(p, ')', "')' is missing here", false);
		return value;
	}
	if (first.kind != TOKEN_NAME || first.quoted) {
		fail(p, first.start, first.end,
		     "a mesh belongs here: a name, init(...) or another function");
		return whole(NULL);
	}
	next(p);
	return at_mark(p, '(') ? parse_call(p, first) : parse_variable(p, first);
}

static struct value parse_expression(struct parser *p)
{
	size_t start = p->token.start;
	struct value value = { NULL, NULL, -1 };

	if (++p->depth > DEPTH_LIMIT) {
		fail(p, p->token.start, p->token.end, "expressions go at most 64 levels deep");
	} else {
		value = parse_primary(p);
		while (!stopped(p) && at_mark(p, '['))
			value = parse_slice(p, value, start);
	}
	p->depth--;
	return value;
}

/* True when a NAME and "=" come next. */
static bool at_assignment(const struct parser *p)
{
	size_t at = p->at;

	while (peek(p, at) == ' ' || peek(p, at) == '\t')
		at++;
	return p->token.kind == TOKEN_NAME && !p->token.quoted && peek(p, at) == '=';
}

static struct value parse_statement(struct parser *p)
{
	const char *name = NULL;
	struct value value;
	size_t start;

	if (at_assignment(p)) {
		name = p->token.text;
		next(p);
		next(p);
	}
	start = p->token.start;
	value = parse_expression(p);
	if (!stopped(p)) {
		p->span = source_span(p->source, start, p->last);
		if (name)
			vec_push(p->world->arena, &p->variables,
				 ((struct variable) { name, value }));
		if (p->token.kind != TOKEN_SEPARATOR && p->token.kind != TOKEN_END)
			fail(p, p->token.start, p->token.end, "';' belongs between expressions");
	}
	return value;
}

static void list_variables(const struct parser *p, struct mesh_result *result)
{
	size_t i;

	for (i = 0; i < p->variables.count; i++) {
		const struct variable *variable = &p->variables.items[i];
		if (variable->value.mesh && !variable->value.holder)
			vec_push(p->world->arena, &result->variables,
				 ((struct mesh_variable) { variable->name, variable->value.mesh }));
	}
}

struct mesh_result mesh_evaluate(struct torch_world *world, const struct source *source)
{
	struct parser p = { .world = world, .source = source };
	struct value value = { NULL, NULL, -1 };
	struct mesh_result result = { 0 };

	if (source->length > TEXT_LIMIT)
		fail(&p, 0, 1, "expressions are at most 64 KiB long");
	else
		next(&p);
	while (!stopped(&p) && p.token.kind != TOKEN_END) {
		if (p.token.kind == TOKEN_SEPARATOR)
			next(&p);
		else
			value = parse_statement(&p);
	}
	if (!stopped(&p) && !value.mesh)
		fail(&p, source->length, source->length,
		     "there is no expression here; try 'm = init(a=2, b=4); m[a]'");
	result.problem = p.problem;
	result.span = p.span;
	list_variables(&p, &result);
	result.axis = value.axis;
	result.mesh = stopped(&p) ? NULL : value.holder ? value.holder : value.mesh;
	return result;
}
