#include "base/die.h"
#include "base/json_pieces.h"
#include "base/map.h"
#include "base/number.h"
#include "base/text.h"
#include "evidence/evidence.h"
#include "evidence/pickled.h"
#include "evidence/recorded.h"
#include "evidence/observed/ranks.h"
#include "input/member.h"
#include "input/syntax/piece.h"

#include <string.h>

/*
 * Dumps of PyTorch's flight recorder (torch/csrc/distributed/c10d/FlightRecorder): the last calls
 * of one rank in a ring buffer and the groups it belongs to, as a pickle without classes or as
 * JSON. The JSON has its members in order of the alphabet, so that calls stand before groups; both
 * are kept until the end. The file does not say whose it is: its name does, or what groups share.
 */
enum { DUMP_BYTES = 512 * 1024 * 1024 };

/* A group by its name; `pg_id` counts the groups of a process and joins it to its status. */
struct recorded_group {
	const char *name, *desc, *backend;
	struct rank_list members;
	int32_t index; /* in capture.groups */
	uint32_t hang; /* in capture.hang.groups */
};

struct recorded_call {
	size_t group;	   /* into recorder.groups */
	int64_t own, peer; /* ranks in the group, of SEND and RECV; -1: none */
	int64_t record;
	int64_t sequence; /* in the group: of collectives, or of sends and receives; -1 */
	const char *name;
	bool completed;
	double created; /* seconds; -1: not told */
	struct seen_call seen;
};

/* The last numbers of a group, by its number in the process. */
struct recorded_status {
	int64_t pg_id, enqueued, completed;
};

struct recorder {
	struct evidence_intake *intake;
	struct arena *arena; /* what goes with the file */
	struct map names;    /* of groups */
	VEC(struct recorded_group) groups;
	VEC(struct recorded_call) calls;
	VEC(struct recorded_status) status;
	VEC(int64_t) pg_ids;		    /* of groups; -1: no call tells */
	int64_t lowest, highest, completed; /* of record_id; calls that have completed */
	int64_t rank;
};

static struct arena *kept(const struct recorder *recorder)
{
	return recorder->intake->capture->arena;
}

/* The group of that name, which is new where it was not told of before. */
static size_t group_named(struct recorder *recorder, const char *name, const char *desc)
{
	struct recorded_group group = { .backend = "" };
	int64_t at = map_find(&recorder->names, name);

	if (at >= 0)
		return (size_t)at;
	group.name = arena_strdup(kept(recorder), name);
	group.desc = arena_strdup(kept(recorder), desc);
	map_add(&recorder->names, group.name, (uint32_t)recorder->groups.count);
	vec_push(recorder->arena, &recorder->groups, group);
	return recorder->groups.count - 1;
}

/* ---- pg_config ---- */

static void take_groups(struct recorder *recorder, const struct node *config)
{
	const struct node *row;

	if (config->kind != NODE_MAP)
		return;
	for (row = config->first; row; row = row->next) {
		const char *name = member_text(row, "name"), *desc = member_text(row, "desc");
		size_t at;
		/* gloo's groups all stand under no name, the last of them alone. */
		if (!*(name ? name : row->key))
			continue;
		at = group_named(recorder, name ? name : row->key, desc ? desc : "");
		if (at >= recorder->groups.count)
			bug("group %zu of %zu", at, recorder->groups.count);
		recorder->groups.items[at].members =
			rank_list_of(kept(recorder), node_member(row, "ranks"));
	}
}

/* pg_status: "2": {"last_enqueued_collective": 34, "last_completed_collective": 34} */
static void take_status(struct recorder *recorder, const struct node *status)
{
	const struct node *row;

	if (!status || status->kind != NODE_MAP)
		return;
	for (row = status->first; row; row = row->next) {
		struct recorded_status told = {
			.enqueued = member_integer(row, "last_enqueued_collective", -1),
			.completed = member_integer(row, "last_completed_collective", -1)
		};
		const char *key = row->key;
		if (text_digits(&key, 9, &told.pg_id) && !*key)
			vec_push(recorder->arena, &recorder->status, told);
	}
}

/* ---- entries ---- */

static void set_sizes(const struct recorder *recorder, const struct node *entry,
		      struct seen_call *call)
{
	const char *dtype = recorded_type(entry, "input_dtypes");

	call->in = recorded_elements(entry, "input_sizes");
	call->out = recorded_elements(entry, "output_sizes");
	call->dims = recorded_dims(entry, "input_sizes");
	if (!dtype)
		dtype = recorded_type(entry, "output_dtypes");
	seen_call_type(kept(recorder), call, dtype);
}

/* "nccl:send 0->3", "nccl:recv 0<-3": own rank and the partner's, both in the group. */
static void set_partners(struct recorded_call *call, const char *name)
{
	const char *at = strchr(name, ' ');
	int64_t own, peer;

	if (!at)
		return;
	at++;
	if (!text_digits(&at, 9, &own))
		return;
	if (!text_starts(at, "->") && !text_starts(at, "<-"))
		return;
	at += 2;
	if (!text_digits(&at, 9, &peer))
		return;
	call->own = own;
	call->peer = peer;
}

/* [name, description]; a number alone in the earliest versions. */
static size_t group_of(struct recorder *recorder, const struct node *entry)
{
	const struct node *pair = node_member(entry, "process_group");
	const char *number = member_text(entry, "pg_id");

	if (!pair || pair->kind != NODE_LIST || !pair->first || pair->first->kind != NODE_SCALAR)
		return group_named(recorder, number ? number : "", "");
	return group_named(recorder, pair->first->text,
			   pair->first->next && pair->first->next->kind == NODE_SCALAR
				   ? pair->first->next->text
				   : "");
}

/* "nccl" of "nccl:all_reduce" says by what the group talks; NCCL wins over gloo. */
static const char *set_backend(struct recorder *recorder, struct recorded_group *group,
			       const char *name)
{
	const char *colon = strchr(name, ':');

	if (!colon)
		return name;
	if (!*group->backend || text_starts(name, "nccl:"))
		group->backend = arena_strndup(kept(recorder), name, (size_t)(colon - name));
	return colon + 1;
}

static void count_id(struct recorder *recorder, const struct node *entry)
{
	int64_t id = member_integer(entry, "record_id", -1);

	if (id < 0)
		return;
	if (recorder->lowest < 0 || id < recorder->lowest)
		recorder->lowest = id;
	if (id > recorder->highest)
		recorder->highest = id;
}

static bool is_true(const struct node *entry, const char *key)
{
	const struct node *flag = node_member(entry, key);

	return flag && flag->kind == NODE_SCALAR && flag->text && !strcmp(flag->text, "true");
}

/* What a rank that hangs is known by: the number of the call, and whether it ended. */
static void set_progress(struct recorder *recorder, const struct node *entry,
			 struct recorded_call *call, const char *name, const char *state)
{
	const bool pair = is_true(entry, "is_p2p");
	const double created = member_number(entry, "time_created_ns");
	const int64_t id = member_integer(entry, "pg_id", -1);

	call->sequence = member_integer(entry, pair ? "p2p_seq_id" : "collective_seq_id", -1);
	if (call->sequence < 0)
		call->sequence = member_integer(entry, "seq_id", -1);
	call->name = call->seen.op == SEEN_OTHER ? arena_strdup(kept(recorder), name)
						 : seen_op_name(call->seen.op);
	/* gloo's calls stay scheduled, and are retired when they have ended. */
	call->completed = (state && !strcmp(state, "completed")) || is_true(entry, "retired");
	call->created = created > 0 ? created / 1e9 : -1;
	while (recorder->pg_ids.count < recorder->groups.count)
		vec_push(recorder->arena, &recorder->pg_ids, -1);
	if (id >= 0)
		recorder->pg_ids.items[call->group] = id;
}

static void take_entry(struct recorder *recorder, const struct node *entry)
{
	struct evidence_file *file = evidence_file(recorder->intake);
	const char *name = member_text(entry, "profiling_name"), *state;
	struct recorded_call call = { .own = -1, .peer = -1, .record = ++file->records };
	struct seen_call *seen = &call.seen;

	if (!name) {
		file->unreadable++;
		return;
	}
	count_id(recorder, entry);
	state = member_text(entry, "state");
	recorder->completed += state && !strcmp(state, "completed");
	call.group = group_of(recorder, entry);
	name = set_backend(recorder, &recorder->groups.items[call.group], name);
	seen->op = seen_op_of(name, strlen(name));
	seen->step = -1;
	seen->count = 1;
	seen->shortest = member_number(entry, "duration_ms") * 1e3;
	if (!(seen->shortest > 0 && seen->shortest < 1e15))
		seen->shortest = 0;
	set_sizes(recorder, entry, seen);
	set_partners(&call, name);
	set_progress(recorder, entry, &call, name, state);
	/* The bracket around calls that are launched as one; they have entries of their own. */
	if (!strcmp(name, "coalesced") && seen->in <= 0 && seen->out <= 0)
		file->left_out++;
	else
		vec_push(recorder->arena, &recorder->calls, call);
}

/* ---- whose it is ---- */

static bool is_member(const struct recorder *recorder, int64_t rank)
{
	size_t i;

	for (i = 0; i < recorder->groups.count; i++)
		if (!rank_list_holds(&recorder->groups.items[i].members, rank))
			return false;
	return true;
}

/* The only rank that belongs to all groups; -1: there are several, or none. */
static int64_t only_member(const struct recorder *recorder)
{
	const struct rank_list *least = NULL;
	int64_t only = -1, i;
	size_t group;

	for (group = 0; group < recorder->groups.count; group++) {
		const struct rank_list *list = &recorder->groups.items[group].members;
		if (list->ranks && (!least || list->count < least->count))
			least = list;
	}
	for (i = 0; least && i < least->count; i++) {
		if (!is_member(recorder, least->ranks[i]))
			continue;
		if (only >= 0)
			return -1;
		only = least->ranks[i];
	}
	return only;
}

/* A rank of the group by its number there; -1: it cannot be told. */
static int64_t global_rank(const struct recorder *recorder, size_t group, int64_t number)
{
	const struct rank_list *list = &recorder->groups.items[group].members;

	return list->ranks && number >= 0 && number < list->count ? list->ranks[number] : -1;
}

/* What sends and receives say of it; -1: nothing. */
static int64_t rank_of_partners(const struct recorder *recorder)
{
	size_t i;

	for (i = 0; i < recorder->calls.count; i++) {
		const struct recorded_call *call = &recorder->calls.items[i];
		int64_t rank = global_rank(recorder, call->group, call->own);
		if (rank >= 0)
			return rank;
	}
	return -1;
}

static void find_rank(struct recorder *recorder)
{
	struct evidence_file *file = evidence_file(recorder->intake);
	int64_t rank = rank_at_end(file->path);

	if (rank < 0 || !is_member(recorder, rank))
		rank = only_member(recorder);
	if (rank < 0)
		rank = rank_of_partners(recorder);
	recorder->rank = file->rank = rank;
	if (rank < 0)
		evidence_limit(recorder->intake, "RANK_UNKNOWN",
			       "whose dump it is is not known: its name should end in the rank");
}

/* ---- the end ---- */

static void put_groups(struct recorder *recorder)
{
	size_t i;

	for (i = 0; i < recorder->groups.count; i++) {
		struct recorded_group *group = &recorder->groups.items[i];
		const struct seen_group seen = { .name = group->name,
						 .desc = group->desc,
						 .backend = group->backend,
						 .size = group->members.count,
						 .ranks = group->members.ranks,
						 .observer = recorder->rank };
		recorder->intake->record = 0;
		group->index = evidence_group(recorder->intake, seen);
		if (!strcmp(group->desc, "default_pg")) {
			evidence_world(recorder->intake, group->members.count);
			recorder->intake->capture->hang.world = group->members.count;
		}
	}
}

static void put_calls(struct recorder *recorder)
{
	size_t i;

	for (i = 0; i < recorder->calls.count; i++) {
		struct recorded_call *call = &recorder->calls.items[i];
		call->seen.group = recorder->groups.items[call->group].index;
		call->seen.rank = recorder->rank;
		call->seen.peer = global_rank(recorder, call->group, call->peer);
		recorder->intake->record = call->record;
		evidence_call(recorder->intake, call->seen);
	}
}

static uint32_t hang_group_of(const struct recorder *recorder, size_t at)
{
	const struct recorded_group *group = &recorder->groups.items[at];
	const struct hang_group told = { .uid = group->name,
					 .desc = group->desc ? group->desc : "",
					 .shared = true,
					 .ranks = group->members.ranks,
					 .size = group->members.count };

	return hang_facts_group(&recorder->intake->capture->hang, told);
}

/* Where the rank stood: its calls by number, and the last numbers of its groups. */
static void put_standing(struct recorder *recorder)
{
	struct hang_facts *hang = &recorder->intake->capture->hang;
	struct hang_call *told = arena_array(recorder->arena, recorder->calls.count, sizeof(*told));
	size_t i, k, count = 0;

	hang_facts_hear(hang, recorder->rank);
	for (i = 0; i < recorder->groups.count; i++)
		recorder->groups.items[i].hang = hang_group_of(recorder, i);
	for (i = 0; i < recorder->calls.count; i++) {
		const struct recorded_call *call = &recorder->calls.items[i];
		if (call->sequence < 0)
			continue;
		told[count++] = (struct hang_call) {
			.rank = recorder->rank,
			.local = -1,
			.group = recorder->groups.items[call->group].hang,
			.sequence = call->sequence,
			.peer = global_rank(recorder, call->group, call->peer),
			.op = call->seen.op,
			.name = call->name,
			.in = call->seen.in,
			.out = call->seen.out,
			.dtype = call->seen.dtype ? call->seen.dtype : "",
			.state = call->completed ? HANG_DONE : HANG_WAITS,
			.since = call->created,
		};
	}
	hang_facts_recorded(hang, told, count);
	for (i = 0; i < recorder->status.count; i++)
		for (k = 0; k < recorder->pg_ids.count; k++) {
			const struct hang_seat seat = { recorder->rank, -1,
							recorder->groups.items[k].hang,
							recorder->status.items[i].enqueued,
							recorder->status.items[i].completed };
			if (recorder->pg_ids.items[k] == recorder->status.items[i].pg_id)
				hang_facts_seat(hang, seat);
		}
}

/*
 * Calls are numbered from 0. The ring buffer has lost the first of them where the numbers that are
 * left begin later; where there are gaps, completed calls were not dumped.
 */
static void tell_gaps(struct recorder *recorder)
{
	struct arena *arena = kept(recorder);
	const int64_t records = evidence_file(recorder->intake)->records;
	const char *of = text_count(arena, add(recorder->highest, 1));

	recorder->intake->record = 0;
	if (recorder->highest < 0 || records > recorder->highest)
		return;
	if (records > recorder->highest - recorder->lowest && recorder->completed)
		evidence_limit(recorder->intake, "RING_BUFFER_WRAPPED",
			       arena_printf(arena,
					    "it holds the last %s calls of %s: a larger "
					    "TORCH_FR_BUFFER_SIZE keeps more",
					    text_count(arena, records), of));
	else
		evidence_limit(recorder->intake, "ACTIVE_CALLS_ONLY",
			       arena_printf(arena,
					    "it holds %s calls of %s, those under way alone: how "
					    "many there were of each kind is not known",
					    text_count(arena, records), of));
}

static void begin(struct recorder *recorder, struct evidence_intake *intake,
		  struct text_stream *stream)
{
	memset(recorder, 0, sizeof(*recorder));
	recorder->intake = intake;
	recorder->arena = recorder->names.arena = stream->arena;
	recorder->lowest = recorder->highest = recorder->rank = -1;
}

static void finish(struct recorder *recorder)
{
	find_rank(recorder);
	put_groups(recorder);
	put_calls(recorder);
	put_standing(recorder);
	tell_gaps(recorder);
}

static void take_version(struct recorder *recorder, const char *version)
{
	if (version)
		evidence_version(recorder->intake, "nccl", version);
}

/* ---- JSON ---- */

static void take_piece(struct recorder *recorder, const struct json_piece *piece,
		       const struct node *root)
{
	if (!root)
		evidence_file(recorder->intake)->unreadable++;
	else if (!strcmp(piece->key, "entries") && piece->item)
		take_entry(recorder, root);
	else if (!strcmp(piece->key, "pg_config"))
		take_groups(recorder, root);
	else if (!strcmp(piece->key, "pg_status"))
		take_status(recorder, root);
	else if (root->kind == NODE_SCALAR)
		take_version(recorder, root->text);
}

static bool of_use(const char *key)
{
	return !strcmp(key, "entries") || !strcmp(key, "pg_config") || !strcmp(key, "pg_status") ||
	       !strcmp(key, "nccl_version") || !strcmp(key, "comm_lib_version");
}

static void read_json(struct recorder *recorder, struct text_stream *stream)
{
	struct json_pieces pieces;
	struct json_piece piece;

	json_pieces_open(&pieces, stream);
	while (json_pieces_next(&pieces, &piece)) {
		struct arena arena;
		if (!of_use(piece.key))
			continue;
		arena_init(&arena);
		take_piece(recorder, &piece, piece_tree(&arena, &piece));
		arena_release(&arena);
	}
	if (pieces.broken)
		evidence_limit(recorder->intake, "FILE_CUT_OFF",
			       "it ends within its JSON: what stands before was read");
}

/* ---- pickle ---- */

/* `frames` are where in Python a call was made: large, and not needed. */
static void take_entries(struct recorder *recorder, const struct pickle_value *entries)
{
	const struct pickle_value *items;
	size_t count, i;

	if (!entries || entries->kind != PICKLE_LIST)
		return;
	items = pickle_items(entries, &count);
	for (i = 0; i < count; i++) {
		struct arena arena;
		arena_init(&arena);
		take_entry(recorder, pickled_tree(&arena, &items[i], "frames"));
		arena_release(&arena);
	}
}

static void take_dump(struct recorder *recorder, const struct pickle_value *root)
{
	const struct pickle_value *config, *status, *version;

	/* Before version 2 the entries were all there was. */
	take_entries(recorder, root->kind == PICKLE_LIST ? root : pickle_member(root, "entries"));
	config = pickle_member(root, "pg_config");
	if (config)
		take_groups(recorder, pickled_tree(recorder->arena, config, NULL));
	status = pickle_member(root, "pg_status");
	if (status)
		take_status(recorder, pickled_tree(recorder->arena, status, NULL));
	version = pickle_member(root, "nccl_version");
	if (!version)
		version = pickle_member(root, "comm_lib_version");
	if (version)
		take_version(recorder, pickle_string(kept(recorder), version));
}

static void read_pickle(struct recorder *recorder, struct text_stream *stream)
{
	static const struct pickle_rules rules = { 0 };
	struct pickle_value root;
	size_t length;
	const char *bytes = stream_rest(stream, DUMP_BYTES, &length);
	const char *why = "it is larger than 512 MiB";

	if (bytes)
		why = pickle_read(&root, recorder->arena, &rules, bytes, length);
	if (!why) {
		take_dump(recorder, &root);
		return;
	}
	evidence_file(recorder->intake)->unreadable++;
	evidence_limit(recorder->intake, "FILE_UNREADABLE", arena_strdup(kept(recorder), why));
}

static void read_dump(struct evidence_intake *intake, struct text_stream *stream)
{
	struct recorder recorder;

	begin(&recorder, intake, stream);
	if (stream_need(stream, 1) && (unsigned char)stream->window[stream->start] == 0x80)
		read_pickle(&recorder, stream);
	else
		read_json(&recorder, stream);
	finish(&recorder);
}

static int claims(const char *head, size_t length)
{
	if ((unsigned char)*head == 0x80)
		return text_mentions(head, length, "profiling_name") ||
				       text_mentions(head, length, "pg_config") ||
				       text_mentions(head, length, "pg_status")
			       ? 90
			       : 0;
	if (head[strspn(head, " \t\r\n")] != '{' || text_mentions(head, length, "\"traceEvents\""))
		return 0;
	return text_mentions(head, length, "\"pg_status\"") ||
			       text_mentions(head, length, "\"profiling_name\"") ||
			       text_mentions(head, length, "\"comm_lib_version\"")
		       ? 80
		       : 0;
}

const struct evidence_source source_flight_recorder = {
	.name = "PyTorch flight recorder",
	.record = "entry",
	.claims = claims,
	.read = read_dump,
};
