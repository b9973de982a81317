#include "base/text.h"
#include "evidence/evidence.h"
#include "evidence/hang/lines.h"

/*
 * Lines of PyTorch's watchdog and of launchers that tell where ranks stood (evidence/hang/lines.h):
 * who hangs, and on which host. They tell nothing of groups that work.
 */
struct watching {
	struct hang_lines lines;
	int64_t path_rank;
	enum log_mark path_mark;
};

static void *open_log(struct evidence_intake *intake)
{
	struct watching *watching = arena_new(intake->capture->arena, struct watching);

	hang_lines_begin(&watching->lines, &intake->capture->hang);
	watching->path_rank = log_path_rank(evidence_file(intake)->path, &watching->path_mark);
	return watching;
}

static bool is_told(const char *text, size_t length)
{
	const char *const *needle = hang_line_needles;

	while (*needle && !text_mentions(text, length, *needle))
		needle++;
	return *needle;
}

static bool take_line(struct evidence_intake *intake, void *state, const char *text, size_t length)
{
	struct watching *watching = state;
	const size_t calls = intake->capture->hang.calls.count + watching->lines.loose.count;
	struct log_line line;

	if (!is_told(text, length))
		return false;
	line = log_line_of(text, length);
	if (watching->path_rank >= 0 && line.mark < watching->path_mark) {
		line.rank = watching->path_rank;
		line.mark = watching->path_mark;
	}
	hang_lines_take(&watching->lines, &line, text, length);
	return intake->capture->hang.calls.count + watching->lines.loose.count > calls;
}

static void close_log(struct evidence_intake *intake, void *state)
{
	struct watching *watching = state;

	(void)intake;
	hang_lines_end(&watching->lines);
}

const struct evidence_source source_watchdog = {
	.name = "PyTorch watchdog's lines",
	.record = "line",
	.blind = true,
	.open = open_log,
	.line = take_line,
	.close = close_log,
};
