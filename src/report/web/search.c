#include "draw/subject.h"
#include "report/web/web.h"

/* The fastest layouts that fit, as a picture and as a table. */

static void put_row(struct sheet *sheet, const struct found *found, double fastest)
{
	sheet_row(sheet, found->name);
	sheet_number(sheet, web_seconds(sheet->arena, found->time));
	sheet_number(sheet,
		     arena_printf(sheet->arena, "%+.1f %%", 100 * (found->time / fastest - 1)));
	sheet_number(sheet, web_bytes(sheet->arena, found->memory));
	sheet_cell(sheet, found->front ? "none is faster and freer" : "");
	sheet_row_end(sheet);
}

static void put_table(struct sheet *sheet, const struct subject *subject)
{
	static const struct web_column columns[] = { { "layout", false },
						     { "step", true },
						     { "against the fastest", true },
						     { "memory", true },
						     { "front", false } };
	size_t i;

	sheet_table(sheet, "layouts", "The fastest layouts that fit", columns,
		    sizeof(columns) / sizeof(*columns), NULL);
	for (i = 0; i < subject->found_count; i++)
		put_row(sheet, &subject->found[i], subject->found[0].time);
	sheet_table_end(sheet);
}

void web_search(struct sheet *sheet)
{
	const struct subject *found = sheet->search->found;
	size_t i;

	if (!found)
		return;
	sheet_part(sheet, "search", "Search");
	if (found->found_count) {
		for (i = 0; figures[i]; i++)
			if (figures[i]->searches)
				web_figure(sheet, figures[i], found);
		put_table(sheet, found);
	} else {
		html_element(&sheet->html, "p", NULL,
			     arena_join(sheet->arena, "Nothing is proposed: ",
					sheet->search->trouble ? sheet->search->trouble
							       : "no layout runs",
					"."));
	}
	sheet_end(sheet);
}
