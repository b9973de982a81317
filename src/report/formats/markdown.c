#include "report/findings/digest.h"

static void begin(struct report *report, struct buf *out)
{
	(void)out;
	report->state = digest_new(report);
}

static void put_file(struct report *report, const struct checked *file, struct buf *out)
{
	(void)out;
	digest_add(report->state, file);
}

static void end(struct report *report, struct buf *out)
{
	digest_write(report->state, out);
}

const struct format format_markdown = {
	.name = "markdown",
	.summary = "a table and what is behind it, for a comment on a change",
	.begin = begin,
	.file = put_file,
	.end = end,
};
