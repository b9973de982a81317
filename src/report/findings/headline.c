#include "report/findings/headline.h"

#include "report/findings/remarks.h"

void headline_place(const struct spot *place, struct buf *out)
{
	const char *at;

	for (at = place->path; *at; at++) {
		unsigned char c = (unsigned char)*at;
		if (c == '\n')
			buf_text(out, "\\n");
		else if (c < 0x20 || c == 0x7f)
			buf_printf(out, "\\x%02x", (unsigned int)c);
		else
			buf_char(out, *at);
	}
	if (span_known(place->span))
		buf_printf(out, ":%u:%u", (unsigned int)place->span.line,
			   (unsigned int)place->span.column);
}

void headline_write(const struct checked *file, const struct finding *finding, struct buf *out)
{
	struct spot place = spot_of(file, finding->span);
	struct arena *arena = file->job->arena;

	headline_place(&place, out);
	buf_printf(out, ": %s: %s [%s]\n", severity_name(finding->severity),
		   plain_line(arena, spot_message(arena, &place, finding)), finding->rule->name);
}

/* Text whose further lines are indented below the first. */
static void put_lines(const char *text, struct buf *out)
{
	for (; *text; text++) {
		buf_char(out, *text);
		if (*text == '\n')
			buf_text(out, "    ");
	}
	buf_char(out, '\n');
}

void headline_details(const struct checked *file, const struct finding *finding, struct buf *out)
{
	struct arena *arena = file->job->arena;
	struct remark remarks[REMARKS];
	size_t i, count = remarks_of(arena, finding, remarks);

	headline_write(file, finding, out);
	for (i = 0; i < count; i++) {
		buf_printf(out, "  %s: ", remarks[i].label);
		put_lines(plain_text(arena, remarks[i].text), out);
	}
}
