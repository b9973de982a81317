#ifndef DRAW_DOT_H
#define DRAW_DOT_H

#include "base/buf.h"
#include "draw/canvas.h"
#include "draw/palette.h"

/*
 * Appends the canvas as a DOT graph with positions, built with Graphviz's cgraph: `neato -n2`
 * draws it as it is, and other tools can restyle it. Each area and text is a node, each line
 * an edge between two points. One unit is one point.
 */
void dot_write(const struct canvas *canvas, const struct palette *palette, struct buf *out);

/* The version of cgraph: "2.43.0"; NULL in a build without it. */
const char *dot_library(void);

#endif
