#include "draw/device.h"
#include "draw/subject.h"
#include "report/web/web.h"

#include <string.h>

/* A picture of more than this many bytes would make the page slow, and nobody reads it. */
enum { PICTURE_BYTES = 512 * 1024 };

/* What is asked for beside what is applied says nothing where both are the same. */
static bool is_of_use(const struct sheet *sheet, const struct figure *figure)
{
	const struct plan *plan = sheet->job->applied;

	if (figure->searches || (figure->forecasts && !sheet->applied))
		return false;
	return strcmp(figure->name, "compare") != 0 || sheet->job->differences.list.count ||
	       (plan && plan->error);
}

static void put_figure(struct sheet *sheet, const struct figure *figure, const struct buf *picture)
{
	struct html *html = &sheet->html;

	html_open(html, "figure");
	html_attribute_printf(html, "aria-labelledby", "f%d-%s-figure", sheet->number,
			      figure->name);
	html_open(html, "figcaption");
	html_attribute_printf(html, "id", "f%d-%s-figure", sheet->number, figure->name);
	html_text(html, figure->summary);
	html_close(html, "figcaption");
	html_open(html, "div");
	html_attribute(html, "class", "wide");
	html_attribute(html, "role", "group");
	html_attribute(html, "tabindex", "0");
	html_attribute_printf(html, "aria-label", "figure %s", figure->name);
	html_verbatim(html, picture->data); /* which the device has escaped */
	html_close(html, "div");
	html_close(html, "figure");
	html_verbatim(html, "\n");
}

static void put_too_large(struct sheet *sheet, const struct figure *figure)
{
	html_open(&sheet->html, "p");
	html_printf(&sheet->html, "The figure %s is too large for a page: ", figure->name);
	html_element(&sheet->html, "code", NULL,
		     arena_printf(sheet->arena, "parplan draw --figure %s -o %s.svg", figure->name,
				  figure->name));
	html_text(&sheet->html, " draws it.");
	html_close(&sheet->html, "p");
}

/* Draws one figure; false when this job has nothing of the kind. */
bool web_figure(struct sheet *sheet, const struct figure *figure, const struct subject *subject)
{
	struct look look = { .theme = THEME_AUTO };
	struct canvas canvas;
	struct buf picture;

	canvas_init(&canvas, sheet->arena, metrics_pixels);
	if (figure->draw(subject, &canvas))
		return false;
	look.page = arena_printf(sheet->arena, "f%d-%s", sheet->number, figure->name);
	buf_init(&picture);
	device_svg.write(&canvas, &look, &picture);
	if (picture.length <= PICTURE_BYTES)
		put_figure(sheet, figure, &picture);
	else
		put_too_large(sheet, figure);
	buf_release(&picture);
	return true;
}

/* What differs comes first, then who sits where; the others in the order of their names. */
static bool is_first(const struct figure *figure)
{
	return !strcmp(figure->name, "compare") || !strcmp(figure->name, "mesh");
}

static size_t draw_figures(struct sheet *sheet, const struct subject *subject, bool first)
{
	size_t i, drawn = 0;

	for (i = 0; figures[i]; i++)
		if (is_first(figures[i]) == first && is_of_use(sheet, figures[i]))
			drawn += web_figure(sheet, figures[i], subject);
	return drawn;
}

void web_figures(struct sheet *sheet)
{
	const char *trouble = subject_trouble(sheet->job, sheet->file->path);
	struct subject subject;
	size_t drawn;

	sheet_part(sheet, "figures", "Figures");
	if (trouble) {
		html_element(&sheet->html, "p", NULL,
			     arena_printf(sheet->arena, "No figure: %s.", trouble));
		sheet_end(sheet);
		return;
	}
	subject = subject_of_job(sheet->arena, sheet->job, sheet->file->path);
	subject_forecast(&subject, sheet->job);
	drawn = draw_figures(sheet, &subject, true);
	drawn += draw_figures(sheet, &subject, false);
	if (!drawn)
		html_element(&sheet->html, "p", NULL, "Nothing of this job can be drawn.");
	sheet_end(sheet);
}
