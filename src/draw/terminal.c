#include "draw/device.h"
#include "draw/utf8.h"

#include <math.h>
#include <string.h>

/*
 * The figure as characters: plain ASCII, or box drawing where the terminal can show it. Colours are
 * an extra; letters and numbers say the same.
 */
struct glyph {
	char bytes[5];
	unsigned char color; /* 256-colour index, or 0 */
	bool bold;
};

struct screen {
	struct glyph *glyphs;
	int columns, rows;
	bool unicode;
};

/* Nearest xterm colours to the palette's, legible on black and on white. */
static const unsigned char ansi_hue[HUES] = { 33, 172, 35, 169, 74, 142 };

enum { ANSI_ALERT = 202, ANSI_QUIET = 244 };

/* What our own symbols are in ASCII. */
static const struct {
	const char *symbol, *ascii;
} ascii[] = {
	{ "×", "x" },  { "→", ">" },   { "·", "|" }, { "–", "-" },  { "—", "-" },
	{ "≠", "!=" }, { "⋯", "..." }, { "…", "." }, { "≥", ">=" },
};

static struct glyph *at(const struct screen *screen, int column, int row)
{
	if (column < 0 || row < 0 || column >= screen->columns || row >= screen->rows)
		return NULL;
	return &screen->glyphs[row * screen->columns + column];
}

static void put(const struct screen *screen, int column, int row, const char *bytes, size_t length,
		struct glyph look)
{
	struct glyph *glyph = at(screen, column, row);

	if (!glyph)
		return;
	*glyph = look;
	memset(glyph->bytes, 0, sizeof(glyph->bytes));
	memcpy(glyph->bytes, bytes, length < 4 ? length : 4);
}

/* One character as the screen can show it, or NULL when it can as it is. */
static const char *shown(const struct screen *screen, const char *text, size_t length)
{
	size_t i;

	if (!length)
		return "?";
	if (screen->unicode || length == 1)
		return NULL;
	for (i = 0; i < sizeof(ascii) / sizeof(*ascii); i++)
		if (!strncmp(text, ascii[i].symbol, length))
			return ascii[i].ascii;
	return "?";
}

static void put_text(const struct screen *screen, const char *text, int column, int row,
		     struct glyph look)
{
	while (*text) {
		size_t length = utf8_character(text);
		const char *other = shown(screen, text, length);
		if (!other)
			put(screen, column++, row, text, length, look);
		else
			while (*other)
				put(screen, column++, row, other++, 1, look);
		text += length ? length : 1;
	}
}

/* Columns that a text takes on this screen. */
static int put_width(const struct screen *screen, const char *text)
{
	int width = 0;

	while (*text) {
		size_t length = utf8_character(text);
		const char *other = shown(screen, text, length);
		width += other ? (int)strlen(other) : 1;
		text += length ? length : 1;
	}
	return width;
}

static struct glyph look_of(const struct shape *shape)
{
	static const struct glyph looks[PARTS] = {
		[PART_TITLE] = { .bold = true },
		[PART_HEADING] = { .bold = true },
		[PART_STRONG] = { .bold = true },
		[PART_QUIET] = { .color = ANSI_QUIET },
		[PART_NODE] = { .color = ANSI_QUIET },
		[PART_THIN_LINK] = { .color = ANSI_QUIET },
		[PART_MOVED] = { .color = ANSI_ALERT, .bold = true },
		[PART_ALERT] = { .color = ANSI_ALERT, .bold = true },
		[PART_CHANGED_CELL] = { .color = ANSI_ALERT, .bold = true },
		[PART_CHANGED_LINK] = { .color = ANSI_ALERT, .bold = true },
		[PART_AREA] = { .color = ANSI_QUIET },
		[PART_AXIS] = { .color = ANSI_QUIET },
		[PART_LIMIT] = { .color = ANSI_ALERT, .bold = true },
	};
	struct glyph look = looks[shape->part];

	if ((shape->part == PART_CELL || shape->part == PART_LINK || shape->part == PART_FAR_LINK ||
	     shape->part == PART_AREA) &&
	    shape->hue >= 0)
		look.color = ansi_hue[shape->hue];
	look.bytes[0] = ' ';
	return look;
}

static void draw_text(const struct screen *screen, const struct shape *shape)
{
	int width = put_width(screen, shape->text), column = (int)floor(shape->x);
	int row = (int)floor(shape->y);
	struct glyph look = look_of(shape), *under;

	if (shape->anchor == ANCHOR_MIDDLE)
		column = (int)floor(shape->x - width / 2.0);
	else if (shape->anchor == ANCHOR_END)
		column -= width;
	under = at(screen, column, row);
	if ((shape->part == PART_RANK || shape->part == PART_MEMBER || shape->part == PART_LABEL) &&
	    under) {
		look.color = under->color;
		look.bold = under->bold;
	}
	put_text(screen, shape->text, column, row, look);
}

static void fill(const struct screen *screen, const struct shape *shape)
{
	int left = (int)floor(shape->x), top = (int)floor(shape->y);
	int right = left + (int)shape->w, bottom = top + (int)shape->h, column, row;
	struct glyph look = look_of(shape);

	for (row = top; row < bottom; row++)
		for (column = left; column < right; column++)
			put(screen, column, row, " ", 1, look);
}

/* What fills areas of each hue, and one without. */
static const char *texture(const struct screen *screen, int hue)
{
	static const char *const textures[2][HUES + 1] = {
		{ ".", "#", "=", "+", ":", "%", "o" },
		{ "·", "█", "▒", "▚", "░", "▓", "╱" },
	};

	return textures[screen->unicode][hue + 1];
}

/* A character is inside when its middle is, by the even-odd rule. */
static bool is_inside(const struct shape *polygon, double x, double y)
{
	const struct point *points = polygon->points;
	size_t count = polygon->point_count, i, before = count - 1;
	bool inside = false;

	for (i = 0; i < count; before = i++) {
		struct point a = points[before], b = points[i];
		if ((a.y > y) != (b.y > y) && x < a.x + (y - a.y) * (b.x - a.x) / (b.y - a.y))
			inside = !inside;
	}
	return inside;
}

/* What a rectangle covers, rounded, is at least one character wide and high. */
static void draw_area(const struct screen *screen, const struct shape *shape)
{
	const char *bytes = texture(screen, shape->hue);
	bool polygon = shape->kind == SHAPE_POLYGON;
	double round = polygon ? 0 : 0.5, beyond = polygon ? 1 : 0.5;
	int left = (int)floor(shape->x + round), right = (int)floor(shape->x + shape->w + beyond);
	int top = (int)floor(shape->y + round), bottom = (int)floor(shape->y + shape->h + beyond);
	int column, row;

	right = right > left ? right : left + 1;
	bottom = bottom > top ? bottom : top + 1;
	for (row = top; row < bottom; row++)
		for (column = left; column < right; column++)
			if (!polygon || is_inside(shape, column + 0.5, row + 0.5))
				put(screen, column, row, bytes, strlen(bytes), look_of(shape));
}

static void draw_node(const struct screen *screen, const struct shape *shape)
{
	static const char *const line[2][6] = { { "-", "|", "+", "+", "+", "+" },
						{ "─", "│", "┌", "┐", "└", "┘" } };
	const char *const *border = line[screen->unicode];
	int left = (int)shape->x, top = (int)shape->y, right = left + (int)shape->w - 1;
	int bottom = top + (int)shape->h - 1, i;
	struct glyph look = look_of(shape);

	for (i = left + 1; i < right; i++) {
		put(screen, i, top, border[0], strlen(border[0]), look);
		put(screen, i, bottom, border[0], strlen(border[0]), look);
	}
	for (i = top + 1; i < bottom; i++) {
		put(screen, left, i, border[1], strlen(border[1]), look);
		put(screen, right, i, border[1], strlen(border[1]), look);
	}
	put(screen, left, top, border[2], strlen(border[2]), look);
	put(screen, right, top, border[3], strlen(border[3]), look);
	put(screen, left, bottom, border[4], strlen(border[4]), look);
	put(screen, right, bottom, border[5], strlen(border[5]), look);
}

/* Upright and level, in ASCII and in Unicode. */
static const char *stroke(const struct screen *screen, enum part part, bool level)
{
	static const struct {
		enum part part;
		const char *glyph[2][2];
	} strokes[] = {
		{ PART_THIN_LINK, { { ":", "." }, { "┊", "┄" } } },
		{ PART_FAR_LINK, { { "~", "~" }, { "≈", "≈" } } },
		{ PART_CHANGED_LINK, { { "#", "=" }, { "║", "═" } } },
		{ PART_LIMIT, { { "!", "~" }, { "╎", "╌" } } },
		{ PART_LINK, { { "|", "-" }, { "│", "─" } } }, /* and all others */
	};
	size_t kind = 0;

	while (kind + 1 < sizeof(strokes) / sizeof(*strokes) && strokes[kind].part != part)
		kind++;
	return strokes[kind].glyph[screen->unicode][level];
}

static void draw_line(const struct screen *screen, const struct shape *shape)
{
	bool level = shape->w > shape->h;
	int column = (int)floor(shape->x), row = (int)floor(shape->y);
	int steps = (int)(level ? shape->w : shape->h), i;
	const char *bytes = stroke(screen, shape->part, level);
	struct glyph look = look_of(shape);

	for (i = 0; i < steps; i++)
		put(screen, column + (level ? i : 0), row + (level ? 0 : i), bytes, strlen(bytes),
		    look);
}

static void draw(const struct screen *screen, const struct shape *shape)
{
	if (shape->kind == SHAPE_TEXT)
		draw_text(screen, shape);
	else if (shape->kind == SHAPE_LINE)
		draw_line(screen, shape);
	else if (shape->part == PART_NODE)
		draw_node(screen, shape);
	else if (shape->part == PART_AREA)
		draw_area(screen, shape);
	else if (shape->part == PART_CELL || shape->part == PART_CHANGED_CELL ||
		 shape->part == PART_TAG || shape->part == PART_ALERT_TAG)
		fill(screen, shape);
}

static void change_look(struct buf *out, const struct glyph *now, const struct glyph *next)
{
	if (now->color == next->color && now->bold == next->bold)
		return;
	buf_text(out, "\033[0");
	if (next->bold)
		buf_text(out, ";1");
	if (next->color)
		buf_printf(out, ";38;5;%d", next->color);
	buf_char(out, 'm');
}

static void write_row(struct buf *out, const struct glyph *row, int columns, bool color)
{
	static const struct glyph plain = { .bytes = " " };
	const struct glyph *now = &plain;
	int i;

	while (columns && row[columns - 1].bytes[0] == ' ')
		columns--;
	for (i = 0; i < columns; i++) {
		if (color && row[i].bytes[0] != ' ') {
			change_look(out, now, &row[i]);
			now = &row[i];
		}
		buf_text(out, row[i].bytes);
	}
	if (color)
		change_look(out, now, &plain);
	buf_char(out, '\n');
}

static const char *text_write(const struct canvas *canvas, const struct look *look, struct buf *out)
{
	/* Symbols may become wider in ASCII. */
	struct screen screen = { .columns = (int)canvas->width + 8,
				 .rows = (int)canvas->height,
				 .unicode = look->unicode };
	size_t cells = (size_t)screen.columns * (size_t)screen.rows, i;
	int row;

	screen.glyphs = arena_array(canvas->arena, cells, sizeof(*screen.glyphs));
	for (i = 0; i < cells; i++)
		screen.glyphs[i].bytes[0] = ' ';
	for (i = 0; i < canvas->shapes.count; i++)
		draw(&screen, &canvas->shapes.items[i]);
	for (row = 0; row < screen.rows; row++)
		write_row(out, screen.glyphs + (size_t)row * (size_t)screen.columns, screen.columns,
			  look->color);
	return NULL;
}

const struct device device_text = {
	.name = "text",
	.summary = "characters, for the terminal",
	.characters = true,
	.write = text_write,
};
