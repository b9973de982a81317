#include "draw/device.h"

#include "subject.h"

#include "base/text.h"
#include "draw/communicator.h"
#include "draw/owners.h"
#include "sim/forecast.h"
#include "unit/sim/workloads.h"

#include <string.h>

/* Every figure, over worlds of every shape: what must hold of each picture. */
static const struct {
	struct sizes sizes;
	int64_t per_node;
	bool expand;
} worlds[] = {
	{ { 1, 1, 1, 1 }, 8, false },
	{ { 1, 2, 8, 1 }, 8, false },
	{ { 1, 2, 8, 1 }, 0, false },
	{ { 1, 1, 64, 1 }, 8, false },
	{ { 2, 2, 8, 2 }, 8, false },
	{ { 8, 1, 8, 8 }, 8, false },
	{ { 16, 2, 64, 8 }, 8, false },
	{ { 16, 8, 1024, 8 }, 8, false },
	{ { 3, 1, 5, 2 }, 4, false },
	{ { 1, 1, 7, 1 }, 3, false },
	{ { 2, 1, 1 << 28, 1 }, 1 << 27, false },
	{ { 2, 4, 9, 1 }, 72, false },
	{ { 4, 1, 1, 4 }, 1, false },
	{ { 1, 4, 1, 1 }, 2, false },
	{ { 2, 4, 64, 8 }, 8, true },
	{ { 1, 1, 300, 1 }, 0, false },
	{ { 1, 1, 300, 1 }, 0, true },
	{ { 1, 512, 2048, 1 }, 8, false },
	{ { 1, 1, 96, 1 }, 16, false },
};

/* Figures that look at every rank are tried on fewer of them. */
enum { WORLDS = sizeof(worlds) / sizeof(*worlds), COUNTED_OUT = 1 << 17 };

static bool overlap(const struct shape *a, const struct shape *b)
{
	return a->x + a->w > b->x + 0.01 && b->x + b->w > a->x + 0.01 &&
	       a->y + a->h > b->y + 0.01 && b->y + b->h > a->y + 0.01;
}

static bool inside(const struct shape *inner, const struct shape *outer)
{
	return inner->x >= outer->x && inner->y >= outer->y &&
	       inner->x + inner->w <= outer->x + outer->w &&
	       inner->y + inner->h <= outer->y + outer->h;
}

static bool is_cell(const struct shape *shape)
{
	return shape->kind == SHAPE_RECTANGLE && shape->text &&
	       (shape->part == PART_CELL || shape->part == PART_CHANGED_CELL);
}

/* No two ranks overlap, each lies in one node, and nodes do not overlap. */
static void check_cells(const struct canvas *canvas)
{
	const struct shape *shapes = canvas->shapes.items, *node = NULL;
	size_t count = canvas->shapes.count, i, j;

	for (i = 0; i < count; i++) {
		if (shapes[i].part == PART_NODE)
			node = &shapes[i];
		if (is_cell(&shapes[i]))
			assert_true(node && inside(&shapes[i], node));
		if (!is_cell(&shapes[i]) && shapes[i].part != PART_NODE)
			continue;
		for (j = i + 1; j < count && j < i + 400; j++)
			if (shapes[j].part == shapes[i].part &&
			    (is_cell(&shapes[j]) || shapes[j].part == PART_NODE))
				assert_false(overlap(&shapes[i], &shapes[j]));
	}
}

/* Texts lie on the canvas and not on each other. */
static void check_texts(const struct canvas *canvas)
{
	const struct shape *shapes = canvas->shapes.items;
	size_t i, j, count = canvas->shapes.count;

	for (i = 0; i < count; i++) {
		struct shape a = shapes[i];
		if (a.kind != SHAPE_TEXT)
			continue;
		a.x -= a.anchor == ANCHOR_MIDDLE ? a.w / 2 : a.anchor == ANCHOR_END ? a.w : 0;
		assert_true(a.x >= 0 && a.y >= 0);
		assert_true(a.x + a.w <= canvas->width && a.y + a.h <= canvas->height);
		for (j = i + 1; j < count && j < i + 200; j++) {
			struct shape b = shapes[j];
			if (b.kind != SHAPE_TEXT)
				continue;
			b.x -= b.anchor == ANCHOR_MIDDLE ? b.w / 2
			       : b.anchor == ANCHOR_END	 ? b.w
							 : 0;
			if (overlap(&a, &b))
				fail_msg("'%s' and '%s' overlap", a.text, b.text);
		}
	}
}

/* A step of four pipeline ranks, simulated. */
static const struct forecast *some_forecast(struct arena *arena)
{
	const struct asked asked = { .parallelism = "pp: 4",
				     .training = "micro_batch_size: 1, global_batch_size: 24" };
	struct forecast *forecast = arena_new(arena, struct forecast);
	struct job *job = job_of(arena, &asked);

	assert_null(forecast_read(forecast, job, job->applied, NULL));
	return forecast;
}

static struct canvas drawn(struct arena *arena, const struct figure *figure, size_t world,
			   bool collapse, struct metrics metrics)
{
	const struct plan *requested = plan_of(arena, worlds[world].sizes);
	const struct plan *applied = collapse ? collapsed(arena, worlds[world].sizes) : requested;
	struct subject subject = subject_of(arena, requested, applied, worlds[world].per_node);
	struct canvas canvas;

	subject.forecast = figure->forecasts ? some_forecast(arena) : NULL;
	subject.expand = worlds[world].expand;
	subject.fix = collapse ? "use another version" : NULL;
	canvas_init(&canvas, arena, metrics);
	if (figure->searches || (figure == figure_find("shards") && requested->world > COUNTED_OUT))
		return canvas;
	assert_null(figure->draw(&subject, &canvas));
	return canvas;
}

static void nothing_overlaps(void **state)
{
	struct metrics metrics[] = { metrics_pixels, metrics_characters(80) };
	size_t f, world, m;

	for (f = 0; figures[f]; f++)
		for (world = 0; world < WORLDS; world++)
			for (m = 0; m < 2; m++) {
				struct canvas plain =
					drawn(*state, figures[f], world, false, metrics[m]);
				struct canvas changed =
					drawn(*state, figures[f], world, true, metrics[m]);
				check_cells(&plain);
				check_texts(&plain);
				check_cells(&changed);
				check_texts(&changed);
			}
}

static void text_keeps_to_80_columns(void **state)
{
	struct look look = { .theme = THEME_AUTO };
	size_t f, world;

	for (f = 0; figures[f]; f++)
		for (world = 0; world < WORLDS; world++) {
			struct canvas canvas;
			struct buf out;
			const char *line;
			if (worlds[world].expand || worlds[world].per_node > 16)
				continue;
			canvas = drawn(*state, figures[f], world, true, metrics_characters(80));
			buf_init(&out);
			assert_null(device_text.write(&canvas, &look, &out));
			for (line = out.data; *line; line += strcspn(line, "\n") + 1)
				assert_true(strcspn(line, "\n") <= 80);
			buf_release(&out);
		}
}

static void folded_pictures_stay_small(void **state)
{
	size_t f, world;

	for (f = 0; figures[f]; f++)
		for (world = 0; world < WORLDS; world++)
			if (!worlds[world].expand)
				assert_true(drawn(*state, figures[f], world, true, metrics_pixels)
						    .shapes.count < 1500);
}

static bool says(const struct canvas *canvas, const char *text)
{
	size_t i;

	for (i = 0; i < canvas->shapes.count; i++)
		if (canvas->shapes.items[i].kind == SHAPE_TEXT &&
		    strstr(canvas->shapes.items[i].text, text))
			return true;
	return false;
}

static void the_collapse_explains_itself(void **state)
{
	struct canvas canvas = drawn(*state, figure_find("compare"), 1, true, metrics_pixels);
	size_t i, changed = 0, crossing = 0, replicas = 0;

	for (i = 0; i < canvas.shapes.count; i++) {
		changed += canvas.shapes.items[i].part == PART_CHANGED_CELL;
		crossing += canvas.shapes.items[i].part == PART_CHANGED_LINK;
		replicas += canvas.shapes.items[i].part == PART_THIN_LINK;
	}
	assert_int_equal(changed, 8);
	assert_int_equal(crossing, 1);
	assert_int_equal(replicas, 8);
	assert_true(says(&canvas, "requested HSDP 2 × 8, applied FSDP 16"));
	assert_true(says(&canvas, "cross the network (InfiniBand), not only NVLink"));
	assert_true(says(&canvas, "Fix: use another version"));
	assert_string_equal(canvas.description,
			    "Requested shard groups {0-7} {8-15}, applied {0-15}.");
}

static void plans_that_agree_say_so(void **state)
{
	struct canvas canvas = drawn(*state, figure_find("compare"), 1, false, metrics_pixels);

	assert_true(says(&canvas, "as requested"));
	assert_true(says(&canvas, "The groups applied are the groups requested."));
	assert_false(says(&canvas, "≠"));
}

static void an_exception_stands_where_the_plan_would(void **state)
{
	struct plan *requested = plan_of(*state, (struct sizes) { 1, 2, 8, 1 });
	struct plan *applied = plan_new(*state, PLAN_APPLIED);
	struct subject subject = subject_of(*state, requested, applied, 8);
	struct canvas compare, mesh;

	plan_raise(applied, "ValueError", "parallelize", "Cannot create a submesh");
	canvas_init(&compare, *state, metrics_pixels);
	assert_null(figure_find("compare")->draw(&subject, &compare));
	assert_true(says(&compare, "Applied: nothing"));
	assert_true(says(&compare, "ValueError: Cannot create a submesh"));
	canvas_init(&mesh, *state, metrics_pixels);
	assert_null(figure_find("mesh")->draw(&subject, &mesh));
	assert_true(says(&mesh, "As requested"));
}

static void who_says_where_ranks_are(void **state)
{
	const struct {
		int64_t per_node;
		const char *rank_order, *says;
	} cases[] = {
		{ 0, NULL, "One block" },
		{ 8, NULL, "Assumes block ranks" },
		{ 8, "block", "Ranks fill one node after the other (cluster.rank_order: block)" },
		{ 8, "torchrun-c10d", "after the other, nodes by host name" },
		{ 8, "cyclic", "dealt out to the nodes in turn" },
	};
	const struct plan *plan = plan_of(*state, (struct sizes) { 1, 2, 8, 1 });
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct subject subject = subject_of(*state, plan, plan, cases[i].per_node);
		struct canvas canvas;
		subject.cluster =
			cluster_with(*state, plan->world, cases[i].per_node, cases[i].rank_order);
		subject.rank_order = cases[i].rank_order;
		canvas_init(&canvas, *state, metrics_characters(200));
		assert_null(figure_find("mesh")->draw(&subject, &canvas));
		assert_true(says(&canvas, cases[i].says));
	}
}

static void axes_are_chosen_by_name(void **state)
{
	const struct plan *plan = plan_of(*state, (struct sizes) { 2, 2, 8, 2 });
	struct subject subject = subject_of(*state, plan, plan, 8);
	const char *const good[] = { "tp", "pp" }, *const bad[] = { "ep" };
	struct canvas canvas;

	subject.axes = good;
	subject.axis_count = 2;
	canvas_init(&canvas, *state, metrics_pixels);
	assert_null(figure_find("mesh")->draw(&subject, &canvas));
	assert_true(strstr(canvas.description, "Groups along tp: {0,1} {2,3}") != NULL);
	subject.axes = bad;
	subject.axis_count = 1;
	assert_string_equal(
		figure_find("mesh")->draw(&subject, &canvas),
		"no axis 'ep' in this plan; it has pp, dp_replicate, dp_shard, tp, dp_shard_cp");
}

static void shards_say_why_they_cannot_be_drawn(void **state)
{
	const struct {
		struct sizes sizes;
		bool placed;
		const char *parameter, *axis, *error;
	} cases[] = {
		{ { 2, 1, 1 << 28, 1 }, true, NULL, NULL, "more than 1,048,576 are not counted" },
		{ { 1, 2, 8, 1 }, false, NULL, NULL, "names no model" },
		{ { 1, 2, 8, 1 },
		  true,
		  "layers.0.attention.wqx.weight",
		  NULL,
		  "did you mean layers.0.attention.wq.weight?" },
		{ { 1, 2, 8, 1 }, true, "zz", NULL, "layers.0.attention.wq.weight is one" },
		{ { 1, 2, 8, 1 }, true, "wq", "ep", "no axis 'ep' in this plan; it has" },
		{ { 1, 2, 8, 1 }, true, "wq", "dp_replicate", NULL },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct plan *plan = plan_of(*state, cases[i].sizes);
		struct subject subject = subject_of(*state, plan, plan, 8);
		struct canvas canvas;
		const char *error;
		subject.parameter = cases[i].parameter;
		subject.axes = &cases[i].axis;
		subject.axis_count = cases[i].axis != NULL;
		if (!cases[i].placed)
			plan->parameters.count = 0;
		canvas_init(&canvas, *state, metrics_pixels);
		error = figure_find("shards")->draw(&subject, &canvas);
		if (cases[i].error)
			assert_true(error && strstr(error, cases[i].error));
		else
			assert_null(error);
	}
}

/* 1,000 rows over 4 × 96: 250 rows for each of tp, 3 for each rank of those, the last 12 empty. */
static void shards_are_counted_out(void **state)
{
	struct plan *plan = plan_of(*state, (struct sizes) { 1, 2, 96, 4 });
	const struct sharded *sharded = &plan->parameters.items[0];
	struct layout fsdp = layout_axis(96, 4);
	struct owners owners = owners_of(*state, plan, sharded, &fsdp);
	struct canvas canvas;
	struct subject subject = subject_of(*state, plan, plan, 8);

	assert_int_equal(owners.spread->parts[0], 4 * 84);
	assert_int_equal(owners.none.count, 2 * 4 * 12);
	assert_int_equal(owners.none.first[0], 84 * 4);
	assert_int_equal(owners.block[85].count, 2);
	assert_int_equal(owners.block[85].first[0], 4 + 1);
	assert_int_equal(owners.block[85].first[1], 96 * 4 + 4 + 1);
	assert_int_equal(owners.block[85].place, 1);
	assert_int_equal(owners_padded(plan, sharded, 0, 0), 3);
	assert_int_equal(owners_padded(plan, sharded, 1, 0), 0);
	assert_string_equal(owner_text(*state, &owners.none, 2), "336, 337 ⋯ ×96");
	assert_string_equal(owner_text(*state, &owners.block[85], 2), "5, 389");
	canvas_init(&canvas, *state, metrics_pixels);
	assert_null(figure_find("shards")->draw(&subject, &canvas));
	assert_true(says(&canvas, "tp cuts dim 0 in 4, then dp_shard cuts each piece of dim 0"));
	assert_true(says(&canvas, "336, 337, 338 ⋯ ×96"));
	assert_true(says(&canvas, "249 along dim 0: FSDP pads 1 to 3"));
}

static const struct communicator *communicator(const struct communicators *all, const char *name)
{
	size_t i;

	for (i = 0; i < all->list.count && strcmp(all->list.items[i].name, name) != 0;)
		i++;
	assert_true(i < all->list.count);
	return &all->list.items[i];
}

static void links_are_counted_by_what_goes_over_them(void **state)
{
	const struct {
		const char *name;
		int64_t hops, far;
	} cases[] = {
		{ "pp", 3, 3 },		  /* a chain of four nodes apart */
		{ "dp_shard", 16, 8 },	  /* a ring enters each of eight nodes once */
		{ "tp", 4, 0 },		  /* inside a node */
		{ "dp_replicate", 1, 1 }, /* two ranks: one link */
	};
	struct plan *plan = plan_of(*state, (struct sizes) { 4, 2, 16, 4 });
	struct communicators all = communicators_of(*state, plan);
	struct cluster cluster = cluster_with(*state, plan->world, 8, NULL);
	struct cluster unknown = cluster_with(*state, plan->world, 0, NULL);
	struct communicator pairs = *communicator(&all, "dp_shard");
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct crossing crossing = crossing_of(&cluster, communicator(&all, cases[i].name));
		assert_true(crossing.known && crossing.counted);
		assert_int_equal(crossing.hops, cases[i].hops);
		assert_int_equal(crossing.far, cases[i].far);
		assert_int_equal(crossing.inside, cases[i].far == 0);
	}
	pairs.pattern = PATTERN_PAIRS;
	assert_int_equal(crossing_of(&cluster, &pairs).hops, 15);
	assert_int_equal(crossing_of(&cluster, &pairs).far, 14);
	assert_false(crossing_of(&unknown, &pairs).known);
}

static void communicators_know_their_role(void **state)
{
	struct plan *plan = plan_of(*state, (struct sizes) { 2, 2, 8, 1 });
	struct communicators all;

	vec_push(*state, &plan->meshes,
		 ((struct mesh) { .name = "unmade", .layout = layout_axis(16, 1) }));
	plan->dense.mesh_count = 2;
	plan->dense.mesh[0] = "dp_replicate";
	plan->dense.mesh[1] = "dp_shard_cp";
	all = communicators_of(*state, plan);
	assert_string_equal(communicator(&all, "dp_shard_cp")->like, "dp_shard");
	assert_string_equal(communicator(&all, "dp_shard_cp")->from, "dp_shard");
	assert_int_equal(communicator(&all, "dp_shard_cp")->hue,
			 communicator(&all, "dp_shard")->hue);
	assert_non_null(strstr(communicator(&all, "dp_shard_cp")->carries, "all-gather of param"));
	assert_true(communicator(&all, "dp_shard")->idle);
	assert_non_null(strstr(communicator(&all, "dp_replicate")->carries, "all-reduce of grad"));
	assert_int_equal(communicator(&all, "pp")->pattern, PATTERN_CHAIN);
	assert_false(communicator(&all, "unmade")->made);
	assert_int_equal(communicator(&all, "unmade")->hue, -1);
}

static size_t count(const struct canvas *canvas, enum part part, enum shape_kind kind)
{
	size_t i, found = 0;

	for (i = 0; i < canvas->shapes.count; i++)
		found += canvas->shapes.items[i].part == part &&
			 canvas->shapes.items[i].kind == kind;
	return found;
}

/* Two nodes of eight, groups of four with stride 2: A and B alternate in each of them. */
static void groups_are_joined_inside_nodes(void **state)
{
	const struct plan *plan = plan_of(*state, (struct sizes) { 2, 1, 4, 2 });
	struct subject subject = subject_of(*state, plan, plan, 8);
	const char *const axis[] = { "tp" };
	struct canvas canvas;

	subject.axes = axis;
	canvas_init(&canvas, *state, metrics_pixels);
	assert_null(figure_find("mesh")->draw(&subject, &canvas));
	/* three lines for each of four groups, and a sample in the legend */
	assert_int_equal(count(&canvas, PART_LINK, SHAPE_LINE), 4 * 3 + 1);
	assert_int_equal(count(&canvas, PART_BAND, SHAPE_RECTANGLE), 1);
	subject.axis_count = 1;
	canvas_init(&canvas, *state, metrics_pixels);
	assert_null(figure_find("mesh")->draw(&subject, &canvas));
	assert_int_equal(count(&canvas, PART_LINK, SHAPE_LINE), 1);
	assert_int_equal(count(&canvas, PART_BAND, SHAPE_RECTANGLE), 8 + 1);
}

static void nvlink_goes_on_inside_a_domain(void **state)
{
	const struct plan *plan = plan_of(*state, (struct sizes) { 1, 2, 16, 1 });
	struct subject subject = subject_of(*state, plan, plan, 8);
	struct topology topology = *subject.cluster.topology;
	struct communicators all = communicators_of(*state, plan);
	struct canvas canvas;

	topology.domain = 2;
	subject.cluster.topology = &topology;
	assert_true(cluster_joined(&subject.cluster, 0, 1));
	assert_false(cluster_joined(&subject.cluster, 1, 2));
	assert_true(crossing_of(&subject.cluster, communicator(&all, "dp_shard")).inside);
	assert_false(crossing_of(&subject.cluster, communicator(&all, "dp_replicate")).inside);
	canvas_init(&canvas, *state, metrics_pixels);
	assert_null(figure_find("mesh")->draw(&subject, &canvas));
	assert_true(says(&canvas, "inside a domain of nodes (NVLink)"));
	canvas_init(&canvas, *state, metrics_pixels);
	assert_null(figure_find("groups")->draw(&subject, &canvas));
	assert_true(says(&canvas, "NVLink only, in a domain"));
	assert_true(says(&canvas, "between two domains"));
}

static void bytes_are_thickness(void **state)
{
	const struct plan *plan = plan_of(*state, (struct sizes) { 1, 4, 8, 1 });
	const struct carried carried[] = {
		{ "dp_shard", plan->dense.shard, 3e9, 0.05, -1, "4 all-gathers", false },
		{ "dp_replicate", plan->dense.replicate, 1.5e9, 0.02, 0.002, "4 sums", false },
	};
	struct subject subject = subject_of(*state, plan, plan, 8);
	struct canvas canvas;
	size_t i, whole = 0, half = 0;

	subject.carried = carried;
	subject.carried_count = 2;
	assert_true(subject_thickness(&subject, 3e9, 12) == 12);
	assert_true(subject_thickness(&subject, 1.5e9, 12) == 6);
	assert_true(subject_thickness(&subject, 0, 12) == 1);
	canvas_init(&canvas, *state, metrics_pixels);
	assert_null(figure_find("groups")->draw(&subject, &canvas));
	for (i = 0; i < canvas.shapes.count; i++) {
		whole += canvas.shapes.items[i].thickness == 14;
		half += canvas.shapes.items[i].thickness == 7;
	}
	assert_true(whole >= 5 && half == 3);
	assert_true(says(&canvas, "2.79 GiB per rank and step, 50 ms"));
	assert_true(says(&canvas, "1.40 GiB per rank and step, 20 ms, 2 ms of it not hidden"));
	assert_true(says(&canvas, "4 all-gathers"));
	canvas_init(&canvas, *state, metrics_pixels);
	assert_null(figure_find("mesh")->draw(&subject, &canvas));
	for (i = 0, half = 0; i < canvas.shapes.count; i++)
		half += canvas.shapes.items[i].part == PART_THIN_LINK &&
			canvas.shapes.items[i].thickness == 4.5;
	assert_int_equal(half, 4 * 8); /* two and two nodes, each joined with two others */
	assert_true(says(&canvas, "2.79 GiB, inside a node (NVLink)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_overlaps),
		cmocka_unit_test(text_keeps_to_80_columns),
		cmocka_unit_test(folded_pictures_stay_small),
		cmocka_unit_test(the_collapse_explains_itself),
		cmocka_unit_test(plans_that_agree_say_so),
		cmocka_unit_test(an_exception_stands_where_the_plan_would),
		cmocka_unit_test(who_says_where_ranks_are),
		cmocka_unit_test(axes_are_chosen_by_name),
		cmocka_unit_test(shards_say_why_they_cannot_be_drawn),
		cmocka_unit_test(shards_are_counted_out),
		cmocka_unit_test(links_are_counted_by_what_goes_over_them),
		cmocka_unit_test(communicators_know_their_role),
		cmocka_unit_test(groups_are_joined_inside_nodes),
		cmocka_unit_test(nvlink_goes_on_inside_a_domain),
		cmocka_unit_test(bytes_are_thickness),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
