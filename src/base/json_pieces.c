#include "base/json_pieces.h"

#include <string.h>

void json_pieces_open(struct json_pieces *pieces, struct text_stream *stream)
{
	memset(pieces, 0, sizeof(*pieces));
	pieces->stream = stream;
}

/* The next byte that is no blank, which stays unread; '\0' at the end. */
static char peek(struct json_pieces *pieces)
{
	struct text_stream *stream = pieces->stream;

	while (stream_need(stream, 1)) {
		char c = stream->window[stream->start];
		if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
			return c;
		stream->start++;
	}
	return '\0';
}

static bool take(struct json_pieces *pieces, char c)
{
	if (peek(pieces) != c)
		return false;
	pieces->stream->start++;
	return true;
}

/* Where in a value the scanning is. */
struct scan {
	size_t at;
	int depth;
	bool quoted, done;
};

/* To the end of a string, or of its line; `at` stands behind its opening quote. */
static const char *scan_quoted(struct scan *scan, const char *at, const char *end)
{
	for (; at < end && *at != '"' && *at != '\n'; at++) {
		if (*at == '\\') {
			/* The escaped byte must be there: a longer window comes again here. */
			if (end - at < 2)
				return at;
			at++;
		}
	}
	if (at == end)
		return at;
	scan->quoted = false;
	scan->done = !scan->depth;
	return at + 1;
}

static bool opens(char c)
{
	return c == '"' || c == '{' || c == '[';
}

static bool closes(char c)
{
	return c == '}' || c == ']';
}

/* Whether a value without brackets around it is over before that. */
static bool separates(char c)
{
	return closes(c) || c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* To the next quote or bracket, which is taken in. */
static const char *scan_plain(struct scan *scan, const char *at, const char *end)
{
	while (at < end && !opens(*at) && !closes(*at))
		at++;
	if (at == end)
		return at;
	scan->quoted = *at == '"';
	scan->depth += !scan->quoted && opens(*at);
	scan->depth -= closes(*at);
	scan->done = scan->depth <= 0 && closes(*at);
	return at + 1;
}

/* The same without brackets around it, where the value may end; its first byte belongs to it. */
static const char *scan_bare(struct scan *scan, const char *at, const char *end, bool first)
{
	while (at < end && !opens(*at) && (first ? !closes(*at) : !separates(*at))) {
		first = false;
		at++;
	}
	if (at < end && !first && separates(*at)) {
		scan->done = true;
		return at;
	}
	return scan_plain(scan, at, end);
}

/* The length of the value that starts here; 0 when it does not end. */
static size_t value_length(struct json_pieces *pieces)
{
	struct text_stream *stream = pieces->stream;
	struct scan scan = { 0 };
	size_t seen = 0;

	while (!scan.done && stream_need(stream, seen + 1)) {
		const char *text = stream->window + stream->start, *at = text + scan.at;
		const char *const end = stream->window + stream->end;
		while (!scan.done && at < end) {
			const char *before = at;
			if (scan.quoted)
				at = scan_quoted(&scan, at, end);
			else if (scan.depth)
				at = scan_plain(&scan, at, end);
			else
				at = scan_bare(&scan, at, end, at == text);
			if (at == before)
				break;
		}
		scan.at = (size_t)(at - text);
		seen = (size_t)(end - text);
	}
	return scan.done ? scan.at : 0;
}

static bool broken(struct json_pieces *pieces)
{
	pieces->broken = true;
	return false;
}

static bool give_value(struct json_pieces *pieces, struct json_piece *piece)
{
	size_t length = value_length(pieces);

	if (!length)
		return broken(pieces);
	piece->key = pieces->key;
	piece->item = pieces->list;
	piece->text = pieces->stream->window + pieces->stream->start;
	piece->length = length;
	pieces->stream->start += length;
	return true;
}

/* The key in quotes and its colon. */
static bool take_key(struct json_pieces *pieces)
{
	size_t length = peek(pieces) == '"' ? value_length(pieces) : 0, kept;

	if (length < 2)
		return false;
	kept = length - 2 < sizeof(pieces->key) - 1 ? length - 2 : sizeof(pieces->key) - 1;
	memcpy(pieces->key, pieces->stream->window + pieces->stream->start + 1, kept);
	pieces->key[kept] = '\0';
	pieces->stream->start += length;
	return take(pieces, ':');
}

bool json_pieces_next(struct json_pieces *pieces, struct json_piece *piece)
{
	if (pieces->broken)
		return false;
	if (!pieces->begun && !take(pieces, '{'))
		return broken(pieces);
	pieces->begun = true;
	for (;;) {
		while (take(pieces, ','))
			;
		if (pieces->list && take(pieces, ']'))
			pieces->list = false;
		else if (pieces->list)
			return give_value(pieces, piece);
		else if (take(pieces, '}'))
			return false;
		else if (!take_key(pieces))
			return broken(pieces);
		else if (take(pieces, '['))
			pieces->list = true;
		else
			return give_value(pieces, piece);
	}
}
