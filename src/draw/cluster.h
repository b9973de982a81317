#ifndef DRAW_CLUSTER_H
#define DRAW_CLUSTER_H

#include "draw/canvas.h"
#include "draw/marking.h"
#include "plan/topology.h"

#include <stdbool.h>
#include <stdint.h>

/* Where ranks sit. */
struct cluster {
	int64_t world;
	int64_t per_node; /* ranks of the largest node; 0: unknown, all are drawn as one block */
	const struct topology *topology; /* NULL: unknown */
};

/* `topology` may be NULL. */
struct cluster cluster_of(const struct topology *topology, int64_t world);

/* Nodes with ranks; 1 when they are not known. */
int64_t cluster_nodes(const struct cluster *cluster);

/* True when every node but the last has per_node ranks, one block of them. */
bool cluster_is_regular(const struct cluster *cluster);

/* The rank in that slot of a node, or -1. */
int64_t cluster_rank(const struct cluster *cluster, int64_t node, int64_t slot);

/* True when every group of a layout keeps to one node. */
bool cluster_holds(const struct cluster *cluster, const struct layout *layout);

/* True when every group keeps to one NVLink domain of several nodes. */
bool cluster_domain_holds(const struct cluster *cluster, const struct layout *layout);

/* True when NVLink joins two nodes: they are in one domain. */
bool cluster_joined(const struct cluster *cluster, int64_t a, int64_t b);

enum { FOLD_MARKS = 8 };

/* A row of things of which only some are shown: the first ones, the last, and landmarks. */
struct fold {
	int64_t total, shown;
	int64_t index[FOLD_MARKS]; /* which are shown, when not all are */
};

/* Where structure repeats: one step along an axis, counted in nodes. */
struct landmarks {
	int count;
	int64_t index[FOLD_MARKS];
};

struct fold fold_of(int64_t total, int64_t most, const struct landmarks *landmarks);
int64_t fold_index(struct fold fold, int64_t position);

/* True when things are left out just before that position. */
bool fold_gap(struct fold fold, int64_t position);

/* How the nodes of a cluster lie on the canvas. */
struct arrangement {
	struct cluster cluster;
	const char *row_name;	   /* the axis that a row of nodes stands for, or NULL */
	int64_t nodes_per_member;  /* of that axis; a row holds two members of one node each */
	struct fold rows, columns; /* of nodes */
	int64_t per_line;	   /* cells side by side in a node */
	struct fold lines;	   /* of cells in a node */
	double cell_width, node_width, node_height;
	double first_gap, gap; /* below the first row of nodes, and below the others */
	double width, height;
};

/* What is wanted of an arrangement. */
struct arrange {
	struct cluster cluster;
	const char *row_name;	    /* an axis of which every member fills whole nodes, or NULL */
	int64_t rows;		    /* its size */
	struct landmarks landmarks; /* columns worth showing */
	int mark_width;		    /* characters below a rank */
	bool links;		    /* groups cross nodes: leave room between rows */
	bool expand;		    /* leave nothing out */
	double width;		    /* room */
};

struct arrangement arrangement_of(const struct canvas *canvas, const struct arrange *wanted);

/* Node number at a place in the grid, or -1. */
int64_t arrangement_node(const struct arrangement *arrangement, int64_t row, int64_t column);

/* Left and upper edge of a place in the grid, relative to the arrangement's own corner. */
double arrangement_x(const struct canvas *canvas, const struct arrangement *arrangement,
		     int64_t column);
double arrangement_y(const struct arrangement *arrangement, int64_t row);

/* A rank that a run waits for, or that ended it. */
struct blame {
	int64_t rank;
	const char *class; /* "missing", "behind", "mismatched", "died" */
	const char *host;  /* NULL: not known */
	const char *says;  /* a sentence */
};

/* What is drawn: marks of ranks, and words on the links between nodes. */
struct panel {
	struct marking *marking;
	const char *letter_traffic, *number_traffic; /* what links carry, or NULL */
	double letter_thickness, number_thickness;   /* of links; 0: as usual */
	bool name_rows; /* say in each node which member of the row axis it is */
	const struct blame *blames;
	size_t blame_count;
	double x, y;
};

/* Draws nodes, cells and marks; then what joins the nodes (draw/links.c). */
void cluster_draw(struct canvas *canvas, const struct arrangement *arrangement,
		  const struct panel *panel);
void links_draw(struct canvas *canvas, const struct arrangement *arrangement,
		const struct panel *panel);

/* The words as they fit on links between rows: without what follows a colon, or NULL. */
const char *links_words(const struct canvas *canvas, const struct arrangement *arrangement,
			const char *words);

#endif
