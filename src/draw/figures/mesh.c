#include "draw/page.h"

#include "plan/compare.h"

/*
 * The mesh: nodes, the ranks in them, and the groups of one axis in colours and letters, of a
 * second one in numbers.
 */
struct choice {
	struct axis letter, number;
	bool has_letter, has_number;
};

/* The outermost axis that cuts the world otherwise than `other` does. */
static bool any_axis(const struct plan *plan, const struct axis *other, struct axis *axis)
{
	struct axes axes = axes_of(plan);
	int i;

	for (i = 0; i < axes.count; i++) {
		*axis = axes.list[i];
		if (!other || !layout_same_groups(&axis->layout, &other->layout))
			return true;
	}
	return false;
}

/* Which axes to show: the ones asked for, else who shares and who repeats parameters. */
static const char *choose(const struct subject *subject, const struct plan *plan,
			  struct choice *choice)
{
	struct axis *axes[2] = { &choice->letter, &choice->number };
	size_t i;

	for (i = 0; i < subject->axis_count && i < 2; i++)
		if (!axis_find(plan, subject->axes[i], axes[i]))
			return arena_printf(subject->arena, "no axis '%s' in this plan; it has %s",
					    subject->axes[i], axis_names(subject->arena, plan));
	if (subject->axis_count) {
		choice->has_letter = true;
		choice->has_number = subject->axis_count > 1;
		return NULL;
	}
	choice->has_letter =
		axis_shard(plan, &choice->letter) || any_axis(plan, NULL, &choice->letter);
	if (choice->has_letter)
		choice->has_number =
			(axis_replicate(plan, &choice->number) &&
			 !layout_same_groups(&choice->number.layout, &choice->letter.layout)) ||
			any_axis(plan, &choice->letter, &choice->number);
	return NULL;
}

static bool same(bool has, const struct axis *a, const struct axis *b)
{
	return has && layout_same_groups(&a->layout, &b->layout);
}

/* The axes shown, then the other ones. */
static double draw_legend(struct canvas *canvas, const struct subject *subject,
			  const struct plan *plan, const struct choice *choice, double y)
{
	struct legend legend = { { 0 } };
	struct axes axes = axes_of(plan);
	int i;

	if (choice->has_letter)
		vec_push(canvas->arena, &legend.rows,
			 ((struct legend_row) { choice->letter, 'A' }));
	if (choice->has_number)
		vec_push(canvas->arena, &legend.rows,
			 ((struct legend_row) { choice->number, '0' }));
	for (i = 0; i < axes.count; i++)
		if (!same(choice->has_letter, &choice->letter, &axes.list[i]) &&
		    !same(choice->has_number, &choice->number, &axes.list[i]))
			vec_push(canvas->arena, &legend.rows,
				 ((struct legend_row) { axes.list[i], 0 }));
	return page_legend(canvas, subject, &legend, y);
}

static void describe(struct canvas *canvas, const struct subject *subject,
		     const struct choice *choice)
{
	if (!choice->has_letter)
		return;
	canvas->description = arena_printf(
		subject->arena, "Groups along %s: %s.", choice->letter.name,
		groups_text(subject->arena, &choice->letter.layout, subject->cluster.world, 8));
	if (choice->has_number)
		canvas->description =
			arena_printf(subject->arena, "%s Groups along %s: %s.", canvas->description,
				     choice->number.name,
				     groups_text(subject->arena, &choice->number.layout,
						 subject->cluster.world, 8));
}

static bool crosses(const struct subject *subject, const struct choice *choice)
{
	return (choice->has_letter && !cluster_holds(&subject->cluster, &choice->letter.layout)) ||
	       (choice->has_number && !cluster_holds(&subject->cluster, &choice->number.layout));
}

/* Links are as thick as the bytes over them, where those are known: at most as wide as a gap. */
static double thickness_along(const struct subject *subject, const struct layout *groups)
{
	enum { THICKEST = 9 };

	return subject_thickness(subject, subject_received(subject, groups), THICKEST);
}

enum { BLAMES_MOST = 8 };

/* Whom the others wait for, a paragraph each. */
static double draw_blames(struct canvas *canvas, const struct subject *subject, double y)
{
	const size_t count = subject->blame_count;
	size_t i;

	for (i = 0; i < count && i < BLAMES_MOST; i++)
		y = canvas_paragraph(canvas, PART_ALERT, canvas->metrics.margin, y,
				     page_room(canvas), subject->blames[i].says);
	if (count > BLAMES_MOST)
		y = canvas_paragraph(
			canvas, PART_ALERT, canvas->metrics.margin, y, page_room(canvas),
			arena_printf(canvas->arena, "and %zu more", count - BLAMES_MOST));
	return count ? y + page_gap(canvas) : y;
}

/* Nodes with ranks to blame are shown whatever is folded: all are, where they fit on a page. */
static bool wants_all(const struct subject *subject)
{
	enum { PAGE = 1024 };

	return subject->blame_count && subject->cluster.world <= PAGE;
}

static const char *draw(const struct subject *subject, struct canvas *canvas)
{
	const char *why, *error;
	const struct plan *plan = page_plan(subject, &why);
	struct choice choice = { .has_letter = false };
	struct arrange wanted = page_arrange(subject, plan);
	struct arrangement arrangement;
	struct marking marking;
	struct panel panel = { .marking = &marking, .name_rows = true };

	error = choose(subject, plan, &choice);
	if (error)
		return error;
	marking_init(&marking, canvas->arena, subject->cluster.world,
		     choice.has_letter ? &choice.letter.layout : NULL,
		     choice.has_number ? &choice.number.layout : NULL, NULL);
	wanted.mark_width = marking_width(&marking) + (subject->blame_count > 0);
	wanted.expand = wanted.expand || wants_all(subject);
	wanted.links = crosses(subject, &choice);
	wanted.width = page_room(canvas);
	arrangement = arrangement_of(canvas, &wanted);
	panel.letter_traffic = choice.has_letter ? choice.letter.name : NULL;
	panel.number_traffic = choice.has_number ? choice.number.name : NULL;
	if (choice.has_letter)
		panel.letter_thickness = thickness_along(subject, &choice.letter.layout);
	if (choice.has_number)
		panel.number_thickness = thickness_along(subject, &choice.number.layout);
	panel.x = canvas->metrics.margin;
	panel.y = page_head(canvas, subject,
			    arena_printf(subject->arena, "%s: %s", subject->name,
					 plan_words(subject->arena, plan)),
			    why);
	panel.blames = subject->blames;
	panel.blame_count = subject->blame_count;
	panel.y = draw_blames(canvas, subject, panel.y);
	describe(canvas, subject, &choice);
	cluster_draw(canvas, &arrangement, &panel);
	panel.y += arrangement.height + page_gap(canvas);
	if (wanted.links && arrangement.columns.total > 2 &&
	    !canvas->metrics.characters) /* links that go round nodes */
		panel.y += canvas->metrics.gap * 0.6;
	panel.y = draw_legend(canvas, subject, plan, &choice, panel.y);
	page_assumptions(canvas, subject, panel.y);
	return NULL;
}

const struct figure figure_mesh = {
	.name = "mesh",
	.summary = "nodes, ranks and groups of one or two axes",
	.draw = draw,
};
