#ifndef REPORT_PLAN_TEXT_H
#define REPORT_PLAN_TEXT_H

#include "report/findings/excerpt.h"
#include "report/plan/view.h"
#include "report/report.h"

/* What the parts of a plan in text share. */
struct page {
	struct arena *arena;
	const struct job *job;
	const struct plan *plan;
	const struct plan_view *view;
	struct buf *out;
	struct style style;
};

/* What the chosen ranks hold: their coordinates and peers, and their parts of the parameters. */
void plan_text_parameters(struct page *page);

#endif
