#ifndef BASE_JSON_PIECES_H
#define BASE_JSON_PIECES_H

#include "base/stream.h"

/*
 * A JSON object cut into pieces as it streams by: the values of its members, and of members that
 * are lists their elements one by one. Only brackets and quotes are looked at, so what is wrong
 * inside a piece stays inside it: a quote that is not closed ends with its line. Each piece is
 * text for json_open.
 */
struct json_pieces {
	struct text_stream *stream;
	char key[64]; /* of the member; longer ones are cut */
	bool list;    /* inside the list that is the value of `key` */
	bool begun, broken;
};

struct json_piece {
	const char *key;
	bool item; /* an element of the list at `key`, not the whole value */
	const char *text;
	size_t length; /* good until the next piece */
};

void json_pieces_open(struct json_pieces *pieces, struct text_stream *stream);

/* False at the end, or where the text is no more an object (`broken`): it is cut off, too. */
bool json_pieces_next(struct json_pieces *pieces, struct json_piece *piece);

#endif
