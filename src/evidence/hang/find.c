#include "evidence/hang/find.h"

#include "evidence/hang/clusters.h"
#include "evidence/hang/stacks.h"
#include "evidence/hang/stalled.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct finder {
	struct arena *arena;
	struct hang_facts *facts;
	struct clusters clusters;
	struct rank_set waiting; /* ranks that wait in some call */
	struct rank_set absent;	 /* ranks that some others wait for, and that wait nowhere */
	struct hang *hang;
};

const char *culprit_class_name(enum culprit_class class)
{
	static const char *const names[] = { "missing", "behind", "mismatched", "died" };

	return names[class];
}

/* ---- words ---- */

/* "rank 19 on gpu-a03 (GPU 3)" */
static const char *rank_text(const struct finder *finder, int64_t rank)
{
	const struct hang_place *place = hang_facts_where(finder->facts, rank);
	const char *text = arena_printf(finder->arena, "rank %" PRId64, rank);

	if (place && place->host)
		text = arena_printf(finder->arena, "%s on %s", text, place->host);
	if (place && place->gpu >= 0)
		text = arena_printf(finder->arena, "%s (GPU %" PRId64 ")", text, place->gpu);
	return text;
}

/* "all-gather of 13371392 elements" */
static const char *call_text(const struct finder *finder, const struct hang_call *call)
{
	const char *name = call->op == SEEN_OTHER ? call->name : seen_op_name(call->op);
	const int64_t elements = call->in > call->out ? call->in : call->out;

	return elements < 0 ? name
			    : arena_printf(finder->arena, "%s of %" PRId64 " element%s%s%s", name,
					   elements, elements == 1 ? "" : "s",
					   *call->dtype ? " of " : "", call->dtype);
}

static struct culprit *blame(struct finder *finder, int64_t rank, enum culprit_class class)
{
	const struct hang_place *place = hang_facts_where(finder->facts, rank);
	struct culprit culprit = { .rank = rank,
				   .class = class,
				   .host = place ? place->host : NULL,
				   .gpu = place ? place->gpu : -1,
				   .sequence = -1,
				   .time = -1 };
	size_t i;

	for (i = 0; i < finder->hang->culprits.count; i++)
		if (finder->hang->culprits.items[i].rank == rank)
			return NULL;
	vec_push(finder->arena, &finder->hang->culprits, culprit);
	return &finder->hang->culprits.items[finder->hang->culprits.count - 1];
}

/* ---- calls ---- */

static bool is_pair(const struct hang_call *call)
{
	return call->op == SEEN_SEND || call->op == SEEN_RECV;
}

/* Whether the rank of that seat came to the call that the others wait in. */
static bool came(const struct cluster *cluster, int64_t seat)
{
	return cluster->reached[seat] >= cluster->stuck;
}

/* A call that waits there; NULL: none. */
static const struct hang_call *waits_in(const struct finder *finder, size_t cluster,
					int64_t sequence)
{
	const struct hang_facts *facts = finder->facts;
	size_t i;

	for (i = 0; i < facts->calls.count; i++)
		if (finder->clusters.of_call[i] == (int64_t)cluster &&
		    facts->calls.items[i].state == HANG_WAITS && !is_pair(&facts->calls.items[i]) &&
		    facts->calls.items[i].sequence == sequence)
			return &facts->calls.items[i];
	return NULL;
}

/* ---- other calls ---- */

struct ordered {
	int64_t cluster, sequence, rank;
	const struct hang_call *call;
};

static int by_place(const void *left, const void *right)
{
	const struct ordered *a = left, *b = right;

	if (a->cluster != b->cluster)
		return a->cluster < b->cluster ? -1 : 1;
	if (a->sequence != b->sequence)
		return a->sequence < b->sequence ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Sizes may differ by rank where parts are uneven. */
static bool sized(enum seen_op op)
{
	return op == SEEN_ALL_REDUCE || op == SEEN_ALL_GATHER || op == SEEN_REDUCE_SCATTER ||
	       op == SEEN_BROADCAST || op == SEEN_REDUCE;
}

static bool agree(const struct hang_call *a, const struct hang_call *b)
{
	if (a->op != b->op || (a->op == SEEN_OTHER && strcmp(a->name, b->name) != 0))
		return false;
	if (*a->dtype && *b->dtype && strcmp(a->dtype, b->dtype) != 0)
		return false;
	return !sized(a->op) || ((a->in == b->in || a->in < 0 || b->in < 0) &&
				 (a->out == b->out || a->out < 0 || b->out < 0));
}

/* A run of calls with one number in one group, of which most agree with `*most`; 0: all do. */
static size_t odd_ones(const struct ordered *run, size_t count, const struct hang_call **most)
{
	size_t i, k, best = 0, same;

	for (i = 0; i < count && 2 * best <= count; i++) {
		for (same = 0, k = 0; k < count; k++)
			same += agree(run[i].call, run[k].call);
		if (same > best) {
			best = same;
			*most = run[i].call;
		}
	}
	return count - best;
}

static bool waits_among(const struct ordered *run, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (run[i].call->state == HANG_WAITS)
			return true;
	}
	return false;
}

/* A call of the run that a call does not agree with. */
static const struct hang_call *against(const struct ordered *run, size_t count,
				       const struct hang_call *call, const struct hang_call *most)
{
	size_t i;

	for (i = 0; agree(call, most) && i < count; i++)
		if (!agree(call, run[i].call))
			return run[i].call;
	return most;
}

static void blame_odd(struct finder *finder, const struct ordered *run, size_t count, size_t odd,
		      const struct hang_call *most)
{
	const char *group = cluster_text(finder->arena, &finder->clusters.list.items[run->cluster]);
	struct culprit *culprit;
	size_t i;

	for (i = 0; i < count; i++) {
		/* Of two halves nobody knows which is right. */
		if (agree(run[i].call, most) && 2 * odd < count)
			continue;
		culprit = blame(finder, run[i].rank, CULPRIT_MISMATCHED);
		if (!culprit)
			continue;
		culprit->group = group;
		culprit->sequence = run->sequence;
		culprit->time = run[i].call->since;
		culprit->says = arena_printf(
			finder->arena,
			"%s is in another call than the others of %s: collective %" PRId64
			" is %s there, where %zu other rank%s in %s",
			rank_text(finder, run[i].rank), group ? group : "its group", run->sequence,
			call_text(finder, run[i].call), count - odd,
			count - odd == 1 ? " is" : "s are",
			call_text(finder, against(run, count, run[i].call, most)));
	}
}

/* Whether a rank made several calls under one number: launched as one, in any order. */
static bool repeats(const struct ordered *run, size_t count)
{
	size_t i;

	for (i = 1; i < count; i++)
		if (run[i].rank == run[i - 1].rank)
			return true;
	return false;
}

/* In each group the first number under which ranks made different calls. */
static void find_odd(struct finder *finder)
{
	const struct hang_facts *facts = finder->facts;
	struct ordered *list = arena_array(finder->arena, facts->calls.count, sizeof(*list));
	const struct hang_call *most = NULL;
	size_t i, end, count = 0, odd;
	int64_t told = -1;

	for (i = 0; i < facts->calls.count; i++) {
		const struct hang_call *call = &facts->calls.items[i];
		const int64_t at = finder->clusters.of_call[i];
		const struct cluster *cluster = &finder->clusters.list.items[at];
		if (!is_pair(call) && cluster->stuck >= 0 && (cluster->ranks || *cluster->desc))
			list[count++] = (struct ordered) { at, call->sequence, call->rank, call };
	}
	qsort(list, count, sizeof(*list), by_place);
	for (i = 0; i < count; i = end) {
		for (end = i + 1; end < count && list[end].cluster == list[i].cluster &&
				  list[end].sequence == list[i].sequence;)
			end++;
		if (end - i < 2 || list[i].cluster == told || repeats(list + i, end - i))
			continue;
		odd = odd_ones(list + i, end - i, &most);
		if (!odd || !waits_among(list + i, end - i))
			continue;
		told = list[i].cluster;
		blame_odd(finder, list + i, end - i, odd, most);
	}
}

/* ---- who did not come ---- */

/* Ranks that a group waits for and that wait nowhere themselves. */
static void note_absent(struct finder *finder)
{
	size_t c;
	int64_t i;

	for (c = 0; c < finder->clusters.list.count; c++) {
		const struct cluster *cluster = &finder->clusters.list.items[c];
		for (i = 0; cluster->stuck >= 0 && cluster->ranks && i < cluster->size; i++) {
			const int64_t rank = cluster->ranks[i];
			if (!rank_set_has(&finder->waiting, rank) &&
			    !rank_set_has(&finder->absent, rank) && !came(cluster, i))
				rank_set_add(finder->arena, &finder->absent, rank);
		}
	}
}

static bool holds_absent(const struct finder *finder, const struct cluster *cluster)
{
	int64_t i;

	for (i = 0; cluster->ranks && i < cluster->size; i++)
		if (rank_set_has(&finder->absent, cluster->ranks[i]))
			return true;
	return false;
}

/*
 * Groups of the same kind that wait as early though nobody is absent from them: they wait for ranks
 * that wait elsewhere; and members who are late because they wait elsewhere. Where there are such,
 * this group is not where it began.
 */
static int64_t followers_of(const struct finder *finder, const struct cluster *cluster)
{
	int64_t count = 0, seat;
	size_t i;

	for (seat = 0; cluster->ranks && seat < cluster->size; seat++)
		count += !came(cluster, seat) &&
			 !rank_set_has(&finder->absent, cluster->ranks[seat]);
	for (i = 0; i < finder->clusters.list.count; i++) {
		const struct cluster *other = &finder->clusters.list.items[i];
		count += other->stuck >= 0 && other->stuck <= cluster->stuck &&
			 !strcmp(other->family, cluster->family) && !holds_absent(finder, other);
	}
	return count;
}

/* The group in which the job began to wait for a rank; -1: none does. */
static int64_t origin_of(const struct finder *finder, int64_t rank)
{
	const struct cluster *cluster, *best = NULL;
	int64_t least = 0, followers, seat, at = -1;
	size_t i;

	for (i = 0; i < finder->clusters.list.count; i++) {
		cluster = &finder->clusters.list.items[i];
		seat = cluster_seat(cluster, rank);
		if (cluster->stuck < 0 || seat < 0 || came(cluster, seat))
			continue;
		followers = followers_of(finder, cluster);
		if (!best || followers < least ||
		    (followers == least && cluster->since >= 0 && cluster->since < best->since)) {
			best = cluster;
			least = followers;
			at = (int64_t)i;
		}
	}
	return at;
}

static const struct hang_named *named_of(const struct finder *finder, int64_t rank)
{
	size_t i;

	for (i = 0; i < finder->facts->named.count; i++)
		if (finder->facts->named.items[i].rank == rank)
			return &finder->facts->named.items[i];
	return NULL;
}

/* How many ranks wait in the origin, and in all. */
static const char *waiting_text(const struct finder *finder, const struct cluster *cluster,
				size_t at)
{
	const struct hang_call *call = waits_in(finder, at, cluster->stuck);
	int64_t here = 0, i;

	for (i = 0; cluster->ranks && i < cluster->size; i++)
		here += rank_set_has(&finder->waiting, cluster->ranks[i]) && came(cluster, i);
	return arena_printf(finder->arena,
			    "%" PRId64 " rank%s of %s wait%s for it in collective %" PRId64 " (%s)",
			    here, here == 1 ? "" : "s", cluster_text(finder->arena, cluster),
			    here == 1 ? "s" : "", cluster->stuck,
			    call ? call_text(finder, call) : "not known");
}

/* The last call of a rank in a group, as its status or its recorder tells; -1: nothing does. */
static int64_t last_of(const struct finder *finder, const struct cluster *cluster, int64_t rank)
{
	const int64_t seat = cluster_seat(cluster, rank);

	if (cluster->told[seat] >= 0 || !finder->facts->recorded)
		return cluster->told[seat];
	return cluster->reached[seat];
}

static void blame_absent(struct finder *finder, int64_t rank)
{
	const struct hang_named *named = named_of(finder, rank);
	const int64_t at = origin_of(finder, rank);
	const struct cluster *cluster = at >= 0 ? &finder->clusters.list.items[at] : NULL;
	const int64_t last = cluster ? last_of(finder, cluster, rank) : -1;
	const bool died = named && named->fate == HANG_DIED;
	const char *what, *stack = hang_stack_text(finder->arena, finder->facts, rank);
	struct culprit *culprit = cluster ? blame(finder, rank,
						  died	      ? CULPRIT_DIED
						  : last >= 0 ? CULPRIT_BEHIND
							      : CULPRIT_MISSING)
					  : NULL;

	if (!culprit)
		return;
	what = died ? arena_printf(finder->arena, "died: %s", named->how)
	       : last >= 0
		       ? arena_printf(finder->arena,
				      "is behind: its last call in that group is %" PRId64, last)
		       : "is missing: it never came, and waits in no other call";
	culprit->group = cluster_text(finder->arena, cluster);
	culprit->sequence = cluster->stuck;
	culprit->time = died ? named->time : cluster->since;
	culprit->says = arena_printf(finder->arena, "%s %s%s%s; %s", rank_text(finder, rank), what,
				     stack ? "; its stack: " : "", stack ? stack : "",
				     waiting_text(finder, cluster, (size_t)at));
}

/* Most of the job must wait: of logs that are cut nothing follows about the ranks they lack. */
static void find_absent(struct finder *finder)
{
	int64_t rank;

	note_absent(finder);
	if (!finder->absent.count || 2 * finder->absent.count > finder->waiting.count + 1)
		return;
	for (rank = 0; rank < 8 * (int64_t)finder->absent.capacity; rank++)
		if (rank_set_has(&finder->absent, rank))
			blame_absent(finder, rank);
}

/* Those whom a text names: a barrier's missing ranks; who ended while the others wait. */
static void find_named(struct finder *finder)
{
	size_t i;

	for (i = 0; i < finder->facts->named.count; i++) {
		const struct hang_named *named = &finder->facts->named.items[i];
		const bool died = named->fate == HANG_DIED;
		struct culprit *culprit;
		if (died && (!finder->waiting.count || rank_set_has(&finder->waiting, named->rank)))
			continue;
		culprit = blame(finder, named->rank,
				died				 ? CULPRIT_DIED
				: named->fate == HANG_BEHIND	 ? CULPRIT_BEHIND
				: named->fate == HANG_MISMATCHED ? CULPRIT_MISMATCHED
								 : CULPRIT_MISSING);
		if (!culprit)
			continue;
		culprit->sequence = named->sequence;
		culprit->time = named->time;
		culprit->says =
			arena_printf(finder->arena, "%s %s%s", rank_text(finder, named->rank),
				     died ? "died: " : "", named->how);
	}
}

/* ---- where everybody who is late waits for somebody else ---- */

/* Who holds for running what all others of its group have completed. */
static void find_stalled(struct finder *finder)
{
	const struct stalled_ranks ranks =
		stalled_find(finder->arena, finder->facts, &finder->clusters);
	size_t i;

	for (i = 0; i < ranks.list.count; i++) {
		const struct stalled *stalled = &ranks.list.items[i];
		const struct cluster *own = &finder->clusters.list.items[stalled->own];
		const struct cluster *where = &finder->clusters.list.items[stalled->where];
		struct culprit *culprit = blame(finder, stalled->rank, CULPRIT_BEHIND);
		if (!culprit)
			continue;
		culprit->group = cluster_text(finder->arena, where);
		culprit->sequence = stalled->awaited;
		culprit->time = where->since;
		culprit->says = arena_printf(
			finder->arena,
			"%s is behind: it holds collective %" PRId64 " of %s for running, which "
			"the others there have completed, and never came to collective %" PRId64
			" of %s (%s), in which they wait: its device or its watchdog is stuck",
			rank_text(finder, stalled->rank), stalled->sequence,
			cluster_text(finder->arena, own), stalled->awaited, culprit->group,
			call_text(finder, stalled->call));
	}
}

static int64_t late_in(const struct cluster *cluster)
{
	int64_t count = 0, i;

	for (i = 0; cluster->ranks && i < cluster->size; i++)
		count += !came(cluster, i);
	return count;
}

/* Ranks that came to one group too late because they wait in another: the earliest such group. */
static void find_crossed(struct finder *finder)
{
	const struct cluster *cluster, *best = NULL;
	int64_t i, late;
	size_t c, at = 0;

	for (c = 0; c < finder->clusters.list.count; c++) {
		cluster = &finder->clusters.list.items[c];
		late = cluster->stuck >= 0 ? late_in(cluster) : 0;
		if (late && 2 * late <= cluster->size && (!best || cluster->since < best->since)) {
			best = cluster;
			at = c;
		}
	}
	for (i = 0; best && i < best->size; i++) {
		struct culprit *culprit;
		if (came(best, i))
			continue;
		culprit = blame(finder, best->ranks[i], CULPRIT_BEHIND);
		if (!culprit)
			continue;
		culprit->group = cluster_text(finder->arena, best);
		culprit->sequence = best->stuck;
		culprit->time = best->since;
		culprit->says = arena_printf(
			finder->arena, "%s is behind: it waits in another group's call, while %s",
			rank_text(finder, best->ranks[i]), waiting_text(finder, best, at));
	}
}

/* ---- all of it ---- */

static void note_waiting(struct finder *finder)
{
	const struct hang_facts *facts = finder->facts;
	size_t i;

	for (i = 0; i < facts->calls.count; i++)
		if (facts->calls.items[i].state == HANG_WAITS)
			rank_set_add(finder->arena, &finder->waiting, facts->calls.items[i].rank);
	finder->hang->waiting = finder->waiting.count;
}

struct hang hang_find(struct arena *arena, struct hang_facts *facts)
{
	struct hang hang = { 0 };
	struct finder finder = { .arena = arena, .facts = facts, .hang = &hang };

	hang_facts_settle(facts);
	if (!hang_facts_any(facts))
		return hang;
	finder.clusters = clusters_of(arena, facts);
	hang.world = finder.clusters.world;
	note_waiting(&finder);
	find_odd(&finder);
	if (!hang.culprits.count)
		find_absent(&finder);
	if (!hang.culprits.count)
		find_named(&finder);
	if (!hang.culprits.count && facts->recorded)
		find_stalled(&finder);
	if (!hang.culprits.count && facts->recorded)
		find_crossed(&finder);
	if (!hang.culprits.count)
		hang_stacks_find(arena, facts, &hang);
	return hang;
}
