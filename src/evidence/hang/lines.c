#include "evidence/hang/lines.h"

#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 2048, NAME_MOST = 96, LOOSE_MOST = 4096 };

/* Sources: torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp and TraceUtils.h (analyzeLaggingRanks),
 * ProcessGroupGloo.cpp (monitoredBarrier), torch/distributed/elastic/multiprocessing/errors;
 * NCCL's src/init.cc. */
const char *const hang_line_needles[] = {
	"WorkNCCL(SeqNum=",	 "detected by watchdog at work",
	"Timeout at NCCL work:", "ast enqueued NCCL work:",
	"t join collective #",	 "failed to pass monitoredBarrier",
	"- Init COMPLETE",	 "using world size:",
	"global_world_sizes=[",	 "(local_rank: ",
	"  host      : ",	 "D device mesh with [",
	"srun: error: ",	 NULL,
};

void hang_lines_begin(struct hang_lines *lines, struct hang_facts *facts)
{
	memset(lines, 0, sizeof(*lines));
	lines->facts = facts;
	lines->block_rank = -1;
}

/* ---- parts of a text ---- */

/* Behind `key`; NULL where the text has none. */
static const char *behind(const char *text, const char *key)
{
	const char *at = text ? strstr(text, key) : NULL;

	return at ? at + strlen(key) : NULL;
}

/* The number behind `key`; -1: none. */
static int64_t number_behind(const char *text, const char *key)
{
	const char *at = behind(text, key);
	int64_t value;

	while (at && *at == ' ')
		at++;
	return at && text_digits(&at, 18, &value) ? value : -1;
}

static const char *word_behind(struct arena *arena, const char *text, const char *key,
			       const char *stop)
{
	const char *at = behind(text, key);
	size_t length = at ? strcspn(at, stop) : 0;

	return arena_strndup(arena, at ? at : "", length < NAME_MOST ? length : NAME_MOST);
}

/* ---- groups ---- */

/*
 * "[PG 1 Rank 0]" (2.3), "[PG 1 (mesh_tp) Rank 0]" (2.4), "[PG ID 2 PG GUID 25(mesh_tp) Rank 2]"
 * (2.5 and later): the first number counts the groups of one process, the second those of the job.
 */
static bool group_of(struct hang_lines *lines, const char *text, uint32_t *index, int64_t *local)
{
	const char *open = strstr(text, "[PG "), *close = open ? strchr(open, ']') : NULL;
	struct arena *arena = lines->facts->arena;
	struct hang_group group = { .uid = "", .desc = "" };
	const char *label, *round;

	if (!close)
		return false;
	label = arena_strndup(arena, open, (size_t)(close - open));
	*local = number_behind(label, " Rank ");
	if (*local < 0)
		*local = number_behind(label, ") Rank ");
	group.shared = behind(label, "GUID ") != NULL;
	group.uid = word_behind(arena, label, group.shared ? "GUID " : "[PG ", "( )]");
	round = strchr(label, '(');
	if (round)
		group.desc = word_behind(arena, round, "(", ")");
	*index = hang_facts_group(lines->facts, group);
	return true;
}

/* ---- calls ---- */

static bool join_loose(struct hang_lines *lines, int64_t rank, int64_t sequence, uint32_t group,
		       int64_t local)
{
	size_t i;

	for (i = 0; i < lines->loose.count; i++) {
		struct hang_call call = lines->loose.items[i];
		if (call.rank != rank || call.sequence != sequence ||
		    (call.local >= 0 && local >= 0 && call.local != local))
			continue;
		call.group = group;
		call.local = local;
		hang_facts_call(lines->facts, call);
		lines->loose.items[i] = lines->loose.items[--lines->loose.count];
		return true;
	}
	return false;
}

static double since_of(const struct log_line *line, const char *text)
{
	const int64_t ran = number_behind(text, "ran for ");

	return line->time >= 0 && ran >= 0 ? line->time - (double)ran / 1e3 : -1;
}

/* "WorkNCCL(SeqNum=65, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for" */
static void take_timeout(struct hang_lines *lines, const struct log_line *line, const char *text)
{
	struct arena *arena = lines->facts->arena;
	struct hang_call call = { .rank = line->rank, .local = -1, .peer = -1, .dtype = "" };
	const char *work = strstr(text, "WorkNCCL(SeqNum=");
	bool known;

	call.sequence = number_behind(work, "SeqNum=");
	call.name = word_behind(arena, work, "OpType=", ",)");
	call.op = seen_op_of(call.name, strlen(call.name));
	call.in = number_behind(work, "NumelIn=");
	call.out = number_behind(work, "NumelOut=");
	call.since = since_of(line, work);
	if (call.sequence < 0 || line->rank < 0)
		return;
	known = group_of(lines, text, &call.group, &call.local);
	if (!known)
		call.local = number_behind(text, "[Rank ");
	if (known)
		hang_facts_call(lines->facts, call);
	else if (lines->loose.count < LOOSE_MOST)
		vec_push(arena, &lines->loose, call);
}

/* "at work: 65, last enqueued NCCL work: 66, last completed NCCL work: 64" and its later forms */
static void take_status(struct hang_lines *lines, const struct log_line *line, const char *text)
{
	struct hang_seat seat = { .rank = line->rank, .local = -1 };
	int64_t sequence = number_behind(text, "at work: ");

	if (sequence < 0)
		sequence = number_behind(text, "at work sequence id: ");
	if (sequence < 0)
		sequence = number_behind(text, "Timeout at NCCL work: ");
	if (line->rank < 0 || !group_of(lines, text, &seat.group, &seat.local))
		return;
	seat.enqueued = number_behind(text, "ast enqueued NCCL work: ");
	if (seat.enqueued < 0)
		seat.enqueued = number_behind(text, "ast enqueued work: ");
	seat.completed = number_behind(text, "ast completed NCCL work: ");
	if (seat.completed < 0)
		seat.completed = number_behind(text, "ast completed work: ");
	hang_facts_seat(lines->facts, seat);
	if (sequence >= 0)
		join_loose(lines, line->rank, sequence, seat.group, seat.local);
}

/* ---- ranks by name ---- */

/* Names the ranks of "3, 4" or "[3, 4]". */
static void name_ranks(struct hang_lines *lines, const char *at, struct hang_named named)
{
	int64_t rank;

	at += strspn(at, "[ ");
	while (text_digits(&at, 9, &rank)) {
		named.rank = rank;
		hang_facts_name(lines->facts, named);
		at += strspn(at, ", ");
	}
}

/* "- [2] finished collective #2, but didn't join collective #3 (count from 1)" */
static void take_desync(struct hang_lines *lines, const struct log_line *line, const char *text)
{
	const struct hang_named named = {
		.fate = HANG_MISSING,
		.how = "did not join the collective, as the desync report has it",
		.sequence = number_behind(text, "t join collective #"),
		.time = line->time
	};
	const char *open = strchr(text, '[');

	if (open && (strstr(text, "] finished") || strstr(text, "] joined")))
		name_ranks(lines, open, named);
}

/* "Rank 3 failed to pass monitoredBarrier in 1000 ms", "Ranks 3, 4 failed ..." */
static void take_barrier(struct hang_lines *lines, const struct log_line *line, const char *text)
{
	const struct hang_named named = { .fate = HANG_MISSING,
					  .how = "did not come to a monitored barrier",
					  .sequence = -1,
					  .time = line->time };
	const char *at = behind(text, "Ranks ");

	if (!at)
		at = behind(text, "Rank ");
	if (at)
		name_ranks(lines, at, named);
}

/* ---- who runs where ---- */

/* "ncclCommInitRank comm 0x5 rank 3 nranks 64 cudaDev 3 ... - Init COMPLETE" */
static void take_comm(struct hang_lines *lines, const struct log_line *line, const char *text)
{
	const char *at = strstr(text, " rank ");

	if (at && line->host)
		hang_facts_comm(lines->facts, number_behind(at, " rank "),
				number_behind(at, " nranks "), line->host, line->host_length,
				number_behind(at, " cudaDev "));
}

/* torchrun's block of a failure: "host : node-17", "rank : 3 (local_rank: 3)", "exitcode : -9". */
static void take_block(struct hang_lines *lines, const char *text)
{
	const char *host = behind(text, "  host      : ");

	if (host) {
		size_t length = strcspn(host, " \t");
		if (length >= sizeof(lines->host))
			length = sizeof(lines->host) - 1;
		memcpy(lines->host, host, length);
		lines->host[length] = '\0';
	}
	if (!strstr(text, "(local_rank: ") || !strstr(text, "rank      : "))
		return;
	lines->block_rank = number_behind(text, "rank      : ");
	if (*lines->host)
		hang_facts_place(lines->facts, lines->block_rank, lines->host, strlen(lines->host),
				 number_behind(text, "(local_rank: "));
	*lines->host = '\0';
}

/* "using world size: 64, ..." of Megatron, "global_world_sizes=[64, ..." of torchrun. */
static void take_world(struct hang_lines *lines, const char *text)
{
	int64_t world = number_behind(text, "using world size:");
	const char *mesh = behind(text, "D device mesh with ");

	if (world < 0)
		world = number_behind(text, "global_world_sizes=[");
	if (world < 0 && mesh) {
		const char *at = behind(mesh, "], [");
		int64_t size;
		for (world = 1; at && text_digits(&at, 7, &size) && world < 1 << 20;) {
			world *= size;
			at += strspn(at, ", ");
		}
		world = at ? world : -1;
	}
	if (world > 0 && !lines->facts->world)
		lines->facts->world = world;
}

void hang_lines_take(struct hang_lines *lines, const struct log_line *line, const char *raw,
		     size_t length)
{
	char text[TEXT_MOST];

	length = length < TEXT_MOST - 1 ? length : TEXT_MOST - 1;
	memcpy(text, raw, length);
	text[length] = '\0';
	if (line->mark > LOG_MARK_GROUP) {
		hang_facts_hear(lines->facts, line->rank);
		if (line->mark > LOG_MARK_LOCAL && line->host)
			hang_facts_place(lines->facts, line->rank, line->host, line->host_length,
					 line->gpu);
	}
	if (strstr(text, "WorkNCCL(SeqNum="))
		take_timeout(lines, line, text);
	else if (strstr(text, "ast enqueued "))
		take_status(lines, line, text);
	else if (strstr(text, "t join collective #"))
		take_desync(lines, line, text);
	else if (strstr(text, "failed to pass monitoredBarrier"))
		take_barrier(lines, line, text);
	else if (strstr(text, "- Init COMPLETE"))
		take_comm(lines, line, text);
	else if (strstr(text, "srun: error: "))
		slurm_tasks_take(&lines->tasks, lines->facts->arena, text, line->time);
	else if (strstr(text, "  host      : ") || strstr(text, "(local_rank: "))
		take_block(lines, text);
	else
		take_world(lines, text);
}

void hang_lines_end(struct hang_lines *lines)
{
	size_t i;

	for (i = 0; i < lines->loose.count; i++) {
		struct hang_call call = lines->loose.items[i];
		const struct hang_group nameless = { .uid = "", .desc = "" };
		call.group = hang_facts_group(lines->facts, nameless);
		hang_facts_call(lines->facts, call);
	}
	lines->loose.count = 0;
	slurm_tasks_end(&lines->tasks, lines->facts);
}
