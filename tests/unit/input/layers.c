#include "input/layers.h"

#include "reading.h"

/* What a file becomes under some --set options, and what is found. */
static const struct {
	const char *file;
	const char *sets[3];
	const char *tree, *findings;
} cases[] = {
	{ "a: {b: 1}", { "a.b=2" }, "{a: {b: 2}}", "" },
	{ "a: {b: 1}", { "a.c=2" }, "{a: {b: 1, c: 2}}", "" },
	{ "a: {b: 1}", { "c.d.e=[1, x]" }, "{a: {b: 1}, c: {d: {e: [1, 'x']}}}", "" },
	{ "a: {b: 1}", { "a={c: 2}" }, "{a: {c: 2}}", "" },
	{ "a: 1", { "a=2", "a=3" }, "{a: 3}", "" },
	{ "a:", { "a.b=2" }, "{a: {b: 2}}", "" },
	{ "", { "a.b=2" }, "{a: {b: 2}}", "" },
	{ "a: 1", { "a=" }, "{a: null}", "" },
	{ "a: 1", { "a=no" }, "{a: false}", "" },
	{ "a: 1", { "a='8'" }, "{a: '8'}", "" },
	{ "a: 1", { "a=b=c" }, "{a: 'b=c'}", "" },
	{ "a: 1", { "a.b=2" }, "{a: 1}", "1:1 error bad-override <- 1:4" },
	{ "a: [1]", { "a.b=2" }, "{a: [1]}", "1:1 error bad-override <- 1:4" },
	{ "[1]", { "a=2" }, "[1]", "1:1 error bad-override <- 1:1" },
	{ "a: 1", { "a" }, "{a: 1}", "1:1 error bad-override" },
	{ "a: 1", { "=2" }, "{a: 1}", "1:1 error bad-override" },
	{ "a: 1", { "a..b=2" }, "{a: 1}", "1:1 error bad-override" },
	{ "a: 1", { "a.=2" }, "{a: 1}", "1:1 error bad-override" },
	{ "a: 1", { "a=[1" }, "{a: 1}", "1:5 error syntax-error <- 1:3" },
	{ "a: 1", { "a=*x" }, "{a: 1}", "1:3 error syntax-error" },
	{ "a: 1", { "a=\xE9" }, "{a: 1}", "1:3 error syntax-error" },
	{ "a: 1", { "b.'x.y'.c=2" }, "{a: 1, b: {x.y: {c: 2}}}", "" },
	{ "a: 1", { "b.\"x=y\"=2" }, "{a: 1, b: {x=y: 2}}", "" },
	{ "a: 1", { "b.'x.y=2" }, "{a: 1}", "1:1 error bad-override" },
	{ "a: 1", { "b.'x'y=2" }, "{a: 1}", "1:1 error bad-override" },
	{ "a: 1", { "b.''=2" }, "{a: 1}", "1:1 error bad-override" },
	{ "a: 1", { "a = 2" }, "{a: 2}", "" },
};

static void begin(struct reading *reading, struct document *document, struct overrides *overrides,
		  const char *file, const char *const *sets)
{
	reading_begin(reading, yaml_read, file, strlen(file));
	*overrides = (struct overrides) { 0 };
	*document =
		(struct document) { .arena = &reading->arena,
				    .source = source_new(&reading->arena, "x", file, strlen(file)),
				    .root = reading->root,
				    .overrides = overrides };
	for (; *sets; sets++)
		vec_push(&reading->arena, &overrides->sets, *sets);
	layers_apply(document, &reading->findings);
}

static void applies_sets(void **state)
{
	struct reading reading;
	struct document document;
	struct overrides overrides;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		begin(&reading, &document, &overrides, cases[i].file, cases[i].sets);
		assert_string_equal(reading_tree(&reading), cases[i].tree);
		assert_string_equal(reading_findings(&reading), cases[i].findings);
		reading_end(&reading);
	}
}

static void remembers_who_said_what(void **state)
{
	static const char *const sets[] = { "a.b=2", "c=[{d: 1}]", NULL };
	struct reading reading;
	struct document document;
	struct overrides overrides;
	const struct node *node;

	(void)state;
	begin(&reading, &document, &overrides, "a: {b: 1}", sets);
	node = node_find(reading.root, "a.b");
	assert_int_equal(node->origin, NODE_FROM_SET);
	assert_string_equal(node->span.source->path, "<--set>");
	assert_string_equal(reading_place(&reading, "a.b"), "key 1:1-1:4, value 1:5-1:6");
	assert_int_equal(node->overridden->integer, 1);
	assert_int_equal(node->overridden->origin, NODE_FROM_FILE);
	assert_int_equal(node_find(reading.root, "a")->origin, NODE_FROM_FILE);
	assert_int_equal(node_find(reading.root, "c")->first->first->origin, NODE_FROM_SET);
	reading_end(&reading);
}

static const struct dialect without_block = { .name = "without" };
static const struct dialect with_block = { .name = "with", .holds_expect = true };

/* Lays a comment's expectation, which stands at 7:11, and an option's over the file "a: 1". */
static void expect(struct reading *reading, struct document *document, struct overrides *overrides,
		   const struct dialect *dialect, const char *comment, const char *option)
{
	static const char *const none[] = { NULL };
	struct expectation_comment expectation = { .text = comment };

	begin(reading, document, overrides, "a: 1", none);
	document->dialect = dialect;
	expectation.span.source = document->source;
	expectation.span.line = expectation.span.end_line = 7;
	expectation.span.column = 11;
	if (comment)
		vec_push(&reading->arena, &document->expectations, expectation);
	if (option)
		vec_push(&reading->arena, &overrides->expects, option);
	layers_expect(document, &reading->findings);
}

static void expectations_go_below_expect(void **state)
{
	struct reading reading;
	struct document document;
	struct overrides overrides;
	const struct node *node;

	(void)state;
	expect(&reading, &document, &overrides, &with_block, "g.tp= in", "d=8");
	assert_string_equal(reading_tree(&reading), "{a: 1, expect: {g: {tp: 'in'}, d: 8}}");
	assert_null(document.beside);
	reading_end(&reading);

	expect(&reading, &document, &overrides, &without_block, "g.tp= in", "g.tp=8");
	assert_string_equal(reading_tree(&reading), "{a: 1}");
	reading.root = document.beside;
	assert_string_equal(reading_tree(&reading), "{expect: {g: {tp: 8}}}");
	node = node_find(reading.root, "expect.g.tp");
	assert_int_equal(node->origin, NODE_FROM_SET);
	assert_string_equal(node->span.source->path, "<--expect>");
	assert_int_equal(node->overridden->origin, NODE_FROM_FILE);
	reading_end(&reading);

	expect(&reading, &document, &overrides, NULL, "d=8", NULL);
	assert_null(document.beside);
	reading_end(&reading);
}

/* What a comment says has its place in the file, what is wrong with it, too. */
static void comments_keep_their_place(void **state)
{
	struct reading reading;
	struct document document;
	struct overrides overrides;

	(void)state;
	expect(&reading, &document, &overrides, &without_block, "g.tp= in", NULL);
	reading.root = document.beside;
	assert_string_equal(reading_place(&reading, "expect.g.tp"),
			    "key 7:11-7:15, value 7:17-7:19");
	assert_ptr_equal(node_find(reading.root, "expect.g.tp")->span.source, document.source);
	reading_end(&reading);

	expect(&reading, &document, &overrides, &without_block, "tp=[1", NULL);
	assert_string_equal(reading_findings(&reading), "7:16 error syntax-error <- 7:14");
	reading_end(&reading);

	expect(&reading, &document, &overrides, &without_block, "tp", NULL);
	assert_string_equal(reading_findings(&reading), "7:11 error bad-override");
	assert_ptr_equal(reading.findings.list.items[0]->span.source, document.source);
	reading_end(&reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(applies_sets),
		cmocka_unit_test(remembers_who_said_what),
		cmocka_unit_test(expectations_go_below_expect),
		cmocka_unit_test(comments_keep_their_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
