#include "report/findings/headline.h"

static void begin(struct report *report, struct buf *out)
{
	(void)report;
	(void)out;
}

/* Compilers say related places as notes below the error they belong to. */
static void put_related(const struct checked *file, const struct finding *finding, struct buf *out)
{
	struct arena *arena = file->job->arena;
	size_t i;

	for (i = 0; i < finding->related.count; i++) {
		const struct related *related = &finding->related.items[i];
		const struct spot place = spot_of(file, related->span);
		headline_place(&place, out);
		buf_printf(out, ": note: %s\n", plain_line(arena, related->message));
	}
}

/* "train.yaml: note: partly judged: 48 rules need the world size (--world N)" */
static void put_judged(const struct report *report, const struct checked *file, struct buf *out)
{
	const struct spot place = spot_of(file, (struct span) { 0 });
	const char *remark = judged_remark(file);

	if (!*remark)
		return;
	headline_place(&place, out);
	buf_printf(out, ": %s: %s\n", severity_name(judged_severity(report)),
		   plain_line(file->job->arena, remark));
}

static void put_file(struct report *report, const struct checked *file, struct buf *out)
{
	size_t i;

	put_judged(report, file, out);
	for (i = 0; i < file->findings->list.count; i++) {
		const struct finding *finding = file->findings->list.items[i];
		headline_write(file, finding, out);
		put_related(file, finding, out);
	}
}

static void end(struct report *report, struct buf *out)
{
	(void)report;
	(void)out;
}

const struct format format_gcc = {
	.name = "gcc",
	.summary = "one line each, as compilers write them, for editors",
	.begin = begin,
	.file = put_file,
	.end = end,
};
