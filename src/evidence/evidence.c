#include "evidence/evidence.h"

#include "base/buf.h"
#include "base/number.h"
#include "base/text.h"
#include "framework/torch/element_type.h"

#include <string.h>

void evidence_init(struct capture *capture, struct arena *arena)
{
	memset(capture, 0, sizeof(*capture));
	capture->arena = capture->call_index.arena = capture->group_index.arena = arena;
	hang_facts_init(&capture->hang, arena);
}

static struct witness witness_of(const struct evidence_intake *intake)
{
	return (struct witness) { intake->file, intake->record };
}

/* Whether there is room for one more of a kind; said once where there is not. */
static bool has_room(struct evidence_intake *intake, size_t count, const char *what)
{
	struct capture *capture = intake->capture;

	if (count < EVIDENCE_MOST)
		return true;
	if (!capture->full)
		evidence_limit(intake, "TOO_MUCH",
			       arena_printf(capture->arena,
					    "there are more than %d different %s: those behind "
					    "here are left out (fewer files or steps would do)",
					    EVIDENCE_MOST, what));
	capture->full = true;
	return false;
}

/* What one rank of one file calls by one name. */
static void group_key(struct buf *key, const struct seen_group *group)
{
	buf_printf(key, "%d %lld %lld %zu %s %zu %s %s", (int)group->witness.file,
		   (long long)group->observer, (long long)group->size, strlen(group->name),
		   group->name, strlen(group->desc), group->desc,
		   group->identity ? group->identity : "\n");
}

int32_t evidence_group(struct evidence_intake *intake, struct seen_group group)
{
	struct capture *capture = intake->capture;
	struct buf key;
	int64_t at;

	group.witness = witness_of(intake);
	buf_init(&key);
	group_key(&key, &group);
	at = map_find(&capture->group_index, key.data);
	if (at < 0 && !has_room(intake, capture->groups.count, "groups")) {
		at = (int64_t)capture->groups.count - 1;
	} else if (at < 0) {
		at = (int64_t)capture->groups.count;
		map_add(&capture->group_index, arena_strdup(capture->arena, key.data),
			(uint32_t)at);
		vec_push(capture->arena, &capture->groups, group);
	}
	buf_release(&key);
	return (int32_t)at;
}

/* What calls have in common that are counted together. */
static void call_key(struct buf *key, const struct seen_call *call)
{
	buf_printf(key, "%d %d %lld %d %lld %lld %s %lld %d %lld %lld", (int)call->witness.file,
		   (int)call->group, (long long)call->rank, (int)call->op, (long long)call->in,
		   (long long)call->out, call->dtype, (long long)call->bytes, (int)call->dims,
		   (long long)call->peer, (long long)call->step);
}

static void count_in(struct seen_call *known, const struct seen_call *call)
{
	known->count = add(known->count, call->count);
	seen_call_time(known, call);
}

void seen_call_time(struct seen_call *known, const struct seen_call *call)
{
	if (call->shortest > 0 && (known->shortest <= 0 || call->shortest < known->shortest))
		known->shortest = call->shortest;
	known->spent += call->spent;
	known->timed = add(known->timed, call->timed);
}

void evidence_call(struct evidence_intake *intake, struct seen_call call)
{
	struct capture *capture = intake->capture;
	struct buf key;
	int64_t at;

	call.witness = witness_of(intake);
	if (call.shortest > 0 && !call.timed) {
		call.timed = call.count > 0 ? call.count : 1;
		call.spent = call.shortest * (double)call.timed;
	}
	buf_init(&key);
	call_key(&key, &call);
	at = map_find(&capture->call_index, key.data);
	if (at < 0 && has_room(intake, capture->calls.count, "calls")) {
		map_add(&capture->call_index, arena_strdup(capture->arena, key.data),
			(uint32_t)capture->calls.count);
		vec_push(capture->arena, &capture->calls, call);
	} else if (at >= 0) {
		count_in(&capture->calls.items[at], &call);
	}
	buf_release(&key);
}

struct evidence_file *evidence_file(const struct evidence_intake *intake)
{
	return &intake->capture->files.items[intake->file];
}

void evidence_world(struct evidence_intake *intake, int64_t world)
{
	struct capture *capture = intake->capture;

	if (world <= 0 || world == capture->world)
		return;
	if (capture->world)
		evidence_limit(intake, "WORLD_DIFFERS",
			       arena_printf(capture->arena, "%lld ranks, where %lld were told of",
					    (long long)world, (long long)capture->world));
	if (world > capture->world)
		capture->world = world;
}

void evidence_version(struct evidence_intake *intake, const char *what, const char *version)
{
	struct capture *capture = intake->capture;
	const char *text = *version ? arena_join(capture->arena, what, " ", version) : what;
	size_t i;

	for (i = 0; i < capture->versions.count; i++)
		if (!strcmp(capture->versions.items[i], text))
			return;
	vec_push(capture->arena, &capture->versions, text);
}

const struct evidence_source *witness_source(const struct capture *capture, struct witness witness)
{
	if (witness.file < 0 || (size_t)witness.file >= capture->files.count)
		return NULL;
	return capture->files.items[witness.file].source;
}

void evidence_device(struct evidence_intake *intake, const char *name)
{
	struct capture *capture = intake->capture;

	if (!capture->device && *name)
		capture->device = arena_strdup(capture->arena, name);
}

void evidence_network(struct evidence_intake *intake, const char *name, size_t length)
{
	struct capture *capture = intake->capture;

	if (capture->network)
		return;
	capture->network = arena_strndup(capture->arena, name, length);
	capture->network_from = witness_of(intake);
}

void evidence_measure(struct evidence_intake *intake, enum seen_quantity quantity, double value,
		      int64_t rank, int64_t step)
{
	struct seen_measure measure = { quantity, value, rank, step, witness_of(intake) };

	if (has_room(intake, intake->capture->measures.count, "measurements"))
		vec_push(intake->capture->arena, &intake->capture->measures, measure);
}

void evidence_limit(struct evidence_intake *intake, const char *code, const char *text)
{
	struct seen_limit limit = { code, text, witness_of(intake) };

	vec_push(intake->capture->arena, &intake->capture->limits, limit);
}

void seen_call_type(struct arena *arena, struct seen_call *call, const char *type)
{
	const struct element_type *known = type ? element_type_find(type) : NULL;
	const int64_t larger = call->in > call->out ? call->in : call->out;

	call->dtype = known  ? known->dtype
		      : type ? text_on_line(arena, arena_strdup(arena, type))
			     : "";
	call->bytes = known && larger >= 0 ? multiply(larger, known->bytes) : -1;
}
