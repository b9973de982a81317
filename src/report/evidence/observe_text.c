#include "base/text.h"
#include "evidence/observed/roles.h"
#include "evidence/table.h"
#include "report/evidence/measured.h"
#include "report/evidence/verify.h"
#include "report/evidence/hang.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Rows of one group that text lists. */
enum { LISTED_ROWS = 12 };

static void put_title(struct buf *out, const struct style *style, const char *title)
{
	buf_char(out, '\n');
	style_put(style, out, COLOR_BOLD);
	buf_text(out, title);
	style_put(style, out, COLOR_PLAIN);
	buf_char(out, '\n');
}

static void put_head(const struct observed *observed, struct buf *out)
{
	const struct families *families = &observed->families;

	if (families->world)
		buf_printf(out, "%" PRId64 " rank%s, ", families->world,
			   families->world == 1 ? "" : "s");
	buf_printf(out, "calls of %zu rank%s, ", families->ranks.count,
		   families->ranks.count == 1 ? "" : "s");
	if (observed->steps)
		buf_printf(out, "%" PRId64 " whole step%s\n", observed->steps,
			   observed->steps == 1 ? "" : "s");
	else
		buf_text(out, "steps not marked\n");
}

static void put_effective(const struct observed *observed, const struct style *style,
			  struct buf *out)
{
	int role;

	put_title(out, style, "What ran");
	for (role = 0; role < ROLES; role++) {
		const struct seen_axis *axis = &observed->axes.axis[role];
		if (role == ROLE_EP && axis->family < 0)
			continue;
		buf_printf(out, "  %-12s ", role_name((enum role)role));
		if (axis->degree)
			buf_printf(out, "%6" PRId64, axis->degree);
		else
			buf_text(out, "     ?");
		if (axis->family >= 0) {
			const struct group_family *family =
				&observed->families.list.items[axis->family];
			buf_printf(out, "  %s, as %s%s", family_groups(observed, family),
				   seen_role_name(axis->how),
				   family->extrapolated ? " (other groups extrapolated)" : "");
		}
		buf_char(out, '\n');
	}
	if (!observed->axes.solved)
		buf_text(out, "  the axes seen do not multiply to the number of ranks\n");
}

/* What traffic is written to. */
struct sheet {
	const struct observed *observed;
	const struct yardstick *yardstick;
	bool timed; /* some call was */
	struct buf *out;
};

/* A cell that stays blank where nothing is known. */
static const char *cell(struct arena *arena, double value, int decimals)
{
	return value > 0 ? arena_printf(arena, "%.*f", decimals, value) : "";
}

static void put_times(const struct sheet *sheet, const struct seen_traffic *row)
{
	const struct observed *observed = sheet->observed;
	const struct group_family *family = &observed->families.list.items[row->first->family];
	const double model = model_of_call(sheet->yardstick, family, row);
	const double bus = model > 0 ? row->bus * row->shortest / model : 0;
	struct arena *arena = observed->arena;

	buf_printf(sheet->out, " %8s %8s %7s %7s", cell(arena, row->shortest, 0),
		   cell(arena, row->mean, 0), cell(arena, row->bus, 1), cell(arena, bus, 1));
}

static void put_row(const struct sheet *sheet, const struct seen_traffic *row)
{
	struct arena *arena = sheet->observed->arena;

	buf_printf(sheet->out, "    %-14s %11s%s %-9s %8.4g", seen_op_name(row->first->call.op),
		   row->bytes >= 0 ? text_bytes(arena, row->bytes) : "?", row->differs ? "+" : " ",
		   row->first->call.dtype, row->count);
	if (sheet->timed)
		put_times(sheet, row);
	buf_printf(sheet->out, "  %s\n", seen_role_name(row->first->role));
}

/* Who the others of its group wait for. */
static void put_straggler(const struct sheet *sheet, int32_t index)
{
	const struct seen_straggler last = straggler_of(sheet->observed, index);

	if (last.rank >= 0)
		buf_printf(sheet->out,
			   "    rank %" PRId64 " comes last: in each of its %" PRId64
			   " calls another waits %.0f us for it\n",
			   last.rank, last.calls, last.wait);
}

static void put_family(const struct sheet *sheet, int32_t index)
{
	const struct observed *observed = sheet->observed;
	const struct group_family *family = &observed->families.list.items[index];
	struct seen_table table = table_of(observed, index);
	size_t i;

	if (!table.rows.count)
		return;
	buf_printf(sheet->out, "  %s: %s\n", family_name(observed->arena, family),
		   family_groups(observed, family));
	for (i = 0; i < table.rows.count && i < LISTED_ROWS; i++)
		put_row(sheet, &table.rows.items[i]);
	if (table.rows.count > LISTED_ROWS)
		buf_printf(sheet->out, "    and %zu more (--format json)\n",
			   table.rows.count - LISTED_ROWS);
	put_straggler(sheet, index);
}

static bool any_timed(const struct families *families)
{
	size_t i;

	for (i = 0; i < families->flows.count; i++)
		if (families->flows.items[i].call.timed)
			return true;
	return false;
}

static void put_traffic(const struct sheet *sheet, const struct style *style)
{
	const struct families *families = &sheet->observed->families;
	size_t i;

	if (!families->flows.count)
		return;
	put_title(sheet->out, style,
		  sheet->observed->steps ? "Traffic per step and rank" : "Traffic per rank");
	buf_printf(sheet->out, "    operation            bytes  type         calls%s  as\n",
		   sheet->timed ? "   us min  us mean   busbw   model" : "");
	for (i = 0; i < families->list.count; i++)
		put_family(sheet, (int32_t)i);
}

static bool is_unused(const struct observed *observed, size_t index)
{
	size_t i;

	for (i = 0; i < observed->families.flows.count; i++)
		if (observed->families.flows.items[i].family == (int32_t)index)
			return false;
	return observed->families.list.items[index].size > 1 &&
	       observed->families.list.items[index].told;
}

static void put_unused(const struct observed *observed, const struct style *style, struct buf *out)
{
	const struct families *families = &observed->families;
	bool any = false;
	size_t i;

	for (i = 0; i < families->list.count; i++) {
		if (!is_unused(observed, i))
			continue;
		if (!any)
			put_title(out, style,
				  families->flows.count ? "Groups without calls"
							: "Groups; no calls are known");
		any = true;
		buf_printf(out, "  %s: %s\n",
			   family_name(observed->arena, &families->list.items[i]),
			   family_groups(observed, &families->list.items[i]));
	}
}

/* Words of logs and cuts of checkpoints. */
static void put_claims(const struct observed *observed, const struct style *style, struct buf *out)
{
	const struct capture *capture = observed->capture;
	size_t i;

	if (capture->claims.count)
		put_title(out, style, "What logs and checkpoints say");
	for (i = 0; i < capture->claims.count; i++) {
		const struct seen_claim *claim = &capture->claims.items[i];
		buf_printf(out, "  %s", claim->axis);
		if (claim->degree > 0)
			buf_printf(out, " %" PRId64 "%s", claim->degree,
				   claim->stored ? ", as stored" : "");
		buf_printf(out, " (%s)\n", witness_text(observed, claim->witness));
	}
}

/* The same limit of several files is written once. */
static bool is_repeated(const struct capture *capture, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++)
		if (!strcmp(capture->limits.items[i].code, capture->limits.items[index].code))
			return true;
	return false;
}

static void put_limits(const struct observed *observed, const struct style *style, struct buf *out)
{
	const struct capture *capture = observed->capture;
	size_t i;

	if (capture->limits.count)
		put_title(out, style, "What the files leave open");
	for (i = 0; i < capture->limits.count; i++) {
		const struct seen_limit *limit = &capture->limits.items[i];
		const char *text;
		if (is_repeated(capture, i))
			continue;
		text = arena_printf(observed->arena, "%s: %s (%s)", limit->code, limit->text,
				    witness_text(observed, limit->witness));
		buf_text(out, "  ");
		wrap_text(out, text, 2, 4, style->columns);
		buf_char(out, '\n');
	}
}

void report_observed_text(const struct observed *observed, const struct yardstick *yardstick,
			  struct buf *out, bool color, int columns)
{
	const struct style style = { color, columns };
	const struct measured measured = measured_of(observed->arena, observed, yardstick);
	const struct sheet sheet = { observed, yardstick, any_timed(&observed->families), out };

	put_head(observed, out);
	put_effective(observed, &style, out);
	put_traffic(&sheet, &style);
	report_steps_text(observed, &measured, &style, out);
	put_unused(observed, &style, out);
	put_claims(observed, &style, out);
	put_limits(observed, &style, out);
	hang_text(observed->arena, &observed->hang, &style, out);
}
