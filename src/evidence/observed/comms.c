#include "evidence/observed/comms.h"

#include "base/number.h"
#include "base/text.h"
#include "input/member.h"

#include <stdlib.h>
#include <string.h>

/* Members of a group that are listed for the sake of a stride; larger ones are not believed. */
enum { MEMBERS = 1 << 20 };

static struct arena *kept(const struct comms *comms)
{
	return comms->intake->capture->arena;
}

void comms_begin(struct comms *comms, struct evidence_intake *intake, struct arena *arena)
{
	memset(comms, 0, sizeof(*comms));
	comms->intake = intake;
	comms->arena = comms->names.arena = arena;
	comms->rank = -1;
}

size_t comms_group(struct comms *comms, const char *name)
{
	struct comms_group group = { .desc = "", .backend = "", .index = -1 };
	int64_t at = map_find(&comms->names, name);

	if (at >= 0)
		return (size_t)at;
	group.name = arena_strdup(kept(comms), name);
	map_add(&comms->names, group.name, (uint32_t)comms->groups.count);
	vec_push(comms->arena, &comms->groups, group);
	return comms->groups.count - 1;
}

/* "cpu:gloo,cuda:nccl": what talks for the device. */
static const char *backend_of(const char *config)
{
	static const char *const names[] = { "nccl", "xccl", "hccl", "fake", "gloo", "mpi" };
	size_t i;

	for (i = 0; config && i < sizeof(names) / sizeof(*names); i++)
		if (strstr(config, names[i]))
			return names[i];
	return "";
}

/* Execution traces list the ranks of no group that is the whole job. */
static bool is_whole(const struct node *ranks)
{
	return ranks && ranks->kind == NODE_LIST && !ranks->first;
}

static void configure(struct comms *comms, const struct node *row)
{
	const char *name = member_text(row, "pg_name"), *desc = member_text(row, "pg_desc");
	const char *backend = backend_of(member_text(row, "backend_config"));
	struct comms_group *group;
	size_t at;

	/* Dimensions of size 1 have groups that do nothing. */
	if (!name || !strcmp(backend, "fake"))
		return;
	at = comms_group(comms, name);
	group = &comms->groups.items[at];
	group->desc = arena_strdup(kept(comms), desc ? desc : "");
	group->backend = backend;
	group->members = rank_list_of(kept(comms), node_member(row, "ranks"));
	if (is_whole(node_member(row, "ranks"))) {
		group->start = 0;
		group->stride = 1;
	}
	group->size =
		group->members.ranks
			? group->members.count
			: member_count(row, node_member(row, "pg_size") ? "pg_size" : "group_size");
}

void comms_configure(struct comms *comms, const struct node *rows)
{
	const struct node *row;

	if (!rows || rows->kind != NODE_LIST)
		return;
	for (row = rows->first; row; row = row->next)
		configure(comms, row);
}

/* ---- the end ---- */

/* Members by their stride; all ranks of the job, where there are as many. */
static void fill_members(const struct comms *comms, struct comms_group *group)
{
	const bool whole = group->size == comms->world && group->size > 0;
	int64_t *ranks, i;

	if (group->members.ranks || group->size < 1 || group->size > MEMBERS)
		return;
	if (!whole && (group->stride < 1 || group->start < 0 || group->size < 2))
		return;
	ranks = arena_array(kept(comms), (size_t)group->size, sizeof(*ranks));
	for (i = 0; i < group->size; i++)
		ranks[i] = whole ? i : add(group->start, multiply(i, group->stride));
	group->members = (struct rank_list) { ranks, group->size };
}

static void put_groups(struct comms *comms)
{
	size_t i;

	comms->intake->record = 0;
	evidence_world(comms->intake, comms->world);
	for (i = 0; i < comms->groups.count; i++) {
		struct comms_group *group = &comms->groups.items[i];
		fill_members(comms, group);
		group->index = evidence_group(comms->intake,
					      (struct seen_group) { .name = group->name,
								    .desc = group->desc,
								    .backend = group->backend,
								    .size = group->size,
								    .ranks = group->members.ranks,
								    .observer = comms->rank });
		if (!strcmp(group->desc, "default_pg"))
			evidence_world(comms->intake, group->size);
	}
}

static int by_start(const void *left, const void *right)
{
	const struct comms_step *a = left, *b = right;

	return (a->from > b->from) - (a->from < b->from);
}

static int by_id(const void *left, const void *right)
{
	const struct comms_kernel *a = left, *b = right;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return (a->time > b->time) - (a->time < b->time);
}

/* The step that covers the time; -1: none. */
static int64_t step_at(const struct comms *comms, double at)
{
	size_t low = 0, high = comms->steps.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (comms->steps.items[middle].from <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low && at < comms->steps.items[low - 1].to ? comms->steps.items[low - 1].number : -1;
}

/* The time of the call's kernel, the shortest of several; 0: none is known. */
static double kernel_time(const struct comms *comms, int64_t id)
{
	size_t low = 0, high = comms->kernels.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (comms->kernels.items[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return id >= 0 && low < comms->kernels.count && comms->kernels.items[low].id == id
		       ? comms->kernels.items[low].time
		       : 0;
}

/* -1 where the members are not known. */
static int64_t global_rank(const struct comms *comms, const struct comms_call *call)
{
	const struct rank_list *list = &comms->groups.items[call->group].members;

	return list->ranks && call->peer < list->count ? list->ranks[call->peer] : -1;
}

static void put_calls(struct comms *comms)
{
	size_t i;

	for (i = 0; i < comms->calls.count; i++) {
		struct comms_call *call = &comms->calls.items[i];
		call->seen.group = comms->groups.items[call->group].index;
		call->seen.rank = comms->rank;
		call->seen.step = step_at(comms, call->at);
		if (call->peer >= 0)
			call->seen.peer = global_rank(comms, call);
		call->seen.count = 1;
		call->seen.shortest = kernel_time(comms, call->id);
		comms->intake->record = call->record;
		evidence_call(comms->intake, call->seen);
	}
}

static void sort(struct comms *comms)
{
	if (comms->steps.count)
		qsort(comms->steps.items, comms->steps.count, sizeof(*comms->steps.items),
		      by_start);
	if (comms->kernels.count)
		qsort(comms->kernels.items, comms->kernels.count, sizeof(*comms->kernels.items),
		      by_id);
}

void comms_finish(struct comms *comms)
{
	struct evidence_file *file = evidence_file(comms->intake);

	if (comms->rank < 0)
		comms->rank = rank_of_name(file->path);
	file->rank = comms->rank;
	file->steps = (int64_t)comms->steps.count;
	sort(comms);
	put_groups(comms);
	put_calls(comms);
	comms->intake->record = 0;
	if (comms->rank < 0)
		evidence_limit(comms->intake, "RANK_UNKNOWN",
			       "whose trace it is is not known: its name should have rank and its "
			       "number in it");
	if (comms->calls.count && !comms->steps.count)
		evidence_limit(comms->intake, "NO_STEP",
			       "it has no marks of steps: calls are counted over all of it");
}
