#include "draw/device.h"

#include "draw/dot.h"
#include "subject.h"

#include <graphviz/cgraph.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char hostile[] = "a<b>&\"c\"\\N\\l{x}\x1b[31m\x01\xff\xc2\x9b\xed\xa0\x80é";

static const struct device *const all[] = { &device_svg, &device_dot, &device_text };

static struct canvas canvas_with(struct arena *arena, const char *text, bool characters)
{
	struct canvas canvas;

	canvas_init(&canvas, arena, characters ? metrics_characters(80) : metrics_pixels);
	canvas.title = canvas.description = text;
	canvas_text(&canvas, PART_TITLE, ANCHOR_START, 0, 0, text);
	canvas_rectangle(&canvas, PART_CELL, 1, 0, 40, 40, 40, text);
	canvas_rectangle(&canvas, PART_CELL, 1, 60, 40, 40, 40, text);
	canvas_line(&canvas, PART_CHANGED_LINK, -1, 40, 60, 60, 60);
	canvas_arc(&canvas, PART_THIN_LINK, -1, 20, 80, 80, 80, 12);
	return canvas;
}

static void write_with(struct arena *arena, const struct device *device, const char *text,
		       struct look look, struct buf *out)
{
	struct canvas canvas = canvas_with(arena, text, device->characters);

	buf_init(out);
	assert_null(device->write(&canvas, &look, out));
}

static void the_same_canvas_gives_the_same_bytes(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct buf once, again;
		write_with(*state, all[i], "x", (struct look) { 0 }, &once);
		write_with(*state, all[i], "x", (struct look) { 0 }, &again);
		assert_string_equal(once.data, again.data);
		buf_release(&once);
		buf_release(&again);
	}
}

static void control_characters_never_get_out(void **state)
{
	struct look looks[] = { { .unicode = true }, { .unicode = false } };
	size_t i, l, at;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		for (l = 0; l < 2; l++) {
			struct buf out;
			write_with(*state, all[i], hostile, looks[l], &out);
			for (at = 0; at < out.length; at++) {
				unsigned char c = (unsigned char)out.data[at];
				assert_true(c >= 0x20 || c == '\n' || c == '\t');
				assert_true(c != 0x7f);
			}
			buf_release(&out);
		}
}

static void svg_escapes_markup(void **state)
{
	struct buf out;

	write_with(*state, &device_svg, hostile, (struct look) { 0 }, &out);
	assert_non_null(strstr(out.data, "a&lt;b&gt;&amp;&quot;c&quot;\\N\\l{x}\xef\xbf\xbd[31m"));
	assert_null(strstr(out.data, "<b>"));
	assert_null(strstr(out.data, "\xff"));
	assert_null(strstr(out.data, "\xed\xa0\x80"));
	assert_non_null(strstr(out.data, "é</title>"));
	buf_release(&out);
}

static void svg_follows_the_theme(void **state)
{
	struct buf automatic, light, dark;

	write_with(*state, &device_svg, "x", (struct look) { .theme = THEME_AUTO }, &automatic);
	write_with(*state, &device_svg, "x", (struct look) { .theme = THEME_LIGHT }, &light);
	write_with(*state, &device_svg, "x", (struct look) { .theme = THEME_DARK }, &dark);
	assert_non_null(strstr(automatic.data, "prefers-color-scheme:dark"));
	assert_null(strstr(light.data, "prefers-color-scheme"));
	assert_non_null(strstr(light.data, ".paper{fill:#ffffff}"));
	assert_null(strstr(dark.data, "#ffffff"));
	assert_non_null(strstr(dark.data, ".paper{fill:#0d1117}"));
	buf_release(&automatic);
	buf_release(&light);
	buf_release(&dark);
}

/* What Graphviz reads is what was drawn. */
static void dot_survives_reading(void **state)
{
	struct buf out;
	Agraph_t *graph;
	Agnode_t *node;
	char pos[] = "pos", label[] = "label";
	int labelled = 0;

	write_with(*state, &device_dot, hostile, (struct look) { 0 }, &out);
	graph = agmemread(out.data);
	assert_non_null(graph);
	assert_int_equal(agnnodes(graph), 7); /* a text, two areas, ends of two lines */
	assert_int_equal(agnedges(graph), 2);
	for (node = agfstnode(graph); node; node = agnxtnode(graph, node)) {
		const char *text = agget(node, label);
		assert_true(strchr(agget(node, pos), '!') != NULL);
		if (!*text)
			continue;
		labelled++;
		assert_int_equal(strncmp(text, "a<b>&\"c\"\\\\N\\\\l{x}?[31m?", 23), 0);
	}
	assert_int_equal(labelled, 1);
	agclose(graph);
	buf_release(&out);
}

/* Graphviz draws edges before nodes: what crosses a box must not be an edge. */
static void lines_on_boxes_can_be_seen(void **state)
{
	struct look look = { 0 };
	struct canvas canvas;
	struct buf out;
	Agraph_t *graph;

	canvas_init(&canvas, *state, metrics_pixels);
	canvas.title = "x";
	canvas_rectangle(&canvas, PART_NODE, -1, 0, 0, 100, 100, "box");
	canvas_line(&canvas, PART_LINK, 0, 20, 50, 80, 50);
	canvas_line(&canvas, PART_LINK, 0, 50, 90, 50, 150);
	buf_init(&out);
	assert_null(device_dot.write(&canvas, &look, &out));
	graph = agmemread(out.data);
	assert_non_null(graph);
	assert_int_equal(agnedges(graph), 1);
	assert_int_equal(agnnodes(graph), 2 + 2); /* the box, the line on it, ends of the other */
	agclose(graph);
	buf_release(&out);
}

static void terminal_colours_only_when_wanted(void **state)
{
	struct buf plain, colored;

	write_with(*state, &device_text, "x", (struct look) { 0 }, &plain);
	write_with(*state, &device_text, "x", (struct look) { .color = true }, &colored);
	assert_null(strchr(plain.data, '\033'));
	assert_non_null(strstr(colored.data, "\033[0;1m"));
	buf_release(&plain);
	buf_release(&colored);
}

static void devices_are_found_by_extension(void **state)
{
	(void)state;
	assert_ptr_equal(device_of_path("a/b.svg"), &device_svg);
	assert_ptr_equal(device_of_path("b.gv"), &device_dot);
	assert_ptr_equal(device_of_path("b.txt"), &device_text);
	assert_null(device_of_path("a.svg/b"));
	assert_null(device_of_path("b"));
	assert_null(device_of_path("b.jpeg"));
}

/* A folder with a "neato" of our own that runs these lines of shell. */
static void pretend_neato(struct arena *arena, const char *script)
{
	char folder[] = "/tmp/parplan-neato-XXXXXX";
	char *path;
	FILE *file;

	assert_non_null(mkdtemp(folder));
	path = arena_printf(arena, "%s/neato", folder);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "#!/bin/sh\n%s\n", script);
	fclose(file);
	chmod(path, 0700);
	setenv("PATH", arena_printf(arena, "%s:/bin", folder), 1);
}

static const char *render_with(struct arena *arena, const char *script, struct buf *out)
{
	const char *path = arena_strdup(arena, getenv("PATH"));
	struct canvas canvas = canvas_with(arena, "x", false);
	struct look look = { 0 };
	const char *error, *folder;

	if (script)
		pretend_neato(arena, script);
	else
		setenv("PATH", "/nonexistent", 1);
	buf_init(out);
	error = device_png.write(&canvas, &look, out);
	if (script) {
		folder = arena_strndup(arena, getenv("PATH"), strcspn(getenv("PATH"), ":"));
		unlink(arena_printf(arena, "%s/neato", folder));
		rmdir(folder);
	}
	setenv("PATH", path, 1);
	return error;
}

static void pictures_of_graphviz_are_checked(void **state)
{
	const struct {
		const char *script, *error; /* NULL: fine */
	} cases[] = {
		{ NULL, "not installed" },
		{ "exit 1", "failed" },
		{ "echo nonsense", "failed" },
		{ "printf '\\211PNG\\r\\n\\032\\n half'", "failed" },
		{ "cat >/dev/null; printf '\\211PNG\\r\\n\\032\\nIEND\\256\\102\\140\\202'", NULL },
		{ "printf '\\211PNG\\r\\n\\032\\nIEND\\256\\102\\140\\202'; exit 3", "failed" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buf out;
		const char *error = render_with(*state, cases[i].script, &out);
		if (!cases[i].error)
			assert_null(error);
		else
			assert_true(error && strstr(error, cases[i].error));
		buf_release(&out);
	}
}

/* The real one, where it is installed. */
static void graphviz_makes_whole_pictures(void **state)
{
	const struct device *const made[] = { &device_png, &device_pdf };
	struct canvas canvas = canvas_with(*state, hostile, false);
	struct look look = { 0 };
	size_t i;

	for (i = 0; i < 2; i++) {
		struct buf out;
		const char *error;
		buf_init(&out);
		error = made[i]->write(&canvas, &look, &out);
		if (error && strstr(error, "not installed")) {
			buf_release(&out);
			skip();
		}
		assert_null(error);
		assert_true(out.length > 500);
		buf_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_canvas_gives_the_same_bytes),
		cmocka_unit_test(control_characters_never_get_out),
		cmocka_unit_test(svg_escapes_markup),
		cmocka_unit_test(svg_follows_the_theme),
		cmocka_unit_test(dot_survives_reading),
		cmocka_unit_test(lines_on_boxes_can_be_seen),
		cmocka_unit_test(terminal_colours_only_when_wanted),
		cmocka_unit_test(devices_are_found_by_extension),
		cmocka_unit_test(pictures_of_graphviz_are_checked),
		cmocka_unit_test(graphviz_makes_whole_pictures),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
