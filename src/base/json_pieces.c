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
	bool quoted, escaped, done;
};

static void scan_quoted(struct scan *scan, char c)
{
	if (scan->escaped)
		scan->escaped = false;
	else if (c == '\\')
		scan->escaped = true;
	else if (c == '"' || c == '\n')
		scan->quoted = false;
	scan->done = !scan->quoted && !scan->depth;
}

/* Takes a byte in, or ends before it. */
static void scan_byte(struct scan *scan, char c)
{
	const bool closes = c == '}' || c == ']';

	if (!scan->depth && scan->at &&
	    (closes || c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t')) {
		scan->done = true;
		return;
	}
	scan->at++;
	if (c == '"')
		scan->quoted = true;
	scan->depth += (c == '{' || c == '[') - closes;
	scan->done = closes && scan->depth <= 0;
}

/* The length of the value that starts here; 0 when it does not end. */
static size_t value_length(struct json_pieces *pieces)
{
	struct text_stream *stream = pieces->stream;
	struct scan scan = { 0 };

	while (!scan.done && stream_need(stream, scan.at + 1)) {
		const char *text = stream->window + stream->start;
		const size_t length = stream->end - stream->start;
		while (!scan.done && scan.at < length) {
			if (scan.quoted)
				scan_quoted(&scan, text[scan.at++]);
			else
				scan_byte(&scan, text[scan.at]);
		}
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
