#include "cost/measurement_reader.h"

#include "base/die.h"
#include "base/map.h"
#include "base/text.h"
#include "framework/torch/element_type.h"
#include "input/syntax/piece.h"

#include <string.h>

/*
 * Traces of PyTorch's profiler (libkineto, chrome format): kernels of NCCL carry the collective,
 * its sizes and its group in "args" since PyTorch 2.4. Devices stand in "deviceProperties", the
 * groups in "distributedInfo", which may follow the events. A trace is read event by event.
 */
struct tracing {
	struct intake *intake;
	const char *gpu, *nccl;
	int64_t devices, world; /* of the node, of the job; 0: not said */
	struct map index;	/* of `kinds`, by what they have in common */
	VEC(struct call_kind) kinds;
	VEC(struct event) events;
};

/* Calls of a group that have collective and bytes in common. */
struct call_kind {
	const char *ranks; /* "[0, 1, 2]" */
	uint64_t count;
};

/* A kernel, until it is known how many devices a node has. */
struct event {
	const struct collective *op;
	double bytes, time;
	uint64_t call;
	const char *ranks; /* "[0, 1, 2]" */
	int64_t size;
};

/* How c10d calls what it does; which of "In msg nelems" and "Out msg nelems" nccl-tests counts. */
static const struct {
	const char *name, *op;
	bool out;
} names[] = {
	{ "allreduce", "all_reduce", false },
	{ "all_reduce", "all_reduce", false },
	{ "_allgather_base", "all_gather", true },
	{ "all_gather", "all_gather", true },
	{ "allgather", "all_gather", true },
	{ "all_gather_single", "all_gather", true },
	{ "_reduce_scatter_base", "reduce_scatter", false },
	{ "reduce_scatter", "reduce_scatter", false },
	{ "reduce_scatter_single", "reduce_scatter", false },
	{ "broadcast", "broadcast", false },
	{ "_broadcast_oop", "broadcast", false },
	{ "reduce", "reduce", false },
	{ "all_to_all", "all_to_all", false },
	{ "all_to_allv", "all_to_all", false },
	{ "all_to_all_single", "all_to_all", false },
};

static int type_bytes(const char *name)
{
	const struct element_type *type = name ? element_type_find(name) : NULL;

	return type ? type->bytes : 0;
}

/* Index of a row of `names`, or -1. */
static int find_name(const char *name)
{
	int i;

	for (i = 0; name && i < (int)(sizeof(names) / sizeof(*names)); i++)
		if (!strcmp(names[i].name, name))
			return i;
	return -1;
}

static bool uneven(const struct node *args, const char *key)
{
	const char *split = member_text(args, key);

	return split && strcmp(split, "[]") != 0;
}

/* Which call of its kind in its group this is: every rank makes them in the same order. */
static void number_event(struct tracing *tracing, const struct node *args, struct event *event)
{
	struct arena *arena = tracing->intake->arena;
	const char *group = member_text(args, "Process Group Name");
	const char *ranks = member_text(args, "Process Group Ranks");
	struct call_kind kind = { .ranks = "" };
	struct buf key;
	int64_t at;

	buf_init(&key);
	buf_printf(&key, "%s %s %.17g %s", group ? group : "", event->op->name, event->bytes,
		   ranks ? ranks : "");
	at = map_find(&tracing->index, key.data);
	if (at < 0) {
		at = (int64_t)tracing->kinds.count;
		kind.ranks = arena_strdup(arena, ranks ? ranks : "");
		map_add(&tracing->index, arena_strdup(arena, key.data), (uint32_t)at);
		vec_push(arena, &tracing->kinds, kind);
	}
	if ((size_t)at >= tracing->kinds.count)
		bug("kind %lld of %zu", (long long)at, tracing->kinds.count);
	event->ranks = tracing->kinds.items[at].ranks;
	event->call = call_hash(tracing->kinds.items[at].count++, key.data);
	buf_release(&key);
}

/* Why a kernel of NCCL is of no use, or NULL when `event` has it. */
static const char *read_args(const struct node *args, struct event *event)
{
	const char *name = member_text(args, "Collective name");
	const int row = find_name(name);

	if (!name)
		return "kernels without their collective's sizes, which PyTorch writes from 2.4 on";
	if (row < 0)
		return "collectives that are not modelled, or wait for a partner";
	if (uneven(args, "In split size") || uneven(args, "Out split size"))
		return "exchanges of uneven parts";
	event->op = collective_find(names[row].op);
	event->bytes = member_number(args, names[row].out ? "Out msg nelems" : "In msg nelems") *
		       type_bytes(member_text(args, "dtype"));
	event->size = member_count(args, "Group size");
	if (event->bytes <= 0 || !event->size)
		return "collectives without a size, or of a type that is not known";
	if (event->size < 2)
		return "groups of one rank";
	return NULL;
}

/* A kernel: what it took, and what its collective was. */
static void take_event(struct tracing *tracing, const struct node *root)
{
	const struct node *args = node_member(root, "args");
	const char *name = member_text(root, "name"), *category = member_text(root, "cat");
	struct event event = { .time = member_number(root, "dur") };
	const char *why;

	if (!name || !category || strcmp(category, "kernel") != 0 || !text_starts(name, "nccl"))
		return;
	why = read_args(args, &event);
	if (why || event.time <= 0) {
		intake_left_out(tracing->intake, why ? why : "kernels without a time");
		return;
	}
	number_event(tracing, args, &event);
	vec_push(tracing->intake->arena, &tracing->events, event);
}

static void take_piece(struct tracing *tracing, const struct json_piece *piece,
		       const struct node *root)
{
	struct arena *arena = tracing->intake->arena;

	if (!strcmp(piece->key, "traceEvents")) {
		take_event(tracing, root);
	} else if (!strcmp(piece->key, "deviceProperties")) {
		tracing->devices++;
		if (!tracing->gpu && member_text(root, "name"))
			tracing->gpu = arena_strdup(arena, member_text(root, "name"));
	} else {
		const char *nccl = member_text(root, "nccl_version");
		tracing->world = member_count(root, "world_size");
		if (nccl && nccl_version(nccl))
			tracing->nccl = arena_strdup(arena, nccl);
	}
}

static bool of_use(const struct json_piece *piece)
{
	if (!strcmp(piece->key, "traceEvents"))
		return text_mentions(piece->text, piece->length, "nccl") &&
		       text_mentions(piece->text, piece->length, "kernel");
	return !strcmp(piece->key, "deviceProperties") || !strcmp(piece->key, "distributedInfo");
}

/* Each piece in memory of its own. */
static void read_piece(struct tracing *tracing, const struct json_piece *piece)
{
	struct arena arena;
	const struct node *root;

	arena_init(&arena);
	root = piece_tree(&arena, piece);
	if (root && root->kind == NODE_MAP)
		take_piece(tracing, piece, root);
	else
		intake_unreadable(tracing->intake);
	arena_release(&arena);
}

/* Devices of a node as the command line or the trace has it; 0: neither does. */
static int64_t devices_of(const struct tracing *tracing)
{
	const struct measurement_hints *hints = tracing->intake->hints;

	if (hints->nodes)
		return tracing->world ? tracing->world / hints->nodes : 0;
	if (tracing->devices > 1 || tracing->world == 1)
		return tracing->devices;
	return 0; /* a process that sees one device says nothing of its node */
}

/* Nodes of a group whose ranks are listed, in blocks of `devices` ranks a node; 0: cannot be told.
 */
static int64_t nodes_of(const struct event *event, int64_t devices)
{
	const char *at = event->ranks;
	int64_t rank, node = -1, nodes = 0, listed = 0;

	for (at += *at == '['; text_digits(&at, 9, &rank); listed++) {
		if (rank / devices != node)
			nodes++;
		node = rank / devices;
		at += strspn(at, ", ");
	}
	return listed == event->size ? nodes : 0;
}

static void put_event(struct tracing *tracing, const struct event *event, int64_t devices)
{
	struct intake *intake = tracing->intake;
	struct measurement table = {
		.source = intake->path,
		.op = event->op,
		.gpu = tracing->gpu,
		.ranks = event->size,
		.nccl = intake->hints->nccl ? intake->hints->nccl : tracing->nccl,
		.timed = TIMED_LOG,
	};

	table.nodes = nodes_of(event, devices);
	/* A list of more than thirty ranks is shortened: then only the whole job's is known. */
	if (!table.nodes && event->size == tracing->world)
		table.nodes = (event->size + devices - 1) / devices;
	if (!table.nodes || table.ranks % table.nodes) {
		intake_left_out(intake, "groups whose nodes cannot be told from the list of ranks");
		return;
	}
	measurement_hint(&table, intake->hints);
	intake->source->rows++;
	measurement_sample(intake->arena, intake->into, &table,
			   (struct sampled_call) { event->bytes, event->time, event->call });
}

static void put_events(struct tracing *tracing)
{
	const int64_t devices = devices_of(tracing);
	size_t i;

	if (!tracing->gpu && !tracing->intake->hints->gpu) {
		intake_complain(tracing->intake, "does not name the device; say it with --gpu (as "
						 "in --gpu h100-sxm)");
		return;
	}
	if (devices < 1) {
		intake_complain(tracing->intake, "does not say how many devices a node has; say "
						 "with --nodes how many the job ran on");
		return;
	}
	for (i = 0; i < tracing->events.count; i++)
		put_event(tracing, &tracing->events.items[i], devices);
}

static void read_trace(struct intake *intake, struct text_stream *stream)
{
	struct tracing tracing = { .intake = intake, .index = { .arena = intake->arena } };
	struct json_pieces pieces;
	struct json_piece piece;

	json_pieces_open(&pieces, stream);
	while (json_pieces_next(&pieces, &piece)) {
		intake->at += !strcmp(piece.key, "traceEvents");
		if (of_use(&piece))
			read_piece(&tracing, &piece);
	}
	if (pieces.broken)
		intake_unreadable(intake);
	if (tracing.events.count)
		put_events(&tracing);
	else if (!intake->source->unreadable && !intake->source->left_out)
		intake_complain(intake, "is a profiler trace without kernels of NCCL");
}

static bool claims(const char *head)
{
	return head[strspn(head, " \t\r\n")] == '{' &&
	       (strstr(head, "\"traceEvents\"") || strstr(head, "\"deviceProperties\"") ||
		strstr(head, "\"schemaVersion\""));
}

const struct measurement_reader measurement_trace = {
	.kind = "profiler trace",
	.claims = claims,
	.read = read_trace,
};
