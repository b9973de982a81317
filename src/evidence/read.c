#include "base/text.h"
#include "base/unpacked.h"
#include "evidence/evidence.h"
#include "evidence/folder.h"

#include <string.h>

#define X(name) extern const struct evidence_source source_##name;
#include "sources.inc"
#undef X

const struct evidence_source *const evidence_sources[] = {
#define X(name) &source_##name,
#include "sources.inc"
#undef X
	NULL
};

enum { SOURCES = sizeof(evidence_sources) / sizeof(*evidence_sources) };

/* The kind of whole files that is surest; NULL: none claims it. */
static const struct evidence_source *claiming(const char *head)
{
	const struct evidence_source *const *source, *best = NULL;
	const size_t length = strlen(head);
	int most = 0;

	for (source = evidence_sources; *source; source++) {
		int sure = (*source)->claims ? (*source)->claims(head, length) : 0;
		if (sure > most) {
			best = *source;
			most = sure;
		}
	}
	return best;
}

bool evidence_claims(struct text_stream *stream)
{
	return claiming(stream_head(stream)) != NULL;
}

static struct evidence_intake add_file(struct capture *capture, const char *path,
				       const struct evidence_source *source)
{
	struct evidence_file file = { .path = text_on_line(capture->arena,
							   arena_strdup(capture->arena, path)),
				      .source = source,
				      .rank = -1 };

	vec_push(capture->arena, &capture->files, file);
	return (struct evidence_intake) { .capture = capture,
					  .file = (int32_t)capture->files.count - 1 };
}

/* A kind of lines at work on a file; it gets a row of its own with its first line. */
struct lining {
	const struct evidence_source *source;
	void *state;
	int32_t file; /* its row; -1: none yet */
};

/* Offers a line to one kind. */
static void offer(struct capture *capture, const char *path, struct lining *lining, int64_t number,
		  const char *text, size_t length)
{
	struct evidence_intake intake = { capture, lining->file, number };

	if (lining->file < 0) {
		intake = add_file(capture, path, lining->source);
		intake.record = number;
	}
	if (lining->source->line(&intake, lining->state, text, length)) {
		lining->file = intake.file;
		evidence_file(&intake)->records++;
	} else if (lining->file < 0) {
		capture->files.count--;
	}
}

static size_t open_linings(struct capture *capture, const char *path, struct lining *linings)
{
	const struct evidence_source *const *source;
	size_t count = 0;

	for (source = evidence_sources; *source; source++) {
		struct evidence_intake intake;
		if (!(*source)->line)
			continue;
		intake = add_file(capture, path, *source);
		linings[count++] = (struct lining) { *source, (*source)->open(&intake), -1 };
		capture->files.count--;
	}
	return count;
}

/* Whether a line of the file was of any kind. */
static bool read_lines(struct capture *capture, const char *path, struct text_stream *stream)
{
	struct lining linings[SOURCES];
	const size_t count = open_linings(capture, path, linings);
	const char *text;
	size_t length, i;
	int64_t number = 0;
	bool known = false;

	while (stream_line(stream, &text, &length)) {
		number++;
		for (i = 0; i < count; i++)
			offer(capture, path, &linings[i], number, text, length);
	}
	for (i = 0; i < count; i++) {
		struct evidence_intake intake = { capture, linings[i].file, number };
		if (linings[i].file < 0)
			continue;
		known = true;
		linings[i].source->close(&intake, linings[i].state);
	}
	return known;
}

/* Whether the file begins as no text does: weights, archives. */
static bool is_binary(const struct text_stream *stream)
{
	const char *at = stream->window + stream->start, *end = stream->window + stream->end;
	const size_t length = (size_t)(end - at);
	size_t zeros = 0;

	for (; at < end; at++)
		zeros += !*at;
	return zeros > length / 16;
}

/* "is not of a kind that is known: PyTorch flight recorder, ..." */
static const char *unknown(struct capture *capture, const char *what)
{
	const struct evidence_source *const *source;
	const char *names = "";

	for (source = evidence_sources; *source; source++)
		names = arena_join(capture->arena, names, *names ? ", " : "", (*source)->name);
	return arena_join(capture->arena, what, " of a kind that is known: ", names);
}

const char *evidence_read_stream(struct capture *capture, const char *path,
				 struct text_stream *stream)
{
	const struct evidence_source *source = claiming(stream_head(stream));
	struct evidence_intake intake;

	if (source) {
		intake = add_file(capture, path, source);
		source->read(&intake, stream);
		return NULL;
	}
	if (!is_binary(stream) && read_lines(capture, path, stream))
		return NULL;
	add_file(capture, path, NULL);
	return unknown(capture, "is not");
}

/* Tells of what is missing behind what was read of the file: packed data that end early are its
 * last limit, a read that failed leaves nothing to go by. */
static void note_end(struct capture *capture, const char *path, const char *why, bool unreadable)
{
	struct evidence_intake intake = { .capture = capture,
					  .file = (int32_t)capture->files.count - 1 };
	const char **first;

	if (!why)
		return;
	first = unreadable ? &capture->failed : &capture->cut;
	if (!unreadable)
		evidence_limit(&intake, "FILE_CUT_OFF", arena_strdup(capture->arena, why));
	if (!*first)
		*first = arena_printf(capture->arena, "'%s': %s", path, why);
}

/* What is read for one file alone is gone with it. */
static const char *read_file(struct capture *capture, const char *path)
{
	struct unpacked unpacked;
	struct arena arena;
	const char *why;

	arena_init(&arena);
	why = unpacked_open(&unpacked, &arena, path);
	if (why) {
		why = arena_strdup(capture->arena, why);
	} else {
		why = evidence_read_stream(capture, path, &unpacked.text);
		note_end(capture, path, unpacked_close(&unpacked), unpacked.text.error != NULL);
	}
	arena_release(&arena);
	return why;
}

static bool is_packed(struct arena *arena, const char *path)
{
	struct text_stream stream;
	bool packed;

	if (stream_open(&stream, arena, path))
		return false;
	packed = unpacked_is(&stream);
	stream_close(&stream);
	return packed;
}

bool evidence_packed(const char *path)
{
	struct folder folder = { 0 };
	struct arena arena;
	bool packed = false;
	size_t i;

	arena_init(&arena);
	if (folder_is(path))
		(void)folder_tree(&folder, &arena, path);
	else if (folder_regular(path))
		vec_push(&arena, &folder.files, path);
	for (i = 0; i < folder.files.count && !packed; i++)
		packed = is_packed(&arena, folder.files.items[i]);
	arena_release(&arena);
	return packed;
}

bool evidence_is(const char *path)
{
	static const char *const logs[] = { ".log", ".out", ".err", ".txt", ".jsonl" };
	struct text_stream stream;
	struct arena arena;
	bool known = folder_is(path);
	size_t i;

	for (i = 0; i < sizeof(logs) / sizeof(*logs); i++)
		known = known || text_ends(path, logs[i]);
	if (known || !strcmp(path, "-"))
		return known;
	arena_init(&arena);
	if (!stream_open(&stream, &arena, path)) {
		known = unpacked_is(&stream) || claiming(stream_head(&stream));
		stream_close(&stream);
	}
	arena_release(&arena);
	return known;
}

/* One file of a folder, whose trouble is not that of the others; whether it was of a known kind. */
static bool read_one(struct capture *capture, const char *path)
{
	const size_t files = capture->files.count;
	const char *why = read_file(capture, path);
	struct evidence_intake intake;

	if (why && capture->files.count == files) {
		intake = add_file(capture, path, NULL);
		evidence_limit(&intake, "FILE_UNREADABLE", why);
		note_end(capture, path, why, true);
	}
	return !why;
}

const char *evidence_read(struct capture *capture, const char *path)
{
	struct folder folder = { 0 };
	size_t i, known = 0;
	const char *why;

	if (!folder_is(path))
		return read_file(capture, path);
	why = folder_tree(&folder, capture->arena, path);
	if (why)
		return why;
	for (i = 0; i < folder.files.count; i++)
		known += read_one(capture, folder.files.items[i]);
	if (!folder.files.count)
		return "holds no files";
	return known ? NULL : unknown(capture, "holds no file");
}
