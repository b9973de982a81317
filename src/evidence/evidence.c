#include "evidence/evidence.h"

#include <string.h>
#include <strings.h>

void evidence_init(struct capture *capture, struct arena *arena)
{
	memset(capture, 0, sizeof(*capture));
	capture->arena = arena;
}

static struct witness witness_of(const struct evidence_intake *intake)
{
	return (struct witness) { intake->file, intake->record };
}

/* Whether both are what one rank of one file calls by one name. */
static bool is_same(const struct seen_group *a, const struct seen_group *b)
{
	return a->witness.file == b->witness.file && a->observer == b->observer &&
	       a->size == b->size && !strcmp(a->name, b->name) && !strcmp(a->desc, b->desc) &&
	       !a->identity == !b->identity && (!a->identity || !strcmp(a->identity, b->identity));
}

int32_t evidence_group(struct evidence_intake *intake, struct seen_group group)
{
	struct capture *capture = intake->capture;
	size_t i;

	group.witness = witness_of(intake);
	for (i = capture->groups.count; i > 0; i--) {
		const struct seen_group *known = &capture->groups.items[i - 1];
		if (known->witness.file != intake->file)
			break;
		if (is_same(known, &group))
			return (int32_t)i - 1;
	}
	vec_push(capture->arena, &capture->groups, group);
	return (int32_t)capture->groups.count - 1;
}

void evidence_call(struct evidence_intake *intake, struct seen_call call)
{
	struct capture *capture = intake->capture;

	call.witness = witness_of(intake);
	vec_push(capture->arena, &capture->calls, call);
}

void evidence_measure(struct evidence_intake *intake, enum seen_quantity quantity, double value,
		      int64_t rank, int64_t step)
{
	struct seen_measure measure = { quantity, value, rank, step, witness_of(intake) };

	vec_push(intake->capture->arena, &intake->capture->measures, measure);
}

void evidence_limit(struct evidence_intake *intake, const char *code, const char *text)
{
	struct seen_limit limit = { code, text, witness_of(intake) };

	vec_push(intake->capture->arena, &intake->capture->limits, limit);
}

const char *seen_op_name(enum seen_op op)
{
	static const char *const names[SEEN_OPS] = {
		[SEEN_ALL_GATHER] = "all-gather",
		[SEEN_REDUCE_SCATTER] = "reduce-scatter",
		[SEEN_ALL_REDUCE] = "all-reduce",
		[SEEN_ALL_TO_ALL] = "all-to-all",
		[SEEN_SEND] = "send",
		[SEEN_RECV] = "receive",
		[SEEN_BROADCAST] = "broadcast",
		[SEEN_REDUCE] = "reduce",
		[SEEN_BARRIER] = "barrier",
		[SEEN_OTHER] = "other",
	};

	return names[op];
}

/* Names are compared without case, separators and what stands before "nccl:" or "_". */
static const struct {
	const char *part;
	enum seen_op op;
} spellings[] = {
	{ "allgather", SEEN_ALL_GATHER },
	{ "reducescatter", SEEN_REDUCE_SCATTER },
	{ "allreduce", SEEN_ALL_REDUCE },
	{ "alltoall", SEEN_ALL_TO_ALL },
	{ "sendrecv", SEEN_SEND },
	{ "send", SEEN_SEND },
	{ "recv", SEEN_RECV },
	{ "broadcast", SEEN_BROADCAST },
	{ "bcast", SEEN_BROADCAST },
	{ "barrier", SEEN_BARRIER },
	{ "reduce", SEEN_REDUCE },
};

enum seen_op seen_op_of(const char *name, size_t length)
{
	char plain[64];
	size_t i, count = 0;

	for (i = 0; i < length && count + 1 < sizeof(plain); i++)
		if (name[i] != '_' && name[i] != '-' && name[i] != ' ')
			plain[count++] =
				(char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a'
									: name[i]);
	plain[count] = '\0';
	for (i = 0; i < sizeof(spellings) / sizeof(*spellings); i++)
		if (strstr(plain, spellings[i].part))
			return spellings[i].op;
	return SEEN_OTHER;
}
