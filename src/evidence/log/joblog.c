#include "evidence/log/joblog.h"

#include "base/text.h"
#include "evidence/hang/lines.h"
#include "evidence/hang/stacks.h"
#include "evidence/log/hit_hosts.h"
#include "evidence/log/line.h"
#include "evidence/log/window.h"

#include <string.h>

/*
 * Bytes of a line that are looked at together, of which before and behind a literal; lines of one
 * rank that a text may be broken over; lines in all between them, where ranks print at once.
 */
enum { PART = 32 * 1024, BEFORE = 1024, BEHIND = 2048 };
enum { RECENT = 16, RECENT_BYTES = 512, RECENT_USED = 6 };
enum { CANDIDATES = 64, PENDING = 256, PENDING_LINES = 16, PENDING_PATIENCE = 4096 };

/* A line that was read; of a long one the end. */
struct recent {
	int64_t rank;
	size_t line, length;
	char text[RECENT_BYTES];
};

/* A phrase the literal of which was read and the rest not: the next lines may have it. */
struct pending {
	uint32_t phrase;
	int64_t rank;
	size_t since; /* line */
	int lines;    /* added */
	struct log_window window;
};

struct candidate {
	uint32_t phrase;
	size_t at;
	size_t start, end; /* of its match in the line; both 0: none */
};

struct log_reader {
	uint32_t traceback;   /* the needle of a traceback's first line */
	uint32_t hang, stack; /* those of lines that tell where a rank stood, of heads of stacks */
	struct hang_lines lines;
	struct stack_reader stacks;
	const char *path;
	int64_t path_rank;
	enum log_mark path_mark;
	double time;	  /* of the last line that had one */
	const char *host; /* of the line that is being read; NULL: not said */
	size_t host_length;
	int64_t group; /* of the last line that had a rank: whose the next one without is */
	bool known;    /* the line was found to follow from something else */
	struct recent recent[RECENT];
	size_t recent_count;
	struct candidate candidates[CANDIDATES];
	size_t candidate_count;
	struct pending *pending[PENDING]; /* in use, then the others that there are */
	size_t pending_count, pending_made;
	struct log_window window;
	char plain[PART];
};

static uint32_t add_words(struct joblog *log, const char *const *words, uint32_t id)
{
	for (; *words; words++)
		needles_add(&log->phrases.needles, *words, strlen(*words), id);
	return id;
}

void joblog_init(struct joblog *log, struct arena *arena, const struct findings *expected)
{
	static const char opening[] = "Traceback (most recent call last)";

	memset(log, 0, sizeof(*log));
	log->arena = arena;
	log->tracebacks.arena = arena;
	phrases_init(&log->phrases, arena, expected);
	log->reader = arena_new(arena, struct log_reader);
	log->reader->traceback = (uint32_t)log->phrases.list.count;
	needles_add(&log->phrases.needles, opening, strlen(opening), log->reader->traceback);
	log->reader->hang = add_words(log, hang_line_needles, log->reader->traceback + 1);
	log->reader->stack = add_words(log, stack_needles, log->reader->traceback + 2);
	log->capture = arena_new(arena, struct capture);
	evidence_init(log->capture, arena);
	hang_lines_begin(&log->reader->lines, &log->capture->hang);
	log->reader->stacks.facts = &log->capture->hang;
	needles_close(&log->phrases.needles);
}

/* ---- what was found ---- */

static struct log_hit *hit_of(struct joblog *log, const struct phrase *phrase)
{
	size_t i;

	for (i = 0; i < log->hits.count; i++)
		if (log->hits.items[i]->phrase == phrase)
			return log->hits.items[i];
	return NULL;
}

static void put_values(struct joblog *log, struct log_hit *hit, const struct log_window *window,
		       const struct phrase_match *match)
{
	struct log_value value;
	size_t i;

	for (i = 1; i < hit->phrase->count; i++) {
		value.name = hit->phrase->pieces[i].name;
		value.text = log_window_part(log->arena, window, match->from[i], match->to[i]);
		if (*value.text)
			vec_push(log->arena, &hit->values, value);
	}
}

static struct log_hit *new_hit(struct joblog *log, const struct phrase *phrase)
{
	struct log_hit *hit = arena_new(log->arena, struct log_hit);

	hit->phrase = phrase;
	vec_push(log->arena, &log->hits, hit);
	return hit;
}

/* True for the first time of all: the files of other ranks may hold an earlier one. */
static bool is_first(const struct joblog *log, const struct log_hit *hit)
{
	return !hit->count || (hit->file != log->files.count - 1 && log->reader->time >= 0 &&
			       log->reader->time < hit->time);
}

static void note_first(struct joblog *log, struct log_hit *hit, const struct log_window *window,
		       const struct phrase_match *match)
{
	hit->path = log->reader->path;
	hit->file = log->files.count - 1;
	hit->line = log_window_at(window, match->start)->line;
	hit->time = log->reader->time;
	hit->printed = log_window_printed(log->arena, window, match);
	hit->values.count = 0;
	put_values(log, hit, window, match);
}

/* Counts a match, unless it was counted by another of its literals. */
static void note_match(struct joblog *log, const struct phrase *phrase,
		       const struct log_window *window, const struct phrase_match *match)
{
	const struct window_line *first = log_window_at(window, match->start);
	const size_t file = log->files.count - 1;
	struct log_hit *hit = hit_of(log, phrase);

	log->reader->known = log->reader->known || phrase_follows(phrase);
	if (!hit)
		hit = new_hit(log, phrase);
	else if (hit->last_file == file && hit->last_line == first->line &&
		 hit->last_rank == first->rank)
		return;
	if (is_first(log, hit))
		note_first(log, hit, window, match);
	hit->last_file = file;
	hit->last_line = first->line;
	hit->last_rank = first->rank;
	hit->count++;
	rank_set_add(log->arena, &hit->ranks, first->rank);
	hit_host(log->arena, hit, log->reader->host, log->reader->host_length);
	hit_named_hosts(log->arena, hit, window, match);
}

/* ---- phrases that are not whole yet ---- */

static void add_pending(struct joblog *log, uint32_t phrase, size_t line)
{
	struct log_reader *reader = log->reader;
	struct pending *pending;

	if (reader->pending_count == PENDING)
		return;
	if (reader->pending_count == reader->pending_made)
		reader->pending[reader->pending_made++] = arena_new(log->arena, struct pending);
	pending = reader->pending[reader->pending_count++];
	pending->phrase = phrase;
	pending->rank = reader->group;
	pending->since = line;
	pending->lines = 0;
	pending->window = reader->window;
}

/* True when the line made it whole, or it will not be any more. */
static bool pending_done(struct joblog *log, struct pending *pending, const struct log_line *line,
			 size_t number)
{
	const struct phrase *phrase = &log->phrases.list.items[pending->phrase];
	struct phrase_match match;

	if (number - pending->since > PENDING_PATIENCE)
		return true;
	if (pending->rank != log->reader->group)
		return false;
	if (!log_window_add(&pending->window, line->text, line->length, number, line->rank))
		return true;
	if (!phrase_find(phrase, pending->window.packed, pending->window.packed_length, 0, &match))
		return ++pending->lines == PENDING_LINES;
	note_match(log, phrase, &pending->window, &match);
	return true;
}

static void offer_pending(struct joblog *log, const struct log_line *line, size_t number)
{
	struct log_reader *reader = log->reader;
	size_t i = 0, last;

	while (i < reader->pending_count) {
		struct pending *pending = reader->pending[i];

		if (!pending_done(log, pending, line, number)) {
			i++;
			continue;
		}
		last = --reader->pending_count;
		reader->pending[i] = reader->pending[last];
		reader->pending[last] = pending;
	}
}

/* ---- one line ---- */

static void found(void *context, uint32_t id, size_t at)
{
	struct log_reader *reader = context;
	size_t i;

	for (i = 0; i < reader->candidate_count; i++)
		if (reader->candidates[i].phrase == id)
			return;
	if (reader->candidate_count < CANDIDATES)
		reader->candidates[reader->candidate_count++] = (struct candidate) { id, at, 0, 0 };
}

static void found_before(void *context, uint32_t id, size_t at)
{
	(void)at;
	found(context, id, 0);
}

/* Literals that a line break went through: the end of the last line with the start of this one. */
static void scan_seam(struct joblog *log, const struct log_line *line)
{
	struct log_reader *reader = log->reader;
	const struct recent *last = &reader->recent[(reader->recent_count - 1) % RECENT];
	const char *text = line->text, *end = text + line->length;
	size_t before = last->length, behind, gap;
	char seam[2 * NEEDLE_MOST + 1];

	while (text < end && *text == ' ')
		text++;
	while (before && last->text[before - 1] == ' ')
		before--;
	behind = (size_t)(end - text) < NEEDLE_MOST ? (size_t)(end - text) : NEEDLE_MOST;
	for (gap = 0; gap < 2; gap++) {
		size_t kept = before < NEEDLE_MOST ? before : NEEDLE_MOST;
		memcpy(seam, last->text + before - kept, kept);
		memset(seam + kept, ' ', gap);
		memcpy(seam + kept + gap, text, behind);
		needles_scan(&log->phrases.needles, seam, kept + gap + behind, found_before,
			     reader);
	}
}

/* The line around a literal, behind the last lines of the same rank where it begins near them.
 * Returns the packed bytes that come before it. */
static size_t fill_window(struct log_reader *reader, const struct log_line *line, size_t number,
			  size_t at)
{
	const size_t start = at > BEFORE ? at - BEFORE : 0;
	const size_t end = line->length - at > BEHIND ? at + BEHIND : line->length;
	const struct recent *chosen[RECENT_USED];
	size_t i, back, count = 0, bytes = 0, before;

	log_window_clear(&reader->window);
	for (back = 1; !start && back <= RECENT && back <= reader->recent_count; back++) {
		const struct recent *recent =
			&reader->recent[(reader->recent_count - back) % RECENT];
		if (recent->rank != reader->group)
			continue;
		bytes += recent->length;
		if (count == RECENT_USED || bytes > BEFORE)
			break;
		chosen[count++] = recent;
	}
	for (i = count; i > 0; i--)
		log_window_add(&reader->window, chosen[i - 1]->text, chosen[i - 1]->length,
			       chosen[i - 1]->line, line->rank);
	before = reader->window.packed_length;
	log_window_add(&reader->window, line->text + start, end - start, number, line->rank);
	return before;
}

/* The heavier of two phrases is tried first. */
static void sort_candidates(struct log_reader *reader, const struct phrases *phrases)
{
	size_t i, at;

	for (i = 1; i < reader->candidate_count; i++) {
		const struct candidate candidate = reader->candidates[i];
		const size_t weight = phrases->list.items[candidate.phrase].weight;

		for (at = i; at > 0 &&
			     phrases->list.items[reader->candidates[at - 1].phrase].weight < weight;
		     at--)
			reader->candidates[at] = reader->candidates[at - 1];
		reader->candidates[at] = candidate;
	}
}

/* True when a heavier phrase was found in the same bytes of the line. */
static bool taken(const struct log_reader *reader, const struct candidate *candidate)
{
	const struct candidate *other;

	for (other = reader->candidates; other < candidate; other++)
		if (other->start < candidate->end && candidate->start < other->end)
			return true;
	return false;
}

/* A match that ends in the window's last line, in which it begins where it can. */
static bool find_last(const struct phrase *phrase, const struct log_window *window, size_t before,
		      struct phrase_match *match)
{
	size_t from;

	if (phrase_find(phrase, window->packed, window->packed_length, before, match))
		return true;
	for (from = 0; phrase_find(phrase, window->packed, window->packed_length, from, match);
	     from = match->start + 1)
		if (match->end > before)
			return true;
	return false;
}

static void try_candidate(struct joblog *log, struct candidate *candidate,
			  const struct log_line *line, size_t number)
{
	struct log_reader *reader = log->reader;
	const struct phrase *phrase = &log->phrases.list.items[candidate->phrase];
	const size_t before = fill_window(reader, line, number, candidate->at);
	const size_t skipped = candidate->at > BEFORE ? candidate->at - BEFORE : 0;
	struct phrase_match match;

	if (!find_last(phrase, &reader->window, before, &match)) {
		add_pending(log, candidate->phrase, number);
		return;
	}
	/* Both count from the same byte, unless lines are long: blanks are left out, then. */
	candidate->end = match.end > before ? match.end - before + skipped : 0;
	candidate->start = match.start > before ? match.start - before + skipped : 0;
	if (!taken(reader, candidate))
		note_match(log, phrase, &reader->window, &match);
}

static void keep_line(struct log_reader *reader, const struct log_line *line, size_t number)
{
	struct recent *recent = &reader->recent[reader->recent_count++ % RECENT];

	recent->rank = reader->group;
	recent->line = number;
	recent->length = line->length < RECENT_BYTES ? line->length : RECENT_BYTES;
	memcpy(recent->text, line->text + line->length - recent->length, recent->length);
}

/* A literal that is no phrase's: of a traceback, a stack, a line that tells where a rank stood. */
static bool take_own(struct joblog *log, uint32_t id, const struct log_line *line, const char *raw,
		     size_t length)
{
	struct log_reader *reader = log->reader;

	if (id == reader->traceback)
		traceback_begin(&log->tracebacks, line->rank);
	else if (id == reader->hang)
		hang_lines_take(&reader->lines, line, raw, length);
	else if (id == reader->stack && !text_mentions(raw, length, "Traceback"))
		stack_head(&reader->stacks, line->rank, raw, length);
	return id >= log->phrases.list.count; /* no phrase, but a line of its own kind */
}

static void take_candidates(struct joblog *log, const struct log_line *line, const char *raw,
			    size_t length, size_t number)
{
	struct log_reader *reader = log->reader;
	size_t i, kept = 0;

	for (i = 0; i < reader->candidate_count; i++)
		if (!take_own(log, reader->candidates[i].phrase, line, raw, length))
			reader->candidates[kept++] = reader->candidates[i];
	reader->candidate_count = kept;
	sort_candidates(reader, &log->phrases);
	for (i = 0; i < kept; i++)
		try_candidate(log, &reader->candidates[i], line, number);
}

/* A line of an exception that no phrase is known of. */
static void take_exception(struct joblog *log, const struct log_line *line, size_t number)
{
	const struct log_reader *reader = log->reader;

	if (log->tracebacks.count && traceback_ends(&log->tracebacks, line) && !reader->known)
		traceback_note(&log->tracebacks, line, reader->path, number);
	else if (!reader->known && !reader->candidate_count)
		traceback_offer(&log->tracebacks, line, reader->path, number);
}

static void take_line(struct joblog *log, const char *text, size_t length, size_t number)
{
	struct log_reader *reader = log->reader;
	struct log_line line;

	if (memchr(text, '\033', length)) {
		length = log_line_uncolor(reader->plain, text, length);
		text = reader->plain;
	}
	line = log_line_of(text, length);
	if (reader->path_rank >= 0 && line.mark < reader->path_mark)
		line.rank = reader->path_rank;
	if (line.rank >= 0)
		reader->group = line.rank;
	if (line.time >= 0)
		reader->time = line.time;
	reader->known = false;
	reader->host = line.host;
	reader->host_length = line.host_length;
	if (reader->pending_count)
		offer_pending(log, &line, number);
	reader->candidate_count = 0;
	if (reader->stacks.open)
		(void)stack_line(&reader->stacks, line.rank, line.text, line.length);
	needles_scan(&log->phrases.needles, line.text, line.length, found, reader);
	if (reader->recent_count &&
	    reader->recent[(reader->recent_count - 1) % RECENT].rank == reader->group)
		scan_seam(log, &line);
	if (reader->candidate_count)
		take_candidates(log, &line, text, length, number);
	take_exception(log, &line, number);
	keep_line(reader, &line, number);
}

/* ---- files ---- */

void joblog_read(struct joblog *log, struct text_stream *stream, const char *path)
{
	struct log_reader *reader = log->reader;
	struct log_file file = { text_on_line(log->arena, path), 0 };
	const char *text, *end, *stop;
	size_t length;
	bool ends;

	vec_push(log->arena, &log->files, file);
	if (evidence_claims(stream)) {
		(void)evidence_read_stream(log->capture, path, stream);
		log->files.items[log->files.count - 1].lines = stream->line;
		return;
	}
	reader->path = file.path;
	reader->path_rank = log_path_rank(path, &reader->path_mark);
	reader->time = reader->group = -1;
	reader->recent_count = reader->pending_count = 0;
	log->tracebacks.count = 0;
	while (stream_part(stream, PART, &text, &length, &ends)) {
		/* A progress bar goes back to the start of its line: what follows is a line. */
		for (end = text + length; text <= end; text = stop + 1) {
			stop = text < end ? memchr(text, '\r', (size_t)(end - text)) : NULL;
			stop = stop ? stop : end;
			if (stop > text)
				take_line(log, text, (size_t)(stop - text),
					  stream->line + (ends ? 0 : 1));
		}
	}
	stack_end(&reader->stacks);
	hang_lines_end(&reader->lines);
	log->files.items[log->files.count - 1].lines = stream->line;
}
