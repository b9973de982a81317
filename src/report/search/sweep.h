#ifndef REPORT_SEARCH_SWEEP_H
#define REPORT_SEARCH_SWEEP_H

#include "base/buf.h"
#include "search/outcome.h"

/* What one search of several was asked for otherwise than the others. */
struct sweep_value {
	const char *key, *value;
	bool file; /* the value is the path of a config */
};

struct sweep_row {
	VEC(struct sweep_value) values;
	const char *trouble; /* why nothing is proposed; NULL: the rest is there */
	struct outcome best;
	const char *layout;
	const char *search; /* the whole of it, as parplan.search/1; or NULL */
	const char *folder; /* where its best layouts are written; or NULL */
};

struct sweep_rows {
	VEC(struct sweep_row) list;
};

/* A table of the best of each. */
void report_sweep_text(const struct sweep_rows *rows, struct arena *arena, struct buf *out,
		       bool color, int columns);

/* parplan.sweep/1. */
void report_sweep_json(const struct sweep_rows *rows, struct buf *out);

#endif
