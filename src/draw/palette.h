#ifndef DRAW_PALETTE_H
#define DRAW_PALETTE_H

#include "base/arena.h"

/* Group colours repeat after this many groups; letters and numbers do not. */
enum { HUES = 6 };

/* Colours as 0xRRGGBB. */
struct palette {
	unsigned int background, text, quiet, line; /* line: borders of nodes */
	unsigned int node;			    /* inside of a node */
	unsigned int alert, alert_tint;		    /* what is not as asked */
	unsigned int hue[HUES], tint[HUES], band[HUES];
};

/*
 * After Okabe and Ito, "Color universal design" (2008): told apart with every kind of colour
 * vision. Vermillion is kept for differences.
 */
struct palette palette_light(void);
struct palette palette_dark(void);

/* "#0072b2". */
char *palette_hex(struct arena *arena, unsigned int color);

#endif
