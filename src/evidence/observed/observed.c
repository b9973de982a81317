#include "evidence/observed/observed.h"

#include "base/text.h"
#include "evidence/observed/roles.h"

#include <inttypes.h>
#include <string.h>

static bool shows(const struct group_flow *flow, enum role axis)
{
	return flow->strong && axis_of(flow->role) == axis;
}

/* Groups of pairs here and there (embeddings shared by stages) are no axis. */
static bool is_axis(const struct group_family *family)
{
	return family->size > 1 && (family->regular || !family->members);
}

/* Whether a rank's calls show the axis over that family. */
static bool agrees(const struct families *families, int64_t rank, enum role axis, int32_t family)
{
	size_t i;

	for (i = 0; i < families->flows.count; i++) {
		const struct group_flow *flow = &families->flows.items[i];
		if (flow->call.rank == rank && flow->family == family &&
		    axis_of(flow->role) == axis)
			return true;
	}
	return false;
}

static void add_rank(struct observed *observed, int64_t rank)
{
	struct disagreement *found = &observed->disagreement;

	if (!found->ranks.count || found->ranks.items[found->ranks.count - 1] != rank)
		vec_push(observed->arena, &found->ranks, rank);
}

/* Groups of one size may be the same, where it is not known who is in one of them. */
static bool may_be_same(const struct group_family *a, const struct group_family *b)
{
	return (!a->members || !b->members) && (a->size == b->size || !a->size || !b->size);
}

/* Ranks whose calls show the axis, but only over other groups. */
static void find_others(struct observed *observed, enum role axis)
{
	const struct families *families = &observed->families;
	int32_t family = observed->axes.axis[axis].family;
	size_t i;

	for (i = 0; family >= 0 && i < families->flows.count; i++) {
		const struct group_flow *flow = &families->flows.items[i];
		if (flow->family == family || flow->call.rank < 0 || !shows(flow, axis) ||
		    !is_axis(&families->list.items[flow->family]) ||
		    may_be_same(&families->list.items[flow->family],
				&families->list.items[family]) ||
		    agrees(families, flow->call.rank, axis, family))
			continue;
		if (observed->disagreement.axis == ROLES)
			observed->disagreement.witness = flow->call.witness;
		observed->disagreement.axis = axis;
		observed->disagreement.family = family;
		observed->disagreement.other = flow->family;
		add_rank(observed, flow->call.rank);
	}
}

/* Experts may be on other ranks than the rest by design. */
static void find_disagreement(struct observed *observed)
{
	int axis;

	observed->disagreement.axis = ROLES;
	for (axis = 0; axis < ROLE_EP && observed->disagreement.axis == ROLES; axis++)
		find_others(observed, (enum role)axis);
}

/* Whole steps that the file of a call covers; logs without calls do not count. */
static int64_t steps_of_file(const struct capture *capture, int32_t file)
{
	return file >= 0 && (size_t)file < capture->files.count ? capture->files.items[file].steps
								: 0;
}

static void count_steps(struct observed *observed)
{
	size_t i;

	for (i = 0; i < observed->families.flows.count; i++) {
		const struct group_flow *flow = &observed->families.flows.items[i];
		int64_t steps = steps_of_file(observed->capture, flow->call.witness.file);
		if ((int64_t)flow->steps.count > steps)
			steps = (int64_t)flow->steps.count;
		if (steps > observed->steps)
			observed->steps = steps;
		observed->useful += axis_of(flow->role) != ROLES;
	}
}

/* Degrees that no call shows, by the word of who made the groups. */
static void take_built(struct observed *observed)
{
	const struct capture *capture = observed->capture;
	size_t i;
	int axis;

	for (i = 0; i < capture->claims.count; i++)
		for (axis = 0; axis < ROLES; axis++) {
			struct seen_axis *seen = &observed->axes.axis[axis];
			if (capture->claims.items[i].built && !seen->degree && seen->family < 0 &&
			    !strcmp(capture->claims.items[i].axis, role_name((enum role)axis)))
				seen->degree = capture->claims.items[i].degree;
		}
}

struct observed observed_of(struct arena *arena, const struct capture *capture,
			    const struct plan *intended)
{
	struct observed observed = { .arena = arena, .capture = capture };

	observed.families = families_of(arena, capture);
	roles_find(&observed.families);
	observed.axes = factorisation_of(&observed.families, intended);
	find_disagreement(&observed);
	take_built(&observed);
	count_steps(&observed);
	return observed;
}

int64_t observed_degree(const struct observed *observed, enum role axis)
{
	return observed->axes.axis[axis].degree;
}

const char *family_groups(const struct observed *observed, const struct group_family *family)
{
	if (family->size == 1)
		return "single ranks";
	if (family->regular)
		return groups_text(observed->arena, &family->layout, observed->families.world, 4);
	if (!family->size)
		return "groups of unknown size";
	return arena_printf(observed->arena, "groups of %" PRId64 " ranks%s", family->size,
			    family->members ? ", not all at one distance" : "");
}

/* " of 27,264,000 to 218,112,000 bfloat16"; "" where nothing is known. */
static const char *size_words(struct arena *arena, const struct seen_call *call)
{
	const char *blank = *call->dtype ? " " : "", *dtype = call->dtype;

	if (call->in >= 0 && call->out >= 0 && call->in != call->out)
		return arena_printf(arena, " of %s to %s%s%s", text_count(arena, call->in),
				    text_count(arena, call->out), blank, dtype);
	if (call->in >= 0 || call->out >= 0)
		return arena_printf(arena, " of %s%s%s",
				    text_count(arena, call->in >= 0 ? call->in : call->out), blank,
				    dtype);
	if (call->bytes >= 0)
		return arena_printf(arena, " of %s", text_bytes(arena, (double)call->bytes));
	return "";
}

/* "all-gather" or, of two, "all-gathers". */
static const char *plural(struct arena *arena, enum seen_op op, int64_t count)
{
	return count == 1 ? seen_op_name(op) : arena_join(arena, seen_op_name(op), "s", "");
}

const char *seen_flow_text(const struct observed *observed, const struct group_flow *flow)
{
	const struct group_family *family = &observed->families.list.items[flow->family];
	struct arena *arena = observed->arena;
	const char *where = "", *who = "";

	if (family->regular && flow->start >= 0)
		where = arena_printf(arena, " %s", group_text(arena, &family->layout, flow->start));
	if (flow->call.rank >= 0)
		who = arena_printf(arena, " by rank %" PRId64, flow->call.rank);
	return arena_printf(arena, "%" PRId64 " %s%s on %s%s%s", flow->call.count,
			    plural(arena, flow->call.op, flow->call.count),
			    size_words(arena, &flow->call), family_name(arena, family), where, who);
}
