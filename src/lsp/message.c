#include "lsp/message.h"

#include "base/text.h"

#include <string.h>
#include <strings.h>

void message_begin(struct message_reader *reader)
{
	*reader = (struct message_reader) { .broken = NULL };
	buf_init(&reader->bytes);
}

void message_end(struct message_reader *reader)
{
	buf_release(&reader->bytes);
}

/* Lets go of what is given out. */
static void drop_taken(struct message_reader *reader)
{
	struct buf rest;

	if (!reader->taken)
		return;
	buf_init(&rest);
	buf_bytes(&rest, reader->bytes.data + reader->taken, reader->bytes.length - reader->taken);
	buf_release(&reader->bytes);
	reader->bytes = rest;
	reader->taken = 0;
}

void message_feed(struct message_reader *reader, const char *bytes, size_t length)
{
	drop_taken(reader);
	buf_bytes(&reader->bytes, bytes, length);
}

/* The number behind "Content-Length:" in a line of the header; false where it is another line. */
static bool read_length(const char *line, size_t *length)
{
	static const char name[] = "Content-Length:";
	const char *at = line + strlen(name);
	int64_t number;

	if (strncasecmp(line, name, strlen(name)) != 0)
		return false;
	at += strspn(at, " \t");
	*length = text_digits(&at, 9, &number) && *at == '\r' ? (size_t)number : MESSAGE_BYTES + 1;
	return true;
}

/* The bytes of the header with its empty line; 0 while that has not come. */
static size_t read_header(struct message_reader *reader, size_t *length)
{
	const char *start = reader->bytes.data + reader->taken, *line, *end;
	const size_t left = reader->bytes.length - reader->taken;
	bool known = false;

	for (line = start; (end = memchr(line, '\n', left - (size_t)(line - start)));
	     line = end + 1) {
		if (end == line || end[-1] != '\r' || (size_t)(end - start) >= MESSAGE_HEADER)
			break;
		if (end - line == 1) {
			reader->broken = known ? NULL : "a message without Content-Length";
			return (size_t)(end + 1 - start);
		}
		known = read_length(line, length) || known;
	}
	if (end || left >= MESSAGE_HEADER)
		reader->broken = "no header of a message";
	return 0;
}

bool message_next(struct message_reader *reader, const char **json, size_t *length)
{
	size_t header;

	*length = 0;
	if (reader->broken)
		return false;
	header = read_header(reader, length);
	if (*length > MESSAGE_BYTES)
		reader->broken = "a message of no number of bytes, or of more than 16 MiB";
	if (!header || reader->broken || reader->bytes.length - reader->taken - header < *length)
		return false;
	*json = reader->bytes.data + reader->taken + header;
	reader->taken += header + *length;
	return true;
}
