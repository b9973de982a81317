#include "base/stream.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *stream_open(struct text_stream *stream, struct arena *arena, const char *path)
{
	struct stat status;
	int error = 0;

	memset(stream, 0, sizeof(*stream));
	stream->arena = arena;
	if (!strcmp(path, "-")) {
		stream->fd = STDIN_FILENO;
		return NULL;
	}
	stream->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (stream->fd < 0)
		return arena_strdup(arena, strerror(errno));
	if (fstat(stream->fd, &status))
		error = errno;
	else if (S_ISDIR(status.st_mode))
		error = EISDIR;
	if (error) {
		close(stream->fd);
		return arena_strdup(arena, strerror(error));
	}
	return NULL;
}

void stream_from(struct text_stream *stream, struct arena *arena, int fd)
{
	memset(stream, 0, sizeof(*stream));
	stream->arena = arena;
	stream->fd = fd;
	stream->lent = true;
}

void stream_of(struct text_stream *stream, struct arena *arena, const char *text, size_t length)
{
	memset(stream, 0, sizeof(*stream));
	stream->arena = arena;
	stream->fd = -1;
	stream->window = arena_strndup(arena, "", 0);
	if (length) {
		stream->window = arena_alloc(arena, length);
		memcpy(stream->window, text, length);
	}
	stream->end = stream->capacity = length;
	stream->over = true;
}

void stream_close(struct text_stream *stream)
{
	if (stream->fd > STDERR_FILENO && !stream->lent)
		close(stream->fd);
	stream->fd = -1;
	stream->over = true;
}

/* Room for `length` unread bytes, those that are there moved to the front. */
static void make_room(struct text_stream *stream, size_t length)
{
	size_t capacity = stream->capacity ? stream->capacity : STREAM_HEAD;
	char *window = stream->window;

	while (capacity < length)
		capacity *= 2;
	if (capacity > stream->capacity) {
		window = arena_alloc(stream->arena, capacity);
		stream->capacity = capacity;
	}
	if (stream->end > stream->start)
		memmove(window, stream->window + stream->start, stream->end - stream->start);
	stream->window = window;
	stream->end -= stream->start;
	stream->start = 0;
}

bool stream_need(struct text_stream *stream, size_t length)
{
	if (stream->end - stream->start >= length)
		return true;
	if (stream->over || length > STREAM_PIECE)
		return false;
	if (stream->capacity - stream->start < length)
		make_room(stream, length);
	while (stream->end - stream->start < length) {
		ssize_t got = read(stream->fd, stream->window + stream->end,
				   stream->capacity - stream->end);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			stream->error = arena_strdup(stream->arena, strerror(errno));
		if (got <= 0) {
			stream->over = true;
			return false;
		}
		stream->end += (size_t)got;
	}
	return true;
}

const char *stream_head(struct text_stream *stream)
{
	size_t length = STREAM_HEAD, i;
	char *head;

	if (!stream_need(stream, length))
		length = stream->end - stream->start;
	head = arena_alloc(stream->arena, length + 1);
	for (i = 0; i < length; i++)
		head[i] =
			stream->window[stream->start + i] ? stream->window[stream->start + i] : ' ';
	return head;
}

/* Reads away the rest of a line that is too long. */
static void drop_line(struct text_stream *stream)
{
	while (stream_need(stream, 1)) {
		char *at = stream->window + stream->start;
		char *end = memchr(at, '\n', stream->end - stream->start);
		stream->start = end ? (size_t)(end + 1 - stream->window) : stream->end;
		if (end)
			return;
	}
}

bool stream_line(struct text_stream *stream, const char **text, size_t *length)
{
	size_t seen = 0;
	char *end = NULL;

	while (!end && stream_need(stream, seen + 1)) {
		char *at = stream->window + stream->start;
		end = memchr(at + seen, '\n', stream->end - stream->start - seen);
		seen = stream->end - stream->start;
	}
	if (!seen)
		return false;
	*text = stream->window + stream->start;
	*length = end ? (size_t)(end - *text) : seen;
	stream->start += *length + (end ? 1 : 0);
	stream->line++;
	if (!end && !stream->over) {
		/* The window may move: the part that is kept is copied. */
		*text = arena_strndup(stream->arena, *text, *length);
		drop_line(stream);
	}
	if (*length && (*text)[*length - 1] == '\r')
		--*length;
	return true;
}

/* Moves what the window holds behind `text`. */
static void take_window(struct text_stream *stream, struct buf *text)
{
	buf_bytes(text, stream->window + stream->start, stream->end - stream->start);
	stream->start = stream->end;
}

bool stream_part(struct text_stream *stream, size_t most, const char **text, size_t *length,
		 bool *ends)
{
	size_t seen = 0;
	char *end = NULL;

	while (!end && seen < most && stream_need(stream, seen + 1)) {
		char *at = stream->window + stream->start;
		end = memchr(at + seen, '\n', stream->end - stream->start - seen);
		seen = stream->end - stream->start;
	}
	if (!seen)
		return false;
	*text = stream->window + stream->start;
	*length = end ? (size_t)(end - *text) : seen;
	*ends = *length <= most && (end || stream->over);
	if (*length > most)
		*length = most;
	stream->start += *length + (*ends && end ? 1 : 0);
	stream->line += *ends;
	return true;
}

char *stream_rest(struct text_stream *stream, size_t limit, size_t *length)
{
	struct buf text;
	char *copy = NULL;

	if (limit < STREAM_PIECE && stream_need(stream, limit + 1))
		return NULL;
	buf_init(&text);
	while (text.length <= limit && stream_need(stream, 1))
		take_window(stream, &text);
	if (text.length <= limit) {
		*length = text.length;
		copy = arena_alloc(stream->arena, text.length + 1);
		memcpy(copy, text.data, text.length);
	}
	buf_release(&text);
	return copy;
}
