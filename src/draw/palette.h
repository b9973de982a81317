#ifndef DRAW_PALETTE_H
#define DRAW_PALETTE_H

#include "base/arena.h"

/*
 * Group colours repeat after this many groups, with another texture: plain, hatched, dotted. What
 * is drawn takes hues up to MARKS, which stand for both. Letters and numbers do not repeat.
 */
enum { HUES = 6, TEXTURES = 3, MARKS = HUES * TEXTURES };

/* Colours as 0xRRGGBB. */
struct palette {
	unsigned int background, text, quiet, line; /* line: borders of nodes */
	unsigned int node;			    /* inside of a node */
	unsigned int alert, alert_tint;		    /* what is not as asked */
	unsigned int hue[HUES], tint[HUES], band[HUES];
	unsigned int fill[HUES]; /* of areas in charts: as strong as text on them allows */
};

/*
 * After Okabe and Ito, "Color universal design" (2008): told apart with every kind of colour
 * vision. Vermillion is kept for differences.
 */
struct palette palette_light(void);
struct palette palette_dark(void);

/*
 * How well one colour shows on another, from 1 to 21: the contrast ratio of WCAG 2.1, which asks
 * for 4.5 for text and 3 for shapes.
 */
double palette_contrast(unsigned int a, unsigned int b);

/* "#0072b2". */
char *palette_hex(struct arena *arena, unsigned int color);

#endif
