#ifndef REPORT_RANKS_TEXT_H
#define REPORT_RANKS_TEXT_H

#include "report/findings/excerpt.h"
#include "report/ranks/view.h"

/* What the parts of the text share. */
struct ranks_page {
	const struct ranks_view *view;
	struct arena *arena;
	struct buf *out;
	struct style style;
};

/* "  label    text", wrapped below itself. */
void ranks_line(struct ranks_page *page, const char *label, const char *text);

/* "dp_shard, dp": the names of an axis. */
const char *ranks_axis_names(struct arena *arena, const struct communicator *axis);

/* "gpu-a07, gpu-b01 and 14 more". */
const char *ranks_node_names(struct ranks_page *page, const int64_t *nodes, int64_t shown,
			     int64_t count);

/* What is left when the lost ranks are gone. */
void ranks_text_lost(struct ranks_page *page);

#endif
