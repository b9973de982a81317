#include "base/outward.h"

#include "base/io.h"
#include "base/secrets.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A text on its way out. */
struct pass {
	struct buf *out;
	const char *start, *at, *end;
	const char *hidden, *shown; /* a secret: bytes [shown, hidden) are stars */
	enum outward kind;
	bool color;
};

/* The code point at `at` with its length; of bytes that are none the first, with 0xFFFD. */
static uint32_t point_at(const char *at, const char *end, size_t *length)
{
	const unsigned char *byte = (const unsigned char *)at;
	const size_t more = byte[0] < 0xC2   ? 0
			    : byte[0] < 0xE0 ? 1
			    : byte[0] < 0xF0 ? 2
			    : byte[0] < 0xF5 ? 3
					     : 0;
	uint32_t point = byte[0] & (0x3Fu >> more);
	size_t i;

	*length = 1;
	if (byte[0] < 0x80)
		return byte[0];
	if (!more || (size_t)(end - at) <= more)
		return 0xFFFD;
	for (i = 1; i <= more; i++) {
		if ((byte[i] & 0xC0) != 0x80)
			return 0xFFFD;
		point = point << 6 | (byte[i] & 0x3Fu);
	}
	*length = more + 1;
	return point;
}

/* Controls, C0 and C1, and what turns a line's direction or breaks it (UAX #9, UTR #36). */
static bool is_unsafe(uint32_t point)
{
	return (point < 0x20 && point != '\n' && point != '\t') ||
	       (point >= 0x7F && point < 0xA0) || point == 0x61C ||
	       (point >= 0x200E && point <= 0x200F) || (point >= 0x2028 && point <= 0x202E) ||
	       (point >= 0x2066 && point <= 0x2069);
}

/* The length of a colour at `at` (ECMA-48, SGR), or 0. */
static size_t color_at(const char *at, const char *end)
{
	const char *from = at;

	if (end - at < 3 || at[0] != '\033' || at[1] != '[')
		return 0;
	for (at += 2; at < end && strchr("0123456789;", *at) && *at; at++)
		;
	return at < end && *at == 'm' ? (size_t)(at + 1 - from) : 0;
}

static bool begins(const struct pass *pass, const char *what)
{
	const size_t length = strlen(what);

	return (size_t)(pass->end - pass->at) >= length && !memcmp(pass->at, what, length);
}

/* True when nothing but blanks stands before it in its line. */
static bool leads(const struct pass *pass)
{
	const char *at = pass->at;

	while (at > pass->start && (at[-1] == ' ' || at[-1] == '\t'))
		at--;
	return at == pass->start || at[-1] == '\n';
}

static bool is_command(const struct pass *pass)
{
	if (*pass->at == '#')
		return begins(pass, "##[") || begins(pass, "##vso[");
	return *pass->at == ':' && pass->kind != OUTWARD_COMMANDS && begins(pass, "::") &&
	       leads(pass);
}

/* Notes the secret that begins here. */
static void look_for_secret(struct pass *pass)
{
	size_t behind = 0, length;

	if (pass->at < pass->hidden)
		return;
	length = secret_at(pass->start, pass->at, pass->end, &behind);
	if (!length)
		return;
	pass->shown = pass->at + behind;
	pass->hidden = pass->shown + length;
}

static void pass_point(struct pass *pass)
{
	const size_t color = pass->color ? color_at(pass->at, pass->end) : 0;
	size_t length;
	const uint32_t point = point_at(pass->at, pass->end, &length);

	look_for_secret(pass);
	if (pass->at >= pass->shown && pass->at < pass->hidden)
		buf_repeat(pass->out, '*', length);
	else if (color)
		buf_bytes(pass->out, pass->at, length = color);
	else if (point == 0xFFFD && length == 1)
		buf_text(pass->out, "\xEF\xBF\xBD");
	else if (is_unsafe(point) || is_command(pass))
		buf_printf(pass->out, "\\u%04x", (unsigned int)point);
	else
		buf_bytes(pass->out, pass->at, length);
	pass->at += length;
}

/* Appends the text made harmless. */
static void clean_into(struct buf *out, const char *text, size_t length, enum outward kind,
		       bool color)
{
	struct pass pass = { out, text, text, text + length, text, text, kind, color };

	if (kind == OUTWARD_BINARY)
		buf_bytes(out, text, length);
	else
		while (pass.at < pass.end)
			pass_point(&pass);
}

const char *outward_write(struct arena *arena, const char *path, const struct buf *text,
			  enum outward kind, bool color)
{
	const char *error;
	struct buf clean;

	if (kind == OUTWARD_BINARY || kind == OUTWARD_OWN)
		return io_write(arena, path, text->data, text->length);
	buf_init(&clean);
	clean_into(&clean, text->data, text->length, kind, color);
	error = io_write(arena, path, clean.data, clean.length);
	buf_release(&clean);
	return error;
}

/* All of it, however little a pipe takes at a time. */
static const char *write_all(const struct buf *text)
{
	size_t done = 0;
	ssize_t sent;

	while (done < text->length) {
		sent = write(STDOUT_FILENO, text->data + done, text->length - done);
		if (sent < 0 && errno != EINTR)
			return strerror(errno);
		done += sent < 0 ? 0 : (size_t)sent;
	}
	return NULL;
}

const char *outward_message(const struct buf *json)
{
	struct buf clean, whole;
	const char *error;

	buf_init(&clean);
	buf_init(&whole);
	clean_into(&clean, json->data, json->length, OUTWARD_TEXT, false);
	buf_printf(&whole, "Content-Length: %zu\r\n\r\n", clean.length);
	buf_bytes(&whole, clean.data, clean.length);
	error = write_all(&whole);
	buf_release(&whole);
	buf_release(&clean);
	return error;
}

const char *outward_append(struct arena *arena, const char *path, const struct buf *text)
{
	const char *error;
	struct buf clean;

	buf_init(&clean);
	clean_into(&clean, text->data, text->length, OUTWARD_TEXT, false);
	error = io_append(arena, path, clean.data, clean.length);
	buf_release(&clean);
	return error;
}

void outward_complain(const struct buf *text)
{
	struct buf clean;

	buf_init(&clean);
	clean_into(&clean, text->data, text->length, OUTWARD_TEXT, false);
	fwrite(clean.data, 1, clean.length, stderr);
	buf_release(&clean);
}

void outward_vsay(const char *format, va_list args)
{
	struct buf text, line;
	size_t i;

	buf_init(&text);
	buf_init(&line);
	buf_vprintf(&text, format, args);
	buf_text(&line, "parplan: ");
	for (i = 0; i < text.length; i++)
		if (text.data[i] == '\n' && text.data[i + 1] != ' ')
			buf_text(&line, "\\n");
		else
			buf_char(&line, text.data[i]);
	buf_char(&line, '\n');
	outward_complain(&line);
	buf_release(&line);
	buf_release(&text);
}

void outward_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	outward_vsay(format, args);
	va_end(args);
}

void outward_screen(int fd, const char *codes)
{
	ssize_t ignored = write(fd, codes, strlen(codes));

	(void)ignored;
}
