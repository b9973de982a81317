#include "base/die.h"
#include "base/number.h"
#include "base/pattern.h"
#include "base/text.h"
#include "evidence/evidence.h"

#include <math.h>
#include <string.h>

/*
 * What TorchTitan logs from March 2024 to now, and torchrun around it: the mesh it echoes, what it
 * says to have applied, steps with memory and speed, saves and restarts. Formatters differ, so a
 * message counts wherever it stands in its line. Up to v0.2.2 "Applied HSDP" repeats the config;
 * none of this says who talks to whom.
 */
enum { WORD = 96, MOST_STREAMS = 1 << 16 };

static const double unknown = (double)NAN;

/* Whose lines torchrun marked alike: "[rank3]:", a rank on its node. */
struct stream {
	int64_t first, last; /* steps; -1: none yet */
	double time;	     /* of the last one, s; NaN: not known */
	bool skewed;	     /* the next step's time is not that of training alone */
};

struct measured {
	struct seen_measure measure;
	size_t stream;
};

struct titan {
	struct evidence_intake *intake;
	struct arena *arena;
	struct pattern **patterns;  /* by row of messages[]; NULL: nothing was read yet */
	VEC(struct stream) streams; /* 0: unmarked; else 1 + the mark's number */
	VEC(struct measured) measures;
	VEC(struct seen_claim) degrees, applied;
	int64_t tokens; /* of all ranks in one step; 0: not known */
	VEC(struct seen_claim) batch;
	int64_t world;	/* product of the degrees; 0: not known */
	int64_t starts; /* of training, behind the first */
	size_t stream;	/* of the line that is being read */
};

static void copy(const struct pattern_part *part, char word[WORD])
{
	const size_t length = part->length < WORD - 1 ? part->length : WORD - 1;

	if (part->text)
		memcpy(word, part->text, length);
	word[part->text ? length : 0] = '\0';
}

/* "1,234.5"; NaN for what is none. */
static double number(const struct pattern_part *part)
{
	char word[WORD], *to = word;
	const char *from;
	double value;

	copy(part, word);
	for (from = word; *from; from++)
		if (*from != ',')
			*to++ = *from;
	*to = '\0';
	return text_to_double(word, &value) && value >= 0 && value < 1e18 ? value : unknown;
}

/* A whole number; -1 for what is none. */
static int64_t whole(const struct pattern_part *part)
{
	const double value = number(part);

	return value < 1e15 ? (int64_t)value : -1;
}

static void *open_titan(struct evidence_intake *intake)
{
	struct titan *titan = arena_new(intake->capture->arena, struct titan);

	titan->arena = intake->capture->arena;
	return titan;
}

static struct stream *stream_at(struct titan *titan, size_t index)
{
	const struct stream none = { -1, -1, unknown, true };

	while (titan->streams.count <= index)
		vec_push(titan->arena, &titan->streams, none);
	return &titan->streams.items[index];
}

/* ---- the mesh ---- */

static void claim_degree(struct titan *titan, const char *axis, size_t length, int64_t degree)
{
	struct seen_claim claim = { .axis = arena_strndup(titan->arena, axis, length),
				    .degree = degree,
				    .witness = { titan->intake->file, titan->intake->record } };

	vec_push(titan->arena, &titan->degrees, claim);
}

static int64_t degree_of(const struct titan *titan, const char *axis)
{
	size_t i;

	for (i = 0; i < titan->degrees.count; i++)
		if (!strcmp(titan->degrees.items[i].axis, axis))
			return titan->degrees.items[i].degree;
	return 0;
}

/* "['dp_shard', 'tp'], [4, 2]": axes with more than one rank, or all of them, outermost first. */
static void take_mesh(struct titan *titan, const struct pattern_part *parts)
{
	const char *name = parts[1].text, *names_end = name + parts[1].length;
	const char *size = parts[2].text, *sizes_end = size + parts[2].length;
	int64_t degree, outer, inner;

	titan->degrees.count = 0;
	titan->world = 1;
	while (name < names_end && size < sizes_end) {
		const char *axis = name += *name == '\'';
		while (name < names_end && *name != '\'')
			name++;
		if (name == axis || !text_digits(&size, 9, &degree))
			break;
		claim_degree(titan, axis, (size_t)(name - axis), degree);
		titan->world = multiply(titan->world, degree);
		for (name++; name < names_end && *name != '\'';)
			name++;
		while (size < sizes_end && (*size == ',' || *size == ' '))
			size++;
	}
	/* v0.2.0 cuts dp_shard in two for experts. */
	outer = degree_of(titan, "dp_shard_mod_ep");
	inner = degree_of(titan, "dp_shard_in_ep");
	if (outer && inner)
		claim_degree(titan, "dp_shard", strlen("dp_shard"), multiply(outer, inner));
}

/* "pp=1, dp_replicate=2, dp_shard=4, cp=1, tp=1, ep=1": experts share the ranks of the others. */
static void take_degrees(struct titan *titan, const struct pattern_part *parts)
{
	const char *at = parts[1].text, *end = at + parts[1].length;

	titan->degrees.count = 0;
	titan->world = 1;
	while (at < end) {
		const char *axis = at;
		size_t length;
		int64_t degree;
		while (at < end && *at != '=')
			at++;
		length = (size_t)(at - axis);
		at++;
		if (at >= end || !text_digits(&at, 9, &degree))
			return;
		claim_degree(titan, axis, length, degree);
		if (!(length >= 2 && length <= 3 && *axis == 'e'))
			titan->world = multiply(titan->world, degree);
		while (at < end && (*at == ',' || *at == ' '))
			at++;
	}
}

static void take_applied(struct titan *titan, const struct pattern_part *parts)
{
	struct seen_claim claim = { .degree = 0,
				    .witness = { titan->intake->file, titan->intake->record } };
	char word[WORD];
	size_t i;

	copy(&parts[1], word);
	for (i = 0; i < titan->applied.count; i++)
		if (!strcmp(titan->applied.items[i].axis, word))
			return;
	claim.axis = arena_strdup(titan->arena, word);
	vec_push(titan->arena, &titan->applied, claim);
}

/* ---- the job ---- */

static void claim_batch(struct titan *titan, const char *what, int64_t value)
{
	const struct seen_claim claim = { .axis = what,
					  .degree = value,
					  .built = true,
					  .witness = { titan->intake->file,
						       titan->intake->record } };

	vec_push(titan->arena, &titan->batch, claim);
}

static void take_batch(struct titan *titan, const struct pattern_part *parts)
{
	const int64_t sequences = whole(&parts[1]), length = whole(&parts[2]);

	if (sequences <= 0 || length <= 0)
		return;
	titan->tokens = multiply(sequences, length);
	if (titan->batch.count)
		return;
	claim_batch(titan, CLAIM_BATCH, sequences);
	claim_batch(titan, CLAIM_SEQUENCE, length);
}

/* Of all steps since the last one that was logged. */
static void take_retries(struct titan *titan, const struct pattern_part *parts)
{
	evidence_measure(titan->intake, SEEN_RETRIES, number(&parts[1]), -1, -1);
}

static void take_tokens(struct titan *titan, const struct pattern_part *parts)
{
	if (whole(&parts[1]) > 0)
		titan->tokens = whole(&parts[1]);
}

static void take_version(struct titan *titan, const struct pattern_part *parts)
{
	char name[WORD], version[WORD];

	copy(&parts[1], name);
	copy(&parts[2], version);
	evidence_version(titan->intake, *name == 'P' ? "torch" : name, version);
}

/* "NVIDIA H100 80GB HBM3 with 79.10GiB memory" */
static void take_device(struct titan *titan, const struct pattern_part *parts)
{
	char name[WORD];

	copy(&parts[1], name);
	evidence_device(titan->intake, name);
}

/* A save falls into the time of the step that is logged next. */
static void take_save(struct titan *titan, const struct pattern_part *parts)
{
	(void)parts;
	stream_at(titan, titan->stream)->skewed = true;
}

/* What an earlier start measured of steps that are run again does not count. */
static void take_start(struct titan *titan, const struct pattern_part *parts)
{
	struct stream *stream = stream_at(titan, titan->stream);
	const int64_t step = whole(&parts[1]);
	size_t i, kept = 0;

	titan->starts += stream->first >= 0;
	for (i = 0; i < titan->measures.count; i++) {
		const struct measured *row = &titan->measures.items[i];
		if (row->stream != titan->stream || row->measure.step < step)
			titan->measures.items[kept++] = *row;
	}
	titan->measures.count = kept;
	*stream = (struct stream) { -1, -1, unknown, true };
}

static void take_restart(struct titan *titan, const struct pattern_part *parts)
{
	(void)parts;
	titan->starts++;
}

/* ---- steps ---- */

enum step_part { ALL, STEP, MEMORY, TOKENS, TFLOPS, MFU, STEP_PARTS };

static void measure(struct titan *titan, enum seen_quantity quantity, double value, int64_t step)
{
	struct measured row = {
		{ quantity, value, -1, step, { titan->intake->file, titan->intake->record } },
		titan->stream
	};

	if (isfinite(value) && value > 0)
		vec_push(titan->arena, &titan->measures, row);
}

/* Days from 1970-01-01, of the Gregorian calendar: what a date adds to a difference. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	const int64_t shifted = (month + 9) % 12; /* years that begin in March */

	year -= month <= 2;
	return 365 * year + year / 4 - year / 100 + year / 400 + (153 * shifted + 2) / 5 + day -
	       719469;
}

/* The first "2026-05-04 13:58:41,402" of a line, in s; NaN: there is none. */
static double time_of(struct pattern *pattern, const char *line, size_t length)
{
	struct pattern_part parts[8];
	double seconds;

	if (!pattern_take(pattern, line, length, parts, 8))
		return unknown;
	seconds = (double)days_of(whole(&parts[1]), whole(&parts[2]), whole(&parts[3])) * 86400;
	seconds += (double)whole(&parts[4]) * 3600 + (double)whole(&parts[5]) * 60;
	seconds += (double)whole(&parts[6]);
	return seconds + (double)whole(&parts[7]) / pow(10, (double)parts[7].length);
}

/* Mean time of the steps since the last one that was logged, in s; NaN: not known. */
static double seconds_of(const struct titan *titan, const struct stream *stream, int64_t step,
			 double speed, double now)
{
	if (titan->tokens && titan->world && speed > 0)
		return (double)titan->tokens / speed / (double)titan->world;
	if (stream->last >= 0 && step > stream->last)
		return (now - stream->time) / (double)(step - stream->last);
	return unknown;
}

static void take_step(struct titan *titan, const struct pattern_part *parts, double now)
{
	struct stream *stream = stream_at(titan, titan->stream);
	const int64_t step = whole(&parts[STEP]);
	const double speed = number(&parts[TOKENS]);

	measure(titan, SEEN_MEMORY_RESERVED, number(&parts[MEMORY]) * 1024 * 1024 * 1024, step);
	if (stream->skewed) {
		evidence_file(titan->intake)->left_out++;
	} else {
		measure(titan, SEEN_TOKENS_PER_SECOND, speed, step);
		measure(titan, SEEN_STEP_SECONDS, seconds_of(titan, stream, step, speed, now),
			step);
		measure(titan, SEEN_FLOPS, number(&parts[TFLOPS]) * 1e12, step);
		measure(titan, SEEN_MFU, number(&parts[MFU]) / 100, step);
	}
	stream->first = stream->first < 0 ? step : stream->first;
	stream->last = step;
	stream->time = now;
	stream->skewed = false;
}

/* ---- lines ---- */

#define DEGREE "\\w+=\\d+"

/* Words of a message that only it has, and the whole of it. */
static const struct message {
	const char *words, *expression;
	void (*take)(struct titan *titan, const struct pattern_part *parts);
} messages[] = {
	{ "-D device mesh with [",
	  "Building \\d-D device mesh with \\[([^\\]]*)\\], \\[([\\d, ]*)\\]", take_mesh },
	{ "mesh with parallelism: ", "device mesh with parallelism: (" DEGREE "(?:, " DEGREE ")*)",
	  take_degrees },
	{ "Applied ", "Applied (HSDP|FSDP|DDP|fully_shard) to the model", take_applied },
	{ "(dp mode=", "Applied Data Parallel \\(simple_fsdp\\) \\(dp mode=(\\w+)\\)",
	  take_applied },
	{ "Trainer is initialized with local",
	  "global batch size (\\d+), gradient accumulation steps \\d+, sequence length (\\d+)",
	  take_batch },
	{ "tokens per train step", " ([\\d,]+) tokens per train step", take_tokens },
	{ " version: ", "(torchtitan|PyTorch) version: (\\d[\\w.+-]*\\w)", take_version },
	{ "memory allocation retries", "(\\d+) \\w+ memory allocation retries", take_retries },
	{ " capacity: ", "(?:CUDA|GPU) capacity: (.+?) with [\\d.]+GiB memory", take_device },
	{ "saving the checkpoint", "Finished saving the checkpoint", take_save },
	{ "Saving ", "Saving (?:a|the)[\\w ]* checkpoint", take_save },
	{ "Training starts at step ", "Training starts at step (\\d+)", take_start },
	{ "will restart worker group", "will restart worker group", take_restart },
};

enum {
	MESSAGES = sizeof(messages) / sizeof(*messages),
	MARK = MESSAGES,
	CLOCK,
	TIME,
	STEPS,
	PATTERNS
};

/* What stands between messages: torchrun's mark, the time, and the step with its eras' numbers. */
static const char *const others[PATTERNS - MESSAGES] = {
	"\\[rank(\\d+)\\]:",
	"\\d\\d:\\d\\d:\\d\\d",
	"(\\d{4})-(\\d\\d)-(\\d\\d)[ T](\\d\\d):(\\d\\d):(\\d\\d)[.,](\\d{3,6})",
	"(?<!validate )\\bstep:\\s*(\\d+)\\s+loss:\\s*\\S+\\s+(?:grad_norm:\\s*\\S+\\s+)?"
	"memory:\\s*([\\d.]+)GiB\\([\\d.]+%\\)\\s+(?:tps|wps): ([\\d,]+)(?:\\([\\d.]+%\\))?"
	"(?:\\s+tflops: ([\\d,.]+))?(?:\\s+mfu: (?:([\\d.]+)%|N/A))?",
};

static void begin(struct titan *titan, struct evidence_intake *intake)
{
	const char *error = "";
	int i;

	titan->intake = intake;
	if (titan->patterns)
		return;
	titan->patterns = arena_array(titan->arena, PATTERNS, sizeof(*titan->patterns));
	for (i = 0; i < PATTERNS; i++) {
		const char *expression =
			i < MESSAGES ? messages[i].expression : others[i - MESSAGES];
		titan->patterns[i] = pattern_new(titan->arena, expression, &error);
		if (!titan->patterns[i])
			bug("%s", error);
	}
}

/* Whether a line has words of any message: most lines of a log have not. */
static bool is_of_interest(const char *text, size_t length)
{
	int i;

	if (text_mentions(text, length, "step:") && text_mentions(text, length, "loss:"))
		return true;
	for (i = 0; i < MESSAGES; i++)
		if (text_mentions(text, length, messages[i].words))
			return true;
	return false;
}

static void find_stream(struct titan *titan, const char *line, size_t length)
{
	struct pattern_part parts[2];

	titan->stream = 0;
	if (text_mentions(line, length, "[rank") &&
	    pattern_take(titan->patterns[MARK], line, length, parts, 2) && whole(&parts[1]) >= 0 &&
	    whole(&parts[1]) < MOST_STREAMS)
		titan->stream = 1 + (size_t)whole(&parts[1]);
}

/* Every step of a line: records of several can be glued. */
static bool take_steps(struct titan *titan, const char *line, size_t length)
{
	const double now = time_of(titan->patterns[TIME], line, length);
	struct pattern_part parts[STEP_PARTS];
	const char *at = line, *end = line + length;

	while (pattern_take(titan->patterns[STEPS], at, (size_t)(end - at), parts, STEP_PARTS)) {
		take_step(titan, parts, now);
		at = parts[ALL].text + parts[ALL].length;
	}
	if (at == line && text_mentions(line, length, "memory:") &&
	    !text_mentions(line, length, "validate ")) {
		evidence_file(titan->intake)->unreadable++;
		return true;
	}
	return at > line;
}

/* Messages have a time, documents that quote them have none. */
static bool take_messages(struct titan *titan, const char *line, size_t length)
{
	struct pattern_part parts[4];
	bool taken = false;
	int i;

	if (!pattern_take(titan->patterns[CLOCK], line, length, parts, 1))
		return false;
	for (i = 0; i < MESSAGES; i++) {
		if (!text_mentions(line, length, messages[i].words) ||
		    !pattern_take(titan->patterns[i], line, length, parts, 4))
			continue;
		messages[i].take(titan, parts);
		taken = true;
	}
	return taken;
}

static bool take_line(struct titan *titan, const char *line, size_t length)
{
	bool taken;

	find_stream(titan, line, length);
	taken = take_messages(titan, line, length);
	return (text_mentions(line, length, "step:") && take_steps(titan, line, length)) || taken;
}

static bool read_line(struct evidence_intake *intake, void *state, const char *text, size_t length)
{
	struct titan *titan = state;
	struct arena arena;
	char *plain;
	bool taken;

	/* Numbers are coloured, words between them are not. */
	if (!is_of_interest(text, length))
		return false;
	begin(titan, intake);
	arena_init(&arena);
	plain = arena_alloc(&arena, length + 1);
	length = text_plain(text, length, plain);
	taken = take_line(titan, plain, length);
	arena_release(&arena);
	return taken;
}

static void hand_over(struct titan *titan)
{
	struct evidence_intake *intake = titan->intake;
	struct capture *capture = intake->capture;
	size_t i;

	for (i = 0; i < titan->measures.count; i++) {
		const struct seen_measure *row = &titan->measures.items[i].measure;
		intake->record = row->witness.record;
		evidence_measure(intake, row->quantity, row->value, row->rank, row->step);
	}
	for (i = 0; i < titan->degrees.count; i++)
		vec_push(capture->arena, &capture->claims, titan->degrees.items[i]);
	for (i = 0; i < titan->applied.count; i++)
		vec_push(capture->arena, &capture->claims, titan->applied.items[i]);
	for (i = 0; i < titan->batch.count; i++)
		vec_push(capture->arena, &capture->claims, titan->batch.items[i]);
	for (i = 0; i < titan->streams.count; i++) {
		const struct stream *stream = &titan->streams.items[i];
		if (stream->last - stream->first > evidence_file(intake)->steps)
			evidence_file(intake)->steps = stream->last - stream->first;
	}
}

static void close_titan(struct evidence_intake *intake, void *state)
{
	struct titan *titan = state;
	int i;

	if (!titan->patterns)
		return;
	titan->intake = intake;
	for (i = 0; i < PATTERNS; i++)
		pattern_release(titan->patterns[i]);
	hand_over(titan);
	if (titan->starts)
		evidence_limit(intake, "RESTARTED",
			       "training was started again: of steps that were run twice the last "
			       "ones count");
}

const struct evidence_source source_torchtitan_log = {
	.name = "TorchTitan log",
	.record = "line",
	.open = open_titan,
	.line = read_line,
	.close = close_titan,
};
