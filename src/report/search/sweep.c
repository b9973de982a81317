#include "report/search/sweep.h"

#include "base/json.h"
#include "base/text.h"
#include "cost/units.h"
#include "report/findings/excerpt.h"
#include "report/search/search.h"

#include <string.h>

struct sheet {
	const struct sweep_rows *rows;
	struct arena *arena;
	struct style style;
	struct buf *out;
};

static const char *value_of(struct arena *arena, const struct sweep_row *row, const char *key)
{
	size_t i;

	for (i = 0; i < row->values.count; i++)
		if (!strcmp(row->values.items[i].key, key))
			return text_on_line(arena, row->values.items[i].value);
	return "";
}

static int width_of(const char *text)
{
	return display_width(text, strlen(text));
}

static void put_cell(struct sheet *sheet, const char *text, int width)
{
	buf_text(sheet->out, text);
	buf_repeat(sheet->out, ' ', (size_t)(width - width_of(text) + 2));
}

/* What the searches were asked for, each key as wide as its values; how wide all are. */
struct keys {
	VEC(const char *) list;
	VEC(int) widths;
};

static void find_keys(const struct sheet *sheet, struct keys *keys)
{
	const struct sweep_row *row = &sheet->rows->list.items[0];
	size_t i, k;

	for (k = 0; k < row->values.count; k++) {
		const char *key = row->values.items[k].key;
		int width = width_of(text_on_line(sheet->arena, key));
		for (i = 0; i < sheet->rows->list.count; i++) {
			const int other =
				width_of(value_of(sheet->arena, &sheet->rows->list.items[i], key));
			width = other > width ? other : width;
		}
		vec_push(sheet->arena, &keys->list, key);
		vec_push(sheet->arena, &keys->widths, width);
	}
}

static void put_best(struct sheet *sheet, const struct sweep_row *row)
{
	enum { STEP = 15, MEMORY = 8, INDENT = 4 };
	const struct outcome *best = &row->best;
	struct arena *arena = sheet->arena;

	if (row->trouble) {
		wrap_text(sheet->out, row->trouble, 0, INDENT, STYLE_UNWRAPPED);
		buf_char(sheet->out, '\n');
		return;
	}
	put_cell(sheet, step_text(arena, best), STEP);
	put_cell(sheet, arena_printf(arena, "%.1f %.0f%%", best->memory / GIB, 100 * best->risk),
		 MEMORY);
	put_cell(sheet, arena_printf(arena, "%.1f", 100 * best->mfu), 5);
	buf_printf(sheet->out, "%.0f\n", best->tokens);
	buf_repeat(sheet->out, ' ', INDENT);
	wrap_text(sheet->out, row->layout, INDENT, INDENT + 2, sheet->style.columns);
	buf_char(sheet->out, '\n');
	if (row->folder)
		buf_printf(sheet->out, "    in %s\n", text_on_line(arena, row->folder));
}

void report_sweep_text(const struct sweep_rows *rows, struct arena *arena, struct buf *out,
		       bool color, int columns)
{
	struct sheet sheet = { rows, arena, { color, columns }, out };
	struct keys keys = { 0 };
	size_t i, k;

	find_keys(&sheet, &keys);
	buf_text(out, "  ");
	for (k = 0; k < keys.list.count; k++)
		put_cell(&sheet, text_on_line(arena, keys.list.items[k]), keys.widths.items[k]);
	buf_text(out, "step             GiB OOM   MFU %  tokens/s and GPU\n");
	for (i = 0; i < rows->list.count; i++) {
		buf_text(out, "  ");
		for (k = 0; k < keys.list.count; k++)
			put_cell(&sheet, value_of(arena, &rows->list.items[i], keys.list.items[k]),
				 keys.widths.items[k]);
		put_best(&sheet, &rows->list.items[i]);
	}
}

static void put_value(struct json_writer *json, const struct sweep_value *value)
{
	int64_t number;

	if (text_to_int(value->value, &number))
		json_int(json, value->key, number);
	else
		json_string(json, value->key, value->value);
}

void report_sweep_json(const struct sweep_rows *rows, struct buf *out)
{
	struct json_writer json;
	size_t i, k;

	json_begin(&json, out);
	json_object(&json, NULL);
	json_string(&json, "schema", "parplan.sweep/1");
	json_array(&json, "searches");
	for (i = 0; i < rows->list.count; i++) {
		const struct sweep_row *row = &rows->list.items[i];
		json_object(&json, NULL);
		json_object(&json, "values");
		for (k = 0; k < row->values.count; k++)
			put_value(&json, &row->values.items[k]);
		json_object_end(&json);
		json_string(&json, "trouble", row->trouble);
		if (row->folder)
			json_string(&json, "folder", row->folder);
		json_raw(&json, "search", row->search ? row->search : "null");
		json_object_end(&json);
	}
	json_array_end(&json);
	json_object_end(&json);
	buf_char(out, '\n');
}
