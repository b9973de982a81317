#include "evidence/observed/families.h"

#include "base/map.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* Lookups while families grow. */
struct builder {
	struct families *families;
	const struct capture *capture;
	struct map shapes, flows;
	struct seen_group *groups; /* those of the capture, members filled in by other files */
	bool accelerated;	   /* some group has the backend of an accelerator */
};

static bool has_accelerator(const char *backend)
{
	/* "nccl", "cpu:gloo,cuda:nccl", AMD's rccl, Intel's xccl, Huawei's hccl, Moore Threads'
	 * mccl */
	return strstr(backend, "ccl") != NULL;
}

static bool is_left_out(const struct builder *builder, const struct seen_group *group)
{
	if (!strcmp(group->backend, "fake"))
		return true;
	return builder->accelerated && strstr(group->backend, "gloo") &&
	       !has_accelerator(group->backend);
}

/*
 * One mode of sorted ranks: the stride and length of the first run. False when `count` ranks are
 * not whole runs of that shape.
 */
static bool first_run(const int64_t *ranks, int64_t count, int64_t *size, int64_t *stride)
{
	int64_t i;

	*stride = ranks[1] - ranks[0];
	for (i = 2; i < count && ranks[i] - ranks[i - 1] == *stride; i++)
		;
	*size = i;
	if (*stride <= 0 || count % *size)
		return false;
	for (i = 0; i < count; i++)
		if (i % *size && ranks[i] - ranks[i - 1] != *stride)
			return false;
	return true;
}

/* The layout of rising ranks; false when they are none of a few modes. */
static bool layout_of(struct arena *arena, const int64_t *ranks, int64_t count,
		      struct layout *layout)
{
	struct layout inner = { 0 };
	int64_t size, stride, i;
	int64_t *starts;

	while (count > 1) {
		if (inner.modes == 4 || !first_run(ranks, count, &size, &stride))
			return false;
		inner = layout_join(layout_axis(size, stride), inner);
		count /= size;
		starts = arena_array(arena, (size_t)count, sizeof(*starts));
		for (i = 0; i < count; i++)
			starts[i] = ranks[i * size];
		ranks = starts;
	}
	*layout = layout_canonical(&inner);
	return true;
}

/* A text that is equal for groups of one shape. */
static const char *shape_key(struct arena *arena, const struct seen_group *group,
			     struct group_family *family)
{
	uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a over offsets, for shapes without layout */
	const char *key = "";
	int64_t i;

	if (!family->members)
		return arena_printf(arena, "size %" PRId64, family->size);
	family->regular = layout_of(arena, group->ranks, group->size, &family->layout);
	if (family->regular) {
		for (i = 0; i < family->layout.modes; i++)
			key = arena_printf(arena, "%s(%" PRId64 ":%" PRId64 ")", key,
					   family->layout.size[i], family->layout.stride[i]);
		return arena_printf(arena, "layout %s", key);
	}
	for (i = 0; i < group->size; i++)
		hash = (hash ^ (uint64_t)(group->ranks[i] - group->ranks[0])) * 0x100000001b3u;
	return arena_printf(arena, "%" PRId64 " of %" PRIx64, group->size, hash);
}

/* Pointers and words that say nothing are no names. */
static void add_name(struct arena *arena, struct group_family *family, const char *name)
{
	if (!*name || !strcmp(name, "undefined") || text_starts(name, "0x"))
		return;
	if (map_add(&family->seen, name, 0))
		vec_push(arena, &family->names, text_on_line(arena, name));
}

static void add_start(struct arena *arena, struct group_family *family, int64_t start)
{
	/* a name has no line break */
	if (map_add(&family->seen, arena_printf(arena, "\n%" PRId64, start), 0))
		vec_push(arena, &family->starts, start);
}

/* The family of that shape, new where there is none. */
static int32_t family_at(struct builder *builder, const char *key, struct group_family family)
{
	struct families *families = builder->families;
	int64_t index = map_find(&builder->shapes, key);

	if (index >= 0)
		return (int32_t)index;
	map_add(&builder->shapes, key, (uint32_t)families->list.count);
	vec_push(families->arena, &families->list, family);
	return (int32_t)families->list.count - 1;
}

static int32_t add_group(struct builder *builder, const struct seen_group *group)
{
	struct families *families = builder->families;
	struct arena *arena = families->arena;
	struct group_family family = { .size = group->size,
				       .members = group->ranks && group->size > 0,
				       .told = true,
				       .witness = group->witness };
	const char *key = shape_key(arena, group, &family);
	int32_t index = family_at(builder, key, family);
	struct group_family *known = &families->list.items[index];

	known->told = true;
	known->seen.arena = arena;
	add_name(arena, known, *group->desc ? group->desc : group->name);
	if (known->members && group->ranks)
		add_start(arena, known, group->ranks[0]);
	return index;
}

/* Families without members on some group of which there are calls. */
static bool *called_groups(const struct builder *builder)
{
	const struct capture *capture = builder->capture;
	const struct families *families = builder->families;
	bool *called = arena_array(families->arena, families->list.count + 1, sizeof(*called));
	size_t i;

	for (i = 0; i < capture->calls.count; i++) {
		const int32_t group = capture->calls.items[i].group;
		if (group >= 0 && families->of_group[group] >= 0)
			called[families->of_group[group]] = true;
	}
	return called;
}

/* The only family of that size whose members are known, or -1. */
static int32_t only_of_size(const struct families *families, int64_t size)
{
	int32_t found = -1;
	size_t i;

	for (i = 0; i < families->list.count; i++) {
		const struct group_family *family = &families->list.items[i];
		if (!family->members || family->size != size)
			continue;
		if (found >= 0)
			return -1;
		found = (int32_t)i;
	}
	return found;
}

/*
 * Groups whose size alone is known, and on which nobody calls, are of the family of that size, if
 * there is but one. What is called on may as well be another axis of as many ranks.
 */
static void join_sizes(struct builder *builder)
{
	struct families *families = builder->families;
	bool *called = called_groups(builder);
	size_t i;

	for (i = 0; i < builder->capture->groups.count; i++) {
		int32_t index = families->of_group[i], known;
		if (index < 0 || called[index] || families->list.items[index].members)
			continue;
		known = only_of_size(families, families->list.items[index].size);
		if (known < 0)
			continue;
		families->of_group[i] = known;
		families->list.items[index].told = false; /* all of it are of the other */
	}
}

/* What a call says of the size of its group: how much larger one side is; 0: nothing. */
static int64_t size_of_call(const struct seen_call *call)
{
	int64_t small = call->in, large = call->out;

	if (call->op == SEEN_REDUCE_SCATTER) {
		small = call->out;
		large = call->in;
	} else if (call->op != SEEN_ALL_GATHER) {
		return 0;
	}
	return small > 0 && large >= small && large % small == 0 ? large / small : 0;
}

/* The family of a call whose group is not known in full. */
static int32_t family_of_call(struct builder *builder, const struct seen_call *call)
{
	struct families *families = builder->families;
	struct group_family family = { .witness = call->witness };
	int32_t index = call->group >= 0 ? families->of_group[call->group] : -2;

	if (index == -1 || (index >= 0 && families->list.items && families->list.items[index].size))
		return index;
	family.size = size_of_call(call);
	return family_at(builder, arena_printf(families->arena, "size %" PRId64, family.size),
			 family);
}

static void add_step(struct arena *arena, struct group_flow *flow, int64_t step)
{
	size_t i;

	if (step < 0)
		return;
	for (i = 0; i < flow->steps.count; i++)
		if (flow->steps.items[i] == step)
			return;
	vec_push(arena, &flow->steps, step);
}

static int64_t rank_of_call(const struct capture *capture, const struct seen_call *call)
{
	if (call->rank >= 0 || call->group < 0)
		return call->rank;
	return capture->groups.items[call->group].observer;
}

static void add_call(struct builder *builder, struct seen_call call)
{
	struct families *families = builder->families;
	struct group_flow flow = { .family = family_of_call(builder, &call), .start = -1 };
	const struct seen_group *group = call.group >= 0 ? &builder->groups[call.group] : NULL;
	const struct evidence_source *source;
	struct group_flow *known;
	const char *key;
	int64_t index;

	if (flow.family < 0)
		return;
	call.rank = rank_of_call(builder->capture, &call);
	call.dtype = call.dtype ? call.dtype : "";
	flow.start = group && group->ranks && group->size > 0 ? group->ranks[0] : -1;
	/* What several kinds of files, or ranks that nobody knows, tell is not added up. */
	source = witness_source(builder->capture, call.witness);
	key = arena_printf(families->arena,
			   "%s %d %d %" PRId64 " %" PRId64 " %d %" PRId64 " %" PRId64 " %" PRId64
			   " %d %" PRId64 " %s",
			   source ? source->name : "", call.rank < 0 ? call.group : -1, flow.family,
			   flow.start, call.rank, (int)call.op, call.in, call.out, call.bytes,
			   call.dims, call.peer, call.dtype);
	index = map_find(&builder->flows, key);
	if (index < 0) {
		index = (int64_t)families->flows.count;
		map_add(&builder->flows, key, (uint32_t)index);
		flow.call = call;
		flow.call.count = flow.call.timed = 0;
		flow.call.spent = 0;
		vec_push(families->arena, &families->flows, flow);
	}
	known = &families->flows.items[index];
	known->call.count += call.count > 0 ? call.count : 1;
	add_step(families->arena, known, call.step);
	seen_call_time(&known->call, &call);
}

static void add_rank(struct families *families, int64_t rank)
{
	size_t i, at;

	for (at = 0; at < families->ranks.count && families->ranks.items[at] < rank; at++)
		;
	if (rank < 0 || (at < families->ranks.count && families->ranks.items[at] == rank))
		return;
	vec_push(families->arena, &families->ranks, rank);
	for (i = families->ranks.count - 1; i > at; i--)
		families->ranks.items[i] = families->ranks.items[i - 1];
	families->ranks.items[at] = rank;
}

/* Whether groups of the layout, starting where they were seen to, tile the world. */
static bool is_aligned(const struct families *families, const struct group_family *family)
{
	struct layout rest;
	size_t i;

	if (!families->world || !layout_complement(&family->layout, families->world, &rest))
		return false;
	for (i = 0; i < family->starts.count; i++)
		if (layout_base(&family->layout, family->starts.items[i]) !=
		    family->starts.items[i])
			return false;
	return true;
}

static void close_family(const struct families *families, struct group_family *family)
{
	if (family->regular)
		family->regular = is_aligned(families, family);
	if (family->regular)
		family->extrapolated =
			(int64_t)family->starts.count * family->size < families->world;
}

/* Ranks of the job: as told, or enough for every group and its members. */
static int64_t world_of(const struct capture *capture)
{
	int64_t world = capture->world;
	size_t i;

	for (i = 0; !capture->world && i < capture->groups.count; i++) {
		const struct seen_group *group = &capture->groups.items[i];
		if (group->size > world)
			world = group->size;
		if (group->ranks && group->size > 0 && group->ranks[group->size - 1] >= world)
			world = group->ranks[group->size - 1] + 1;
	}
	return world;
}

static const char *told_key(struct arena *arena, const struct seen_group *group)
{
	return arena_printf(arena, "%" PRId64 " %zu %s %s", group->observer, strlen(group->name),
			    group->name, group->desc);
}

/* What files of each rank tell of groups with members, by their names: the first of each. */
static struct map told_groups(struct arena *arena, const struct capture *capture)
{
	struct map told = { .arena = arena };
	size_t i;

	for (i = 0; i < capture->groups.count; i++) {
		const struct seen_group *group = &capture->groups.items[i];
		if (group->ranks && group->size > 0)
			map_add(&told, told_key(arena, group), (uint32_t)i);
	}
	return told;
}

/* The flight recorder names gloo's groups without members; a trace of the rank lists them. */
static void fill_members(struct builder *builder)
{
	const struct capture *capture = builder->capture;
	struct arena *arena = builder->families->arena;
	const struct map told = told_groups(arena, capture);
	int64_t other;
	size_t i;

	builder->groups = arena_array(builder->families->arena, capture->groups.count + 1,
				      sizeof(*builder->groups));
	for (i = 0; i < capture->groups.count; i++) {
		struct seen_group *group = &builder->groups[i];
		*group = capture->groups.items[i];
		if (group->ranks || group->observer < 0 || !*group->name)
			continue;
		other = map_find(&told, told_key(arena, group));
		if (other >= 0) {
			group->ranks = capture->groups.items[other].ranks;
			group->size = capture->groups.items[other].size;
		}
	}
}

static void add_groups(struct builder *builder)
{
	const struct capture *capture = builder->capture;
	struct families *families = builder->families;
	size_t i;

	for (i = 0; i < capture->groups.count; i++)
		builder->accelerated =
			builder->accelerated || has_accelerator(capture->groups.items[i].backend);
	fill_members(builder);
	families->of_group = arena_array(families->arena, capture->groups.count + 1,
					 sizeof(*families->of_group));
	for (i = 0; i < capture->groups.count; i++) {
		const struct seen_group *group = &builder->groups[i];
		families->of_group[i] =
			is_left_out(builder, group) ? -1 : add_group(builder, group);
	}
	join_sizes(builder);
}

/* Whether all that is known of the flow's group is by gloo. */
static bool is_gloo(const struct builder *builder, const struct group_flow *flow)
{
	return flow->call.group >= 0 && !strcmp(builder->groups[flow->call.group].backend, "gloo");
}

/*
 * gloo has no reduce-scatter: PyTorch sums the whole and keeps a part. Where the same ranks gather
 * exactly as many elements, an all-reduce over gloo is the other half of that.
 */
static void find_sums(struct builder *builder)
{
	struct families *families = builder->families;
	size_t i, k;

	for (i = 0; i < families->flows.count; i++) {
		struct group_flow *sum = &families->flows.items[i];
		if (sum->call.op != SEEN_ALL_REDUCE || sum->call.in <= 0 || !is_gloo(builder, sum))
			continue;
		for (k = 0; k < families->flows.count; k++) {
			const struct group_flow *gather = &families->flows.items[k];
			const int64_t size = size_of_call(&gather->call);
			if (gather->call.op != SEEN_ALL_GATHER || size < 2 ||
			    gather->call.rank != sum->call.rank || gather->family != sum->family ||
			    gather->start != sum->start || gather->call.out != sum->call.in ||
			    gather->call.dims != sum->call.dims)
				continue;
			sum->call.op = SEEN_REDUCE_SCATTER;
			sum->call.out = sum->call.in / size;
			break;
		}
	}
}

struct families families_of(struct arena *arena, const struct capture *capture)
{
	struct families families = { .arena = arena, .world = world_of(capture) };
	struct builder builder = { .families = &families, .capture = capture };
	size_t i;

	builder.shapes.arena = builder.flows.arena = arena;
	add_groups(&builder);
	for (i = 0; i < capture->calls.count; i++)
		add_call(&builder, capture->calls.items[i]);
	find_sums(&builder);
	for (i = 0; i < families.flows.count; i++)
		add_rank(&families, families.flows.items[i].call.rank);
	for (i = 0; i < families.list.count; i++)
		close_family(&families, &families.list.items[i]);
	return families;
}

const char *family_name(struct arena *arena, const struct group_family *family)
{
	if (family->names.count)
		return family->names.items[0];
	if (!family->size)
		return "groups that nobody tells of";
	return arena_printf(arena, "groups of %" PRId64 " ranks", family->size);
}

int64_t flow_elements(const struct group_flow *flow)
{
	return flow->call.in > flow->call.out ? flow->call.in : flow->call.out;
}
