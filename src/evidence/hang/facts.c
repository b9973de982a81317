#include "evidence/hang/facts.h"

#include <inttypes.h>
#include <string.h>

/*
 * What is kept of one job: texts that claim more are broken. Of calls that nobody waits in half as
 * many are.
 */
enum {
	RANKS_KEPT = 1 << 20,
	CALLS_KEPT = 1 << 20,
	COMPLETED_KEPT = 64 /* last calls of a group that are held against those of other ranks */
};

void hang_facts_init(struct hang_facts *facts, struct arena *arena)
{
	memset(facts, 0, sizeof(*facts));
	facts->arena = arena;
	facts->group_index.arena = facts->call_index.arena = arena;
	facts->seat_index.arena = facts->comm_index.arena = arena;
}

void hang_facts_hear(struct hang_facts *facts, int64_t rank)
{
	if (rank < RANKS_KEPT)
		rank_set_add(facts->arena, &facts->heard, rank);
}

static const char *ranks_key(struct arena *arena, const struct hang_group *group)
{
	struct rank_set set = { 0 };
	int64_t i;

	for (i = 0; group->ranks && i < group->size; i++)
		rank_set_add(arena, &set, group->ranks[i]);
	return set.count ? rank_set_text(arena, &set) : "";
}

uint32_t hang_facts_group(struct hang_facts *facts, struct hang_group group)
{
	const char *key;
	int64_t at;

	group.members = ranks_key(facts->arena, &group);
	key = arena_printf(facts->arena, "%s|%s|%s", group.desc, group.uid, group.members);
	at = map_find(&facts->group_index, key);
	if (at >= 0)
		return (uint32_t)at;
	at = (int64_t)facts->groups.count;
	map_add(&facts->group_index, key, (uint32_t)at);
	vec_push(facts->arena, &facts->groups, group);
	return (uint32_t)at;
}

/* The same call may be told of in several lines: what the first did not say, later ones may. */
static void complete(struct hang_call *known, const struct hang_call *call)
{
	if (known->in < 0)
		known->in = call->in;
	if (known->out < 0)
		known->out = call->out;
	if (known->since < 0 || (call->since >= 0 && call->since < known->since))
		known->since = call->since;
}

void hang_facts_call(struct hang_facts *facts, struct hang_call call)
{
	const char *key;
	int64_t at;

	if (call.rank < 0 || call.rank >= RANKS_KEPT ||
	    facts->calls.count >= (call.state == HANG_WAITS ? CALLS_KEPT : CALLS_KEPT / 2))
		return;
	hang_facts_hear(facts, call.rank);
	if (!facts->recorded) {
		key = arena_printf(facts->arena, "%" PRId64 " %" PRIu32 " %" PRId64 " %s",
				   call.rank, call.group, call.sequence, call.name);
		at = map_find(&facts->call_index, key);
		if (at >= 0) {
			complete(&facts->calls.items[at], &call);
			return;
		}
		map_add(&facts->call_index, key, (uint32_t)facts->calls.count);
	}
	vec_push(facts->arena, &facts->calls, call);
}

/*
 * What ranks have long done tells nothing of a hang, and all calls of thousands of recorders fill
 * the memory.
 */
void hang_facts_recorded(struct hang_facts *facts, const struct hang_call *calls, size_t count)
{
	struct arena scratch;
	int64_t *last;
	size_t i;

	facts->recorded = true;
	arena_init(&scratch);
	last = arena_array(&scratch, facts->groups.count, sizeof(*last));
	for (i = 0; i < count; i++)
		if (calls[i].sequence > last[calls[i].group])
			last[calls[i].group] = calls[i].sequence;
	for (i = 0; i < count; i++)
		if (calls[i].state == HANG_WAITS ||
		    calls[i].sequence > last[calls[i].group] - COMPLETED_KEPT)
			hang_facts_call(facts, calls[i]);
	arena_release(&scratch);
}

void hang_facts_seat(struct hang_facts *facts, struct hang_seat seat)
{
	const char *key;
	int64_t at;

	if (seat.rank < 0 || seat.rank >= RANKS_KEPT)
		return;
	hang_facts_hear(facts, seat.rank);
	key = arena_printf(facts->arena, "%" PRId64 " %" PRIu32, seat.rank, seat.group);
	at = map_find(&facts->seat_index, key);
	if (at >= 0) {
		struct hang_seat *known = &facts->seats.items[at];
		if (seat.enqueued > known->enqueued)
			known->enqueued = seat.enqueued;
		if (seat.completed > known->completed)
			known->completed = seat.completed;
		return;
	}
	map_add(&facts->seat_index, key, (uint32_t)facts->seats.count);
	vec_push(facts->arena, &facts->seats, seat);
}

void hang_facts_place(struct hang_facts *facts, int64_t rank, const char *host, size_t length,
		      int64_t gpu)
{
	const struct hang_place none = { .rank = -1, .gpu = -1 };
	struct hang_place *place;

	if (rank < 0 || rank >= RANKS_KEPT)
		return;
	while (facts->places.count <= (size_t)rank)
		vec_push(facts->arena, &facts->places, none);
	place = &facts->places.items[rank];
	place->rank = rank;
	if (!place->host && host && length)
		place->host = arena_strndup(facts->arena, host, length);
	if (place->gpu < 0)
		place->gpu = gpu;
}

void hang_facts_comm(struct hang_facts *facts, int64_t rank, int64_t size, const char *host,
		     size_t length, int64_t gpu)
{
	struct hang_comm_seat seat = { rank, size, { rank, NULL, gpu } };
	const char *key;

	if (rank < 0 || size <= rank || size > RANKS_KEPT || !host)
		return;
	/* Of smaller ones there are many, and nothing is made of them. */
	if (facts->comm_seats.count &&
	    size < facts->comm_seats.items[facts->comm_seats.count - 1].size)
		return;
	key = arena_printf(facts->arena, "%" PRId64 " %" PRId64, size, rank);
	if (!map_add(&facts->comm_index, key, 0))
		return;
	seat.place.host = arena_strndup(facts->arena, host, length);
	vec_push(facts->arena, &facts->comm_seats, seat);
}

void hang_facts_name(struct hang_facts *facts, struct hang_named named)
{
	size_t i;

	if (named.rank < 0 || named.rank >= RANKS_KEPT)
		return;
	hang_facts_hear(facts, named.rank);
	for (i = 0; i < facts->named.count; i++)
		if (facts->named.items[i].rank == named.rank &&
		    facts->named.items[i].fate == named.fate)
			return;
	vec_push(facts->arena, &facts->named, named);
}

const struct hang_place *hang_facts_where(const struct hang_facts *facts, int64_t rank)
{
	if (rank < 0 || (size_t)rank >= facts->places.count ||
	    facts->places.items[rank].rank != rank)
		return NULL;
	return &facts->places.items[rank];
}

void hang_facts_settle(struct hang_facts *facts)
{
	int64_t largest = 0;
	size_t i;

	for (i = 0; i < facts->comm_seats.count; i++)
		if (facts->comm_seats.items[i].size > largest)
			largest = facts->comm_seats.items[i].size;
	for (i = 0; i < facts->comm_seats.count; i++) {
		const struct hang_comm_seat *seat = &facts->comm_seats.items[i];
		if (seat->size != largest)
			continue;
		hang_facts_hear(facts, seat->rank);
		hang_facts_place(facts, seat->rank, seat->place.host, strlen(seat->place.host),
				 seat->place.gpu);
	}
	if (!facts->world)
		facts->world = largest;
}

bool hang_facts_any(const struct hang_facts *facts)
{
	size_t i;

	for (i = 0; i < facts->calls.count; i++)
		if (facts->calls.items[i].state == HANG_WAITS)
			return true;
	return facts->named.count || facts->stacks.count;
}
