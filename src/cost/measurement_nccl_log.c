#include "base/map.h"
#include "base/text.h"
#include "cost/measurement_reader.h"
#include "cost/nccl/log_lines.h"
#include "cost/nccl_log.h"

#include <ctype.h>
#include <string.h>

/*
 * Lines of NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=INIT,TUNING,GRAPH,COLL (src/graph/tuning.cc,
 * src/graph/search.cc and src/enqueue.cc of NVIDIA/nccl, 2.7 to 2.30). A communicator's rank 0
 * prints its tables before "Init COMPLETE" names the communicator, and its choices afterwards,
 * which do not: the collective's own line (COLL) does, or there are communicators of one size only.
 */
enum { COLUMNS = NCCL_ALGORITHMS * NCCL_PROTOCOLS, WORD = 64, MOST_RANKS = 1 << 24 };

/* One process, by "host:pid". */
struct process {
	struct nccl_printed printed; /* of the communicator that is being made */
	bool pending;		     /* there is something in it */
	int columns[COLUMNS];	     /* algorithm and protocol of each column of the table */
	int count;
	int64_t nodes;		     /* of that communicator; 0: not said */
	const struct collective *op; /* of the last call */
	struct nccl_log *of;	     /* the communicator of the last call; NULL: not known */
	struct nccl_log *only;	     /* of the communicators made so far, if of one size */
	bool several;		     /* they are of several */
	VEC(struct communicator_name) names;
};

struct communicator_name {
	const char *pointer; /* "0x55d0000000" */
	struct nccl_log *log;
};

struct logging {
	struct intake *intake;
	VEC(struct process *) processes;
	struct map index;	     /* of processes, by name */
	VEC(struct nccl_log *) logs; /* by ranks and nodes; nodes 0: not said */
	VEC(const char *) hosts;
	const char *nccl;
	struct nccl_lines lines;
};

/* The word that begins here, up to a blank or one of `ends`. */
static void word_at(const char *at, const char *ends, char word[WORD])
{
	size_t length = 0;

	for (; *at && !isspace((unsigned char)*at) && !strchr(ends, *at) && length < WORD - 1; at++)
		word[length++] = *at;
	word[length] = '\0';
}

/* The number behind a phrase of the line; false when there is none. */
static bool number_after(const char *line, const char *phrase, double *value)
{
	const char *at = strstr(line, phrase);
	char word[WORD];

	if (!at)
		return false;
	at += strlen(phrase);
	word_at(at + strspn(at, " "), ",/|[", word);
	return text_to_double(word, value);
}

static int64_t count_after(const char *line, const char *phrase)
{
	double value;

	return number_after(line, phrase, &value) && value >= 1 && value <= 1 << 24 ? (int64_t)value
										    : 0;
}

static struct process *process_of(struct logging *logging, const char *name)
{
	struct arena *arena = logging->intake->arena;
	struct process *process;
	int64_t at = map_find(&logging->index, name);
	char host[WORD];
	size_t i;

	if (at >= 0)
		return logging->processes.items[at];
	process = arena_new(arena, struct process);
	map_add(&logging->index, arena_strdup(arena, name), (uint32_t)logging->processes.count);
	vec_push(arena, &logging->processes, process);
	word_at(name, ":", host);
	for (i = 0; i < logging->hosts.count; i++)
		if (!strcmp(logging->hosts.items[i], host))
			return process;
	vec_push(arena, &logging->hosts, arena_strdup(arena, host));
	return process;
}

static struct nccl_log *log_of(struct logging *logging, int64_t ranks, int64_t nodes)
{
	struct nccl_log *log;
	size_t i;

	for (i = 0; i < logging->logs.count; i++) {
		log = logging->logs.items[i];
		if (log->at.ranks == ranks && log->at.nodes == nodes)
			return log;
	}
	log = arena_new(logging->intake->arena, struct nccl_log);
	log->at.ranks = ranks;
	log->at.nodes = nodes;
	vec_push(logging->intake->arena, &logging->logs, log);
	return log;
}

/* What was printed takes the place of what another communicator of that size had. */
static void merge(struct nccl_printed *into, const struct nccl_printed *from)
{
	int op;

	for (op = 0; op < NCCL_POINT_TO_POINT; op++)
		if (from->known[op]) {
			into->known[op] = true;
			memcpy(into->ways[op], from->ways[op], sizeof(into->ways[op]));
		}
	if (from->graphs.ring.channels)
		into->graphs.ring = from->graphs.ring;
	if (from->graphs.nvls.channels)
		into->graphs.nvls = from->graphs.nvls;
}

/* What a process printed belongs to a communicator of that many ranks. */
static struct nccl_log *settle(struct logging *logging, struct process *process, int64_t ranks)
{
	struct nccl_log *log = log_of(logging, ranks, process->nodes);

	if (process->pending)
		merge(&log->printed, &process->printed);
	memset(&process->printed, 0, sizeof(process->printed));
	process->pending = false;
	process->nodes = 0;
	return log;
}

/* The communicator has that many ranks: what was printed before is of it. */
static void made(struct logging *logging, struct process *process,
		 const struct nccl_communicator *communicator)
{
	struct arena *arena = logging->intake->arena;
	struct communicator_name name;

	if (communicator->ranks > MOST_RANKS)
		return;
	name.log = settle(logging, process, communicator->ranks);
	name.pointer = arena_strdup(arena, communicator->pointer);
	vec_push(arena, &process->names, name);
	if (communicator->ranks > 1) {
		process->several = process->several || (process->only && process->only != name.log);
		process->only = name.log;
	}
}

static bool take_communicator(struct logging *logging, struct process *process,
			      const struct nccl_line *line)
{
	struct nccl_communicator communicator;
	int64_t nodes;

	if (nccl_lines_nodes(&logging->lines, line, &communicator, &nodes)) {
		process->nodes = nodes;
		return true;
	}
	if (!nccl_lines_communicator(&logging->lines, line, &communicator))
		return false;
	if (communicator.made == NCCL_MADE)
		made(logging, process, &communicator);
	return true;
}

/* Columns of a table's head: algorithms alone, or "Tree/    LL". */
static void take_head(struct process *process, const char *text, bool both)
{
	char algorithm[WORD], protocol[WORD];
	int i;

	process->count = 0;
	for (text = strchr(text, '|'); text; text = strchr(text + 1, '|')) {
		const char *at = text + 1 + strspn(text + 1, " "), *slash = strchr(at, '/');
		int found;
		word_at(at, "/|", algorithm);
		found = nccl_algorithm_find(algorithm, strlen(algorithm));
		if (found < 0 || process->count + (both ? 1 : NCCL_PROTOCOLS) > COLUMNS)
			continue;
		if (both && slash) {
			word_at(slash + 1 + strspn(slash + 1, " "), "|", protocol);
			i = nccl_protocol_find(protocol, strlen(protocol));
			process->columns[process->count++] =
				found * NCCL_PROTOCOLS + (i < 0 ? 0 : i);
		}
		for (i = 0; !both && i < NCCL_PROTOCOLS; i++)
			process->columns[process->count++] = found * NCCL_PROTOCOLS + i;
	}
}

/* "|    15.2/  39.2 |". */
static bool read_cell(const char *text, struct nccl_way *way)
{
	const char *slash = text ? strchr(text, '/') : NULL,
		   *end = text ? strchr(text + 1, '|') : NULL;

	return slash && end && slash < end && number_after(text, "|", &way->latency) &&
	       number_after(slash, "/", &way->bandwidth) && way->latency >= 0 &&
	       way->latency < 1e9 && way->bandwidth >= 0 && way->bandwidth < 1e6;
}

/* "    AllReduce |    15.2/  39.2 |    31.5/ 128.8 | ...". */
static bool take_row(struct intake *intake, struct process *process, const char *text)
{
	struct nccl_printed *printed = &process->printed;
	const struct collective *op;
	struct nccl_way ways[COLUMNS];
	char name[WORD];
	int i;

	word_at(text, "|", name);
	op = collective_find(name);
	if (!op || op->op == NCCL_POINT_TO_POINT)
		return false;
	for (i = 0; i < process->count; i++) {
		text = strchr(text + 1, '|');
		if (!text || !read_cell(text, &ways[i])) {
			intake_unreadable(intake);
			return true;
		}
	}
	for (i = 0; i < process->count; i++) {
		const int column = process->columns[i];
		printed->ways[op->op][column / NCCL_PROTOCOLS][column % NCCL_PROTOCOLS] = ways[i];
	}
	printed->known[op->op] = process->pending = true;
	intake->source->rows++;
	return true;
}

static bool take_table(struct intake *intake, struct process *process, const char *text)
{
	if (text_starts(text, "Algorithm ") || text_starts(text, "Latency/AlgBw ")) {
		take_head(process, text, *text == 'L');
		return true;
	}
	return strchr(text, '|') && process->count && take_row(intake, process, text);
}

/* " Pattern 4, crossNic 0, nChannels 12, bw 30.000000/30.000000, type NVL/PIX, sameChannels 1". */
static bool take_graph(struct intake *intake, struct process *process, const char *text)
{
	enum { RING = 4, NVLS = 5 };
	const int64_t pattern = count_after(text, "Pattern "),
		      channels = count_after(text, "nChannels ");
	struct nccl_graph graph = { (int)channels, 0, 0 };
	const char *rate = strstr(text, "bw ");

	if (!text_starts(text, "Pattern "))
		return false;
	rate = rate ? rate + 3 : strstr(text, "speed ");
	if (rate && text_starts(rate, "speed "))
		rate += 6;
	if (!rate || channels < 1 || channels > 1024 || !number_after(rate, "", &graph.inside) ||
	    !number_after(rate, "/", &graph.outside)) {
		intake_unreadable(intake);
		return true;
	}
	intake->source->rows++;
	if (pattern == RING)
		process->printed.graphs.ring = graph;
	if (pattern == NVLS)
		process->printed.graphs.nvls = graph;
	process->pending = process->pending || pattern == RING || pattern == NVLS;
	return true;
}

static bool take_call(struct logging *logging, struct process *process,
		      const struct nccl_line *line)
{
	struct nccl_call call;
	size_t i;

	if (!nccl_lines_call(&logging->lines, line, &call))
		return false;
	process->op = collective_find(call.op);
	process->of = NULL;
	for (i = process->names.count; i > 0 && !process->of; i--)
		if (!strcmp(process->names.items[i - 1].pointer, call.pointer))
			process->of = process->names.items[i - 1].log;
	return true;
}

/* A name, or the number that older versions print. */
static int way_after(const char *text, const char *phrase,
		     int (*find)(const char *name, size_t length), int count)
{
	const char *at = strstr(text, phrase);
	char word[WORD];
	int64_t number;

	if (!at)
		return -1;
	word_at(at + strlen(phrase), ",", word);
	if (text_to_int(word, &number))
		return number >= 0 && number < count ? (int)number : -1;
	return find(word, strlen(word));
}

static void put_choice(struct intake *intake, struct nccl_log *log, struct nccl_said said)
{
	size_t i;

	intake->source->rows++;
	for (i = 0; i < log->choices.count; i++) {
		const struct nccl_said *other = &log->choices.items[i];
		if (other->op == said.op && other->bytes == said.bytes &&
		    other->algorithm == said.algorithm && other->protocol == said.protocol)
			return;
	}
	vec_push(intake->arena, &log->choices, said);
}

/* The communicators that a choice can be of. */
static struct nccl_log *choosing(struct logging *logging, const struct process *process)
{
	const struct measurement_hints *hints = logging->intake->hints;

	if (process->of)
		return process->of;
	if (process->only)
		return process->several ? NULL : process->only;
	return hints->ranks ? log_of(logging, hints->ranks, hints->nodes) : NULL;
}

/* "AllReduce: 4194304 Bytes -> Algo RING proto SIMPLE ...", before 2.23 without the name. */
static bool take_choice(struct logging *logging, struct process *process, const char *text)
{
	const char *arrow = strstr(text, " Bytes -> Algo "), *number = text;
	const int algorithm = way_after(text, " Algo ", nccl_algorithm_find, NCCL_ALGORITHMS);
	const int protocol = way_after(text, " proto ", nccl_protocol_find, NCCL_PROTOCOLS);
	struct nccl_said said = { .op = logging->intake->hints->op };
	struct nccl_log *log = choosing(logging, process);
	char word[WORD];

	if (!arrow)
		return false;
	word_at(text, ":", word);
	if (strchr(text, ':') && strchr(text, ':') < arrow) {
		said.op = collective_find(word);
		number = strchr(text, ':') + 1;
	} else if (process->op) {
		said.op = process->op;
	}
	if (algorithm < 0 || protocol < 0 || !number_after(number, "", &said.bytes) ||
	    said.bytes <= 0) {
		intake_unreadable(logging->intake);
		return true;
	}
	said.algorithm = (enum nccl_algorithm)algorithm;
	said.protocol = (enum nccl_protocol)protocol;
	if (said.op && log)
		put_choice(logging->intake, log, said);
	else
		intake_left_out(logging->intake, "choices of which the log does not say for which "
						 "communicator (add COLL and INIT to "
						 "NCCL_DEBUG_SUBSYS)");
	return true;
}

static void take_version(struct logging *logging, const char *line, size_t length)
{
	char word[NCCL_WORD];

	if (!logging->nccl && nccl_lines_version(&logging->lines, line, length, word) &&
	    nccl_version(word))
		logging->nccl = arena_strdup(logging->intake->arena, word);
}

static void *open_log(struct intake *intake)
{
	struct logging *logging = arena_new(intake->arena, struct logging);

	logging->intake = intake;
	logging->index.arena = intake->arena;
	nccl_lines_open(&logging->lines, intake->arena);
	return logging;
}

static bool take_line(struct logging *logging, const struct nccl_line *line)
{
	struct process *process = process_of(logging, line->process);

	return take_table(logging->intake, process, line->text) ||
	       take_graph(logging->intake, process, line->text) ||
	       take_call(logging, process, line) || take_choice(logging, process, line->text) ||
	       take_communicator(logging, process, line);
}

static bool read_line(struct intake *intake, void *state, const char *text, size_t length)
{
	struct logging *logging = state;
	struct arena arena;
	struct nccl_line line;
	char *copy;
	bool taken;

	(void)intake;
	if (!text_mentions(text, length, "NCCL "))
		return false;
	arena_init(&arena);
	copy = arena_alloc(&arena, length + 1);
	length = text_plain(text, length, copy);
	take_version(logging, copy, length);
	taken = nccl_lines_split(&logging->lines, copy, length, &line) && take_line(logging, &line);
	arena_release(&arena);
	return taken;
}

/* Nodes that no line told: as many as there are hosts, for the communicator of all. */
static void find_nodes(struct logging *logging, struct nccl_log *log)
{
	const struct measurement_hints *hints = logging->intake->hints;
	const int64_t hosts = (int64_t)logging->hosts.count;
	int64_t most = 0;
	size_t i;

	if (log->at.nodes)
		return;
	for (i = 0; i < logging->logs.count; i++)
		if (logging->logs.items[i]->at.ranks > most)
			most = logging->logs.items[i]->at.ranks;
	if (log->at.ranks == most)
		log->at.nodes = hints->nodes ? hints->nodes : hosts;
	else if (hosts == 1)
		log->at.nodes = 1;
}

static void close_one(struct logging *logging, struct nccl_log *log)
{
	struct intake *intake = logging->intake;

	if (log->at.ranks < 2 || (!log->choices.count && !nccl_log_has_tables(log)))
		return;
	find_nodes(logging, log);
	if (!log->at.nodes || log->at.ranks % log->at.nodes) {
		intake_left_out(intake, "communicators whose nodes are not said (add INIT to "
					"NCCL_DEBUG_SUBSYS)");
		return;
	}
	log->at.source = intake->path;
	log->at.nccl = intake->hints->nccl ? intake->hints->nccl : logging->nccl;
	measurement_hint(&log->at, intake->hints);
	if (log->at.gpu)
		vec_push(intake->arena, &intake->into->logs, log);
	else
		intake_complain(intake, "does not name the device; say it with --gpu (as in --gpu "
					"h100-sxm)");
}

static void close_log(struct intake *intake, void *state)
{
	struct logging *logging = state;
	size_t i;

	for (i = 0; i < logging->processes.count; i++) {
		struct process *process = logging->processes.items[i];
		if (process->pending && intake->hints->ranks) {
			process->nodes = intake->hints->nodes;
			settle(logging, process, intake->hints->ranks);
		} else if (process->pending) {
			intake_left_out(intake, "tables of a communicator whose ranks are not said "
						"(add INIT to NCCL_DEBUG_SUBSYS, or say --ranks)");
		}
	}
	for (i = 0; i < logging->logs.count; i++)
		close_one(logging, logging->logs.items[i]);
	nccl_lines_close(&logging->lines);
}

const struct measurement_reader measurement_nccl_log = {
	.kind = "NCCL log",
	.open = open_log,
	.line = read_line,
	.close = close_log,
};
