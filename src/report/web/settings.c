#include "report/origin.h"
#include "report/web/web.h"

/* "; from model.hidden, model.heads; instead of 4 (train.yaml:3:4)". */
static const char *ancestry(struct arena *arena, const struct setting *setting)
{
	const char *text = "";
	int i;

	for (i = 0; i < setting->parent_count; i++)
		text = arena_printf(arena, "%s%s%s = %s", text, i ? ", " : "; from ",
				    field_of(setting->parents[i]->field)->key,
				    origin_value(setting->parents[i]));
	if (setting->overridden)
		text = arena_printf(arena, "%s; instead of %s, %s", text,
				    origin_value(setting->overridden),
				    origin_source(arena, setting->overridden));
	return text;
}

void web_settings(struct sheet *sheet)
{
	static const struct web_column columns[] = { { "setting", false },
						     { "value", false },
						     { "where it is from", false } };
	int i;

	sheet_part(sheet, "settings", "Settings");
	sheet_table(sheet, "provenance", "Every known setting and where it is from", columns,
		    sizeof(columns) / sizeof(*columns), "settings");
	for (i = 0; i < FIELD_COUNT; i = field_next(i)) {
		const struct setting *setting = &sheet->job->settings.items[i];
		if (setting->origin == ORIGIN_UNSET)
			continue;
		sheet_row(sheet, field_of((enum field_id)i)->key);
		sheet_cell(sheet, origin_value(setting));
		sheet_cell(sheet,
			   arena_printf(sheet->arena, "%s%s", origin_source(sheet->arena, setting),
					ancestry(sheet->arena, setting)));
		sheet_row_end(sheet);
	}
	sheet_table_end(sheet);
	sheet_end(sheet);
}
