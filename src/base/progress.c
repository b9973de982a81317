#include "base/progress.h"

/* To the first column, and blank to the end of the line (ECMA-48, EL). */
#define CLEAR_LINE "\r\033[K"

bool progress_line(struct progress *progress, double seconds, struct buf *out)
{
	if (seconds < PROGRESS_AFTER || seconds - progress->shown < PROGRESS_EVERY)
		return false;
	progress->shown = seconds;
	/* The cursor goes back, so that whatever comes next overwrites the line. */
	buf_printf(out, CLEAR_LINE "parplan: %zu of %zu %s\r", progress->done, progress->total,
		   progress->unit ? progress->unit : "files");
	return true;
}

void progress_erase(const struct progress *progress, double seconds, struct buf *out)
{
	if (seconds >= PROGRESS_AFTER || progress->shown > 0)
		buf_text(out, CLEAR_LINE);
}
