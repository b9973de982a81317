#include "draw/page.h"

#include "base/text.h"
#include "plan/compare.h"

/*
 * Requested beside applied. Groups are called after what was asked for, so a rank that lands in
 * another group shows it ("B→A"), and so does a link between nodes that nobody asked for.
 */
struct side {
	const char *heading;
	const struct plan *plan;
	const struct sharding *sharding;
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
		.requested = { "Requested", left, &left->dense },
		.applied = { "Applied", right, &right->dense },
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

/* "2 copies, each cut over 8 ranks". */
static const char *sharding_sentence(const struct subject *subject, const struct sharding *sharding)
{
	int64_t shard = members(&sharding->shard), replicate = members(&sharding->replicate);
	int64_t slices = subject->cluster.world / (shard * replicate);
	const char *of = "";

	if (slices > 1)
		of = arena_printf(subject->arena, ", in each of %lld model-parallel slices",
				  (long long)slices);
	if (shard == 1)
		return arena_printf(subject->arena, "%lld whole %s%s", (long long)replicate,
				    replicate == 1 ? "copy" : "copies", of);
	return arena_printf(subject->arena, "%lld %s cut over %lld ranks%s", (long long)replicate,
			    replicate == 1 ? "copy," : "copies, each", (long long)shard, of);
}

static bool crosses(const struct subject *subject, const struct layout *layout)
{
	return !cluster_holds(&subject->cluster, layout);
}

static bool sharding_crosses(const struct subject *subject, const struct sharding *sharding)
{
	return crosses(subject, &sharding->shard) || crosses(subject, &sharding->replicate);
}

/* One plan; returns the y below it. */
static double draw_side(struct canvas *canvas, const struct comparison *c, const struct side *side,
			const struct arrangement *arrangement, double x, double y)
{
	const struct subject *subject = c->subject;
	const struct sharding *sharding = side->sharding;
	bool changed = side == &c->applied && !c->same;
	bool hybrid = members(&sharding->replicate) > 1 && members(&sharding->shard) > 1;
	struct marking marking;
	struct panel panel = { .marking = &marking, .name_rows = !changed, .x = x };

	marking_init(&marking, canvas->arena, subject->cluster.world, &sharding->shard,
		     hybrid ? &sharding->replicate : NULL,
		     changed ? &c->requested.sharding->shard : NULL);
	marking.hide_number = true;
	canvas_text(canvas, PART_HEADING, ANCHOR_START, x, y,
		    arena_printf(subject->arena, "%s%s: %s", changed ? "≠ " : "", side->heading,
				 sharding_words(subject->arena, sharding)));
	y += canvas->metrics.line[PART_HEADING];
	y = canvas_paragraph(canvas, PART_QUIET, x, y, arrangement->width,
			     sharding_sentence(subject, sharding));
	panel.y = y + page_gap(canvas) / (canvas->metrics.characters ? 1 : 2);
	panel.letter_traffic = changed ? "≠ all-gather, reduce-scatter: each layer"
				       : "all-gather, reduce-scatter: each layer";
	panel.number_traffic = "all-reduce of gradients";
	cluster_draw(canvas, arrangement, &panel);
	return panel.y + arrangement->height;
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

static double draw_sides(struct canvas *canvas, const struct comparison *c, double y)
{
	const struct subject *subject = c->subject;
	double x = canvas->metrics.margin, gap = canvas->metrics.panel_gap, left, right;
	double half = (page_room(canvas) - gap) / 2;
	struct arrange wanted = page_arrange(subject, c->requested.plan);
	struct arrangement arrangement;
	struct marking marking;

	marking_init(&marking, canvas->arena, subject->cluster.world, &c->applied.sharding->shard,
		     NULL, c->same || c->trouble ? NULL : &c->requested.sharding->shard);
	wanted.mark_width = marking_width(&marking);
	wanted.links = sharding_crosses(subject, c->requested.sharding) ||
		       (!c->trouble && sharding_crosses(subject, c->applied.sharding));
	wanted.width = half;
	arrangement = arrangement_of(canvas, &wanted);
	if (arrangement.columns.total > 1 || arrangement.width > half) {
		wanted.width = page_room(canvas);
		arrangement = arrangement_of(canvas, &wanted);
		y = draw_side(canvas, c, &c->requested, &arrangement, x, y) + gap;
		return c->trouble ? draw_trouble(canvas, c, x, y, page_room(canvas))
				  : draw_side(canvas, c, &c->applied, &arrangement, x, y);
	}
	left = draw_side(canvas, c, &c->requested, &arrangement, x, y);
	x += arrangement.width + gap;
	right = c->trouble ? draw_trouble(canvas, c, x, y, arrangement.width)
			   : draw_side(canvas, c, &c->applied, &arrangement, x, y);
	return left > right ? left : right;
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

static void remark_shard(struct remarks *remarks, const struct comparison *c)
{
	const struct layout *asked = &c->requested.sharding->shard;
	const struct layout *real = &c->applied.sharding->shard;
	const char *inside = c->subject->inside, *between = c->subject->between;
	bool asked_crosses = crosses(c->subject, asked), crosses_now = crosses(c->subject, real);

	if (same_groups(asked, real))
		return;
	if (members(asked) != members(real))
		remark(remarks, "Each parameter is cut over %lld rank%s instead of %lld.",
		       (long long)members(real), plural(members(real)), (long long)members(asked));
	else
		remark(remarks, "Each parameter is cut over other ranks than requested.");
	if (crosses_now && !asked_crosses)
		remark(remarks,
		       "All-gather and reduce-scatter of every layer cross the %s instead of "
		       "staying inside a node (%s).",
		       between, inside);
	else if (asked_crosses && !crosses_now)
		remark(remarks, "Groups stay inside a node (%s); the request spans several.",
		       inside);
}

static void remark_replicate(struct remarks *remarks, const struct comparison *c)
{
	int64_t asked = members(&c->requested.sharding->replicate);
	int64_t real = members(&c->applied.sharding->replicate);

	if (asked > 1 && real == 1)
		remark(remarks,
		       "There is one copy instead of %lld, and no all-reduce between copies.",
		       (long long)asked);
	else if (asked != real)
		remark(remarks, "Gradients are averaged over groups of %lld ranks instead of %lld.",
		       (long long)real, (long long)asked);
}

static struct remarks conclude(const struct comparison *c)
{
	struct remarks remarks = { .arena = c->subject->arena };

	if (c->same) {
		remark(&remarks, "The groups applied are the groups requested.");
		return remarks;
	}
	if (!c->trouble) {
		remark_shard(&remarks, c);
		remark_replicate(&remarks, c);
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

/* Key of the marks that the drawing uses. */
static double draw_key(struct canvas *canvas, const struct comparison *c, double y)
{
	double x = canvas->metrics.margin, room = page_room(canvas);

	y = canvas_paragraph(
		canvas, PART_QUIET, x, y, room,
		"A, B, …: ranks with one letter hold one copy of the parameters together.");
	if (c->same || c->trouble)
		return y;
	return canvas_paragraph(canvas, PART_QUIET, x, y, room,
				"B→A: requested in group B, applied in group A.");
}

static void describe(struct canvas *canvas, const struct comparison *c)
{
	struct arena *arena = c->subject->arena;
	int64_t world = c->subject->cluster.world;
	const char *requested = sharding_words(arena, c->requested.sharding);
	const char *applied = c->trouble ? "nothing" : sharding_words(arena, c->applied.sharding);

	canvas->title = arena_printf(arena, "%s: requested %s, applied %s%s", c->subject->name,
				     requested, applied, c->expert ? " (routed experts)" : "");
	canvas->description =
		arena_printf(arena, "Requested shard groups %s, applied ",
			     groups_text(arena, &c->requested.sharding->shard, world, 8));
	canvas->description = arena_printf(
		arena, "%s%s.", canvas->description,
		c->trouble ? c->trouble
			   : groups_text(arena, &c->applied.sharding->shard, world, 8));
}

static const char *draw(const struct subject *subject, struct canvas *canvas)
{
	struct comparison c = compare(subject);
	double y;

	if (subject->axis_count)
		return "--axis is for --figure mesh; compare shows the groups that share "
		       "parameters";
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
