#ifndef REPORT_WEB_WEB_H
#define REPORT_WEB_WEB_H

#include "report/web/html.h"
#include "report/report.h"

#include "base/vec.h"

struct figure;
struct forecast;
struct plan;
struct subject;
struct why;

/*
 * `parplan report`: one page of HTML that needs nothing beside itself. Each file is written when
 * it is ready, and may be let go afterwards; the page with its index is put together at the end.
 */

/* What the index says of a file; texts live as long as the page. */
struct web_entry {
	const char *path;
	struct totals totals;
	const char *found;	  /* "1 error, 2 notes" */
	int64_t world;		  /* ranks, or 0 */
	const char *strategy;	  /* of data parallelism as applied, or "" */
	const char *step, *bytes; /* forecast, with units, or "" */
	const char *verdict;	  /* whether it fits, or "" */
};

struct web {
	struct arena *arena;  /* as long-lived as the page */
	const char *version;  /* of parplan */
	struct buf *body;     /* the sections written so far */
	const char *incident; /* whose logs the page begins with: "run/logs"; or NULL */
	VEC(struct web_entry) entries;
	struct passed_over passed_over; /* of folders that were named */
};

/* What a search among the layouts of a file's job found. */
struct web_search {
	const struct subject *found; /* NULL: nobody searched */
	const char *trouble;	     /* why nothing could be searched, or NULL */
};

/* Writes the section of one file, whose rules have run. */
void web_file(struct web *web, const struct checked *file, const struct web_search *search);

/*
 * Writes what the logs of a job say that died or hung: causes, times, ranks and hosts, texts.
 * `subject` (may be NULL) is what its mesh is drawn of. Comes before files.
 */
void web_incident(struct web *web, const struct why *why, const struct subject *subject,
		  const char *path);

/* Writes the whole page. */
void web_page(const struct web *web, struct buf *out);

/* ---- the parts of a section ---- */

/* What all of them write to. */
struct sheet {
	struct html html;
	struct arena *arena; /* of the job */
	const struct checked *file;
	struct job *job;
	const struct web_search *search;
	int number;	    /* of the file, from 1: what its ids begin with */
	const char *raised; /* what stops the job before its first step has ended, or NULL */
	const char *stops;  /* then: a sentence of that, or that it is not known, and a colon */
	const char *doubt;  /* why it is not known whether it does, or NULL */
	const struct forecast *applied; /* NULL: there is none */
	const struct forecast
		*asked; /* of the plan as asked, where it costs something else, or NULL */
};

void web_findings(struct sheet *sheet);
void web_plan(struct sheet *sheet);
void web_parameters(struct sheet *sheet, const struct plan *plan);
void web_figures(struct sheet *sheet);
bool web_figure(struct sheet *sheet, const struct figure *figure, const struct subject *subject);
void web_forecast(struct sheet *sheet);
void web_changes(struct sheet *sheet);
void web_search(struct sheet *sheet);
void web_settings(struct sheet *sheet);

/* Opens a part with its heading, "f1-plan"; sheet_end closes it. */
void sheet_part(struct sheet *sheet, const char *id, const char *heading);
void sheet_end(struct sheet *sheet);

/* A column of a table: its head, and whether it holds numbers. */
struct web_column {
	const char *head;
	bool number;
};

/*
 * Opens a table that scrolls by itself where it is too wide: caption, head, body. With a `filter`,
 * "parameters", readers can search its rows. Rows and cells follow; sheet_table_end closes it.
 */
void sheet_table(struct sheet *sheet, const char *id, const char *caption,
		 const struct web_column *columns, size_t count, const char *filter);
void sheet_table_end(struct sheet *sheet);

/*
 * Opens the <input> of a field that asks something of a table, with a label before it; scripts
 * alone show it. Its attributes follow; sheet_field_end closes it, and adds where the answer is
 * said.
 */
void sheet_field(struct sheet *sheet, const char *class, const char *id, const char *label);
void sheet_field_end(struct sheet *sheet);

/* A row: its first cell is the row's name. */
void sheet_row(struct sheet *sheet, const char *name);
void sheet_row_name(struct sheet *sheet, const char *name); /* where the <tr> has attributes */
void sheet_cell(struct sheet *sheet, const char *text);
void sheet_number(struct sheet *sheet, const char *text);
void sheet_row_end(struct sheet *sheet);

/* A term and what is to be said of it, in a <dl>; nothing for a NULL text. */
void sheet_term(struct sheet *sheet, const char *term, const char *text);

/* "1.155 s", "28.3 ms"; "3.74 GiB". */
char *web_seconds(struct arena *arena, double seconds);
char *web_bytes(struct arena *arena, double bytes);
char *web_share(struct arena *arena, double bytes, double capacity); /* "48.0 of 79.7 GiB" */

/* Text with the escapes of report/findings/excerpt.h in a <pre>, as coloured spans. */
void sheet_excerpt(struct sheet *sheet, const char *label, const char *text);

#endif
