#include "report/plain.h"

#include "draw/utf8.h"

#include <string.h>

/* Writes one character that is no blank and returns its bytes. */
static size_t put_character(struct buf *out, const char *text)
{
	size_t length = utf8_character(text);

	if (length)
		buf_bytes(out, text, length);
	else
		buf_text(out, "\xEF\xBF\xBD");
	return length ? length : 1;
}

static const char *kept(struct arena *arena, struct buf *buf)
{
	const char *text = arena_strndup(arena, buf->data, buf->length);

	buf_release(buf);
	return text;
}

const char *plain_text(struct arena *arena, const char *text)
{
	struct buf buf;

	buf_init(&buf);
	while (*text) {
		if (*text == '\n' || *text == '\t')
			buf_char(&buf, *text++);
		else if (text[0] == '\r' && text[1] == '\n')
			text++;
		else
			text += put_character(&buf, text);
	}
	return kept(arena, &buf);
}

const char *plain_line(struct arena *arena, const char *text)
{
	struct buf buf;

	buf_init(&buf);
	while (*text) {
		size_t blanks = strspn(text, " \t\r\n");
		if (blanks)
			buf_char(&buf, ' ');
		else
			text += put_character(&buf, text);
		text += blanks;
	}
	return kept(arena, &buf);
}

const char *plain_entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	default:
		return NULL;
	}
}

void plain_escape(struct buf *out, const char *text, const char *(*written_as)(char c))
{
	while (*text) {
		const char *written = written_as(*text);
		if (written) {
			buf_text(out, written);
			text++;
		} else {
			text += put_character(out, text);
		}
	}
}

static const char *in_element(char c)
{
	switch (c) {
	case '\n':
		return "\n";
	case '\t':
		return "\t";
	case '\r':
		return "&#13;";
	default:
		return plain_entity(c);
	}
}

static const char *in_attribute(char c)
{
	switch (c) {
	case '\n':
		return "&#10;";
	case '\t':
		return "&#9;";
	default:
		return in_element(c);
	}
}

void plain_xml(struct buf *out, const char *text, bool attribute)
{
	plain_escape(out, text, attribute ? in_attribute : in_element);
}
