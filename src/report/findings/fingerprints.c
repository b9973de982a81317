#include "report/findings/fingerprints.h"

#include "rules/fingerprint.h"

const char *fingerprints_name(struct fingerprints *all, const struct checked *file,
			      const struct spot *place, const struct finding *finding)
{
	const struct fingerprint print =
		fingerprint_of(file->job->arena, file->job, finding, place->path);
	const char *name = fingerprint_text(all->arena, &print);
	int64_t index;

	all->seen.arena = all->arena;
	index = map_find(&all->seen, name);
	if (index < 0) {
		map_add(&all->seen, name, (uint32_t)all->counts.count);
		vec_push(all->arena, &all->counts, 1);
		return name;
	}
	return arena_printf(all->arena, "%s:%zu", name, ++all->counts.items[index]);
}
