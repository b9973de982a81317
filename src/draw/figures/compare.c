#include "draw/page.h"

#include "base/text.h"
#include "plan/compare.h"
#include "sim/forecast.h"

#include <math.h>
#include <string.h>

/*
 * Requested beside applied. Groups are called after what was asked for, so a rank that lands in
 * another group shows it ("B→A"), and so does a link between nodes that nobody asked for.
 */
static const char traffic[] = "all-gather, reduce-scatter: each layer";
static const char changed_traffic[] = "≠ all-gather, reduce-scatter: each layer";

struct side {
	const char *heading;
	const struct plan *plan;
	const struct sharding *sharding;
	const struct cost *cost;
};

struct comparison {
	const struct subject *subject;
	struct side requested, applied;
	const char *trouble; /* why nothing is applied, or NULL */
	bool same;
	bool expert; /* it is the routed experts that are shown */
};

static bool same_groups(const struct layout *a, const struct layout *b)
{
	return layout_same_groups(a, b);
}

static bool same_sharding(const struct sharding *a, const struct sharding *b)
{
	return same_groups(&a->shard, &b->shard) && same_groups(&a->replicate, &b->replicate);
}

static const struct sharding *experts_of(const struct plan *plan)
{
	return plan->has_expert ? &plan->expert : &plan->dense;
}

/* Shows everything but the routed experts, unless only those differ. */
static struct comparison compare(const struct subject *subject)
{
	const struct plan *left = subject->requested, *right = subject->applied;
	struct comparison c = {
		.subject = subject,
		.requested = { "Requested", left, &left->dense, &subject->costs[0] },
		.applied = { subject->ran ? "As it ran" : "Applied", right, &right->dense,
			     &subject->costs[1] },
		.trouble = page_trouble(right),
	};

	if (same_sharding(&left->dense, &right->dense) &&
	    !same_sharding(experts_of(left), experts_of(right))) {
		c.expert = true;
		c.requested.sharding = experts_of(left);
		c.applied.sharding = experts_of(right);
	}
	c.same = !c.trouble && same_sharding(c.requested.sharding, c.applied.sharding);
	return c;
}

static int64_t members(const struct layout *layout)
{
	return layout->modes ? layout_size(layout) : 1;
}

static const char *plural(int64_t count)
{
	return count == 1 ? "" : "s";
}

/* Ranks that hold other parameters by design: pipeline stages, tensor slices, sets of experts. */
static int64_t slices(const struct comparison *c)
{
	const struct sharding *asked = c->requested.sharding;

	return c->subject->cluster.world / (members(&asked->shard) * members(&asked->replicate));
}

/* How often each parameter exists. */
static int64_t copies(const struct comparison *c, const struct sharding *sharding)
{
	int64_t count = c->subject->cluster.world / slices(c) / members(&sharding->shard);

	return count > 0 ? count : 1;
}

/* True when there are copies that no all-reduce keeps alike. */
static bool drifts(const struct comparison *c, const struct sharding *sharding)
{
	return copies(c, sharding) > members(&sharding->replicate);
}

/* "2 copies, each cut over 8 ranks". */
static const char *sharding_sentence(const struct comparison *c, const struct sharding *sharding)
{
	long long shard = members(&sharding->shard), count = copies(c, sharding);
	struct arena *arena = c->subject->arena;
	const char *words, *of = "";

	if (slices(c) > 1)
		of = arena_printf(arena,
				  c->expert ? ", for each of %lld sets of experts"
					    : ", in each of %lld model-parallel slices",
				  (long long)slices(c));
	if (shard == 1)
		words = arena_printf(arena, "%lld whole %s", count, count == 1 ? "copy" : "copies");
	else
		words = arena_printf(arena, "%lld %s cut over %lld ranks", count,
				     count == 1 ? "copy," : "copies, each", shard);
	return arena_printf(arena, "%s%s%s", words, of,
			    drifts(c, sharding) ? ", no all-reduce between them" : "");
}

static bool crosses(const struct subject *subject, const struct layout *layout)
{
	return !cluster_holds(&subject->cluster, layout);
}

/* "50.3 GiB over 8 ranks inside a node", appended where anything goes over such groups. */
static const char *with_received(const struct comparison *c, const struct side *side,
				 const struct layout *groups, const char *words)
{
	struct arena *arena = c->subject->arena;
	double bytes = traffic_over(side->cost->traffic, groups);
	const char *where = "";

	if (!(bytes > 0))
		return words;
	if (c->subject->cluster.per_node)
		where = crosses(c->subject, groups) ? " across nodes" : " inside a node";
	return arena_printf(arena, "%s%s%s over %lld ranks%s", words, *words ? ", " : "",
			    text_bytes(arena, bytes), (long long)layout_size(groups), where);
}

/* "Per step a rank receives 50.3 GiB over 8 ranks inside a node.", or "". */
static const char *traffic_sentence(const struct comparison *c, const struct side *side)
{
	const char *words = "";

	if (!side->cost->traffic)
		return "";
	words = with_received(c, side, &side->sharding->shard, words);
	words = with_received(c, side, &side->sharding->replicate, words);
	return *words ? arena_printf(c->subject->arena, "Per step a rank receives %s.", words) : "";
}

/* "A step takes 1.368 s and 64.9 GiB of memory.", or "". */
static const char *cost_sentence(const struct comparison *c, const struct side *side)
{
	const struct forecast *forecast = side->cost->forecast;
	struct arena *arena = c->subject->arena;

	if (!forecast)
		return "";
	return arena_printf(arena, "A step takes %.4g s and %s of memory.", forecast->step.total,
			    text_bytes(arena, forecast->memory.device));
}

static bool sharding_crosses(const struct subject *subject, const struct sharding *sharding)
{
	return crosses(subject, &sharding->shard) || crosses(subject, &sharding->replicate);
}

/* Heading and a sentence; returns the y below them. */
static double draw_heading(struct canvas *canvas, const struct comparison *c,
			   const struct side *side, double x, double y, double width)
{
	struct arena *arena = c->subject->arena;
	bool changed = side == &c->applied && !c->same;

	canvas_text(canvas, PART_HEADING, ANCHOR_START, x, y,
		    arena_printf(arena, "%s%s: %s", changed ? "≠ " : "", side->heading,
				 sharding_words(arena, side->sharding)));
	y = canvas_paragraph(canvas, PART_QUIET, x, y + canvas->metrics.line[PART_HEADING], width,
			     sharding_sentence(c, side->sharding));
	y = canvas_paragraph(canvas, PART_QUIET, x, y, width, traffic_sentence(c, side));
	y = canvas_paragraph(canvas, PART_QUIET, x, y, width, cost_sentence(c, side));
	return y + page_gap(canvas) / (canvas->metrics.characters ? 1 : 2);
}

static void draw_plan(struct canvas *canvas, const struct comparison *c, const struct side *side,
		      const struct arrangement *arrangement, double x, double y)
{
	const struct sharding *sharding = side->sharding;
	bool changed = side == &c->applied && !c->same;
	bool hybrid = members(&sharding->replicate) > 1 && members(&sharding->shard) > 1;
	struct marking marking;
	struct panel panel = { .marking = &marking,
			       .letter_traffic = changed ? changed_traffic : traffic,
			       .number_traffic = "all-reduce of gradients",
			       .name_rows = !changed,
			       .x = x,
			       .y = y };

	marking_init(&marking, canvas->arena, c->subject->cluster.world, &sharding->shard,
		     hybrid ? &sharding->replicate : NULL,
		     changed ? &c->requested.sharding->shard : NULL);
	marking.hide_number = true;
	cluster_draw(canvas, arrangement, &panel);
}

/* The framework's exception, or why nothing is known, where the applied plan would be. */
static double draw_trouble(struct canvas *canvas, const struct comparison *c, double x, double y,
			   double width)
{
	canvas_text(canvas, PART_HEADING, ANCHOR_START, x, y, "≠ Applied: nothing");
	y += canvas->metrics.line[PART_HEADING];
	y = canvas_paragraph(canvas, PART_QUIET, x, y, width,
			     c->applied.plan->error ? "the job stops with" : "not judged:");
	return canvas_paragraph(canvas, PART_ALERT, x, y + page_gap(canvas) / 2, width, c->trouble);
}

/* The arrangement that holds either plan. */
static struct arrangement arrange(const struct canvas *canvas, const struct comparison *c,
				  double width)
{
	const struct subject *subject = c->subject;
	struct arrange wanted =
		page_arrange(subject, c->trouble ? c->requested.plan : c->applied.plan);
	struct marking marking;

	marking_init(&marking, canvas->arena, subject->cluster.world, &c->applied.sharding->shard,
		     NULL, c->same || c->trouble ? NULL : &c->requested.sharding->shard);
	wanted.mark_width = marking_width(&marking);
	wanted.links = sharding_crosses(subject, c->requested.sharding) ||
		       (!c->trouble && sharding_crosses(subject, c->applied.sharding));
	wanted.width = width;
	return arrangement_of(canvas, &wanted);
}

static double draw_below(struct canvas *canvas, const struct comparison *c, double y)
{
	double x = canvas->metrics.margin, room = page_room(canvas);
	struct arrangement arrangement = arrange(canvas, c, room);

	y = draw_heading(canvas, c, &c->requested, x, y, room);
	draw_plan(canvas, c, &c->requested, &arrangement, x, y);
	y += arrangement.height + 2 * page_gap(canvas);
	if (c->trouble)
		return draw_trouble(canvas, c, x, y, room);
	y = draw_heading(canvas, c, &c->applied, x, y, room);
	draw_plan(canvas, c, &c->applied, &arrangement, x, y);
	return y + arrangement.height;
}

/* Side by side when that fits, else one below the other. */
static double draw_sides(struct canvas *canvas, const struct comparison *c, double y)
{
	double gap = canvas->metrics.panel_gap, half = (page_room(canvas) - gap) / 2;
	struct arrangement arrangement = arrange(canvas, c, half);
	double left = canvas->metrics.margin, right = left + half + gap;
	double below, trouble;

	if (arrangement.columns.total > 1 || arrangement.width > half)
		return draw_below(canvas, c, y);
	below = draw_heading(canvas, c, &c->requested, left, y, half);
	if (c->trouble) {
		trouble = draw_trouble(canvas, c, right, y, half);
		draw_plan(canvas, c, &c->requested, &arrangement, left, below);
		return fmax(trouble, below + arrangement.height);
	}
	below = fmax(below, draw_heading(canvas, c, &c->applied, right, y, half));
	draw_plan(canvas, c, &c->requested, &arrangement, left, below);
	draw_plan(canvas, c, &c->applied, &arrangement, right, below);
	return below + arrangement.height;
}

/* What is said below the drawing, line by line. */
struct remarks {
	struct arena *arena;
	VEC(const char *) list;
};

static void remark(struct remarks *remarks, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void remark(struct remarks *remarks, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vec_push(remarks->arena, &remarks->list, arena_vprintf(remarks->arena, format, args));
	va_end(args);
}

/* How many ranks share, and how many copies there are. */
static void remark_sizes(struct remarks *remarks, const struct comparison *c)
{
	const struct sharding *applied = c->applied.sharding;
	int64_t asked = members(&c->requested.sharding->shard), real = members(&applied->shard);
	int64_t before = copies(c, c->requested.sharding), now = copies(c, applied);
	const char *also = "";

	if (now != before)
		also = arena_printf(remarks->arena, "; there %s %lld cop%s instead of %lld",
				    now == 1 ? "is" : "are", (long long)now, now == 1 ? "y" : "ies",
				    (long long)before);
	if (real != asked)
		remark(remarks, "Each parameter is cut over %lld rank%s instead of %lld%s.",
		       (long long)real, plural(real), (long long)asked, also);
	else
		remark(remarks, "Other ranks share each parameter than requested%s.", also);
	if (drifts(c, applied) && !drifts(c, c->requested.sharding))
		remark(remarks, "No all-reduce of gradients joins the copies.");
}

/* Which links the groups use. */
static void remark_links(struct remarks *remarks, const struct comparison *c)
{
	const struct subject *subject = c->subject;
	bool asked = crosses(subject, &c->requested.sharding->shard);
	bool real = crosses(subject, &c->applied.sharding->shard);
	const char *network = "";

	if (subject->between)
		network = arena_printf(remarks->arena, " (%s)", subject->between);
	if (real && !asked)
		remark(remarks,
		       "All-gather and reduce-scatter of every layer cross the network%s, not only "
		       "%s "
		       "inside a node.",
		       network, subject->inside);
	else if (asked && !real)
		remark(remarks, "Groups stay inside a node (%s); the request spans several.",
		       subject->inside);
}

static struct remarks conclude(const struct comparison *c)
{
	struct remarks remarks = { .arena = c->subject->arena };

	if (c->same) {
		remark(&remarks, "The groups %s are the groups requested.",
		       c->subject->ran ? "that ran" : "applied");
		return remarks;
	}
	if (!c->trouble) {
		remark_sizes(&remarks, c);
		remark_links(&remarks, c);
		if (c->subject->rows && !c->expert)
			remark(&remarks, "%s.", c->subject->rows);
	}
	if (c->subject->fix)
		remark(&remarks, "Fix: %s", c->subject->fix);
	return remarks;
}

static enum part part_of(const char *remark)
{
	return text_starts(remark, "Fix: ") ? PART_STRONG : PART_TEXT;
}

static double draw_conclusion(struct canvas *canvas, const struct comparison *c, double y)
{
	const struct metrics *metrics = &canvas->metrics;
	double pad = metrics->characters ? 0 : 12, x = metrics->margin, width = page_room(canvas);
	struct remarks remarks = conclude(c);
	double height = 0;
	size_t i;

	for (i = 0; i < remarks.list.count; i++)
		height += canvas_paragraph_height(canvas, part_of(remarks.list.items[i]),
						  width - 2 * pad, remarks.list.items[i]);
	if (!remarks.list.count)
		return y;
	if (!c->same)
		canvas_rectangle(canvas, PART_NOTICE, -1, x, y, width, height + 2 * pad, NULL);
	else
		pad = 0;
	y += pad;
	for (i = 0; i < remarks.list.count; i++)
		y = canvas_paragraph(canvas, part_of(remarks.list.items[i]), x + pad, y,
				     width - 2 * pad, remarks.list.items[i]);
	return y + pad + page_gap(canvas);
}

/* What the lines mean, where there is no room to write it on them. */
static double draw_line_key(struct canvas *canvas, const struct comparison *c, double y)
{
	const struct subject *subject = c->subject;
	const struct sharding *requested = c->requested.sharding, *applied = c->applied.sharding;
	double x = canvas->metrics.margin;
	struct arrangement arrangement = arrange(canvas, c, page_room(canvas));

	if (arrangement.columns.total == 1 && links_words(canvas, &arrangement, traffic))
		return y;
	if (crosses(subject, &requested->shard) || crosses(subject, &applied->shard))
		y = page_legend_line(canvas, PART_LINK, 0, x, y,
				     "all-gather and reduce-scatter of each layer");
	if (!c->same && !c->trouble && crosses(subject, &applied->shard))
		y = page_legend_line(canvas, PART_CHANGED_LINK, -1, x, y,
				     "the same, between nodes that the request does not join");
	if (crosses(subject, &requested->replicate) || crosses(subject, &applied->replicate))
		y = page_legend_line(canvas, PART_THIN_LINK, -1, x, y, "all-reduce of gradients");
	return y + page_gap(canvas) / 2;
}

/* Key of the marks that the drawing uses. */
static double draw_key(struct canvas *canvas, const struct comparison *c, double y)
{
	double x = canvas->metrics.margin, room = page_room(canvas);

	y = draw_line_key(canvas, c, y);
	y = canvas_paragraph(
		canvas, PART_QUIET, x, y, room,
		"A, B: ranks with one letter hold one copy of the parameters together.");
	if (c->same || c->trouble)
		return y;
	return canvas_paragraph(canvas, PART_QUIET, x, y, room,
				c->subject->ran ? "B→A: requested in group B, ran in group A."
						: "B→A: requested in group B, applied in group A.");
}

static void describe(struct canvas *canvas, const struct comparison *c)
{
	struct arena *arena = c->subject->arena;
	int64_t world = c->subject->cluster.world;
	const char *requested = sharding_words(arena, c->requested.sharding);
	const char *verb = c->subject->ran ? "ran" : "applied";
	const char *applied = c->trouble ? "nothing" : sharding_words(arena, c->applied.sharding);

	canvas->title = arena_printf(arena, "%s: requested %s, %s %s%s", c->subject->name,
				     requested, verb, applied, c->expert ? " (experts)" : "");
	if (c->same)
		canvas->title = arena_printf(arena, "%s: %s, as requested", c->subject->name,
					     plan_words(arena, c->applied.plan));
	canvas->description =
		arena_printf(arena, "Requested shard groups %s, %s ",
			     groups_text(arena, &c->requested.sharding->shard, world, 8), verb);
	canvas->description = arena_printf(
		arena, "%s%s.", canvas->description,
		c->trouble ? c->trouble
			   : groups_text(arena, &c->applied.sharding->shard, world, 8));
}

static const char *draw(const struct subject *subject, struct canvas *canvas)
{
	struct comparison c;
	double y;

	if (!subject->applied)
		return "there is nothing to compare with: no framework is known (--framework "
		       "NAME@VERSION)";
	if (subject->axis_count)
		return "--axis is for --figure mesh; compare shows the groups that share "
		       "parameters";
	c = compare(subject);
	describe(canvas, &c);
	y = page_title(canvas, subject, canvas->title);
	y = draw_sides(canvas, &c, y) + page_gap(canvas);
	y = draw_conclusion(canvas, &c, y);
	y = draw_key(canvas, &c, y);
	page_assumptions(canvas, subject, y);
	return NULL;
}

const struct figure figure_compare = {
	.name = "compare",
	.summary = "what is requested beside what is applied, the difference marked",
	.draw = draw,
};
