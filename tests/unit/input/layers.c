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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(applies_sets),
		cmocka_unit_test(remembers_who_said_what),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
