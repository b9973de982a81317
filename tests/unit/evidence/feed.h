#ifndef UNIT_EVIDENCE_FEED_H
#define UNIT_EVIDENCE_FEED_H

#include "evidence/evidence.h"

#include <string.h>

/* Gives a text to one kind of source, as a file of its own; returns the file's row. */
static inline struct evidence_file *feed(struct capture *capture,
					 const struct evidence_source *source, const char *text)
{
	struct evidence_file file = { .path = "file", .source = source, .rank = -1 };
	struct evidence_intake intake = { .capture = capture };
	struct text_stream stream;
	const char *line;
	size_t length;
	void *state;

	vec_push(capture->arena, &capture->files, file);
	intake.file = (int32_t)capture->files.count - 1;
	stream_of(&stream, capture->arena, text, strlen(text));
	if (source->read) {
		source->read(&intake, &stream);
		return &capture->files.items[intake.file];
	}
	state = source->open(&intake);
	while (stream_line(&stream, &line, &length)) {
		intake.record++;
		if (source->line(&intake, state, line, length))
			capture->files.items[intake.file].records++;
	}
	source->close(&intake, state);
	return &capture->files.items[intake.file];
}

#endif
