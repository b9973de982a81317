#ifndef DRAW_DEVICE_H
#define DRAW_DEVICE_H

#include "base/buf.h"
#include "draw/canvas.h"
#include "draw/palette.h"

#include <stdbool.h>

/* Devices turn the shapes of a canvas into a picture in one format. */
enum theme { THEME_AUTO, THEME_LIGHT, THEME_DARK };

struct look {
	enum theme theme; /* AUTO: SVG follows the reader's setting, others are light */
	bool color;	  /* terminal: ANSI colours */
	bool unicode;	  /* terminal: box drawing and arrows rather than ASCII */
	const char *page; /* SVG inside a page that has svg_rules: what its ids begin with; or NULL
			   */
};

struct device {
	const char *name; /* what --format says, and the extension of its files */
	const char *summary;
	bool characters; /* wants metrics_characters */
	bool binary;	 /* its pictures are no text */
	/* Appends the picture to `out`. Returns NULL, or a sentence why it cannot be made. */
	const char *(*write)(const struct canvas *canvas, const struct look *look, struct buf *out);
};

/* The device of that name, or NULL. */
const struct device *device_find(const char *name);

/* The device for files of that extension, or NULL. */
const struct device *device_of_path(const char *path);

/* The palette of a look; AUTO is light. */
struct palette look_palette(const struct look *look);

/* The style of all SVG pictures inside a page, by the reader's light or dark setting. */
void svg_rules(struct buf *out);

extern const struct device device_svg, device_text, device_dot, device_png, device_pdf;

#endif
