#ifndef DRAW_PAGE_H
#define DRAW_PAGE_H

#include "draw/axes.h"
#include "draw/figure.h"

/*
 * What figures have in common: a title, the grid that fits a plan, a legend, notes. Functions that
 * draw take the y to start at and return the y below.
 */

/* Title and a line below it that says what was assumed. */
double page_title(struct canvas *canvas, const struct subject *subject, const char *title);

/*
 * What to draw: the applied plan, or the requested one and in *why what keeps the applied one from
 * being drawn (else NULL).
 */
const struct plan *page_plan(const struct subject *subject, const char **why);

/* The title, also as the text alternative, and below it the reason that page_plan gave. */
double page_head(struct canvas *canvas, const struct subject *subject, const char *title,
		 const char *why);

/* Room between the margins. */
double page_room(const struct canvas *canvas);

/* Vertical distance between parts. */
double page_gap(const struct canvas *canvas);

/*
 * Fills in what follows from the subject: the cluster, and the axis of `plan` that rows of
 * nodes stand for.
 */
struct arrange page_arrange(const struct subject *subject, const struct plan *plan);

/* An axis as the legend lists it. */
struct legend_row {
	struct axis axis;
	char key; /* 'A': coloured letters, '0': numbers, 0: not shown in the cells */
};

struct legend {
	VEC(struct legend_row) rows;
};

/* What each axis is, how it is shown, and whether its groups stay inside nodes. */
double page_legend(struct canvas *canvas, const struct subject *subject,
		   const struct legend *legend, double y);

/* A piece of a line (PARTS: none) and what it means. */
double page_legend_line(struct canvas *canvas, enum part part, int hue, double x, double y,
			const char *text);

/* What has to be taken on trust about where ranks are. */
double page_assumptions(struct canvas *canvas, const struct subject *subject, double y);

/* The first thing that keeps a plan from being drawn, or NULL. */
const char *page_trouble(const struct plan *plan);

#endif
