#include "input/document.h"

#include "base/io.h"
#include "base/text.h"
#include "reading.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/parplan-document-XXXXXX";

static int setup(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(folder);
}

/* Writes a file, reads it as a document, and leaves tree and findings in `reading`. */
static void read_file(struct reading *reading, struct document *document, const char *name,
		      const char *text, const struct overrides *overrides)
{
	const char *path;

	arena_init(&reading->arena);
	buf_init(&reading->out);
	findings_init(&reading->findings, &reading->arena);
	path = arena_printf(&reading->arena, "%s/%s", folder, name);
	assert_null(io_write(&reading->arena, path, text, strlen(text)));
	assert_null(document_read(document, &reading->arena, path, overrides, &reading->findings));
	assert_int_equal(unlink(path), 0);
	reading->root = document->root;
}

/* The same text is another tree in another syntax. */
static void tells_the_syntax(void **state)
{
	static const struct {
		const char *name, *text, *tree;
	} cases[] = {
		{ "a.yaml", "parplan: 010\n", "{parplan: 8}" },
		{ "a.yml", "parplan: 010\n", "{parplan: 8}" },
		{ "a.toml", "parplan = 1_0\n", "{parplan: 10}" },
		{ "a.json", "{\"parplan\": 1e2}\n", "{parplan: 100f}" },
		{ "a.conf", " \n {\"parplan\": 1e2}\n", "{parplan: 100f}" },
		{ "a.conf", "# c\n\nparplan = 1\n", "{parplan: 1}" },
		{ "a.conf", "parplan=1\n", "{parplan: 1}" },
		{ "a.conf", "[parplan.x]\ny = 1\n", "{parplan: {x: {y: 1}}}" },
		{ "a.conf", "[[parplan]]\ny = 1\n", "{parplan: [{y: 1}]}" },
		{ "a.conf", "\"parplan\".x = 1\n", "{parplan: {x: 1}}" },
		{ "a.conf", "parplan: 1\n", "{parplan: 1}" },
		{ "a.conf", "---\nparplan: 1e2\n", "{parplan: '1e2'}" },
		{ "noextension", "parplan: a = b\n", "{parplan: 'a = b'}" },
	};
	struct reading reading;
	struct document document;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		read_file(&reading, &document, cases[i].name, cases[i].text, NULL);
		assert_string_equal(reading_tree(&reading), cases[i].tree);
		assert_string_equal(reading_findings(&reading), "");
		assert_non_null(document.dialect);
		reading_end(&reading);
	}
}

static void names_what_it_does_not_know(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "it is empty" },
		{ "- 1\n", "it holds a list, not a map" },
		{ "some words\n", "it holds the string \"some words\", not a map" },
		{ "a: 1\nb: 2\n", "its top-level keys are 'a', 'b'" },
		{ "{a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8}\n", "'e', 'f' and 2 more" },
	};
	struct reading reading;
	struct document document;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		read_file(&reading, &document, "a.yaml", cases[i].text, NULL);
		assert_string_equal(reading_findings(&reading), "1:1 error unknown-dialect");
		assert_true(text_ends(reading.findings.list.items[0]->message, cases[i].says));
		assert_null(document.dialect);
		reading_end(&reading);
	}
}

static void applies_overrides(void **state)
{
	struct overrides overrides = { 0 };
	struct reading reading;
	struct document document;
	struct arena arena;
	struct pin pin = { .framework = "torch", .version = "2.8.0", .origin = ORIGIN_SET };

	(void)state;
	arena_init(&arena);
	vec_push(&arena, &overrides.sets, "world=16");
	vec_push(&arena, &overrides.pins, pin);
	read_file(&reading, &document, "a.yaml",
		  "parplan: 1 # parplan: ignore=x\nframework: {torch: 2.9.0}\nworld: 8\n",
		  &overrides);
	assert_int_equal(node_find(document.root, "world")->integer, 16);
	assert_int_equal(document.suppressions.count, 1);
	assert_true(document.pins.count >= 2);
	assert_string_equal(document.pins.items[document.pins.count - 1].version, "2.8.0");
	reading_end(&reading);
	arena_release(&arena);
}

/* A broken file has no tree and no dialect, and no finding but the one that says so. */
static void stops_at_broken_text(void **state)
{
	struct reading reading;
	struct document document;

	(void)state;
	read_file(&reading, &document, "a.json", "{\"parplan\": # parplan: ignore=x\n", NULL);
	assert_string_equal(reading_findings(&reading), "1:13 error syntax-error");
	assert_null(document.root);
	assert_null(document.dialect);
	assert_int_equal(document.suppressions.count, 0);
	reading_end(&reading);
}

static void says_what_cannot_be_read(void **state)
{
	static const struct {
		const char *path, *error;
	} cases[] = {
		{ "/nonexistent.yaml",
		  "cannot read '/nonexistent.yaml': No such file or directory" },
		{ "/tmp",
		  "cannot read '/tmp': Is a directory (name the files in it: /tmp/*.yaml)" },
		{ "/dev/null/x.yaml", "cannot read '/dev/null/x.yaml': Not a directory" },
	};
	struct reading reading;
	struct document document;
	size_t i;

	(void)state;
	reading_begin(&reading, yaml_read, "", 0);
	for (i = 0; i < COUNT(cases); i++)
		assert_string_equal(document_read(&document, &reading.arena, cases[i].path, NULL,
						  &reading.findings),
				    cases[i].error);
	assert_null(document_read(&document, &reading.arena, "/dev/zero", NULL, &reading.findings));
	assert_string_equal(reading_findings(&reading), "1:1 error too-large");
	reading_end(&reading);
}

/* No file at all: a map without members, for what the options say. */
static void does_without_a_file(void **state)
{
	struct overrides overrides = { 0 };
	struct reading reading;
	struct document document;

	(void)state;
	reading_begin(&reading, yaml_read, "", 0);
	vec_push(&reading.arena, &overrides.sets, "parplan=1");
	assert_null(document_read(&document, &reading.arena, NULL, &overrides, &reading.findings));
	reading.root = document.root;
	assert_string_equal(reading_tree(&reading), "{parplan: 1}");
	assert_string_equal(document.source->path, "<command line>");
	assert_string_equal(document.dialect->name, "parplan");
	reading_end(&reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_the_syntax),
		cmocka_unit_test(names_what_it_does_not_know),
		cmocka_unit_test(applies_overrides),
		cmocka_unit_test(stops_at_broken_text),
		cmocka_unit_test(says_what_cannot_be_read),
		cmocka_unit_test(does_without_a_file),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
