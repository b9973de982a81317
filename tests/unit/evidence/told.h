#ifndef UNIT_EVIDENCE_TOLD_H
#define UNIT_EVIDENCE_TOLD_H

#include "evidence/evidence.h"

#include "base/buf.h"

#include <inttypes.h>

/* What was read, a line each, so that a test can hold it against a text. */
static inline void told_group(struct buf *out, const struct seen_group *group)
{
	int64_t i;

	buf_printf(out, "group %s \"%s\" %s %" PRId64 " [", group->name, group->desc,
		   *group->backend ? group->backend : "-", group->size);
	for (i = 0; group->ranks && i < group->size; i++)
		buf_printf(out, i ? " %" PRId64 : "%" PRId64, group->ranks[i]);
	buf_printf(out, "] by %" PRId64 "\n", group->observer);
}

static inline void told_call(struct buf *out, const struct seen_call *call)
{
	buf_printf(out,
		   "%" PRId64 " x %s on %d by %" PRId64 ": %" PRId64 " -> %" PRId64
		   " %s %dd, %" PRId64 " B",
		   call->count, seen_op_name(call->op), (int)call->group, call->rank, call->in,
		   call->out, call->dtype, (int)call->dims, call->bytes);
	if (call->peer >= 0)
		buf_printf(out, ", peer %" PRId64, call->peer);
	if (call->step >= 0)
		buf_printf(out, ", step %" PRId64, call->step);
	if (call->shortest > 0)
		buf_printf(out, ", %g us", call->shortest);
	buf_printf(out, " @%" PRId64 "\n", call->witness.record);
}

static inline char *told(struct arena *arena, const struct capture *capture)
{
	struct buf out;
	size_t i;
	char *text;

	buf_init(&out);
	if (capture->world)
		buf_printf(&out, "world %" PRId64 "\n", capture->world);
	for (i = 0; i < capture->files.count; i++) {
		const struct evidence_file *file = &capture->files.items[i];
		buf_printf(&out,
			   "file of %" PRId64 ": %" PRId64 " %s, %" PRId64 " unreadable, %" PRId64
			   " left out, %" PRId64 " steps\n",
			   file->rank, file->records, file->source ? file->source->record : "?",
			   file->unreadable, file->left_out, file->steps);
	}
	for (i = 0; i < capture->groups.count; i++)
		told_group(&out, &capture->groups.items[i]);
	for (i = 0; i < capture->calls.count; i++)
		told_call(&out, &capture->calls.items[i]);
	for (i = 0; i < capture->measures.count; i++)
		buf_printf(&out, "measure %d: %g, step %" PRId64 "\n",
			   (int)capture->measures.items[i].quantity,
			   capture->measures.items[i].value, capture->measures.items[i].step);
	for (i = 0; i < capture->claims.count; i++)
		buf_printf(&out, "claim %s %" PRId64 "%s\n", capture->claims.items[i].axis,
			   capture->claims.items[i].degree,
			   capture->claims.items[i].stored ? " stored" : "");
	for (i = 0; i < capture->limits.count; i++)
		buf_printf(&out, "%s: %s\n", capture->limits.items[i].code,
			   capture->limits.items[i].text);
	for (i = 0; i < capture->versions.count; i++)
		buf_printf(&out, "%s\n", capture->versions.items[i]);
	text = arena_strdup(arena, out.data);
	buf_release(&out);
	return text;
}

#endif
