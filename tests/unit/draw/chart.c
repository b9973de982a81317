#include "draw/chart.h"

#include "draw/device.h"
#include "subject.h"

#include <graphviz/cgraph.h>
#include <math.h>
#include <string.h>

static void ticks_are_round(void **state)
{
	const struct {
		enum quantity quantity;
		double most;
		int at_most;
		double step;
		int count;
		const char *name, *second; /* the unit, and the first tick after 0 */
	} cases[] = {
		{ QUANTITY_SECONDS, 2.48, 8, 0.5, 5, "s", "0.5" },
		{ QUANTITY_SECONDS, 0.0182, 5, 0.005, 4, "ms", "5" },
		{ QUANTITY_SECONDS, 0.00012, 6, 2e-5, 6, "µs", "20" },
		{ QUANTITY_SECONDS, 3600, 4, 1000, 4, "s", "1000" },
		{ QUANTITY_BYTES, 84e9, 8, 10.0 * 1073741824, 8, "GiB", "10" },
		{ QUANTITY_BYTES, 1073741824, 4, 0.5 * 1073741824, 2, "GiB", "0.5" },
		{ QUANTITY_BYTES, 700, 4, 200, 4, "B", "200" },
		{ QUANTITY_NUMBER, 0.05, 5, 0.01, 5, "", "0.01" },
		{ QUANTITY_NUMBER, 1, 1, 1, 1, "", "1" },
		{ QUANTITY_NUMBER, 0, 4, 0.5, 2, "", "0.5" },
		{ QUANTITY_NUMBER, HUGE_VAL, 4, 0.5, 2, "", "0.5" },
		{ QUANTITY_NUMBER, 7, 0, 10, 1, "", "10" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ticks ticks = ticks_of(cases[i].quantity, cases[i].most, cases[i].at_most);
		assert_true(fabs(ticks.step / cases[i].step - 1) < 1e-9);
		assert_int_equal(ticks.count, cases[i].count);
		assert_string_equal(ticks.name, cases[i].name);
		assert_string_equal(tick_text(*state, &ticks, 0), "0");
		assert_string_equal(tick_text(*state, &ticks, 1), cases[i].second);
	}
}

static const double at[] = { 0, 1, 2, 3, 4 };
static const double low[] = { 4, 4, 4, 4, 4 }, none[] = { 0, 0, 0, 0, 0 };
static const double peak[] = { 0, 0, 6, 0, 0 };
static const struct chart_layer layers[] = { { 0, "low", low },
					     { 1, "none", none },
					     { 2, "peak", peak } };

static struct canvas stacked(struct arena *arena, bool characters, bool stepped,
			     struct chart *chart)
{
	struct canvas canvas;
	struct chart_wanted wanted = {
		.across = { QUANTITY_SECONDS, 4, "time", NULL },
		.up = { QUANTITY_NUMBER, 10, "load", NULL },
	};

	canvas_init(&canvas, arena, characters ? metrics_characters(40) : metrics_pixels);
	wanted.w = characters ? 40 : 400;
	wanted.h = chart_height(&canvas, 13);
	chart_init(chart, &canvas, &wanted);
	chart->canvas = &canvas;
	chart_stack(chart, at, 5, layers, 3, stepped);
	chart_limit(chart, 9, "most");
	chart->canvas = NULL;
	return canvas;
}

static const struct shape *text_shape(const struct canvas *canvas, const char *text)
{
	size_t i;

	for (i = 0; i < canvas->shapes.count; i++)
		if (canvas->shapes.items[i].kind == SHAPE_TEXT &&
		    !strcmp(canvas->shapes.items[i].text, text))
			return &canvas->shapes.items[i];
	return NULL;
}

static void layers_lie_on_each_other(void **state)
{
	struct chart chart;
	struct canvas canvas = stacked(*state, false, true, &chart);
	const struct shape *polygons[3] = { NULL };
	size_t i, count = 0;

	for (i = 0; i < canvas.shapes.count; i++)
		if (canvas.shapes.items[i].kind == SHAPE_POLYGON)
			polygons[count++] = &canvas.shapes.items[i];
	assert_int_equal(count, 2); /* the layer without any is not drawn */
	assert_int_equal(polygons[0]->hue, 0);
	assert_int_equal(polygons[1]->hue, 2);
	assert_true(fabs(polygons[0]->y - chart_y(&chart, 4)) < 1e-6);
	assert_true(fabs(polygons[0]->y + polygons[0]->h - chart_y(&chart, 0)) < 1e-6);
	assert_true(fabs(polygons[1]->y - chart_y(&chart, 10)) < 1e-6);
	assert_true(fabs(polygons[1]->y + polygons[1]->h - chart_y(&chart, 4)) < 1e-6);
}

static void labels_stand_in_their_layer(void **state)
{
	struct chart chart;
	struct canvas canvas = stacked(*state, false, true, &chart);
	const struct shape *label = text_shape(&canvas, "peak");

	assert_non_null(label);
	assert_true(label->x - label->w / 2 >= chart_x(&chart, 2));
	assert_true(label->x + label->w / 2 <= chart_x(&chart, 3));
	assert_true(label->y >= chart_y(&chart, 10));
	assert_true(label->y + label->h <= chart_y(&chart, 4));
	assert_null(text_shape(&canvas, "none"));
	canvas = stacked(*state, false, false, &chart); /* a triangle: its room is too low */
	assert_null(text_shape(&canvas, "peak"));
	assert_non_null(text_shape(&canvas, "low"));
}

static void characters_draw_the_same(void **state)
{
	static const char expected[] = "load\n"
				       "10|~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ most ~\n"
				       "  |                  +++++++++\n"
				       "  |                  + peak ++\n"
				       "  |                  +++++++++\n"
				       " 5|                  +++++++++\n"
				       "  |####################################\n"
				       "  |####################################\n"
				       "  |############### low ################\n"
				       " 0|####################################\n"
				       "   ------------------------------------\n"
				       "  0        1        2        3        4\n"
				       "                                time, s\n";
	struct look look = { 0 };
	struct chart chart;
	struct canvas canvas = stacked(*state, true, true, &chart);
	struct buf out;

	buf_init(&out);
	assert_null(device_text.write(&canvas, &look, &out));
	assert_string_equal(out.data, expected);
	buf_release(&out);
}

static void devices_draw_polygons(void **state)
{
	struct look look = { .theme = THEME_LIGHT };
	char behind[] = "_background";
	struct chart chart;
	struct canvas canvas = stacked(*state, false, true, &chart);
	struct buf svg, dot;
	const char *drawing;
	Agraph_t *graph;

	buf_init(&svg);
	assert_null(device_svg.write(&canvas, &look, &svg));
	assert_non_null(strstr(svg.data, "<polygon class=\"area g2\" points=\""));
	buf_init(&dot);
	assert_null(device_dot.write(&canvas, &look, &dot));
	graph = agmemread(dot.data);
	assert_non_null(graph);
	drawing = agget(graph, behind);
	assert_non_null(drawing);
	assert_int_equal(strncmp(drawing, "c 7 -#ffffff C 7 -#", 19), 0);
	assert_non_null(strstr(drawing, " P 16 ")); /* 4 steps, 2 ends, above and below */
	agclose(graph);
	buf_release(&svg);
	buf_release(&dot);
}

static void bars_are_labelled_where_there_is_room(void **state)
{
	static const char *const names[] = { "rank 0", "rank 1" };
	struct chart_wanted wanted = {
		.across = { QUANTITY_SECONDS, 1, NULL, NULL },
		.up = { QUANTITY_ROWS, 2, NULL, names },
		.w = 300,
	};
	struct canvas canvas;
	struct chart chart;

	canvas_init(&canvas, *state, metrics_pixels);
	wanted.h = chart_height(&canvas, 4);
	chart_init(&chart, &canvas, &wanted);
	chart_row_bar(&chart, 0, 0, 0.5, 0, "wide", "a bar");
	chart_row_bar(&chart, 1, 0.5, 0.51, 1, "narrow", NULL);
	chart_row_bar(&chart, -1, 0.9, 7, 1, NULL, NULL);
	assert_non_null(text_shape(&canvas, "rank 1"));
	assert_non_null(text_shape(&canvas, "wide"));
	assert_null(text_shape(&canvas, "narrow"));
	assert_true(chart_y(&chart, 0) < chart_y(&chart, 1));
	assert_true(fabs(chart_x(&chart, 7) - (chart.x + chart.w)) < 1e-6);
	assert_true(canvas.width <= 300 + 2 * 28.0 + 1e-6);
}

static void bars_stand_on_both_axes(void **state)
{
	struct chart_wanted wanted = {
		.across = { QUANTITY_NUMBER, 4, NULL, NULL },
		.up = { QUANTITY_NUMBER, 10, NULL, NULL },
		.w = 300,
		.h = 200,
	};
	struct canvas canvas;
	const struct shape *bar;
	struct chart chart;

	canvas_init(&canvas, *state, metrics_pixels);
	chart_init(&chart, &canvas, &wanted);
	chart_bar(&chart, 0, 1, 2, 5, 0, NULL, "load");
	bar = &canvas.shapes.items[canvas.shapes.count - 1];
	assert_int_equal(bar->part, PART_AREA);
	assert_true(fabs(bar->x - (chart.x + chart.w / 4)) < 1e-6);
	assert_true(fabs(bar->w - chart.w / 4) < 1e-6);
	assert_true(fabs(bar->y - (chart.y + chart.h / 2)) < 1e-6);
	assert_true(fabs(bar->h - chart.h / 2) < 1e-6);
}

static void legends_wrap(void **state)
{
	const struct chart_entry entries[] = {
		{ PART_AREA, 0, "parameters" },
		{ PART_AREA, -1, "rest" },
		{ PART_LIMIT, -1, "memory of the device" },
	};
	struct canvas canvas;
	double y;

	canvas_init(&canvas, *state, metrics_characters(40));
	y = chart_legend(&canvas, entries, 3, 0, 0, 40);
	assert_int_equal((int)y, 2);
	assert_int_equal((int)text_shape(&canvas, "rest")->y, 0);
	assert_int_equal((int)text_shape(&canvas, "memory of the device")->y, 1);
	assert_int_equal((int)text_shape(&canvas, "memory of the device")->x, 3);
	assert_int_equal((int)chart_legend(&canvas, entries, 0, 0, 5, 40), 5);
}

static void labels_can_be_read_on_areas(void **state)
{
	const struct palette palettes[] = { palette_light(), palette_dark() };
	size_t p;
	int i, j;

	(void)state;
	assert_true(fabs(palette_contrast(0x000000, 0xffffff) - 21) < 0.01);
	assert_true(fabs(palette_contrast(0x777777, 0xffffff) - 4.48) < 0.01);
	for (p = 0; p < 2; p++)
		for (i = 0; i < HUES; i++) {
			assert_true(palette_contrast(palettes[p].fill[i], palettes[p].text) >= 4.5);
			assert_true(palette_contrast(palettes[p].line, palettes[p].text) >= 4.5);
			for (j = 0; j < i; j++)
				assert_int_not_equal(palettes[p].fill[i], palettes[p].fill[j]);
		}
}

static void thick_lines_are_thick(void **state)
{
	struct look look = { 0 };
	struct canvas canvas;
	struct buf out;

	canvas_init(&canvas, *state, metrics_pixels);
	canvas_line(&canvas, PART_LINK, 0, 0, 0, 100, 0);
	canvas_thicken(&canvas, 12.5);
	buf_init(&out);
	assert_null(device_svg.write(&canvas, &look, &out));
	assert_non_null(strstr(out.data, "style=\"stroke-width:12.5\""));
	out.length = 0;
	assert_null(device_dot.write(&canvas, &look, &out));
	assert_non_null(strstr(out.data, "penwidth=12.5"));
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_are_round),
		cmocka_unit_test(layers_lie_on_each_other),
		cmocka_unit_test(labels_stand_in_their_layer),
		cmocka_unit_test(characters_draw_the_same),
		cmocka_unit_test(devices_draw_polygons),
		cmocka_unit_test(bars_are_labelled_where_there_is_room),
		cmocka_unit_test(bars_stand_on_both_axes),
		cmocka_unit_test(legends_wrap),
		cmocka_unit_test(labels_can_be_read_on_areas),
		cmocka_unit_test(thick_lines_are_thick),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
