#ifndef FUZZ_EVIDENCE_H
#define FUZZ_EVIDENCE_H

#include "base/die.h"
#include "evidence/evidence.h"

#include <math.h>
#include <stdint.h>

/*
 * What holds for whatever a job left behind: reading never crashes, hangs or leaks; members rise,
 * calls are of groups that there are, measures are finite, and everything has a witness.
 */
static inline void check_group(const struct seen_group *group)
{
	int64_t i;

	if (!group->name || !group->desc || !group->backend || group->size < 0)
		bug("a group of %lld", (long long)group->size);
	for (i = 0; group->ranks && i < group->size; i++)
		if (group->ranks[i] < 0 || (i && group->ranks[i] <= group->ranks[i - 1]))
			bug("ranks do not rise");
}

static inline void check_call(const struct capture *capture, const struct seen_call *call)
{
	if (call->group < 0 || (size_t)call->group >= capture->groups.count)
		bug("a call on no group");
	if (call->op >= SEEN_OPS || !call->dtype || call->count < 1 || !isfinite(call->shortest))
		bug("%lld calls of %d", (long long)call->count, (int)call->op);
}

static inline void check_capture(const struct capture *capture)
{
	size_t i;

	for (i = 0; i < capture->files.count; i++)
		if (capture->files.items[i].unreadable < 0 || capture->files.items[i].steps < 0)
			bug("%s was counted wrong", capture->files.items[i].path);
	for (i = 0; i < capture->groups.count; i++)
		check_group(&capture->groups.items[i]);
	for (i = 0; i < capture->calls.count; i++)
		check_call(capture, &capture->calls.items[i]);
	for (i = 0; i < capture->measures.count; i++)
		if (!isfinite(capture->measures.items[i].value) ||
		    capture->measures.items[i].value < 0)
			bug("%g was measured", capture->measures.items[i].value);
	for (i = 0; i < capture->claims.count; i++)
		if (!capture->claims.items[i].axis || capture->claims.items[i].degree < 0)
			bug("a claim of %lld", (long long)capture->claims.items[i].degree);
}

/* One file of any kind. */
static inline int check_evidence(const uint8_t *data, size_t size)
{
	struct text_stream stream;
	struct capture capture;
	struct arena arena;

	arena_init(&arena);
	evidence_init(&capture, &arena);
	stream_of(&stream, &arena, (const char *)data, size);
	(void)evidence_read_stream(&capture, "<fuzz>", &stream);
	check_capture(&capture);
	arena_release(&arena);
	return 0;
}

#endif
