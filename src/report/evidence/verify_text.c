#include "report/evidence/verify.h"

#include "report/findings/excerpt.h"
#include "report/evidence/measured.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *witness_text(const struct observed *observed, struct witness witness)
{
	const struct capture *capture = observed->capture;
	const struct evidence_file *file;

	if (witness.file < 0 || (size_t)witness.file >= capture->files.count)
		return "";
	file = &capture->files.items[witness.file];
	return arena_printf(observed->arena, "%s, %s %" PRId64, file->path,
			    file->source ? file->source->record : "record", witness.record);
}

static void put_title(struct buf *out, const struct style *style, const char *title)
{
	buf_char(out, '\n');
	style_put(style, out, COLOR_BOLD);
	buf_text(out, title);
	style_put(style, out, COLOR_PLAIN);
	buf_char(out, '\n');
}

static void put_head(const struct verdict *verdict, const struct style *style, struct buf *out)
{
	static const int colors[] = { COLOR_FIX, COLOR_ERROR, COLOR_WARNING };

	style_put(style, out, colors[verdict->kind]);
	buf_text(out, verdict_name(verdict->kind));
	style_put(style, out, COLOR_PLAIN);
	if (verdict->kind == VERDICT_MISMATCH)
		buf_printf(out, " %s", verdict->code);
	buf_printf(out, ", confidence %.2f\n  ", verdict->confidence);
	wrap_text(out, verdict->text, 2, 2, style->columns);
	buf_char(out, '\n');
	if (!verdict->built)
		return;
	buf_text(out, "  ");
	wrap_text(out, verdict->built, 2, 2, style->columns);
	buf_char(out, '\n');
}

static void put_item(const struct observed *observed, const struct evidence_item *item,
		     const struct style *style, struct buf *out)
{
	const char *text = arena_join(observed->arena, witness_text(observed, item->witness), ": ",
				      item->what);

	buf_text(out, "    ");
	wrap_text(out, text, 4, 6, style->columns);
	buf_char(out, '\n');
}

static void put_axes(const struct observed *observed, const struct verdict *verdict,
		     const struct style *style, struct buf *out)
{
	size_t i, k;

	put_title(out, style, "Axes");
	buf_text(out, "  axis          planned    ran  status\n");
	for (i = 0; i < verdict->axes.count; i++) {
		const struct axis_verdict *axis = &verdict->axes.items[i];
		char seen[24] = "?";
		if (axis->seen)
			snprintf(seen, sizeof(seen), "%" PRId64, axis->seen);
		buf_printf(out, "  %-12s %8" PRId64 " %6s  %s\n", role_name(axis->axis),
			   axis->planned, seen, axis_status_name(axis->status));
		for (k = 0; k < axis->evidence.count; k++)
			put_item(observed, &axis->evidence.items[k], style, out);
	}
}

static void put_reasons(const struct verdict *verdict, const struct style *style, struct buf *out)
{
	size_t i;

	if (verdict->reasons.count)
		put_title(out, style, "What the evidence leaves open");
	for (i = 0; i < verdict->reasons.count; i++) {
		const struct verdict_reason *reason = &verdict->reasons.items[i];
		int used = (int)strlen(reason->code) + 4;
		buf_printf(out, "  %s: ", reason->code);
		wrap_text(out, reason->text, used, 4, style->columns);
		buf_char(out, '\n');
	}
	if (!verdict->next)
		return;
	put_title(out, style, "What would settle it");
	buf_text(out, "  ");
	wrap_text(out, verdict->next, 2, 2, style->columns);
	buf_char(out, '\n');
}

/* Whether an item stands with its axis already. */
static bool is_listed(const struct verdict *verdict, const struct evidence_item *item)
{
	size_t i, k;

	for (i = 0; i < verdict->axes.count; i++)
		for (k = 0; k < verdict->axes.items[i].evidence.count; k++)
			if (verdict->axes.items[i].evidence.items[k].what == item->what)
				return true;
	return false;
}

void report_verdict_text(const struct verification *verification, struct buf *out, bool color,
			 int columns)
{
	const struct observed *observed = verification->observed;
	const struct verdict *verdict = verification->verdict;
	const struct style style = { color, columns };
	size_t i;

	put_head(verdict, &style, out);
	for (i = 0; i < verdict->evidence.count; i++) {
		if (is_listed(verdict, &verdict->evidence.items[i]))
			continue;
		put_title(out, &style, "Evidence");
		put_item(observed, &verdict->evidence.items[i], &style, out);
	}
	put_axes(observed, verdict, &style, out);
	put_reasons(verdict, &style, out);
	report_measured_text(observed, verification->yardstick, verification->measured, &style,
			     out);
}
