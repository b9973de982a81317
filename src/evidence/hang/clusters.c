#include "evidence/hang/clusters.h"

#include <inttypes.h>
#include <string.h>

enum { LISTED_MOST = 12 };

/* Numbers in the groups of one kind. */
struct family {
	const char *name;
	struct {
		int64_t *rank, *local, *uid; /* uid: index of the shared group; -1 */
		int64_t count, capacity;
	} pairs;
	int64_t stride, size; /* size 0: nothing fits */
};

struct joiner {
	struct arena *arena;
	const struct hang_facts *facts;
	struct clusters *clusters;
	VEC(struct family) families;
	struct map names;
};

/* ---- families ---- */

static const char *family_name(struct arena *arena, const struct hang_group *group)
{
	return *group->desc || group->shared ? group->desc : arena_printf(arena, "#%s", group->uid);
}

static struct family *family_of(struct joiner *joiner, const struct hang_group *group)
{
	const char *name = family_name(joiner->arena, group);
	const struct family none = { .name = name };
	int64_t at = map_find(&joiner->names, name);

	if (at < 0) {
		at = (int64_t)joiner->families.count;
		map_add(&joiner->names, name, (uint32_t)at);
		vec_push(joiner->arena, &joiner->families, none);
	}
	return &joiner->families.items[at];
}

static int64_t *grown(struct arena *arena, const int64_t *old, int64_t count, int64_t capacity)
{
	int64_t *more = arena_array(arena, (size_t)capacity, sizeof(*more));

	if (count)
		memcpy(more, old, (size_t)count * sizeof(*more));
	return more;
}

static void add_pair(struct joiner *joiner, uint32_t group, int64_t rank, int64_t local)
{
	const struct hang_group *row = &joiner->facts->groups.items[group];
	struct family *family = family_of(joiner, row);
	const int64_t at = family->pairs.count;

	if (local < 0 || row->ranks)
		return;
	if (at == family->pairs.capacity) {
		const int64_t room = at ? 2 * at : 16;
		family->pairs.rank = grown(joiner->arena, family->pairs.rank, at, room);
		family->pairs.local = grown(joiner->arena, family->pairs.local, at, room);
		family->pairs.uid = grown(joiner->arena, family->pairs.uid, at, room);
		family->pairs.capacity = room;
	}
	family->pairs.rank[at] = rank;
	family->pairs.local[at] = local;
	family->pairs.uid[at] = row->shared ? (int64_t)group : -1;
	family->pairs.count++;
}

/* ---- what numbers say of members ---- */

/* The group that a rank is in, by its first rank. */
static int64_t first_of(int64_t rank, int64_t stride, int64_t size)
{
	return rank / (stride * size) * stride * size + rank % stride;
}

static bool fits(const struct family *family, int64_t stride, int64_t size)
{
	int64_t i, k;

	for (i = 0; i < family->pairs.count; i++) {
		const int64_t rank = family->pairs.rank[i], uid = family->pairs.uid[i];
		if (rank / stride % size != family->pairs.local[i])
			return false;
		for (k = i + 1; uid >= 0 && k < family->pairs.count && k < i + 8; k++)
			if (family->pairs.uid[k] == uid &&
			    first_of(rank, stride, size) !=
				    first_of(family->pairs.rank[k], stride, size))
				return false;
	}
	return true;
}

/* Whether a family's groups of that stride share several ranks with those of a family that is
 * known: axes of a mesh share one. */
static bool overlaps(const struct joiner *joiner, int64_t stride, int64_t size)
{
	size_t f;
	int64_t i, shared;

	for (f = 0; f < joiner->families.count; f++) {
		const struct family *other = &joiner->families.items[f];
		for (i = 0, shared = 0; other->size > 0 && i < size; i++)
			shared += first_of(i * stride, other->stride, other->size) == 0;
		if (shared > 1 && other->size < joiner->clusters->world)
			return true;
	}
	return false;
}

/* Of several strides that fit the one that shares no more than a rank with the groups that are
 * known. */
static void fit_apart(const struct joiner *joiner, struct family *family, int64_t size)
{
	const int64_t world = joiner->clusters->world;
	int64_t stride, found = 0;

	for (stride = 1; stride * size <= world; stride++)
		if (world % (stride * size) == 0 && fits(family, stride, size) &&
		    !overlaps(joiner, stride, size)) {
			family->stride = stride;
			found++;
		}
	family->size = found == 1 ? size : 0;
}

/* The smallest size that fits, where one stride alone does; else it is left for later, negative. */
static void fit(struct family *family, int64_t world)
{
	int64_t size = 2, stride, found, i;

	for (i = 0; i < family->pairs.count; i++)
		if (family->pairs.local[i] >= size)
			size = family->pairs.local[i] + 1;
	for (; family->pairs.count && size <= world; size++) {
		if (world % size)
			continue;
		found = 0;
		for (stride = 1; stride * size <= world; stride++)
			if (world % (stride * size) == 0 && fits(family, stride, size)) {
				family->stride = stride;
				found++;
			}
		if (found) {
			family->size = found == 1 ? size : -size;
			return;
		}
	}
}

/* ---- joining ---- */

/* The members of a rank's group, by number; NULL: not known. */
static int64_t *members_of(const struct joiner *joiner, const struct hang_group *group,
			   const struct family *family, int64_t rank, int64_t *size)
{
	int64_t *members, i, first;

	*size = group->ranks ? group->size : family->size;
	if (*size <= 0)
		return NULL;
	members = arena_array(joiner->arena, (size_t)*size, sizeof(*members));
	first = group->ranks ? 0 : first_of(rank, family->stride, family->size);
	for (i = 0; i < *size; i++)
		members[i] = group->ranks ? group->ranks[i] : first + i * family->stride;
	return members;
}

static int64_t *unknown_numbers(struct arena *arena, int64_t count)
{
	int64_t *numbers = arena_array(arena, (size_t)count, sizeof(*numbers)), i;

	for (i = 0; i < count; i++)
		numbers[i] = -1;
	return numbers;
}

static int64_t cluster_of(struct joiner *joiner, uint32_t index, int64_t rank)
{
	const struct hang_group *group = &joiner->facts->groups.items[index];
	const struct family *family = family_of(joiner, group);
	struct cluster cluster = {
		.family = family->name, .desc = group->desc, .stuck = -1, .since = -1
	};
	const char *key;
	int64_t at;

	cluster.ranks = members_of(joiner, group, family, rank, &cluster.size);
	/* A number that every process counts for itself says nothing of who is in it. */
	if (group->ranks)
		key = arena_printf(joiner->arena, "%s {%s}", family->name, group->members);
	else if (cluster.ranks)
		key = arena_printf(joiner->arena, "%s {%" PRId64 "+}", family->name,
				   cluster.ranks[0]);
	else
		key = arena_printf(joiner->arena, "%s/%s/%" PRId64, family->name, group->uid,
				   group->shared ? -1 : rank);
	at = map_find(&joiner->clusters->index, key);
	if (at >= 0)
		return at;
	map_add(&joiner->clusters->index, key, (uint32_t)joiner->clusters->list.count);
	if (cluster.ranks) {
		cluster.reached = unknown_numbers(joiner->arena, cluster.size);
		cluster.told = unknown_numbers(joiner->arena, cluster.size);
		cluster.done = unknown_numbers(joiner->arena, cluster.size);
	}
	vec_push(joiner->arena, &joiner->clusters->list, cluster);
	return (int64_t)joiner->clusters->list.count - 1;
}

/* Where nobody tells of the world, it is known when all ranks up to the last were heard of. */
static int64_t world_of(const struct hang_facts *facts)
{
	int64_t last = facts->heard.count - 1;

	if (facts->world)
		return facts->world;
	return last > 0 && rank_set_has(&facts->heard, last) ? last + 1 : 0;
}

int64_t cluster_seat(const struct cluster *cluster, int64_t rank)
{
	int64_t low = 0, high = cluster->ranks ? cluster->size : 0, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (cluster->ranks[middle] == rank)
			return middle;
		if (cluster->ranks[middle] < rank)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

/* A rank came to a call: the others wait for those who did not. */
static void note_call(struct cluster *cluster, const struct hang_call *call)
{
	const int64_t seat = cluster_seat(cluster, call->rank);

	if (call->op == SEEN_SEND || call->op == SEEN_RECV)
		return;
	if (seat >= 0 && call->sequence > cluster->reached[seat])
		cluster->reached[seat] = call->sequence;
	if (call->state != HANG_WAITS)
		return;
	if (cluster->stuck < 0 || call->sequence < cluster->stuck)
		cluster->stuck = call->sequence;
	if (call->since >= 0 && (cluster->since < 0 || call->since < cluster->since))
		cluster->since = call->since;
}

static void note_seat(struct cluster *cluster, const struct hang_seat *status)
{
	const int64_t seat = cluster_seat(cluster, status->rank);

	if (seat < 0)
		return;
	if (status->enqueued > cluster->reached[seat])
		cluster->reached[seat] = status->enqueued;
	if (status->enqueued > cluster->told[seat])
		cluster->told[seat] = status->enqueued;
	if (status->completed > cluster->done[seat])
		cluster->done[seat] = status->completed;
}

/* Dumps that do not tell who is in a group tell it together: whoever calls it by its name. */
static void join_callers(struct arena *arena, const struct hang_facts *facts,
			 struct clusters *clusters, size_t at)
{
	struct cluster *cluster = &clusters->list.items[at];
	struct rank_set set = { 0 };
	int64_t rank;
	size_t i;

	for (i = 0; i < facts->calls.count; i++)
		if (clusters->of_call[i] == (int64_t)at &&
		    facts->groups.items[facts->calls.items[i].group].shared)
			rank_set_add(arena, &set, facts->calls.items[i].rank);
	if (set.count < 2)
		return;
	cluster->ranks = arena_array(arena, (size_t)set.count, sizeof(*cluster->ranks));
	for (rank = 0; rank < 8 * (int64_t)set.capacity; rank++)
		if (rank_set_has(&set, rank))
			cluster->ranks[cluster->size++] = rank;
	cluster->reached = unknown_numbers(arena, cluster->size);
	cluster->told = unknown_numbers(arena, cluster->size);
	cluster->done = unknown_numbers(arena, cluster->size);
}

struct clusters clusters_of(struct arena *arena, const struct hang_facts *facts)
{
	struct clusters clusters = { .index = { .arena = arena }, .world = world_of(facts) };
	struct joiner joiner = { arena, facts, &clusters, .names = { .arena = arena } };
	int64_t at;
	size_t i;

	for (i = 0; i < facts->calls.count; i++)
		add_pair(&joiner, facts->calls.items[i].group, facts->calls.items[i].rank,
			 facts->calls.items[i].local);
	for (i = 0; i < facts->seats.count; i++)
		add_pair(&joiner, facts->seats.items[i].group, facts->seats.items[i].rank,
			 facts->seats.items[i].local);
	for (i = 0; i < joiner.families.count; i++)
		fit(&joiner.families.items[i], clusters.world);
	for (i = 0; i < joiner.families.count; i++)
		if (joiner.families.items[i].size < 0)
			fit_apart(&joiner, &joiner.families.items[i],
				  -joiner.families.items[i].size);
	clusters.of_call = arena_array(arena, facts->calls.count, sizeof(*clusters.of_call));
	for (i = 0; i < facts->calls.count; i++)
		clusters.of_call[i] = cluster_of(&joiner, facts->calls.items[i].group,
						 facts->calls.items[i].rank);
	for (i = 0; facts->recorded && i < clusters.list.count; i++)
		if (!clusters.list.items[i].ranks)
			join_callers(arena, facts, &clusters, i);
	for (i = 0; i < facts->calls.count; i++)
		note_call(&clusters.list.items[clusters.of_call[i]], &facts->calls.items[i]);
	for (i = 0; i < facts->seats.count; i++) {
		const struct hang_seat *seat = &facts->seats.items[i];
		at = cluster_of(&joiner, seat->group, seat->rank);
		note_seat(&clusters.list.items[at], seat);
	}
	return clusters;
}

/* ---- words ---- */

/* "0-7", "0-14 by 2", "3, 9, 12" */
static const char *ranks_text(struct arena *arena, const int64_t *ranks, int64_t count)
{
	const int64_t step = count > 1 ? ranks[1] - ranks[0] : 1;
	const char *text = "";
	int64_t i;

	for (i = 1; i < count && ranks[i] - ranks[i - 1] == step; i++)
		;
	if (i >= count && count > 2 && step == 1)
		return arena_printf(arena, "%" PRId64 "-%" PRId64, ranks[0], ranks[count - 1]);
	if (i >= count && count > 3)
		return arena_printf(arena, "%" PRId64 "-%" PRId64 " by %" PRId64, ranks[0],
				    ranks[count - 1], step);
	for (i = 0; i < count && i < LISTED_MOST; i++)
		text = arena_printf(arena, "%s%s%" PRId64, text, i ? ", " : "", ranks[i]);
	return i < count ? arena_printf(arena, "%s, ... (%" PRId64 ")", text, count) : text;
}

/* What people call it: a number of its own is all that some groups have, and others not even that.
 */
static const char *name_of(struct arena *arena, const struct cluster *cluster)
{
	if (*cluster->desc)
		return cluster->desc;
	if (*cluster->family == '#')
		return arena_join(arena, "group", cluster->family[1] ? " " : "",
				  cluster->family + 1);
	return *cluster->family ? cluster->family : "group";
}

const char *cluster_text(struct arena *arena, const struct cluster *cluster)
{
	const bool named = *cluster->desc || strcmp(cluster->family, "#") > 0;

	if (!cluster->ranks)
		return named ? name_of(arena, cluster) : NULL;
	return arena_printf(arena, "%s {%s}", name_of(arena, cluster),
			    ranks_text(arena, cluster->ranks, cluster->size));
}
