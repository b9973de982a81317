#ifndef DRAW_CHAIN_H
#define DRAW_CHAIN_H

#include "draw/canvas.h"
#include "draw/communicator.h"

/*
 * One group as a row of ranks: a band under those of one node, a line between neighbours (NVLink
 * on a band, the network between bands), the ends of what is left out. Returns the x at its end.
 */
struct chain_look {
	double x, y, width; /* room */
	double thickness;   /* of lines; 0: as usual */
};

double chain_draw(struct canvas *canvas, const struct cluster *cluster,
		  const struct communicator *communicator, struct chain_look look);

/* Its height, bands included. */
double chain_height(const struct canvas *canvas);

/* A sample for legends: two ranks joined inside a node, or between two. Returns its width. */
double chain_sample(struct canvas *canvas, bool far, double x, double y);

#endif
