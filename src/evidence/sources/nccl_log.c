#include "base/number.h"
#include "base/text.h"
#include "cost/nccl/log_lines.h"
#include "evidence/evidence.h"
#include "evidence/observed/roster.h"

#include <stdio.h>
#include <string.h>

/*
 * Lines of NCCL_DEBUG=INFO (cost/nccl/log_lines.h): communicators as they are made, and with
 * NCCL_DEBUG_SUBSYS=COLL each call on them. A pointer names a communicator within one process,
 * until it is used again; commId, or a split's parent and colour, name it in all. A process in the
 * place of another one (host and GPU) was started again: only the last start counts.
 */
struct logging {
	struct evidence_intake *intake;
	struct nccl_lines lines;
	struct roster roster;
	struct map comms;   /* of roster.members, by process and pointer: "12 0x5"; the last */
	struct map devices; /* of seats, by "host bus" */
	VEC(struct seat) seats;
	VEC(struct pointer) pointers;
	VEC(struct standing) standings; /* by process */
	int32_t start;			/* the job's, from 0 */
	int64_t read, unreadable, begun;
};

/* Who sits on a GPU. */
struct seat {
	int32_t process, start;
};

/* What a pointer of a process stands for now. */
struct pointer {
	struct roster_member *member; /* NULL: ended */
	bool made;
};

struct standing {
	int32_t start, live, ended; /* communicators that it has, and had */
	int64_t called;		    /* calls that COLL lines told of */
	struct roster_member *only; /* with more than one rank, if there is one such */
	bool several;
};

/* Expressions are compiled when there is something to read. */
static void begin(struct logging *logging, struct evidence_intake *intake)
{
	logging->intake = logging->roster.intake = intake;
	if (!logging->lines.prefix)
		nccl_lines_open(&logging->lines, intake->capture->arena);
}

static void *open_log(struct evidence_intake *intake)
{
	struct logging *logging = arena_new(intake->capture->arena, struct logging);

	logging->comms.arena = logging->devices.arena = intake->capture->arena;
	roster_init(&logging->roster, intake);
	return logging;
}

static void unreadable(struct logging *logging)
{
	logging->unreadable++;
	evidence_file(logging->intake)->unreadable++;
}

static struct standing *standing_of(struct logging *logging, int32_t process)
{
	const struct standing none = { .start = -1 };

	while (logging->standings.count <= (size_t)process)
		vec_push(logging->roster.arena, &logging->standings, none);
	return &logging->standings.items[process];
}

static int32_t process_of(struct logging *logging, const struct nccl_line *line)
{
	const int32_t process = roster_process(&logging->roster, line->process);
	struct roster_process *row = &logging->roster.processes.items[process];

	if (line->told >= 0)
		row->told = line->told;
	return process;
}

/* ---- starts ---- */

/* A process that makes its first communicator takes its GPU from whoever had it. */
static void take_seat(struct logging *logging, int32_t process, const char *bus)
{
	struct roster *roster = &logging->roster;
	struct standing *standing = standing_of(logging, process);
	struct seat seat = { process, logging->start };
	char key[2 * NCCL_WORD + 2];
	int64_t at;

	if (standing->start >= 0 || !*bus)
		return;
	snprintf(key, sizeof(key), "%s %s", roster->processes.items[process].host, bus);
	at = map_find(&logging->devices, key);
	if (at >= 0) {
		struct seat *old = &logging->seats.items[at];
		roster->processes.items[old->process].gone = true;
		if (old->start == logging->start)
			logging->start++;
		old->process = process;
		old->start = logging->start;
	} else {
		map_add(&logging->devices, arena_strdup(roster->arena, key),
			(uint32_t)logging->seats.count);
		vec_push(roster->arena, &logging->seats, seat);
	}
	standing->start = logging->start;
}

/* What a process had that ended all it had, and now begins anew, is of an earlier start. */
static void begin_anew(struct logging *logging, int32_t process)
{
	struct roster *roster = &logging->roster;
	struct standing *standing = standing_of(logging, process);
	size_t i;

	if (standing->live || !standing->ended)
		return;
	for (i = 0; i < roster->members.count; i++)
		if (roster->members.items[i]->process == process)
			roster->members.items[i]->gone = true;
	standing->ended = 0;
	standing->only = NULL;
	standing->several = false;
	logging->start++;
}

/* ---- communicators ---- */

static struct pointer *pointer_of(struct logging *logging, int32_t process, const char *text)
{
	struct arena *arena = logging->roster.arena;
	const struct pointer none = { 0 };
	char key[NCCL_WORD + 16];
	int64_t at;

	snprintf(key, sizeof(key), "%d %s", (int)process, text);
	at = map_find(&logging->comms, key);
	if (at >= 0)
		return &logging->pointers.items[at];
	map_add(&logging->comms, arena_strdup(arena, key), (uint32_t)logging->pointers.count);
	vec_push(arena, &logging->pointers, none);
	return &logging->pointers.items[logging->pointers.count - 1];
}

/* Splits have names of their parents; what NCCL prints as their commId is not theirs alone. */
static const char *identity_of(struct logging *logging, int32_t process,
			       const struct nccl_communicator *said)
{
	const struct roster_member *parent =
		*said->parent ? pointer_of(logging, process, said->parent)->member : NULL;

	if (!*said->parent)
		return *said->identity ? arena_strdup(logging->roster.arena, said->identity) : NULL;
	if (!parent || !parent->identity || said->color < 0)
		return NULL;
	return arena_printf(logging->roster.arena, "%.150s split %lld color %lld", parent->identity,
			    (long long)said->split, (long long)said->color);
}

static struct roster_member *member_new(struct logging *logging, int32_t process, int64_t size,
					const char *pointer)
{
	struct standing *standing = standing_of(logging, process);
	struct roster_member *member = roster_member(&logging->roster, process, size);

	member->name = arena_strdup(logging->roster.arena, pointer);
	standing->live++;
	if (size > 1) {
		standing->several = standing->only != NULL;
		standing->only = member;
	}
	return member;
}

static void end_communicator(struct logging *logging, int32_t process, struct pointer *pointer)
{
	struct standing *standing = standing_of(logging, process);

	if (!pointer->member)
		return;
	standing->live--;
	standing->ended++;
	pointer->member = NULL;
}

static void take_communicator(struct logging *logging, int32_t process,
			      const struct nccl_communicator *said)
{
	struct pointer *pointer;
	const char *identity;

	take_seat(logging, process, said->bus);
	pointer = pointer_of(logging, process, said->pointer);
	if (said->made == NCCL_ENDED) {
		end_communicator(logging, process, pointer);
		return;
	}
	if (pointer->member && !pointer->made && pointer->member->size == said->ranks) {
		pointer->made = said->made == NCCL_MADE;
		logging->begun -= pointer->made;
		return;
	}
	if (pointer->member)
		end_communicator(logging, process, pointer);
	begin_anew(logging, process);
	identity = identity_of(logging, process, said);
	pointer = pointer_of(logging, process, said->pointer);
	pointer->member = member_new(logging, process, said->ranks, said->pointer);
	pointer->member->identity = identity;
	pointer->member->place = said->rank;
	pointer->member->color = *said->parent ? said->color : -1;
	pointer->member->key = said->rank;
	pointer->made = said->made == NCCL_MADE;
	logging->begun += !pointer->made;
}

static void take_nodes(struct logging *logging, int32_t process,
		       const struct nccl_communicator *said, int64_t nodes)
{
	const struct pointer *pointer = pointer_of(logging, process, said->pointer);

	if (pointer->member && pointer->member->size == said->ranks && nodes < INT32_MAX)
		pointer->member->nodes = nodes;
}

/* ---- calls ---- */

/* ncclDataType_t, as torch names them. */
static const struct {
	const char *name;
	int bytes;
} datatypes[] = {
	{ "int8", 1 },	  { "uint8", 1 },    { "int32", 4 },	     { "uint32", 4 },
	{ "int64", 8 },	  { "uint64", 8 },   { "float16", 2 },	     { "float32", 4 },
	{ "float64", 8 }, { "bfloat16", 2 }, { "float8_e4m3fn", 1 }, { "float8_e5m2", 1 },
};

/* Elements of both sides, of which NCCL's count is one, or a part for each rank of one. */
static const struct {
	const char *name;
	bool wide_in, wide_out; /* times the ranks */
	bool peer;		/* root is one */
} shapes[] = {
	{ "AllGather", false, true, false }, { "ReduceScatter", true, false, false },
	{ "AlltoAll", true, true, false },   { "AllToAll", true, true, false },
	{ "Gather", false, true, false },    { "Scatter", true, false, false },
	{ "Send", false, false, true },	     { "Recv", false, false, true },
};

static struct seen_call call_of(const struct nccl_call *said)
{
	struct seen_call call = {
		.op = seen_op_of(said->op, strlen(said->op)),
		.in = said->count,
		.out = said->count,
		.dtype = "",
		.bytes = -1,
		.peer = -1,
		.step = -1,
		.count = 1,
	};
	size_t i;

	for (i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		if (strcmp(shapes[i].name, said->op) != 0)
			continue;
		call.in = shapes[i].wide_in ? multiply(said->count, said->ranks) : said->count;
		call.out = shapes[i].wide_out ? multiply(said->count, said->ranks) : said->count;
		call.peer = shapes[i].peer ? said->root : -1;
	}
	if (said->datatype >= 0 &&
	    said->datatype < (int64_t)(sizeof(datatypes) / sizeof(*datatypes))) {
		call.dtype = datatypes[said->datatype].name;
		call.bytes = multiply(call.in > call.out ? call.in : call.out,
				      datatypes[said->datatype].bytes);
	}
	return call;
}

static void take_call(struct logging *logging, int32_t process, const struct nccl_call *said)
{
	struct pointer *pointer = pointer_of(logging, process, said->pointer);
	const struct seen_call call = call_of(said);

	if (pointer->member && pointer->member->size != said->ranks)
		end_communicator(logging, process, pointer);
	if (!pointer->member)
		pointer->member = member_new(logging, process, said->ranks, said->pointer);
	standing_of(logging, process)->called++;
	roster_call(&logging->roster, pointer->member, &call);
}

/*
 * "AllReduce: 4194304 Bytes -> Algo RING ..." (TUNING) names no communicator: it tells something
 * only where COLL lines do not, and the process has one communicator.
 */
static bool take_choice(struct logging *logging, int32_t process, const struct nccl_line *line)
{
	const struct standing *standing = standing_of(logging, process);
	struct seen_call call = {
		.in = -1, .out = -1, .dtype = "", .peer = -1, .step = -1, .count = 1
	};
	const size_t name = strcspn(line->text, ": ");
	const char *number = line->text + name + 2;

	if (!text_mentions(line->text, line->length, " Bytes -> Algo "))
		return false;
	if (standing->called)
		return true;
	if (name + 2 > line->length || line->text[name] != ':' || !standing->only ||
	    standing->several) {
		evidence_file(logging->intake)->left_out++;
		return true;
	}
	call.op = seen_op_of(line->text, name);
	if (text_digits(&number, 18, &call.bytes))
		roster_call(&logging->roster, standing->only, &call);
	else
		unreadable(logging);
	return true;
}

/* ---- lines ---- */

static int markers(const char *text)
{
	int count = 0;

	for (text = strstr(text, "NCCL INFO "); text; text = strstr(text + 1, "NCCL INFO "))
		count++;
	return count;
}

/* Words that only lines have which one of the readers below knows. */
static bool is_known(const struct nccl_line *line)
{
	return text_mentions(line->text, line->length, "Init COMPLETE") ||
	       text_mentions(line->text, line->length, "Init START") ||
	       text_mentions(line->text, line->length, "opCount");
}

/* "Using network IB", NCCL's net.cc; a plugin names its own: "AWS Libfabric". */
static bool take_network(struct logging *logging, const struct nccl_line *line)
{
	static const char words[] = "Using network ";
	const char *at = text_find(line->text, line->length, words);
	size_t length;

	if (!at)
		return false;
	at += strlen(words);
	length = (size_t)(line->text + line->length - at);
	while (length && (at[length - 1] == ' ' || at[length - 1] == '\r'))
		length--;
	if (length && length < 48)
		evidence_network(logging->intake, at, length);
	return true;
}

static bool take_message(struct logging *logging, int32_t process, const struct nccl_line *line)
{
	struct nccl_communicator communicator;
	struct nccl_call call;
	int64_t nodes;

	if (nccl_lines_call(&logging->lines, line, &call)) {
		take_call(logging, process, &call);
		return true;
	}
	if (text_mentions(line->text, line->length, "nranks ") &&
	    nccl_lines_communicator(&logging->lines, line, &communicator)) {
		take_communicator(logging, process, &communicator);
		return true;
	}
	if (nccl_lines_nodes(&logging->lines, line, &communicator, &nodes)) {
		take_nodes(logging, process, &communicator, nodes);
		return true;
	}
	return take_choice(logging, process, line) || take_network(logging, line) ||
	       !is_known(line);
}

static bool take_line(struct logging *logging, const char *plain, size_t length)
{
	char version[NCCL_WORD];
	struct nccl_line line;

	if (!nccl_lines_split(&logging->lines, plain, length, &line)) {
		if (!nccl_lines_version(&logging->lines, plain, length, version))
			return false;
		evidence_version(logging->intake, "nccl", version);
		return true;
	}
	logging->read++;
	if (!*line.process || markers(plain) > 1) {
		unreadable(logging);
		if (!*line.process || !is_known(&line))
			return true;
		take_message(logging, process_of(logging, &line), &line);
		return true;
	}
	if (!take_message(logging, process_of(logging, &line), &line))
		unreadable(logging);
	return true;
}

static bool read_line(struct evidence_intake *intake, void *state, const char *text, size_t length)
{
	struct logging *logging = state;
	struct arena arena;
	char *plain;
	bool taken;

	if (!text_mentions(text, length, "NCCL "))
		return false;
	begin(logging, intake);
	arena_init(&arena);
	plain = arena_alloc(&arena, length + 1);
	length = text_plain(text, length, plain);
	taken = take_line(logging, plain, length);
	arena_release(&arena);
	return taken;
}

static void judge_log(struct logging *logging)
{
	struct arena *arena = logging->roster.arena;
	struct evidence_intake *intake = logging->intake;

	if (logging->unreadable * 100 > logging->read)
		evidence_limit(intake, "LOG_GARBLED",
			       arena_printf(arena, "%lld of %lld lines of NCCL cannot be read",
					    (long long)logging->unreadable,
					    (long long)logging->read));
	if (logging->start)
		evidence_limit(intake, "RESTARTED",
			       "processes were started again: only what the last ones made counts");
	if (logging->begun > 0)
		evidence_limit(intake, "INIT_INCOMPLETE",
			       arena_printf(arena,
					    "%lld times a communicator was begun and not made",
					    (long long)logging->begun));
}

static void close_log(struct evidence_intake *intake, void *state)
{
	struct logging *logging = state;
	const struct roster *roster = &logging->roster;

	if (!logging->lines.prefix)
		return;
	begin(logging, intake);
	nccl_lines_close(&logging->lines);
	if (!logging->read)
		return;
	roster_close(&logging->roster);
	if (roster->processes.count == 1)
		evidence_file(intake)->rank = roster->processes.items[0].rank;
	judge_log(logging);
}

const struct evidence_source source_nccl_log = {
	.name = "NCCL log",
	.record = "line",
	.open = open_log,
	.line = read_line,
	.close = close_log,
};
