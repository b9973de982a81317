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
	int64_t ranks, hosts; /* lines of devices, and hosts in them */
	int64_t last, device; /* the highest rank and device of those lines; -1: none */
	bool twice;	      /* two lines name the same rank: two jobs in one text */
	bool sums;
	enum timing timed;
	double bus, rate; /* bus over algorithm bandwidth, where that is the highest */
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
		if (rate >= 1 && rate > reading->rate) {
			reading->bus = bus / rate;
			reading->rate = rate;
		}
		return true;
	}
	intake_unreadable(reading->intake);
	return false;
}

/* The rank and the device of such a line; a rank that was there is another job's. */
static void number_of(struct reading *reading, const struct line *line, int at, int device)
{
	int64_t rank, index;

	if (!text_to_int(word(line, at + 1), &rank) || rank < 0)
		return;
	reading->twice = reading->twice || rank <= reading->last;
	if (rank > reading->last)
		reading->last = rank;
	if (text_to_int(word(line, device + 1), &index) && index > reading->device)
		reading->device = index;
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
	number_of(reading, line, at, device);
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

/* A name without what people put between its words. */
static const char *plain(struct arena *arena, const char *text)
{
	char *copy = arena_strdup(arena, text), *to = copy;

	for (; *text; text++)
		if (isalnum((unsigned char)*text))
			*to++ = (char)tolower((unsigned char)*text);
	*to = '\0';
	return copy;
}

/* The collective that the file is named for: the longest name in it, as "all-reduce" has "reduce".
 */
static const struct collective *of_name(const struct reading *reading)
{
	const char *slash = strrchr(reading->path, '/');
	const char *file = plain(reading->arena, slash ? slash + 1 : reading->path);
	const struct collective *const *op, *best = NULL;
	size_t most = 0, length;

	for (op = collectives; *op; op++) {
		const char *name = plain(reading->arena, (*op)->name);
		length = strlen(name);
		if (length > most && strstr(file, name)) {
			best = *op;
			most = length;
		}
	}
	return best;
}

/* Ranks as the list of devices has them; where it is shortened, its last rank tells. 0: no list. */
static int64_t listed(const struct reading *reading)
{
	return reading->last + 1 > reading->ranks ? reading->last + 1 : reading->ranks;
}

/* More than all bytes twice is what an all-reduce alone moves. AG and all-to-all cannot be told
 * apart by their figures: then the file's name decides, or nothing. */
static const struct collective *guess(const struct reading *reading)
{
	const double ranks = (double)listed(reading);

	if (reading->hints->op)
		return reading->hints->op;
	if (reading->program)
		return reading->program;
	if (reading->bus > 1.05)
		return collective_find("all_reduce");
	if (of_name(reading))
		return of_name(reading);
	if (ranks > 2 && reading->sums && fabs(reading->bus - (ranks - 1) / ranks) < .03)
		return collective_find("reduce_scatter");
	return NULL;
}

/* How often the ratio counts a rank's bytes: busbw is algbw times this times (n - 1) / n. */
static double factor_of(const struct collective *op)
{
	static const char *const once[] = { "all_gather", "reduce_scatter", "all_to_all" };
	size_t i;

	for (i = 0; i < sizeof(once) / sizeof(*once); i++)
		if (!strcmp(op->name, once[i]))
			return 1;
	return !strcmp(op->name, "all_reduce") ? 2 : 0;
}

/* Ranks as busbw / algbw has them; 0: it does not tell, or not surely. */
static int64_t ranks_of_ratio(const struct reading *reading, const struct collective *op)
{
	const double factor = factor_of(op), part = factor > 0 ? reading->bus / factor : 0;
	/* Both are printed with two decimals. */
	const double error = reading->rate > 0 ? .015 / reading->rate : 1;
	double ranks;

	if (part <= 0 || part >= 1)
		return 0;
	ranks = floor(1 / (1 - part) + .5);
	return error * ranks * ranks < .4 ? (int64_t)ranks : 0;
}

static int64_t nodes_of(const struct reading *reading, int64_t ranks)
{
	const int64_t node = reading->device + 1;

	if (reading->hints->nodes)
		return reading->hints->nodes;
	if (ranks > reading->ranks && node > 0 && reading->ranks && ranks % node == 0)
		return ranks / node; /* a shortened list has not all hosts */
	return reading->hosts ? reading->hosts : 1;
}

/* Whether busbw/algbw is that of other ranks than the list of devices has; `told`: that many. */
static bool at_odds(const struct reading *reading, const struct measurement *table, int64_t told)
{
	const double ranks = (double)table->ranks;
	const double factor = factor_of(table->op) * (ranks - 1) / ranks;

	if (!reading->ranks || reading->hints->ranks || reading->bus <= 0 || factor <= 0)
		return false;
	return told ? told != table->ranks : table->ranks > 2 && fabs(reading->bus - factor) > .05;
}

/* What is wrong with a table, with what to say; NULL: nothing. */
static const char *trouble(const struct reading *reading, const struct measurement *table)
{
	const int64_t told = table->op ? ranks_of_ratio(reading, table->op) : 0;

	if (!table->op && !table->ranks)
		return "no line says which collective it is (--op), nor of how many ranks "
		       "(--ranks)";
	if (!table->op)
		return "no line says which collective it is: say it with --op";
	if (table->ranks < 2)
		return arena_printf(reading->arena,
				    "the collective is %s, but no line says of how many ranks, and "
				    "busbw/algbw does not tell surely: say it with --ranks",
				    table->op->name);
	if (reading->twice || at_odds(reading, table, told))
		return "it holds the output of two jobs or more at once: each process measured "
		       "ranks of its own (busbw is not that of the ranks listed)";
	if (table->ranks % table->nodes)
		return "its ranks do not divide into its nodes: say both with --ranks and --nodes";
	if (!table->gpu && !reading->ranks)
		return arena_printf(reading->arena,
				    "%s of %lld ranks, but no line names the device: say it with "
				    "--gpu",
				    table->op->name, (long long)table->ranks);
	return NULL;
}

static void forget(struct reading *reading)
{
	reading->table = arena_new(reading->arena, struct measurement);
	reading->program = NULL;
	reading->gpu = reading->host = NULL;
	reading->ranks = reading->hosts = 0;
	reading->last = reading->device = -1;
	reading->sums = reading->twice = false;
	reading->timed = TIMED_HOST_QUEUED;
	reading->bus = reading->rate = 0;
}

/* The table that has been read so far is whole. What the command line says comes first. */
static void finish(struct reading *reading)
{
	struct measurement *table = reading->table;
	const struct measurement_hints *hints = reading->hints;
	const char *why;

	table->source = reading->path;
	table->op = guess(reading);
	table->gpu = hints->gpu ? hints->gpu : reading->gpu;
	table->ranks = hints->ranks ? hints->ranks : listed(reading);
	if (!table->ranks && table->op)
		table->ranks = ranks_of_ratio(reading, table->op);
	table->nodes = nodes_of(reading, table->ranks);
	table->nccl = hints->nccl ? hints->nccl : reading->nccl;
	table->fabric = hints->fabric;
	table->nic_count = hints->nic_count;
	table->nic_bandwidth = hints->nic_bandwidth;
	table->pcie = hints->pcie;
	table->timed = reading->timed;
	why = trouble(reading, table);
	if (why)
		intake_left_out(reading->intake, why);
	else
		measurement_finish(reading->arena, table, reading->into);
	forget(reading);
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
		.last = -1,
		.device = -1,
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
