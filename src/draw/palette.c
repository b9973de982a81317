#include "draw/palette.h"

#include <math.h>

/* blue, orange, bluish green, reddish purple, sky blue, yellow */
static const unsigned int okabe_ito[HUES] = { 0x0072b2, 0xe69f00, 0x009e73,
					      0xcc79a7, 0x56b4e9, 0xf0e442 };

static const unsigned int vermillion = 0xd55e00;

/* `percent` of one colour in another. */
static unsigned int mix(unsigned int color, unsigned int into, unsigned int percent)
{
	unsigned int out = 0, shift;

	for (shift = 0; shift < 24; shift += 8) {
		unsigned int a = color >> shift & 0xff, b = into >> shift & 0xff;
		out |= (a * percent + b * (100 - percent) + 50) / 100 << shift;
	}
	return out;
}

/* Relative luminance as WCAG 2.1 defines it, of sRGB. */
static double luminance(unsigned int color)
{
	static const double share[] = { 0.2126, 0.7152, 0.0722 };
	double sum = 0;
	int i;

	for (i = 0; i < 3; i++) {
		double value = (color >> (16 - 8 * i) & 0xff) / 255.0;
		sum += share[i] *
		       (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
	}
	return sum;
}

double palette_contrast(unsigned int a, unsigned int b)
{
	double bright = luminance(a) + 0.05, dim = luminance(b) + 0.05;

	return bright > dim ? bright / dim : dim / bright;
}

/* The strongest mix of a colour that text can still be read on. */
static unsigned int fill_of(const struct palette *palette, unsigned int color)
{
	unsigned int percent = 70;

	while (percent > 20 &&
	       palette_contrast(mix(color, palette->background, percent), palette->text) < 4.5)
		percent -= 2;
	return mix(color, palette->background, percent);
}

static void tints(struct palette *palette, unsigned int toward, unsigned int stroke,
		  unsigned int fill, unsigned int band)
{
	int i;

	for (i = 0; i < HUES; i++) {
		palette->hue[i] = mix(okabe_ito[i], toward, stroke);
		palette->tint[i] = mix(okabe_ito[i], palette->node, fill);
		palette->band[i] = mix(okabe_ito[i], palette->node, band);
		palette->fill[i] = fill_of(palette, okabe_ito[i]);
	}
}

struct palette palette_light(void)
{
	struct palette palette = {
		.background = 0xffffff,
		.text = 0x1f2328,
		.quiet = 0x59636e,
		.line = 0xc4ccd4,
		.node = 0xf6f8fa,
		.alert = 0xc04b00,
	};

	palette.alert_tint = mix(vermillion, palette.background, 9);
	tints(&palette, 0x000000, 88, 34, 15);
	return palette;
}

struct palette palette_dark(void)
{
	struct palette palette = {
		.background = 0x0d1117,
		.text = 0xf0f3f6,
		.quiet = 0x9ea7b3,
		.line = 0x3d444d,
		.node = 0x151b23,
		.alert = 0xff8a3d,
	};

	palette.alert_tint = mix(vermillion, palette.background, 18);
	tints(&palette, 0xffffff, 85, 46, 20);
	return palette;
}

char *palette_hex(struct arena *arena, unsigned int color)
{
	return arena_printf(arena, "#%06x", color & 0xffffff);
}
