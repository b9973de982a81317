#include "evidence/hang/stalled.h"

/* Ranks that are looked at in full. */
enum { STALLED_MOST = 64 };

static bool waits(const struct hang_call *call)
{
	return call->state == HANG_WAITS && call->op != SEEN_SEND && call->op != SEEN_RECV;
}

/* By cluster and seat: the earliest call that its rank waits in; NULL: none. */
static const struct hang_call ***held_calls(struct arena *arena, const struct hang_facts *facts,
					    const struct clusters *clusters)
{
	const struct hang_call ***held =
		arena_array(arena, clusters->list.count + 1, sizeof(*held));
	size_t i;

	for (i = 0; i < clusters->list.count; i++)
		held[i] = arena_array(arena, (size_t)clusters->list.items[i].size + 1,
				      sizeof(**held));
	for (i = 0; i < facts->calls.count; i++) {
		const struct hang_call *call = &facts->calls.items[i];
		const int64_t at = clusters->of_call[i];
		const int64_t seat = cluster_seat(&clusters->list.items[at], call->rank);
		if (seat >= 0 && waits(call) &&
		    (!held[at][seat] || call->sequence < held[at][seat]->sequence))
			held[at][seat] = call;
	}
	return held;
}

/* Whether all others have completed the call, and some have gone on. */
static bool left_behind(const struct cluster *cluster, int64_t seat, int64_t sequence)
{
	bool further = false;
	int64_t i;

	for (i = 0; i < cluster->size; i++) {
		if (i == seat)
			continue;
		if (cluster->done[i] < sequence)
			return false;
		further = further || cluster->reached[i] > cluster->reached[seat];
	}
	return further;
}

/* Where most others wait for a rank, in calls that it never came to. */
static void find_waiters(const struct hang_facts *facts, const struct clusters *clusters,
			 struct stalled *stalled)
{
	int64_t most = 0, waiting, seat;
	size_t c, i;

	for (c = 0; c < clusters->list.count; c++) {
		const struct cluster *cluster = &clusters->list.items[c];
		const struct hang_call *first = NULL;
		seat = cluster_seat(cluster, stalled->rank);
		for (i = 0, waiting = 0; seat >= 0 && i < facts->calls.count; i++) {
			const struct hang_call *call = &facts->calls.items[i];
			if (clusters->of_call[i] != (int64_t)c || !waits(call) ||
			    call->sequence <= cluster->reached[seat])
				continue;
			if (!first || call->sequence < first->sequence) {
				first = call;
				waiting = 0;
			}
			waiting += call->sequence == first->sequence;
		}
		if (waiting > most) {
			most = waiting;
			stalled->where = c;
			stalled->awaited = first->sequence;
			stalled->call = first;
		}
	}
}

static struct stalled *known_of(struct stalled_ranks *ranks, int64_t rank)
{
	size_t i;

	for (i = 0; i < ranks->list.count; i++)
		if (ranks->list.items[i].rank == rank)
			return &ranks->list.items[i];
	return NULL;
}

/* A rank that is stalled holds calls of several groups: the one that it began first counts. */
static void add_stalled(struct arena *arena, const struct hang_facts *facts,
			const struct clusters *clusters, struct stalled stalled,
			struct stalled_ranks *ranks)
{
	struct stalled *known = known_of(ranks, stalled.rank);

	if (known && stalled.since >= 0 && stalled.since < known->since) {
		known->own = stalled.own;
		known->sequence = stalled.sequence;
		known->since = stalled.since;
	}
	if (known || ranks->list.count >= STALLED_MOST)
		return;
	find_waiters(facts, clusters, &stalled);
	if (stalled.call)
		vec_push(arena, &ranks->list, stalled);
}

/* The ranks of one cluster. */
static void find_in(struct arena *arena, const struct hang_facts *facts,
		    const struct clusters *clusters, size_t at, const struct hang_call **held,
		    struct stalled_ranks *ranks)
{
	const struct cluster *cluster = &clusters->list.items[at];
	int64_t seat;

	for (seat = 0; seat < cluster->size; seat++)
		if (held[seat] && left_behind(cluster, seat, held[seat]->sequence))
			add_stalled(arena, facts, clusters,
				    (struct stalled) { .rank = cluster->ranks[seat],
						       .sequence = held[seat]->sequence,
						       .since = held[seat]->since,
						       .own = at },
				    ranks);
}

struct stalled_ranks stalled_find(struct arena *arena, const struct hang_facts *facts,
				  const struct clusters *clusters)
{
	const struct hang_call ***held = held_calls(arena, facts, clusters);
	struct stalled_ranks ranks = { 0 };
	size_t c;

	for (c = 0; c < clusters->list.count; c++)
		if (clusters->list.items[c].ranks)
			find_in(arena, facts, clusters, c, held[c], &ranks);
	return ranks;
}
