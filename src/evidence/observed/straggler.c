#include "base/map.h"
#include "evidence/table.h"

#include <inttypes.h>

/* Waits below a fifth of a call's time, or 20 us, are the clock's and the wire's. */
static const double weight = 0.2, least = 20;

/* What one rank spends in the calls that it shares with others of its group. */
struct attendance {
	int64_t rank, start, calls;
	double spent;
};

/* A kind of calls: by one rank, or by several. */
struct kind {
	int64_t rank;
	bool several;
};

struct roll {
	struct arena *arena;
	int32_t family;
	const struct capture *capture;
	const struct evidence_source *source; /* clocks of different kinds are not comparable */
	struct map kinds;		      /* into rows */
	VEC(struct kind) rows;
	VEC(struct attendance) list;
};

/* Exchanges take as long as their sizes, which differ; sends concern two alone. */
static bool is_shared(enum seen_op op)
{
	return op == SEEN_ALL_GATHER || op == SEEN_REDUCE_SCATTER || op == SEEN_ALL_REDUCE;
}

static bool is_timed(const struct roll *roll, const struct group_flow *flow)
{
	return flow->family == roll->family &&
	       witness_source(roll->capture, flow->call.witness) == roll->source &&
	       flow->start >= 0 && flow->call.rank >= 0 && flow->call.timed > 0 &&
	       flow->role != SEEN_CONTROL && is_shared(flow->call.op);
}

/* What the calls that all ranks of a group make alike have in common; as many, or they are not. */
static const char *shared_key(struct arena *arena, const struct group_flow *flow)
{
	const struct seen_call *call = &flow->call;

	return arena_printf(arena, "%" PRId64 " %d %" PRId64 " %" PRId64 " %" PRId64 " %s",
			    flow->start, (int)call->op, call->in, call->out, call->timed,
			    call->dtype);
}

static void count_kind(struct roll *roll, const struct group_flow *flow)
{
	const char *key = shared_key(roll->arena, flow);
	struct kind kind = { flow->call.rank, false };
	int64_t at = map_find(&roll->kinds, key);

	if (at < 0) {
		map_add(&roll->kinds, key, (uint32_t)roll->rows.count);
		vec_push(roll->arena, &roll->rows, kind);
	} else if ((size_t)at < roll->rows.count && roll->rows.items[at].rank != kind.rank) {
		roll->rows.items[at].several = true;
	}
}

static bool has_partner(const struct roll *roll, const struct group_flow *flow)
{
	int64_t at = map_find(&roll->kinds, shared_key(roll->arena, flow));

	return at >= 0 && (size_t)at < roll->rows.count && roll->rows.items[at].several;
}

static void attend(struct roll *roll, const struct group_flow *flow)
{
	struct attendance row = { flow->call.rank, flow->start, 0, 0 };
	size_t i;

	for (i = 0; i < roll->list.count; i++)
		if (roll->list.items[i].rank == row.rank && roll->list.items[i].start == row.start)
			break;
	if (i == roll->list.count)
		vec_push(roll->arena, &roll->list, row);
	roll->list.items[i].calls += flow->call.timed;
	roll->list.items[i].spent += flow->call.spent;
}

/* Within one group: who spends least in its calls, and how much more the others do. */
static struct seen_straggler last_of(const struct roll *roll, int64_t start)
{
	const struct attendance *last = NULL, *first = NULL;
	struct seen_straggler found = { .rank = -1 };
	int64_t ranks = 0;
	size_t i;

	for (i = 0; i < roll->list.count; i++) {
		const struct attendance *row = &roll->list.items[i];
		if (row->start != start)
			continue;
		ranks++;
		last = !last || row->spent < last->spent ? row : last;
		first = !first || row->spent > first->spent ? row : first;
	}
	if (ranks < 2 || last->calls != first->calls)
		return found;
	found.others = ranks - 1;
	found.wait = (first->spent - last->spent) / (double)last->calls;
	if (found.wait < least || first->spent - last->spent < weight * first->spent)
		return found;
	found.rank = last->rank;
	found.calls = last->calls;
	return found;
}

struct seen_straggler straggler_of(const struct observed *observed, int32_t family)
{
	const struct families *families = &observed->families;
	struct seen_straggler worst = { .rank = -1 }, found;
	struct roll roll = { .arena = observed->arena,
			     .family = family,
			     .capture = observed->capture,
			     .source = table_source(observed, family) };
	size_t i;

	roll.kinds.arena = observed->arena;
	for (i = 0; i < families->flows.count; i++)
		if (is_timed(&roll, &families->flows.items[i]))
			count_kind(&roll, &families->flows.items[i]);
	for (i = 0; i < families->flows.count; i++)
		if (is_timed(&roll, &families->flows.items[i]) &&
		    has_partner(&roll, &families->flows.items[i]))
			attend(&roll, &families->flows.items[i]);
	for (i = 0; i < roll.list.count; i++) {
		found = last_of(&roll, roll.list.items[i].start);
		if (worst.rank < 0 && found.others > worst.others)
			worst.others = found.others;
		if (found.rank >= 0 && (worst.rank < 0 || found.wait * (double)found.calls >
								  worst.wait * (double)worst.calls))
			worst = found;
	}
	return worst;
}
