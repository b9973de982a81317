#include "evidence/observed/roster.h"

#include "evidence/observed/color.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void roster_init(struct roster *roster, struct evidence_intake *intake)
{
	memset(roster, 0, sizeof(*roster));
	roster->intake = intake;
	roster->arena = intake->capture->arena;
	roster->index.arena = roster->colors.arena = roster->arena;
}

int32_t roster_process(struct roster *roster, const char *name)
{
	struct roster_process process = { .told = -1, .rank = -1 };
	const int64_t at = map_find(&roster->index, name);

	if (at >= 0)
		return (int32_t)at;
	process.name = arena_strdup(roster->arena, name);
	process.host = arena_strndup(roster->arena, name, strcspn(name, ":"));
	map_add(&roster->index, process.name, (uint32_t)roster->processes.count);
	vec_push(roster->arena, &roster->processes, process);
	return (int32_t)roster->processes.count - 1;
}

struct roster_member *roster_member(struct roster *roster, int32_t process, int64_t size)
{
	struct roster_member *member = arena_new(roster->arena, struct roster_member);

	member->process = process;
	member->name = "";
	member->size = size;
	member->place = member->color = member->key = -1;
	member->record = roster->intake->record;
	member->index.arena = roster->arena;
	vec_push(roster->arena, &roster->members, member);
	return member;
}

void roster_call(struct roster *roster, struct roster_member *member, const struct seen_call *call)
{
	struct roster_call row = { *call, roster->intake->record };
	struct seen_call *known;
	char key[160];
	int64_t at;

	snprintf(key, sizeof(key), "%d %" PRId64 " %" PRId64 " %.20s %" PRId64 " %" PRId64 " %g",
		 (int)call->op, call->in, call->out, call->dtype, call->bytes, call->peer,
		 call->shortest > 0 ? 1. : 0.);
	row.call.timed = call->shortest > 0 ? call->count : 0;
	row.call.spent = call->shortest * (double)row.call.timed;
	at = map_find(&member->index, key);
	if (at < 0) {
		map_add(&member->index, arena_strdup(roster->arena, key),
			(uint32_t)member->calls.count);
		vec_push(roster->arena, &member->calls, row);
		return;
	}
	known = &member->calls.items[at].call;
	known->count += call->count;
	seen_call_time(known, &row.call);
}

static bool counts(const struct roster *roster, const struct roster_member *member)
{
	return !member->gone && !roster->processes.items[member->process].gone;
}

static int64_t largest(const struct roster *roster)
{
	int64_t size = 0;
	size_t i;

	for (i = 0; i < roster->members.count; i++)
		if (counts(roster, roster->members.items[i]) &&
		    roster->members.items[i]->size > size)
			size = roster->members.items[i]->size;
	return size;
}

/* Forgets the ranks of all processes. */
static bool no_ranks(struct roster *roster)
{
	size_t i;

	for (i = 0; i < roster->processes.count; i++)
		roster->processes.items[i].rank = -1;
	return false;
}

/* No two processes that count have one rank, and every one has one. */
static bool is_roll(struct roster *roster, int64_t *seen)
{
	struct map taken = { .arena = roster->arena };
	char text[32];
	size_t i;

	*seen = 0;
	for (i = 0; i < roster->members.count; i++) {
		const struct roster_member *member = roster->members.items[i];
		const struct roster_process *process = &roster->processes.items[member->process];
		int64_t owner;
		if (!counts(roster, member) || member->size < 2)
			continue;
		snprintf(text, sizeof(text), "%" PRId64, process->rank);
		owner = map_find(&taken, text);
		if (process->rank < 0 || (owner >= 0 && owner != member->process))
			return false;
		if (owner < 0) {
			map_add(&taken, arena_strdup(roster->arena, text),
				(uint32_t)member->process);
			++*seen;
		}
	}
	return true;
}

/* Members of the communicator of that size that most are in: all of them, if it is the world. */
static int64_t most_in_one(const struct roster *roster, int64_t size)
{
	struct map index = { .arena = roster->arena };
	int64_t *counted = arena_array(roster->arena, roster->members.count, sizeof(*counted));
	int64_t most = 0;
	size_t i;

	for (i = 0; i < roster->members.count; i++) {
		const struct roster_member *member = roster->members.items[i];
		int64_t at;
		if (!counts(roster, member) || member->size != size)
			continue;
		map_add(&index, member->identity ? member->identity : "", (uint32_t)i);
		at = map_find(&index, member->identity ? member->identity : "");
		if (++counted[at] > most)
			most = counted[at];
	}
	return most;
}

/* Each process's place in the largest communicator; false when that is not one of all. */
static bool rank_by_world(struct roster *roster, int64_t size)
{
	int64_t seen;
	size_t i;

	for (i = 0; i < roster->members.count; i++) {
		const struct roster_member *member = roster->members.items[i];
		struct roster_process *process = &roster->processes.items[member->process];
		if (!counts(roster, member) || member->size != size || member->place < 0)
			continue;
		if (process->rank >= 0 && process->rank != member->place)
			return no_ranks(roster);
		process->rank = member->place;
	}
	if (!is_roll(roster, &seen) || most_in_one(roster, size) < seen)
		return no_ranks(roster);
	roster->world = size;
	roster->proven = seen == size;
	return true;
}

/* What launchers said, where that names every process and each once. */
static void rank_as_told(struct roster *roster)
{
	int64_t seen;
	size_t i;

	for (i = 0; i < roster->processes.count; i++)
		roster->processes.items[i].rank = roster->processes.items[i].told;
	roster->told = is_roll(roster, &seen) || no_ranks(roster);
}

static void find_ranks(struct roster *roster)
{
	const int64_t size = largest(roster), world = roster->intake->capture->world;

	if (size >= 2 && (world ? world == size : !roster->filtered) && rank_by_world(roster, size))
		return;
	rank_as_told(roster);
}

/* ---- members ---- */

/* Finds the members of what one split made, and who a process is by its place among them. */
static void decode_colors(struct roster *roster)
{
	const int64_t told = roster->intake->capture->world;
	struct split_decoder decoder = { roster->arena, told ? told : roster->world, 0 };
	size_t i;

	for (i = 0; i < roster->members.count; i++) {
		struct roster_member *member = roster->members.items[i];
		struct roster_process *process = &roster->processes.items[member->process];
		char key[64];
		if (!counts(roster, member) || member->color < 0)
			continue;
		snprintf(key, sizeof(key), "%" PRId64 " %" PRId64, member->size, member->color);
		if (map_add(&roster->colors, arena_strdup(roster->arena, key),
			    (uint32_t)roster->decoded.count))
			vec_push(roster->arena, &roster->decoded,
				 split_members(&decoder, member->color, member->size, process->rank,
					       member->key));
		member->ranks = roster->decoded.items[map_find(&roster->colors, key)];
		if (member->ranks && process->rank < 0 && member->key >= 0)
			process->rank = member->ranks[member->key];
	}
}

/* A communicator: those of its members that were seen. */
struct muster {
	int64_t size;
	size_t rows;
	bool nameless; /* all communicators of that size without an identity */
	VEC(int64_t) seen;
	const int64_t *ranks; /* all of them; NULL: not known */
	bool whole;	      /* all were seen in this file */
	int32_t group;	      /* of all, when it is whole; -1 */
	const char *identity;
};

struct musters {
	struct roster *roster;
	struct map index;
	VEC(struct muster *) list;
};

/* The communicator under that key, which is made when it is new. */
static struct muster *muster_under(struct musters *musters, const char *key, int64_t size)
{
	struct arena *arena = musters->roster->arena;
	const int64_t at = map_find(&musters->index, key);
	struct muster *muster;

	if (at >= 0)
		return musters->list.items[at];
	muster = arena_new(arena, struct muster);
	muster->size = size;
	muster->group = -1;
	map_add(&musters->index, arena_strdup(arena, key), (uint32_t)musters->list.count);
	vec_push(arena, &musters->list, muster);
	return muster;
}

enum { KEY = 256 };

/* Of a communicator; identities beyond a few hundred bytes are nobody's. */
static const char *key_of(char key[KEY], int64_t size, const char *identity)
{
	snprintf(key, KEY, "%" PRId64 " %s", size, identity ? identity : "");
	return key;
}

static int by_rank(const void *a, const void *b)
{
	const int64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* Sorts what was seen; whether that is all of the members. */
static bool is_whole(struct muster *muster)
{
	size_t i, count = 0;

	if (muster->seen.count)
		qsort(muster->seen.items, muster->seen.count, sizeof(*muster->seen.items), by_rank);
	for (i = 0; i < muster->seen.count; i++)
		if (!count || muster->seen.items[count - 1] != muster->seen.items[i])
			muster->seen.items[count++] = muster->seen.items[i];
	muster->seen.count = count;
	return count && (int64_t)count == muster->size;
}

static struct muster *muster_of(struct musters *musters, const struct roster_member *member)
{
	char key[KEY];

	return muster_under(musters, key_of(key, member->size, member->identity), member->size);
}

static void gather(struct musters *musters)
{
	struct roster *roster = musters->roster;
	size_t i;

	for (i = 0; i < roster->members.count; i++) {
		struct roster_member *member = roster->members.items[i];
		const int64_t rank = roster->processes.items[member->process].rank;
		struct muster *muster;
		if (!counts(roster, member) || member->size < 2)
			continue;
		if (!member->identity && member->ranks)
			member->identity =
				arena_printf(roster->arena, "color %" PRId64, member->color);
		muster = muster_of(musters, member);
		muster->rows++;
		muster->identity = member->identity;
		muster->nameless = !member->identity;
		if (member->ranks)
			muster->ranks = member->ranks;
		if (rank >= 0)
			vec_push(roster->arena, &muster->seen, rank);
	}
}

/* 0, 1, ...: the world's. */
static const int64_t *all_ranks(struct arena *arena, int64_t world)
{
	int64_t *ranks, rank;

	if (world > 1 << 20)
		return NULL;
	ranks = arena_array(arena, (size_t)world, sizeof(*ranks));
	for (rank = 0; rank < world; rank++)
		ranks[rank] = rank;
	return ranks;
}

static void complete(struct musters *musters)
{
	const struct roster *roster = musters->roster;
	const int64_t *all = NULL;
	size_t i;

	for (i = 0; i < musters->list.count; i++) {
		struct muster *muster = musters->list.items[i];
		muster->whole = is_whole(muster);
		/* Without names: when everybody was seen, and as often as one communicator needs.
		 */
		if (muster->nameless)
			muster->whole = muster->whole && roster->proven &&
					(int64_t)muster->rows == muster->size;
		if (muster->whole && !muster->ranks)
			muster->ranks = muster->seen.items;
		if (muster->size == roster->world && !muster->ranks) {
			all = all ? all : all_ranks(roster->arena, roster->world);
			muster->ranks = all;
		}
	}
}

/* ---- groups ---- */

static int32_t group_of_all(struct roster *roster, struct muster *muster,
			    const struct roster_member *member)
{
	const struct seen_group group = {
		.name = "",
		.desc = "",
		.backend = "nccl",
		.size = muster->size,
		.ranks = muster->ranks,
		.observer = -1,
		.identity = muster->identity,
		.nodes = (int32_t)member->nodes,
	};

	if (muster->group < 0)
		muster->group = evidence_group(roster->intake, group);
	return muster->group;
}

static int32_t group_of_one(struct roster *roster, const struct muster *muster,
			    const struct roster_member *member)
{
	const struct roster_process *process = &roster->processes.items[member->process];
	struct seen_group group = {
		.name = member->name,
		.desc = "",
		.backend = "nccl",
		.size = member->size,
		.ranks = muster->ranks,
		.observer = process->rank,
		.identity = member->identity,
		.nodes = (int32_t)member->nodes,
	};

	if (process->rank < 0)
		group.name = arena_join(roster->arena, process->name, *member->name ? " " : "",
					member->name);
	return evidence_group(roster->intake, group);
}

static void hand_calls(struct roster *roster, const struct roster_member *member, int32_t group,
		       const int64_t *ranks)
{
	size_t i;

	for (i = 0; i < member->calls.count; i++) {
		struct seen_call call = member->calls.items[i].call;
		call.group = group;
		call.rank = roster->processes.items[member->process].rank;
		if (call.peer >= 0)
			call.peer = ranks && call.peer < member->size ? ranks[call.peer] : -1;
		roster->intake->record = member->calls.items[i].record;
		evidence_call(roster->intake, call);
	}
}

static void hand_over(struct musters *musters)
{
	struct roster *roster = musters->roster;
	const int64_t record = roster->intake->record;
	size_t i;

	for (i = 0; i < roster->members.count; i++) {
		struct roster_member *member = roster->members.items[i];
		struct muster *muster;
		int32_t group;
		if (!counts(roster, member) || member->size < 2)
			continue;
		muster = muster_of(musters, member);
		roster->intake->record = member->record;
		group = muster->whole ? group_of_all(roster, muster, member)
				      : group_of_one(roster, muster, member);
		hand_calls(roster, member, group, muster->ranks);
	}
	roster->intake->record = record;
}

/* ---- with what other files told ---- */

/* The communicator of this file that a group is of, whoever told of it; NULL: none. */
static struct muster *muster_met(const struct musters *musters, const struct seen_group *group)
{
	char key[KEY];
	int64_t at;

	if (!group->identity || strcmp(group->backend, "nccl") != 0)
		return NULL;
	at = map_find(&musters->index, key_of(key, group->size, group->identity));
	return at < 0 ? NULL : musters->list.items[at];
}

static void join(struct musters *musters)
{
	struct roster *roster = musters->roster;
	struct capture *capture = roster->intake->capture;
	size_t i;

	for (i = 0; i < capture->groups.count; i++) {
		struct muster *muster = muster_met(musters, &capture->groups.items[i]);
		if (muster && !muster->whole && capture->groups.items[i].observer >= 0)
			vec_push(roster->arena, &muster->seen, capture->groups.items[i].observer);
	}
	for (i = 0; i < musters->list.count; i++) {
		struct muster *muster = musters->list.items[i];
		if (muster->nameless || !is_whole(muster))
			continue;
		muster->ranks = muster->seen.items;
		roster->proven = roster->proven || muster->size == roster->world;
	}
	for (i = 0; i < capture->groups.count; i++) {
		struct muster *muster = muster_met(musters, &capture->groups.items[i]);
		if (muster && muster->ranks && !capture->groups.items[i].ranks)
			capture->groups.items[i].ranks = muster->ranks;
	}
}

/* Says once for all files that ranks are assumed; takes it back when they are found to be right. */
static void judge_ranks(struct roster *roster)
{
	static const char code[] = "RANKS_ASSUMED";
	struct capture *capture = roster->intake->capture;
	size_t i, kept = 0, before = capture->limits.count;

	for (i = 0; i < before; i++)
		if (strcmp(capture->limits.items[i].code, code) != 0)
			capture->limits.items[kept++] = capture->limits.items[i];
	if (roster->proven) {
		capture->limits.count = kept;
		evidence_world(roster->intake, roster->world);
		return;
	}
	if (kept == before && (roster->world || roster->told))
		evidence_limit(roster->intake, code,
			       roster->world ? "global ranks are taken to be the places in the "
					       "largest communicator, not all of which was seen"
					     : "global ranks are those that the launcher puts "
					       "before lines, which may be those of a node");
}

void roster_close(struct roster *roster)
{
	struct musters *musters = arena_new(roster->arena, struct musters);

	musters->roster = roster;
	musters->index.arena = roster->arena;
	find_ranks(roster);
	decode_colors(roster);
	gather(musters);
	complete(musters);
	hand_over(musters);
	join(musters);
	judge_ranks(roster);
}
