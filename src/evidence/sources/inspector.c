#include "base/number.h"
#include "base/source.h"
#include "base/text.h"
#include "evidence/evidence.h"
#include "evidence/observed/roster.h"
#include "input/member.h"
#include "input/syntax/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * What NCCL Inspector dumps (plugins/profiler/inspector of NVIDIA/nccl, formats v4.0 to 5), one
 * JSON object a line and call: "header" has the communicator and the rank in it, "coll_perf" or
 * "p2p_perf" the call. Calls below 8 KiB are not recorded unless asked for.
 */
struct inspecting {
	struct roster roster;
	struct map members; /* of rows, by process, communicator and rank */
	VEC(struct roster_member *) rows;
	struct map orders; /* of sequences, by row and kind of call */
	VEC(struct order) sequences;
};

/* Sequence numbers of one kind of call on one communicator. */
struct order {
	int64_t first, last, count;
};

static void *open_inspector(struct evidence_intake *intake)
{
	struct inspecting *state = arena_new(intake->capture->arena, struct inspecting);

	roster_init(&state->roster, intake);
	state->roster.filtered = true;
	state->members.arena = state->orders.arena = intake->capture->arena;
	return state;
}

/* The row of whoever made the call; -1: the header does not say. */
static int64_t row_of(struct inspecting *state, const struct node *header, const struct node *meta)
{
	struct arena *arena = state->roster.arena;
	const char *id = member_text(header, "id"), *host = member_text(meta, "hostname");
	const char *name = member_text(header, "comm_name");
	const int64_t ranks = member_count(header, "n_ranks"),
		      rank = member_integer(header, "rank", -1);
	struct roster_member *member;
	char key[320], process[160];
	int64_t at;

	if (!id || !ranks || rank < 0 || rank >= ranks)
		return -1;
	snprintf(process, sizeof(process), "%.100s:%lld", host ? host : "?",
		 (long long)member_integer(meta, "pid", 0));
	snprintf(key, sizeof(key), "%s %.100s %lld", process, id, (long long)rank);
	at = map_find(&state->members, key);
	if (at >= 0)
		return at;
	member = roster_member(&state->roster, roster_process(&state->roster, process), ranks);
	member->identity = arena_printf(arena, "%.100s", id);
	member->name = name ? arena_printf(arena, "%.100s", name) : "";
	member->place = rank;
	member->nodes = member_count(header, "nnodes");
	map_add(&state->members, arena_strdup(arena, key), (uint32_t)state->rows.count);
	vec_push(arena, &state->rows, member);
	return (int64_t)state->rows.count - 1;
}

static void take_order(struct inspecting *state, int64_t row, enum seen_op op, int64_t number)
{
	const struct order one = { number, number, 1 };
	struct order *order;
	char key[48];
	int64_t at;

	snprintf(key, sizeof(key), "%lld %d", (long long)row, (int)op);
	at = map_find(&state->orders, key);
	if (number < 0)
		return;
	if (at < 0) {
		map_add(&state->orders, arena_strdup(state->roster.arena, key),
			(uint32_t)state->sequences.count);
		vec_push(state->roster.arena, &state->sequences, one);
		return;
	}
	order = &state->sequences.items[at];
	order->first = number < order->first ? number : order->first;
	order->last = number > order->last ? number : order->last;
	order->count++;
}

/* What a call of either kind is named by in its object. */
static const struct {
	const char *object, *op, *bytes, *time, *number;
} kinds[] = {
	{ "coll_perf", "coll", "coll_msg_size_bytes", "coll_exec_time_us", "coll_sn" },
	{ "p2p_perf", "p2p", "p2p_msg_size_bytes", "p2p_exec_time_us", "p2p_sn" },
};

static bool take_call(struct inspecting *state, const struct node *root, int64_t row, int kind)
{
	const struct node *perf = node_member(root, kinds[kind].object);
	const char *name = member_text(perf, kinds[kind].op);
	struct roster_member *member = state->rows.items[row];
	struct seen_call call = {
		.in = -1, .out = -1, .dtype = "", .peer = -1, .step = -1, .count = 1
	};
	const double time = member_number(perf, kinds[kind].time);

	call.bytes = member_integer(perf, kinds[kind].bytes, -1);
	if (!name || call.bytes < 0)
		return false;
	call.op = seen_op_of(name, strlen(name));
	if (call.op == SEEN_ALL_GATHER || call.op == SEEN_REDUCE_SCATTER)
		call.bytes = multiply(call.bytes, member->size);
	if (kind)
		call.peer = member_integer(perf, "p2p_peer", -1);
	call.shortest = isfinite(time) && time > 0 ? time : 0;
	roster_call(&state->roster, member, &call);
	take_order(state, row, call.op, member_integer(perf, kinds[kind].number, -1));
	return true;
}

static bool take_object(struct inspecting *state, const struct node *root)
{
	const int64_t row =
		row_of(state, node_member(root, "header"), node_member(root, "metadata"));
	int kind;

	if (row < 0)
		return false;
	for (kind = 0; kind < 2; kind++)
		if (node_member(root, kinds[kind].object))
			return take_call(state, root, row, kind);
	evidence_file(state->roster.intake)->left_out++;
	return true;
}

/* Each line is read in memory of its own: there may be millions of them. */
static bool read_line(struct evidence_intake *intake, void *state, const char *text, size_t length)
{
	struct inspecting *inspecting = state;
	struct findings findings;
	struct arena arena;
	const struct node *root;

	while (length && (*text == ' ' || *text == '\t'))
		text++, length--;
	if (!length || *text != '{' || !text_mentions(text, length, "\"header\"") ||
	    !text_mentions(text, length, "n_ranks"))
		return false;
	inspecting->roster.intake = intake;
	arena_init(&arena);
	findings_init(&findings, &arena);
	root = json_read(&arena,
			 source_new(&arena, "", arena_strndup(&arena, text, length), length),
			 &findings);
	if (!root || !take_object(inspecting, root))
		evidence_file(intake)->unreadable++;
	arena_release(&arena);
	return true;
}

static void close_inspector(struct evidence_intake *intake, void *state)
{
	struct inspecting *inspecting = state;
	const struct roster *roster = &inspecting->roster;
	size_t i;

	inspecting->roster.intake = intake;
	roster_close(&inspecting->roster);
	if (roster->processes.count == 1)
		evidence_file(intake)->rank = roster->processes.items[0].rank;
	for (i = 0; i < inspecting->sequences.count; i++) {
		const struct order *order = &inspecting->sequences.items[i];
		if (order->last - order->first < order->count)
			continue;
		evidence_limit(intake, "RING_BUFFER_WRAPPED",
			       "sequence numbers have gaps: calls were dropped, or were smaller "
			       "than the inspector records");
		return;
	}
}

const struct evidence_source source_inspector = {
	.name = "NCCL Inspector",
	.record = "line",
	.open = open_inspector,
	.line = read_line,
	.close = close_inspector,
};
