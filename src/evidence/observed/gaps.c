#include "evidence/observed/gaps.h"

#include <inttypes.h>
#include <string.h>

static void add(const struct comparison_of_run *run, struct verdict *verdict, const char *code,
		const char *text)
{
	struct verdict_reason reason = { code, text };
	size_t i;

	for (i = 0; i < verdict->reasons.count; i++)
		if (!strcmp(verdict->reasons.items[i].code, code) &&
		    !strcmp(verdict->reasons.items[i].text, text))
			return;
	vec_push(run->arena, &verdict->reasons, reason);
}

/* What readers say of their files; the same of several files is said once. */
static void add_limits(const struct comparison_of_run *run, struct verdict *verdict)
{
	const struct capture *capture = run->observed->capture;
	size_t i, k;

	for (i = 0; i < capture->limits.count; i++) {
		const struct seen_limit *limit = &capture->limits.items[i];
		int64_t files = 0;
		for (k = 0; k < capture->limits.count; k++) {
			if (strcmp(capture->limits.items[k].code, limit->code) != 0)
				continue;
			if (k < i)
				break;
			files++;
		}
		if (!files)
			continue;
		add(run, verdict, limit->code,
		    files == 1 ? limit->text
			       : arena_printf(run->arena, "%s (and %" PRId64 " more)", limit->text,
					      files - 1));
	}
}

/* Claims of logs and checkpoints that are not the plan's. */
static void add_claims(const struct comparison_of_run *run, struct verdict *verdict)
{
	const struct capture *capture = run->observed->capture;
	int axis;
	size_t i;

	for (i = 0; i < capture->claims.count; i++) {
		const struct seen_claim *claim = &capture->claims.items[i];
		for (axis = 0; axis < ROLES; axis++) {
			int64_t planned = planned_size(run, (enum role)axis);
			if (strcmp(role_name((enum role)axis), claim->axis) != 0 ||
			    claim->degree == planned)
				continue;
			if (axis == ROLE_SHARD && claim->degree == run->intended->degrees.dp_shard)
				continue; /* planned: together with cp */
			add(run, verdict, claim->stored ? "CHECKPOINT_DIFFERS" : "LOG_DIFFERS",
			    arena_printf(run->arena, "%s %s %s %" PRId64 ", planned is %" PRId64,
					 claim->stored ? "the checkpoint is cut by"
						       : "the log speaks of",
					 claim->axis, claim->stored ? "into" : "of", claim->degree,
					 planned));
		}
	}
}

/* What of the model a log says to be cut; it is no axis of its own. */
static void add_stage(const struct comparison_of_run *run, struct verdict *verdict)
{
	const struct capture *capture = run->observed->capture;
	size_t i;

	for (i = 0; i < capture->claims.count; i++)
		if (!strcmp(capture->claims.items[i].axis, "ZeRO stage"))
			add(run, verdict, "LOG_SAYS",
			    arena_printf(run->arena, "the log says ZeRO stage %" PRId64,
					 capture->claims.items[i].degree));
}

/* Whether a log tells of the communicators as they are made: all of them, where it is whole. One of
 * calls alone tells of those that were used. */
static bool tells_groups(const struct capture *capture)
{
	size_t i;

	for (i = 0; i < capture->groups.count; i++)
		if (capture->groups.items[i].identity)
			return true;
	return capture->groups.count && !capture->calls.count;
}

static bool is_planned(const struct comparison_of_run *run, const struct group_family *family)
{
	int axis;

	for (axis = 0; axis < ROLES; axis++) {
		const struct layout planned = axis_planned(run->intended, (enum role)axis);
		if (planned_size(run, (enum role)axis) > 1 && family_is(family, &planned))
			return true;
	}
	return false;
}

static void add_missing_group(const struct comparison_of_run *run, struct verdict *verdict,
			      enum role axis)
{
	const struct families *families = &run->observed->families;
	const struct layout planned = axis_planned(run->intended, axis);
	size_t i;

	for (i = 0; i < families->list.count; i++)
		if (families->list.items[i].told && family_is(&families->list.items[i], &planned))
			return;
	add(run, verdict, "GROUPS_NOT_MADE",
	    arena_printf(run->arena,
			 "the plan's %s has groups of %" PRId64
			 " ranks, %s, and none of them was made",
			 role_name(axis), planned_size(run, axis),
			 groups_text(run->arena, &planned, run->intended->world, 2)));
}

/* Groups that a log tells of and the plan has not, and the plan's that it does not tell of. */
static void add_groups(const struct comparison_of_run *run, struct verdict *verdict)
{
	const struct families *families = &run->observed->families;
	int axis;
	size_t i;

	if (!tells_groups(run->observed->capture))
		return;
	for (i = 0; i < families->list.count; i++) {
		const struct group_family *family = &families->list.items[i];
		if (family->told && family->size > 1 && family->size < families->world &&
		    run->intended->degrees.ep <= 1 && !is_planned(run, family))
			add(run, verdict, "GROUPS_UNPLANNED",
			    arena_printf(run->arena,
					 "groups of %" PRId64
					 " ranks each were made%s%s, which the plan "
					 "has not",
					 family->size, family->regular ? ", " : "",
					 family->regular ? family_groups(run->observed, family)
							 : ""));
	}
	for (axis = 0; axis < ROLES; axis++)
		if (axis != ROLE_EP && planned_size(run, (enum role)axis) > 1)
			add_missing_group(run, verdict, (enum role)axis);
}

static void add_calls(const struct comparison_of_run *run, struct verdict *verdict)
{
	const struct observed *observed = run->observed;

	if (!observed->capture->calls.count)
		add(run, verdict, "NO_TRAFFIC",
		    observed->capture->groups.count
			    ? "groups are known, but no call on them: what they carried is open"
			    : "the evidence holds no groups and no calls");
	else if (!observed->useful)
		add(run, verdict, "NO_TRAFFIC",
		    "no call carries parameters, gradients or activations over a known group");
	if (!observed->useful)
		return;
	if (observed->families.ranks.count <= 1 && observed->families.world > 1)
		add(run, verdict, "ONE_RANK_ONLY",
		    "the calls are of one rank; the others are taken to do the same");
	if (!observed->steps)
		add(run, verdict, "NO_STEP", "nothing marks where steps begin and end");
	else if (observed->steps == 1)
		add(run, verdict, "WINDOW_TOO_SHORT",
		    "one whole step is covered; two would be "
		    "needed to tell what every step does");
}

/* Planned axes that no call shows. */
static void add_open(const struct comparison_of_run *run, struct verdict *verdict)
{
	size_t i;

	for (i = 0; i < verdict->axes.count; i++) {
		const struct axis_verdict *axis = &verdict->axes.items[i];
		if (axis->planned <= 1 || axis->seen)
			continue;
		add(run, verdict, "AXIS_NOT_SEEN",
		    arena_printf(run->arena, "no call shows %s of %" PRId64 "%s",
				 role_name(axis->axis), axis->planned,
				 axis->status == AXIS_CONSISTENT ? "; there are groups of that size"
								 : ""));
	}
}

void gaps_find(const struct comparison_of_run *run, struct verdict *verdict)
{
	const struct observed *observed = run->observed;

	if (observed->families.world && observed->families.world != run->intended->world)
		add(run, verdict, "OTHER_WORLD",
		    arena_printf(run->arena,
				 "the evidence is of %" PRId64 " ranks, the plan of %" PRId64,
				 observed->families.world, run->intended->world));
	add_limits(run, verdict);
	add_calls(run, verdict);
	add_claims(run, verdict);
	add_stage(run, verdict);
	add_groups(run, verdict);
	if (observed->useful)
		add_open(run, verdict);
}

/* A rank whose coordinates on the larger axes differ from rank 0's: the last one. */
static const char *second_rank(const struct comparison_of_run *run)
{
	return arena_printf(run->arena, "%" PRId64, run->intended->world - 1);
}

const char *gaps_next(const struct comparison_of_run *run)
{
	const struct observed *observed = run->observed;

	if (observed->families.world && observed->families.world != run->intended->world)
		return "evidence of a run of this config: as many ranks as it plans";
	if (!observed->useful)
		return "a profiler trace of rank 0 over two steps (torch.profiler, PyTorch 2.4 or "
		       "newer), or the flight recorder's dumps of all ranks";
	if (observed->families.ranks.count <= 1)
		return arena_printf(run->arena,
				    "the same from one more rank, best of the last: rank %s",
				    second_rank(run));
	if (observed->steps < 2)
		return "a profiler trace of one rank over two steps";
	return "a profiler trace of ranks on every pipeline stage over two steps";
}
