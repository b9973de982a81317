#include "report/evidence/slow.h"
#include "report/evidence/verify.h"

#include <math.h>
#include <string.h>

/* A paragraph, indented. */
static void put(const struct style *style, struct buf *out, int indent, const char *text)
{
	buf_printf(out, "%*s", indent, "");
	wrap_text(out, text, indent, indent, style->columns);
	buf_char(out, '\n');
}

static void put_head(const struct observed *observed, const struct slow *slow,
		     const struct style *style, struct buf *out)
{
	static const int colors[] = { COLOR_FIX, COLOR_ERROR, COLOR_WARNING };
	struct arena *arena = observed->arena;

	style_put(style, out, colors[slow->kind]);
	buf_text(out, slow_kind_name(slow->kind));
	style_put(style, out, COLOR_PLAIN);
	buf_char(out, '\n');
	if (slow->missing)
		put(style, out, 2, slow->missing);
	if (slow->measured > 0)
		put(style, out, 2,
		    arena_printf(arena, "measured  %.4g s a step (%s, %zu value%s; %s)",
				 slow->measured, slow->source, slow->samples,
				 slow->samples == 1 ? "" : "s",
				 witness_text(observed, slow->witness)));
	if (slow->expected > 0)
		put(style, out, 2,
		    arena_printf(arena, "forecast  %.4g s (%.3g to %.3g s)", slow->expected,
				 slow->low, slow->high));
	if (slow->explained > slow->expected)
		put(style, out, 2,
		    arena_printf(arena,
				 "explained %.4g s, by what is shown below, simulated "
				 "together",
				 slow->explained));
}

static void put_cause(const struct observed *observed, const struct slow_cause *cause,
		      const struct style *style, struct buf *out)
{
	const char *where = witness_text(observed, cause->witness);
	struct arena *arena = observed->arena;

	buf_printf(out, "  %s: ", cause->name);
	wrap_text(out, cause->title, (int)strlen(cause->name) + 4, 4, style->columns);
	buf_char(out, '\n');
	if (isfinite(cause->seconds))
		put(style, out, 4,
		    arena_printf(arena, "%+.3g s a step%s", cause->seconds,
				 cause->basis == SLOW_SHOWN ? "" : ", if so"));
	put(style, out, 4,
	    *where ? arena_join(arena, cause->says, " ", arena_join(arena, "(", where, ")"))
		   : cause->says);
	if (cause->need)
		put(style, out, 4, cause->need);
	if (cause->basis <= SLOW_FITS)
		put(style, out, 4, arena_join(arena, "look at: ", cause->next, ""));
}

/* What files lack that others could not tell. */
static void put_limits(const struct observed *observed, const struct style *style, struct buf *out)
{
	const struct capture *capture = observed->capture;
	struct arena *arena = observed->arena;
	size_t i;

	for (i = 0; i < capture->limits.count; i++) {
		const struct seen_limit *limit = &capture->limits.items[i];
		if (strcmp(limit->code, "FILE_CUT_OFF") != 0 &&
		    strcmp(limit->code, "FILE_UNREADABLE") != 0 &&
		    strcmp(limit->code, "FILE_UNKNOWN") != 0 &&
		    strcmp(limit->code, "TOO_MUCH") != 0)
			continue;
		put(style, out, 2,
		    arena_printf(arena, "%s: %s (%s)", limit->code, limit->text,
				 witness_text(observed, limit->witness)));
	}
}

void report_slow_text(const struct observed *observed, const struct slow *slow,
		      const struct style *style, struct buf *out)
{
	static const char *const titles[SLOW_BASES] = {
		[SLOW_SHOWN] = "What the evidence shows",
		[SLOW_FITS] = "What fits it",
		[SLOW_UNKNOWN] = "Not known",
		[SLOW_EXCLUDED] = "Ruled out",
	};
	size_t i;

	put_head(observed, slow, style, out);
	put_limits(observed, style, out);
	for (i = 0; i < slow->causes.count; i++) {
		const struct slow_cause *cause = &slow->causes.items[i];
		if (slow->kind == SLOW_WITHIN && cause->basis != SLOW_SHOWN)
			break;
		if (!i || cause->basis != slow->causes.items[i - 1].basis)
			style_heading(style, out, "%s", titles[cause->basis]);
		put_cause(observed, cause, style, out);
	}
	if (slow->kind == SLOW_WITHIN || !slow->next)
		return;
	style_heading(style, out, "What would settle it");
	put(style, out, 2, slow->next);
}
