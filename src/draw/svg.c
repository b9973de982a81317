#include "draw/device.h"
#include "draw/utf8.h"

#include <math.h>

/*
 * SVG of our own: small, the same bytes everywhere, readable in a browser, a README
 * and a PDF tool. Looks are classes; a dark variant follows the reader's setting.
 */
static const char *const classes[PARTS] = {
	[PART_TITLE] = "title",	  [PART_HEADING] = "head",
	[PART_TEXT] = "text",	  [PART_QUIET] = "quiet",
	[PART_RANK] = "rank",	  [PART_MEMBER] = "member",
	[PART_LABEL] = "label",	  [PART_MOVED] = "moved",
	[PART_ALERT] = "alert",	  [PART_STRONG] = "strong",
	[PART_NODE] = "node",	  [PART_BAND] = "band",
	[PART_CELL] = "cell",	  [PART_CHANGED_CELL] = "changed",
	[PART_TAG] = "tag",	  [PART_ALERT_TAG] = "tag alerting",
	[PART_NOTICE] = "notice", [PART_AREA] = "area",
	[PART_ARROW] = "arrow",	  [PART_PADDING] = "padding",
	[PART_LINK] = "link",	  [PART_THIN_LINK] = "thin",
	[PART_FAR_LINK] = "link", [PART_CHANGED_LINK] = "crossing",
	[PART_RULE] = "rule",	  [PART_AXIS] = "axis",
	[PART_LIMIT] = "limit",
};

/* Corner radius of each area. */
static const double radius[PARTS] = {
	[PART_NODE] = 10, [PART_BAND] = 10,	 [PART_CELL] = 6,   [PART_CHANGED_CELL] = 6,
	[PART_TAG] = 9,	  [PART_ALERT_TAG] = 10, [PART_NOTICE] = 10
};

/* At most one decimal, never "-0" or "1.0": the same text on every machine. */
static void number(struct buf *out, double value)
{
	long long tenths = llround(value * 10);

	if (tenths < 0)
		buf_char(out, '-');
	tenths = tenths < 0 ? -tenths : tenths;
	buf_printf(out, "%lld", tenths / 10);
	if (tenths % 10)
		buf_printf(out, ".%lld", tenths % 10);
}

static void attribute(struct buf *out, const char *name, double value)
{
	buf_printf(out, " %s=\"", name);
	number(out, value);
	buf_char(out, '"');
}

static void escaped(struct buf *out, const char *text)
{
	while (*text) {
		size_t length = utf8_character(text);
		if (*text == '&')
			buf_text(out, "&amp;");
		else if (*text == '<')
			buf_text(out, "&lt;");
		else if (*text == '>')
			buf_text(out, "&gt;");
		else if (*text == '"')
			buf_text(out, "&quot;");
		else if (length)
			buf_bytes(out, text, length);
		else
			buf_text(out, "\xef\xbf\xbd");
		text += length ? length : 1;
	}
}

/* The rules that depend on the palette. */
static void color_rules(struct buf *out, const struct palette *palette)
{
	int i;

	buf_printf(out, ".paper{fill:#%06x}", palette->background);
	buf_printf(out, ".title,.head,.text,.strong,.rank,.member,.label{fill:#%06x}",
		   palette->text);
	buf_printf(out, ".quiet{fill:#%06x}", palette->quiet);
	buf_printf(out, ".alert,.moved{fill:#%06x}\n", palette->alert);
	buf_printf(out, ".node{fill:#%06x;stroke:#%06x}", palette->node, palette->line);
	buf_printf(out, ".tag{fill:#%06x;stroke:#%06x}", palette->background, palette->line);
	buf_printf(out, ".alerting{stroke:#%06x}", palette->alert);
	buf_printf(out, ".notice{fill:#%06x;stroke:#%06x}", palette->alert_tint, palette->alert);
	buf_printf(out, ".cell{fill:#%06x;stroke:#%06x}", palette->node, palette->quiet);
	buf_printf(out, ".changed{stroke:#%06x}.crossing{stroke:#%06x}", palette->alert,
		   palette->alert);
	buf_printf(out, ".thin{stroke:#%06x}.rule{stroke:#%06x}\n", palette->quiet, palette->line);
	buf_printf(out, ".padding{fill:none;stroke:#%06x}", palette->quiet);
	buf_printf(out, ".band{fill:#%06x}.link{stroke:#%06x}", palette->line, palette->quiet);
	buf_printf(out, ".area{fill:#%06x;stroke:#%06x}", palette->line, palette->background);
	buf_printf(out, ".axis{stroke:#%06x}.arrow{fill:#%06x}.limit{stroke:#%06x}\n",
		   palette->quiet, palette->quiet, palette->alert);
	buf_printf(out, ".texture{fill:#%06x;fill-opacity:0.22}\n", palette->text);
	for (i = 0; i < HUES; i++) {
		buf_printf(out, ".cell.g%d{fill:#%06x;stroke:#%06x}", i, palette->tint[i],
			   palette->hue[i]);
		buf_printf(out, ".changed.g%d{fill:#%06x}.area.g%d{fill:#%06x}", i,
			   palette->tint[i], i, palette->fill[i]);
		buf_printf(out, ".band.g%d{fill:#%06x}.link.g%d{stroke:#%06x}\n", i,
			   palette->band[i], i, palette->hue[i]);
	}
}

/* A page has widths of lines as attributes, which a class would overrule. */
static void width_rules(struct buf *out, const struct look *look)
{
	const char *unless = look->page ? ":not([stroke-width])" : "";

	buf_printf(out, ".link%s{stroke-width:3.5}.thin%s{stroke-width:1.5;", unless, unless);
	buf_printf(out, "stroke-dasharray:2 4;stroke-linecap:round}.crossing%s{stroke-width:8}",
		   unless);
	buf_printf(out, ".rule%s{stroke-width:1}.limit%s{stroke-width:2;stroke-dasharray:7 4}\n",
		   unless, unless);
	if (look->page)
		buf_text(out, ".thin{stroke-dasharray:2 4;stroke-linecap:round}"
			      ".limit{stroke-dasharray:7 4}\n");
}

static void rules(struct buf *out, const struct metrics *metrics, const struct look *look)
{
	struct palette light = palette_light(), dark = palette_dark();
	int part;

	buf_text(out, "text{font-family:Inter,\"Segoe UI\",Helvetica,Arial,"
		      "sans-serif}\n");
	for (part = 0; part < PART_TEXTS; part++) {
		buf_printf(out, ".%s{font-size:", classes[part]);
		number(out, metrics->size[part]);
		buf_text(out, "px}");
	}
	buf_text(out, "\n.title,.head,.alert,.strong,.moved{font-weight:600}.member,.label{font-"
		      "weight:500}"
		      ".rank{font-variant-numeric:tabular-nums}\n"
		      ".node,.axis{stroke-width:1}.padding{stroke-width:1;stroke-dasharray:3 "
		      "3}.area{stroke-width:0.5}.cell{stroke-width:1.5}"
		      ".tag,.notice{stroke-width:1}"
		      ".changed{stroke-width:2;stroke-dasharray:4 2.5}\n"
		      ".link,.thin,.crossing{fill:none}");
	width_rules(out, look);
	color_rules(out, look->theme == THEME_DARK ? &dark : &light);
	if (look->theme == THEME_AUTO) {
		buf_text(out, "@media (prefers-color-scheme:dark){\n");
		color_rules(out, &dark);
		buf_text(out, "}\n");
	}
}

void svg_rules(struct buf *out)
{
	const struct look look = { .theme = THEME_AUTO, .page = "" };

	rules(out, &metrics_pixels, &look);
}

/* What the ids of a picture begin with: they are unique within a page. */
static const char *id_of(const struct look *look)
{
	return look->page ? look->page : "parplan";
}

/* The textures that the shapes of a canvas take: stripes and dots of the colour of text. */
static void textures(struct buf *out, const struct canvas *canvas, const struct look *look)
{
	static const char *const what[TEXTURES] = {
		NULL,
		"patternTransform=\"rotate(45)\" width=\"6\" height=\"6\">"
		"<rect width=\"1.6\" height=\"6\" class=\"texture\"/>",
		"width=\"6\" height=\"6\"><circle cx=\"3\" cy=\"3\" r=\"1.3\" "
		"class=\"texture\"/>"
	};
	bool taken[TEXTURES] = { false };
	size_t i;
	int texture;

	for (i = 0; i < canvas->shapes.count; i++)
		taken[canvas->shapes.items[i].texture] = true;
	for (texture = 1; texture < TEXTURES; texture++)
		if (taken[texture])
			buf_printf(out,
				   "<pattern id=\"%s-texture%d\" "
				   "patternUnits=\"userSpaceOnUse\" %s</pattern>\n",
				   id_of(look), texture, what[texture]);
}

static void class_of(struct buf *out, const struct shape *shape)
{
	buf_printf(out, " class=\"%s", classes[shape->part]);
	if (shape->hue >= 0)
		buf_printf(out, " g%d", shape->hue);
	buf_char(out, '"');
}

static void write_text(struct buf *out, const struct canvas *canvas, const struct shape *shape)
{
	double size = canvas->metrics.size[shape->part];

	buf_text(out, "<text");
	class_of(out, shape);
	attribute(out, "x", shape->x);
	attribute(out, "y", shape->y + shape->h / 2 + size * 0.35);
	if (shape->anchor != ANCHOR_START)
		buf_printf(out, " text-anchor=\"%s\"",
			   shape->anchor == ANCHOR_MIDDLE ? "middle" : "end");
	buf_char(out, '>');
	escaped(out, shape->text);
	buf_text(out, "</text>\n");
}

static void end_rectangle(struct buf *out, const struct shape *shape)
{
	attribute(out, "x", shape->x);
	attribute(out, "y", shape->y);
	attribute(out, "width", shape->w);
	attribute(out, "height", shape->h);
	if (radius[shape->part] > 0)
		attribute(out, "rx", radius[shape->part]);
	buf_text(out, "/>\n");
}

static void write_rectangle(struct buf *out, const struct shape *shape)
{
	buf_text(out, "<rect");
	class_of(out, shape);
	end_rectangle(out, shape);
}

/* What lies over the colour of an area. */
static void write_texture(struct buf *out, const struct shape *shape, const struct look *look)
{
	if (!shape->texture || shape->part < PART_TEXTS)
		return;
	buf_printf(out, "<rect fill=\"url(#%s-texture%d)\"", id_of(look), shape->texture);
	end_rectangle(out, shape);
}

static void write_path(struct buf *out, const struct shape *shape, const struct look *look)
{
	bool upright = shape->h > shape->w;
	double dx = upright ? shape->bulge * 4 / 3 : 0, dy = upright ? 0 : shape->bulge * 4 / 3;

	buf_text(out, "<path");
	class_of(out, shape);
	buf_text(out, " d=\"M");
	number(out, shape->x);
	buf_char(out, ' ');
	number(out, shape->y);
	if (shape->kind == SHAPE_ARC) {
		buf_char(out, 'c');
		number(out, dx);
		buf_char(out, ' ');
		number(out, dy);
		buf_char(out, ' ');
		number(out, shape->w + dx);
		buf_char(out, ' ');
		number(out, shape->h + dy);
		buf_char(out, ' ');
	} else {
		buf_char(out, 'l');
	}
	number(out, shape->w);
	buf_char(out, ' ');
	number(out, shape->h);
	buf_char(out, '"');
	if (shape->thickness > 0) {
		buf_text(out, look->page ? " stroke-width=\"" : " style=\"stroke-width:");
		number(out, shape->thickness);
		buf_char(out, '"');
	}
	buf_text(out, "/>\n");
}

static void write_polygon(struct buf *out, const struct shape *shape)
{
	size_t i;

	buf_text(out, "<polygon");
	class_of(out, shape);
	buf_text(out, " points=\"");
	for (i = 0; i < shape->point_count; i++) {
		buf_text(out, i ? " " : "");
		number(out, shape->points[i].x);
		buf_char(out, ',');
		number(out, shape->points[i].y);
	}
	buf_text(out, "\"/>\n");
}

static void write_shape(struct buf *out, const struct canvas *canvas, const struct shape *shape,
			const struct look *look)
{
	switch (shape->kind) {
	case SHAPE_TEXT:
		write_text(out, canvas, shape);
		break;
	case SHAPE_RECTANGLE:
		write_rectangle(out, shape);
		write_texture(out, shape, look);
		break;
	case SHAPE_POLYGON:
		write_polygon(out, shape);
		break;
	case SHAPE_LINE:
	case SHAPE_ARC:
		write_path(out, shape, look);
		break;
	}
}

/* The start tag and the text alternative. */
static void head(struct buf *out, const struct canvas *canvas, const struct look *look)
{
	const char *id = id_of(look);

	buf_text(out, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
	attribute(out, "width", ceil(canvas->width));
	attribute(out, "height", ceil(canvas->height));
	buf_printf(out, " viewBox=\"0 0 %.0f %.0f\" role=\"img\"", ceil(canvas->width),
		   ceil(canvas->height));
	buf_printf(out, " aria-labelledby=\"%s-title %s-description\">\n", id, id);
	buf_printf(out, "<title id=\"%s-title\">", id);
	escaped(out, canvas->title);
	buf_printf(out, "</title>\n<desc id=\"%s-description\">", id);
	escaped(out, canvas->description);
	buf_text(out, "</desc>\n");
}

static const char *svg_write(const struct canvas *canvas, const struct look *look, struct buf *out)
{
	size_t i;

	head(out, canvas, look);
	if (!look->page) {
		buf_text(out, "<style>\n");
		rules(out, &canvas->metrics, look);
		buf_text(out, "</style>\n");
	}
	textures(out, canvas, look);
	buf_text(out, "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
	for (i = 0; i < canvas->shapes.count; i++)
		write_shape(out, canvas, &canvas->shapes.items[i], look);
	buf_text(out, "</svg>\n");
	return NULL;
}

const struct device device_svg = {
	.name = "svg",
	.summary = "scalable, light and dark",
	.write = svg_write,
};
