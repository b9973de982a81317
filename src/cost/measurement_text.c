#include "cost/measurement_reader.h"

#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * What the programs of nccl-tests print. Launchers put words before the lines ("[1,0]<stdout>:",
 * "worker-0: ", timestamps) and mix the output of several processes, so a row is looked for at
 * every word of a line, and is one only if its bandwidth is its size over its time.
 */
struct reading {
	struct arena *arena;
	struct intake *intake;
	const struct measurement_hints *hints;
	const char *path;
	struct measurements *into;
	struct measurement *table;
	struct line *line;		  /* the one that is being read, in words */
	const struct collective *program; /* that the text names */
	const char *gpu, *host, *nccl;
	int64_t ranks, hosts;
	bool sums;
	enum timing timed;
	double bus; /* bus over algorithm bandwidth of the largest size */
};

enum { WORDS = 40, WORD_LENGTH = 64 };

struct line {
	char words[WORDS][WORD_LENGTH];
	int count;
};

static void split(const char *text, size_t length, struct line *line)
{
	size_t at = 0;

	line->count = 0;
	while (line->count < WORDS) {
		size_t size = 0;
		while (at < length && (isspace((unsigned char)text[at]) || !text[at]))
			at++;
		if (at == length)
			return;
		for (; at < length && text[at] && !isspace((unsigned char)text[at]); at++)
			if (size < WORD_LENGTH - 1)
				line->words[line->count][size++] = text[at];
		line->words[line->count++][size] = '\0';
	}
}

static const char *word(const struct line *line, int at)
{
	return at >= 0 && at < line->count ? line->words[at] : "";
}

static bool number(const struct line *line, int at, double *value)
{
	return text_to_double(word(line, at), value);
}

static bool is_type(const char *text)
{
	static const char *const types[] = { "int8",   "uint8",	   "int32",    "uint32", "int64",
					     "uint64", "half",	   "float",    "double", "bfloat16",
					     "char",   "fp8_e4m3", "fp8_e5m2", "f8e4m3", "f8e5m2" };
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(types[i], text))
			return true;
	return false;
}

/* A row that starts at a word: size, count, type, then redop and root where the program has them.
 */
static bool row_at(struct reading *reading, const struct line *line, int at)
{
	double size, count, time, rate, bus;
	int skipped;

	if (!number(line, at, &size) || !number(line, at + 1, &count) ||
	    !is_type(word(line, at + 2)) || size < 1 || count < 0)
		return false;
	for (skipped = 0; skipped <= 2; skipped++) {
		int first = at + 3 + skipped;
		if (!number(line, first, &time) || !number(line, first + 1, &rate) ||
		    !number(line, first + 2, &bus) || time <= 0)
			continue;
		/* Two decimals of GB/s. */
		if (fabs(size / time / 1e3 - rate) > .006 + .01 * rate)
			continue;
		measurement_put(reading->arena, reading->table, size, time);
		reading->intake->source->rows++;
		reading->sums = reading->sums || !strcmp(word(line, at + 3), "sum");
		if (rate >= 1)
			reading->bus = bus / rate;
		return true;
	}
	intake_unreadable(reading->intake);
	return false;
}

/* "# Rank 0 Group 0 Pid 12 on host device 0 [0x1b] NVIDIA H100 80GB HBM3" from "Rank" on. */
static void device_of(struct reading *reading, const struct line *line, int at)
{
	struct buf name;
	int i, device = at;

	for (i = at; i < line->count; i++)
		if (!strcmp(word(line, i), "device"))
			device = i;
	if (device == at || strcmp(word(line, device - 2), "on") != 0)
		return;
	reading->ranks++;
	if (!reading->host || strcmp(reading->host, word(line, device - 1)) != 0) {
		reading->host = arena_strdup(reading->arena, word(line, device - 1));
		reading->hosts++;
	}
	if (reading->gpu)
		return;
	buf_init(&name);
	for (i = device + 2; i < line->count; i++)
		if (word(line, i)[0] != '[' && !text_ends(word(line, i), "]"))
			buf_printf(&name, name.length ? " %s" : "%s", word(line, i));
	if (name.length)
		reading->gpu = arena_strdup(reading->arena, name.data);
	buf_release(&name);
}

/* AG and all-to-all cannot be told apart by their figures: then the file's name decides, or
 * nothing. */
static const struct collective *guess(const struct reading *reading)
{
	const struct collective *const *op;
	const double ranks = (double)reading->ranks;
	const char *slash = strrchr(reading->path, '/'), *file = slash ? slash + 1 : reading->path;

	if (reading->hints->op)
		return reading->hints->op;
	if (reading->program)
		return reading->program;
	for (op = collectives; *op; op++)
		if (strstr(file, (*op)->name) ||
		    strstr(file,
			   arena_strndup(reading->arena, (*op)->test, strlen((*op)->test) - 5)))
			return *op;
	if (ranks > 2 && reading->sums && fabs(reading->bus - 2 * (ranks - 1) / ranks) < .03)
		return collective_find("all_reduce");
	if (ranks > 2 && reading->sums && fabs(reading->bus - (ranks - 1) / ranks) < .03)
		return collective_find("reduce_scatter");
	return NULL;
}

/* The table that has been read so far is whole. */
static void finish(struct reading *reading)
{
	struct measurement *table = reading->table;
	const struct measurement_hints *hints = reading->hints;

	table->source = reading->path;
	table->op = guess(reading);
	table->gpu = hints->gpu ? hints->gpu : reading->gpu;
	table->ranks = reading->ranks ? reading->ranks : hints->ranks;
	table->nodes = hints->nodes ? hints->nodes : reading->hosts ? reading->hosts : 1;
	table->nccl = hints->nccl ? hints->nccl : reading->nccl;
	table->fabric = hints->fabric;
	table->nic_count = hints->nic_count;
	table->nic_bandwidth = hints->nic_bandwidth;
	table->pcie = hints->pcie;
	table->timed = reading->timed;
	if (table->op && table->ranks > 1 && table->ranks % table->nodes == 0)
		measurement_finish(reading->arena, table, reading->into);
	reading->table = arena_new(reading->arena, struct measurement);
	reading->program = NULL;
	reading->gpu = reading->host = NULL;
	reading->ranks = reading->hosts = 0;
	reading->sums = false;
	reading->timed = TIMED_HOST_QUEUED;
	reading->bus = 0;
}

static void version_of(struct reading *reading, const char *text)
{
	const char *equals = strchr(text, '=');
	int64_t code;

	if (text_starts(text, "nccl-library=") && text_to_int(equals + 1, &code) && code > 0)
		reading->nccl = nccl_tests_version(reading->arena, code);
}

/* The lines before the rows: what is run, where, and by which library. */
static void heading(struct reading *reading, const struct line *line)
{
	int i;

	for (i = 0; i < line->count; i++) {
		const char *text = word(line, i), *slash = strrchr(text, '/');
		double on;
		if (!strcmp(text, "nThread") && reading->table->times.count)
			finish(reading); /* another program starts */
		if (text_ends(text, "_perf") && collective_find(slash ? slash + 1 : text)) {
			if (reading->table->times.count)
				finish(reading);
			reading->program = collective_find(slash ? slash + 1 : text);
		}
		if (!strcmp(text, "Rank") && text_ends(word(line, i - 1), "#"))
			device_of(reading, line, i);
		if (text_starts(text, "blocking") && number(line, i + 1, &on) && on > 0)
			reading->timed = TIMED_HOST_ISOLATED;
		if (!strcmp(text, "timed=cuda_event")) /* parplan-cudabench says so */
			reading->timed = TIMED_CUDA_EVENT;
		version_of(reading, text);
	}
}

static void *open_text(struct intake *intake)
{
	struct reading *reading = arena_new(intake->arena, struct reading);

	*reading = (struct reading) {
		.arena = intake->arena,
		.intake = intake,
		.hints = intake->hints,
		.path = intake->path,
		.into = intake->into,
		.table = arena_new(intake->arena, struct measurement),
		.timed = TIMED_HOST_QUEUED,
		.line = arena_new(intake->arena, struct line),
	};
	return reading;
}

static bool read_line(struct intake *intake, void *state, const char *text, size_t length)
{
	struct reading *reading = state;
	int i;

	(void)intake;
	split(text, length, reading->line);
	for (i = 0; i + 5 < reading->line->count; i++)
		if (row_at(reading, reading->line, i))
			return true;
	heading(reading, reading->line);
	return false;
}

static void close_text(struct intake *intake, void *state)
{
	struct reading *reading = state;

	(void)intake;
	if (reading->table->times.count)
		finish(reading);
}

const struct measurement_reader measurement_text = {
	.kind = "nccl-tests text",
	.open = open_text,
	.line = read_line,
	.close = close_text,
};
