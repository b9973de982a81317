#include "report/findings/spot.h"

#include "base/path.h"
#include "base/text.h"
#include "report/plain.h"

#include <string.h>

const char *spot_path(struct arena *arena, const char *path)
{
	const char *whole = path_absolute(arena, path);

	if (*path == '/' && !path_within(path_absolute(arena, "."), whole))
		return whole;
	return path_relative(arena, ".", path);
}

/* "<stdin>", "<--set>", "<command line>". */
static bool is_bracketed(const char *path)
{
	return path[0] == '<' && text_ends(path, ">");
}

/* "--set parallelism.tp=3", "--framework torch@2.9". */
static const char *elsewhere(struct arena *arena, struct span span)
{
	const char *path = span.source->path, *line;
	size_t length;

	line = source_line(span.source, span.line, &length);
	line = plain_line(arena, arena_strndup(arena, line, length));
	return arena_printf(arena, "%.*s %s", (int)strlen(path) - 2, path + 1, line);
}

struct spot spot_of(const struct checked *file, struct span span)
{
	struct spot place = { .path = file->path, .file = !is_bracketed(file->path) };
	struct arena *arena = file->job->arena;

	if (span_known(span) && !is_bracketed(span.source->path)) {
		place.path = span.source->path;
		place.file = true;
		place.span = span;
	} else if (span_known(span) && !strcmp(span.source->path, file->path)) {
		place.span = span;
	} else if (span_known(span)) {
		place.elsewhere = elsewhere(arena, span);
	}
	if (place.file)
		place.path = spot_path(arena, place.path);
	return place;
}

const char *spot_message(struct arena *arena, const struct spot *place,
			 const struct finding *finding)
{
	if (!place->elsewhere)
		return finding->message;
	return arena_printf(arena, "%s (%s)", finding->message, place->elsewhere);
}

size_t spot_byte_column(const struct source *source, uint32_t line, uint32_t column)
{
	size_t start = line > 1 && line <= source->line_count ? source->lines[line - 1] : 0;

	return source_offset(source, line, column) - start + 1;
}
