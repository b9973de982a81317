#include "rules/new_findings.h"

#include "rules/fingerprint.h"

/* The findings of the earlier job, each of which stands for one of the later one's. */
struct earlier {
	const struct finding *finding;
	uint64_t hash;
	bool taken;
};

struct earlier_list {
	VEC(struct earlier) list;
};

static void list_earlier(struct earlier_list *earlier, struct arena *arena, const struct job *job,
			 const char *path)
{
	size_t i;

	for (i = 0; i < job->findings->list.count; i++) {
		const struct finding *finding = job->findings->list.items[i];
		struct earlier one = { finding, fingerprint_of(arena, job, finding, path).hash,
				       false };
		vec_push(arena, &earlier->list, one);
	}
}

/* True when there was one like it, as severe or more. */
static bool was_there(struct earlier_list *earlier, uint64_t hash, enum severity severity)
{
	size_t i;

	for (i = 0; i < earlier->list.count; i++) {
		struct earlier *one = &earlier->list.items[i];
		if (one->taken || one->hash != hash || one->finding->severity < severity)
			continue;
		one->taken = true;
		return true;
	}
	return false;
}

size_t findings_fresh(struct findings *fresh, const struct job *before, const struct job *after,
		      const char *path)
{
	struct arena *arena = fresh->arena;
	struct earlier_list earlier = { 0 };
	size_t i, same = 0;

	if (before)
		list_earlier(&earlier, arena, before, path);
	for (i = 0; i < after->findings->list.count; i++) {
		struct finding *finding = after->findings->list.items[i];
		uint64_t hash = fingerprint_of(arena, after, finding, path).hash;
		if (was_there(&earlier, hash, finding->severity))
			same++;
		else
			vec_push(arena, &fresh->list, finding);
	}
	return same;
}
