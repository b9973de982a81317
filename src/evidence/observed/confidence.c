#include "evidence/observed/verdict.h"

/*
 * Factors of trust. One rank speaks for all only if they do the same; a family without members may
 * be other ranks; a window without marks of steps may be half of one. Judgement, not measurement.
 */
static const double one_rank = 0.7, no_members = 0.8, one_step = 0.8, no_steps = 0.9,
		    no_sizes = 0.6, weak_roles = 0.8, no_calls = 0.5;

/* What the useful flows have in common. */
struct quality {
	bool members, sizes, strong;
	int64_t sources; /* kinds of files they come from, of the first 64 files */
};

static bool is_new_source(const struct observed *observed, size_t flow)
{
	const struct families *families = &observed->families;
	const struct capture *capture = observed->capture;
	int32_t file = families->flows.items[flow].call.witness.file, other;
	size_t i;

	if (file < 0 || (size_t)file >= capture->files.count)
		return false;
	for (i = 0; i < flow; i++) {
		other = families->flows.items[i].call.witness.file;
		if (axis_of(families->flows.items[i].role) != ROLES && other >= 0 &&
		    (other == file ||
		     capture->files.items[other].source == capture->files.items[file].source))
			return false;
	}
	return true;
}

static struct quality quality_of(const struct observed *observed)
{
	struct quality quality = { true, false, false, 0 };
	const struct families *families = &observed->families;
	size_t i;

	for (i = 0; i < families->flows.count; i++) {
		const struct group_flow *flow = &families->flows.items[i];
		if (axis_of(flow->role) == ROLES)
			continue;
		quality.members = quality.members && families->list.items[flow->family].members;
		quality.sizes = quality.sizes || flow_elements(flow) > 0;
		quality.strong = quality.strong || flow->strong;
		quality.sources += is_new_source(observed, i);
	}
	return quality;
}

double confidence_of(const struct observed *observed)
{
	struct quality quality = quality_of(observed);
	double confidence = 1, doubt = 1;
	int64_t i;

	if (!observed->useful)
		return no_calls;
	if (observed->families.ranks.count <= 1 && observed->families.world > 1)
		confidence *= one_rank;
	if (!quality.members)
		confidence *= no_members;
	if (observed->steps < 2)
		confidence *= observed->steps ? one_step : no_steps;
	if (!quality.sizes)
		confidence *= no_sizes;
	if (!quality.strong)
		confidence *= weak_roles;
	for (i = 0; i < quality.sources; i++)
		doubt *= 1 - confidence;
	return quality.sources > 1 ? 1 - doubt : confidence;
}
