#ifndef DRAW_FIGURE_H
#define DRAW_FIGURE_H

#include "draw/canvas.h"
#include "draw/cluster.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * To add a figure: one file in draw/figures/ with `const struct figure figure_NAME`.
 * `parplan draw --figure NAME` and its help follow by themselves; add a golden test.
 */

/* What goes over one group of ranks, by the account of traffic or as it was seen. */
struct carried {
	const char *name; /* of the mesh that does it: others may have the same groups */
	struct layout layout;
	double bytes;	   /* received by one rank in one step */
	double seconds;	   /* of one step, hidden behind computation or not; 0: not known */
	double exposed;	   /* of these, what nothing hides; negative: not known */
	const char *calls; /* "66 all-gathers of parameters, 34 reduce-scatters of gradients" */
	bool seen;	   /* in a run, rather than by the account */
};

/* A layout that a search has found, or the config as it is. */
struct found {
	double time, memory; /* seconds of a step; bytes of the fullest device */
	bool front;	     /* none is faster and leaves more memory free */
	bool own;	     /* it is the config as it is */
	const char *name;
};

struct forecast;
struct traffics;

/* What one step costs under a plan; NULL: not known. */
struct cost {
	const struct traffics *traffic;
	const struct forecast *forecast;
};

/* What a figure shows. */
struct subject {
	struct arena *arena;
	const char *name;     /* of the config */
	const char *versions; /* "torchtitan v0.2.0, torch 2.9.0", or "" */
	const struct plan *requested;
	const struct plan *applied; /* NULL: no framework is known to build one */
	bool ran;		    /* it is what evidence of a run shows */
	struct cluster cluster;
	const char *rank_order;	 /* what the config says of it, or NULL */
	const char *inside;	 /* what joins the GPUs of a node: "NVLink" */
	const char *between;	 /* what joins nodes, or NULL: "InfiniBand" */
	const char *const *axes; /* --axis: at most two names, the first coloured */
	size_t axis_count;
	const char *rows;	    /* what the difference does to a matrix, or NULL */
	const char *fix;	    /* how to make the applied plan the requested one, or NULL */
	const struct blame *blames; /* ranks to be marked: a run waits for them */
	size_t blame_count;
	bool expand;		       /* every rank, however many there are */
	const char *parameter;	       /* --parameter: a name or the beginning of one, or NULL */
	const struct carried *carried; /* what goes over the groups of the plan that is drawn */
	size_t carried_count;
	struct cost costs[2];		 /* of a step as requested and as applied */
	const struct forecast *forecast; /* of figures that want one */
	const struct found *found;	 /* the best first, of figures that want a search */
	size_t found_count;
	double capacity; /* bytes of the device that they are found for */
};

struct figure {
	const char *name;
	const char *summary; /* one line */
	bool forecasts;	     /* shows subject.forecast, which is there then */
	bool searches;	     /* shows subject.found, which is there then */
	/* Draws on an empty canvas. Returns NULL, or a sentence why it cannot. */
	const char *(*draw)(const struct subject *subject, struct canvas *canvas);
};

/* Bytes that a rank receives over all groups of that layout; 0: nothing, or nobody knows. */
double subject_received(const struct subject *subject, const struct layout *layout);

/*
 * How thick a line is that stands for so many bytes: its area on the canvas goes with them, and
 * the largest of the subject is `most` thick, one over which nothing goes 1. 0, which is a part's
 * own, when nothing is known.
 */
double subject_thickness(const struct subject *subject, double bytes, double most);

/* All figures, ended by NULL. */
extern const struct figure *const figures[];

/* The figure of that name, or NULL. */
const struct figure *figure_find(const char *name);

#endif
