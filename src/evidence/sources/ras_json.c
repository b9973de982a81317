#include "base/json_pieces.h"
#include "base/text.h"
#include "evidence/evidence.h"
#include "evidence/observed/roster.h"
#include "input/member.h"
#include "input/syntax/piece.h"

#include <stdio.h>
#include <string.h>

/*
 * What `ncclras -f json` says of a job that runs (NCCL 2.28.7 and later, docs of NVIDIA/nccl):
 * every communicator with its ranks, and how often each rank called five kinds of collectives since
 * the start. Only what grows between two queries is training: the calls of the first one are step
 * 0, what later ones add are the steps behind it. Neither bytes nor sends are told.
 */
const struct evidence_source source_ras_json;

struct query {
	struct roster roster;
	int64_t number;	     /* of queries before this one */
	int64_t missing;     /* ranks that did not answer */
	VEC(int32_t) silent; /* their processes */
};

static int claims_ras(const char *head, size_t length)
{
	return text_mentions(head, length, "\"communicators_count\"") &&
			       text_mentions(head, length, "\"nccl_version\"")
		       ? 95
		       : 0;
}

static bool is_of_ras(const struct capture *capture, const struct seen_call *call)
{
	const struct seen_group *group = &capture->groups.items[call->group];

	return capture->files.items[group->witness.file].source == &source_ras_json;
}

/* ---- ranks ---- */

static void take_counts(struct query *query, struct roster_member *member,
			const struct node *counts)
{
	const struct node *count;

	for (count = counts ? counts->first : NULL; count; count = count->next) {
		struct seen_call call = {
			.in = -1, .out = -1, .dtype = "", .bytes = -1, .peer = -1
		};
		if (!count->key || count->kind != NODE_SCALAR || count->type != SCALAR_INT ||
		    count->integer < 1)
			continue;
		call.op = seen_op_of(count->key, strlen(count->key));
		call.count = count->integer;
		call.step = query->number;
		roster_call(&query->roster, member, &call);
	}
}

/* Index of the process of a row; -1: the row does not tell. */
static int32_t process_of(struct query *query, const struct node *row)
{
	const char *host = member_text(row, "host");
	char process[200];

	if (!host)
		return -1;
	snprintf(process, sizeof(process), "%.120s:%lld/%lld", host,
		 (long long)member_integer(row, "pid", 0),
		 (long long)member_integer(row, "cuda_dev", 0));
	return roster_process(&query->roster, process);
}

static void take_rank(struct query *query, const struct node *row, const char *identity,
		      int64_t size)
{
	const char *host = member_text(row, "host");
	const int64_t place = member_integer(row, "rank", -1);
	struct roster_member *member;

	if (place < 0 || place >= size || !host) {
		evidence_file(query->roster.intake)->unreadable++;
		return;
	}
	member = roster_member(&query->roster, process_of(query, row), size);
	member->identity = identity;
	member->place = place;
	take_counts(query, member, node_member(row, "collective_counts"));
}

static void take_ranks(struct query *query, const struct node *list, const char *identity,
		       int64_t size)
{
	const struct node *row;

	if (!list || list->kind != NODE_LIST)
		return;
	for (row = list->first; row; row = row->next)
		take_rank(query, row, identity, size);
}

static void take_communicator(struct query *query, const struct node *communicator)
{
	const struct node *missing = node_member(communicator, "missing_ranks"), *row;
	const int64_t size = member_count(communicator, "size");
	const char *hash = member_text(communicator, "hash"), *identity;

	if (!size || !hash) {
		evidence_file(query->roster.intake)->unreadable++;
		return;
	}
	identity = arena_printf(query->roster.arena, "%.100s", hash);
	take_ranks(query, node_member(communicator, "ranks"), identity, size);
	take_ranks(query, missing, identity, size);
	for (row = missing && missing->kind == NODE_LIST ? missing->first : NULL; row;
	     row = row->next) {
		query->missing++;
		vec_push(query->roster.arena, &query->silent, process_of(query, row));
	}
}

/* Ranks of the job that did not answer, and where they are. */
static void name_silent(struct query *query)
{
	struct hang_facts *hang = &query->roster.intake->capture->hang;
	struct hang_named named = { .fate = HANG_MISSING,
				    .how = "does not answer NCCL's RAS: its process is stopped, "
					   "gone or out of reach",
				    .sequence = -1,
				    .time = -1 };
	size_t i;

	for (i = 0; i < query->silent.count; i++) {
		const struct roster_process *process;
		if (query->silent.items[i] < 0)
			continue;
		process = &query->roster.processes.items[query->silent.items[i]];
		named.rank = process->rank;
		if (named.rank < 0)
			continue;
		hang_facts_name(hang, named);
		hang_facts_place(hang, named.rank, process->host, strlen(process->host), -1);
	}
}

/* ---- queries ---- */

static int64_t queries_before(const struct capture *capture)
{
	int64_t most = -1;
	size_t i;

	for (i = 0; i < capture->calls.count; i++)
		if (is_of_ras(capture, &capture->calls.items[i]) &&
		    capture->calls.items[i].step > most)
			most = capture->calls.items[i].step;
	return most + 1;
}

/* Counts of earlier queries, by communicator, rank and kind. */
struct totals {
	struct map index;
	VEC(struct total) list;
};

struct total {
	int64_t count;
	size_t call; /* the last that it is the sum of */
	int rows;
};

static int64_t total_at(const struct totals *totals, const struct capture *capture,
			const struct seen_call *call, char key[200])
{
	const char *identity = capture->groups.items[call->group].identity;

	snprintf(key, 200, "%s %lld %d", identity ? identity : "", (long long)call->rank,
		 (int)call->op);
	return map_find(&totals->index, key);
}

static void add_up(struct totals *totals, const struct capture *capture, int64_t before)
{
	struct arena *arena = capture->arena;
	char key[200];
	size_t i;

	for (i = 0; i < capture->calls.count; i++) {
		const struct seen_call *call = &capture->calls.items[i];
		const struct total one = { call->count, i, 1 };
		int64_t at;
		if (!is_of_ras(capture, call) || call->step >= before)
			continue;
		at = total_at(totals, capture, call, key);
		if (at < 0) {
			map_add(&totals->index, arena_strdup(arena, key),
				(uint32_t)totals->list.count);
			vec_push(arena, &totals->list, one);
			continue;
		}
		totals->list.items[at].count += call->count;
		totals->list.items[at].call = i;
		totals->list.items[at].rows++;
	}
}

/* What a count has grown by; 0: nothing. One that fell is of a query before the one that is known.
 */
static int64_t growth(struct capture *capture, const struct totals *totals, struct seen_call *call)
{
	const struct total *total;
	struct seen_call *known;
	char key[200];
	const int64_t at = total_at(totals, capture, call, key);

	if (at < 0)
		return call->count;
	total = &totals->list.items[at];
	if (call->count >= total->count)
		return call->count - total->count;
	if (total->rows > 1)
		return 0;
	known = &capture->calls.items[total->call];
	known->count -= call->count;
	known->step = call->step;
	call->step = 0;
	return call->count;
}

static void keep_growth(struct query *query, size_t first)
{
	struct capture *capture = query->roster.intake->capture;
	struct totals *totals = arena_new(capture->arena, struct totals);
	size_t i, kept = first;

	totals->index.arena = capture->arena;
	add_up(totals, capture, query->number);
	for (i = first; i < capture->calls.count; i++) {
		struct seen_call call = capture->calls.items[i];
		call.count = call.rank < 0 ? 0 : growth(capture, totals, &call);
		if (call.count > 0)
			capture->calls.items[kept++] = call;
	}
	capture->calls.count = kept;
}

/* Takes back what was said of one query when there is another one. */
static void judge_query(const struct query *query)
{
	static const char code[] = "ONE_SNAPSHOT";
	struct evidence_intake *intake = query->roster.intake;
	struct capture *capture = intake->capture;
	size_t i, kept = 0;

	for (i = 0; i < capture->limits.count; i++)
		if (strcmp(capture->limits.items[i].code, code) != 0)
			capture->limits.items[kept++] = capture->limits.items[i];
	capture->limits.count = kept;
	if (!query->number)
		evidence_limit(intake, code,
			       "counts are those since the start: a second query some steps later "
			       "tells what training calls");
	if (query->missing)
		evidence_limit(intake, "RANKS_MISSING",
			       arena_printf(capture->arena, "%lld ranks did not answer",
					    (long long)query->missing));
}

static void take_piece(struct query *query, const struct json_piece *piece, struct arena *arena)
{
	struct evidence_intake *intake = query->roster.intake;
	const struct node *tree;

	if (!strcmp(piece->key, "communicators") && piece->item) {
		intake->record++;
		evidence_file(intake)->records++;
		tree = piece_tree(arena, piece);
		if (tree)
			take_communicator(query, tree);
		else
			evidence_file(intake)->unreadable++;
	} else if (!strcmp(piece->key, "nccl_version")) {
		tree = piece_tree(arena, piece);
		if (tree && tree->kind == NODE_SCALAR && strlen(tree->text) < 32)
			evidence_version(intake, "nccl", tree->text);
	}
}

/* One answer; false when there was none. */
static bool read_query(struct evidence_intake *intake, struct text_stream *stream)
{
	struct query *query = arena_new(intake->capture->arena, struct query);
	const int64_t before = evidence_file(intake)->records;
	const size_t first = intake->capture->calls.count;
	struct json_pieces pieces;
	struct json_piece piece;

	roster_init(&query->roster, intake);
	query->number = queries_before(intake->capture);
	json_pieces_open(&pieces, stream);
	while (json_pieces_next(&pieces, &piece)) {
		struct arena arena;
		arena_init(&arena);
		take_piece(query, &piece, &arena);
		arena_release(&arena);
	}
	if (pieces.broken)
		evidence_limit(intake, "FILE_CUT_OFF", "the file ends within a query");
	if (evidence_file(intake)->records == before)
		return false;
	roster_close(&query->roster);
	name_silent(query);
	if (query->number)
		keep_growth(query, first);
	judge_query(query);
	return !pieces.broken;
}

/* Answers may stand one behind the other in one file. */
static void read_ras(struct evidence_intake *intake, struct text_stream *stream)
{
	while (stream_need(stream, 3) && read_query(intake, stream))
		;
}

const struct evidence_source source_ras_json = {
	.name = "NCCL RAS (JSON)",
	.record = "communicator",
	.blind = true,
	.claims = claims_ras,
	.read = read_ras,
};
