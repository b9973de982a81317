#include "evidence/observed/verdict.h"

#include "evidence/observed/gaps.h"
#include "evidence/observed/roles.h"

#include <inttypes.h>
#include <string.h>

/* Below this no verdict is given; "likely" from here, "proven" from 0.9 on. */
static const double enough = 0.6;

/* Calls that are listed for one axis. */
enum { LISTED_FLOWS = 4 };

const char *verdict_name(enum verdict_kind kind)
{
	static const char *const names[] = { "match", "mismatch", "insufficient" };

	return names[kind];
}

const char *axis_status_name(enum axis_status status)
{
	static const char *const names[] = { "proven", "consistent", "assumed" };

	return names[status];
}

const char *verdict_refuses(const struct job *job)
{
	if (!job->world)
		return "the number of ranks is not known: give --world";
	if (!job->intended || !job->intended->meshes.count)
		return "the degrees do not multiply to the number of ranks (parplan check says "
		       "which)";
	return NULL;
}

/* ---- axes ---- */

static int64_t planned_degree(const struct plan *plan, enum role axis)
{
	const struct degrees *d = &plan->degrees;
	const int64_t degrees[ROLES] = {
		[ROLE_PP] = d->pp,	    [ROLE_REPLICATE] = d->dp_replicate,
		[ROLE_SHARD] = d->dp_shard, [ROLE_CP] = d->cp,
		[ROLE_TP] = d->tp,	    [ROLE_EP] = d->ep
	};

	return degrees[axis];
}

/* Calls behind an axis: one of each operation by each of the first ranks. */
static void add_flows(const struct comparison_of_run *run, struct axis_verdict *axis)
{
	const struct seen_axis *seen = &run->observed->axes.axis[axis->axis];
	const struct families *families = &run->observed->families;
	size_t i;

	for (i = 0; i < families->flows.count && axis->evidence.count < LISTED_FLOWS; i++) {
		const struct group_flow *flow = &families->flows.items[i];
		struct evidence_item item = { flow->call.witness, NULL };
		if (flow->family != seen->family || flow->role != seen->how)
			continue;
		item.what = seen_flow_text(run->observed, flow);
		vec_push(run->arena, &axis->evidence, item);
	}
}

/* Groups of the planned shape, or of its size, that somebody tells of. */
static void add_group(const struct comparison_of_run *run, struct axis_verdict *axis)
{
	const struct families *families = &run->observed->families;
	struct layout planned = axis_planned(run->intended, axis->axis);
	size_t i;

	for (i = 0; i < families->list.count; i++) {
		const struct group_family *family = &families->list.items[i];
		struct evidence_item item = { family->witness, NULL };
		if (!family->told || !family_is(family, &planned))
			continue;
		item.what = arena_printf(run->arena, "%s: %s", family_name(run->arena, family),
					 family_groups(run->observed, family));
		vec_push(run->arena, &axis->evidence, item);
		axis->status = AXIS_CONSISTENT;
		return;
	}
}

static void add_claims(const struct comparison_of_run *run, struct axis_verdict *axis)
{
	const struct capture *capture = run->observed->capture;
	size_t i;

	for (i = 0; i < capture->claims.count; i++) {
		const struct seen_claim *claim = &capture->claims.items[i];
		struct evidence_item item = { claim->witness, NULL };
		if (strcmp(claim->axis, role_name(axis->axis)) != 0 ||
		    claim->degree != axis->planned)
			continue;
		item.what =
			arena_printf(run->arena, "%s %s=%" PRId64,
				     claim->stored ? "chunks of the checkpoint:" : "the log says",
				     claim->axis, claim->degree);
		vec_push(run->arena, &axis->evidence, item);
		axis->status = AXIS_CONSISTENT;
		return;
	}
}

static struct axis_verdict judge_axis(const struct comparison_of_run *run, enum role role)
{
	const struct seen_axis *seen = &run->observed->axes.axis[role];
	struct axis_verdict axis = { .axis = role,
				     .planned = planned_degree(run->intended, role),
				     .seen = seen->degree,
				     .status = AXIS_ASSUMED };

	if (seen->family >= 0) {
		add_flows(run, &axis);
		axis.status = seen->strong && axis.evidence.count ? AXIS_PROVEN : AXIS_CONSISTENT;
		return axis;
	}
	if (axis.seen)
		axis.status = AXIS_CONSISTENT; /* the others multiply to the world */
	if (axis.planned > 1) {
		add_group(run, &axis);
		add_claims(run, &axis);
	}
	return axis;
}

static void judge_axes(const struct comparison_of_run *run, struct verdict *verdict)
{
	int role;

	for (role = 0; role < ROLES; role++) {
		if (role == ROLE_EP && run->intended->degrees.ep <= 1 &&
		    run->observed->axes.axis[role].family < 0)
			continue;
		vec_push(run->arena, &verdict->axes, judge_axis(run, (enum role)role));
	}
}

/* ---- match ---- */

static bool is_data(enum role role)
{
	return role == ROLE_SHARD || role == ROLE_REPLICATE;
}

/*
 * Whether calls that show one axis may be another's: what follows from names alone; copies that
 * shard their optimizer; keys and values, which are gathered as activations are.
 */
static bool may_be_taken(const struct comparison_of_run *run, const struct group_flow *flow,
			 enum role role)
{
	const enum role other = axis_of(flow->role);

	return !flow->strong || (is_data(role) && is_data(other)) ||
	       (role == ROLE_CP && other == ROLE_TP && axis_is_right(run, ROLE_SHARD));
}

/* Other roles that the calls of a planned axis may be taken for. */
static bool is_carried(const struct comparison_of_run *run, enum role role)
{
	struct layout planned = axis_planned(run->intended, role);
	const struct families *families = &run->observed->families;
	size_t i;

	for (i = 0; i < families->flows.count; i++) {
		const struct group_flow *flow = &families->flows.items[i];
		enum role other = axis_of(flow->role);
		if (other == ROLES || !may_be_taken(run, flow, role) ||
		    !family_is(&families->list.items[flow->family], &planned))
			continue;
		if (planned_size(run, other) <= 1)
			return true;
	}
	return false;
}

/*
 * Whether calls show a planned axis as it is planned. Where experts lie is each framework's own
 * affair: the number of ranks alone counts, and of frameworks without a model not even that.
 */
static bool is_shown(const struct comparison_of_run *run, const struct axis_verdict *axis)
{
	const struct degrees *d = &run->intended->degrees;

	if (axis->planned <= 1)
		return axis->axis != ROLE_CP || run->observed->axes.axis[ROLE_CP].family < 0;
	if (axis->axis == ROLE_EP)
		return axis->seen == d->ep || axis->seen == d->ep * (d->etp > 1 ? d->etp : 1) ||
		       (run->job->applied && run->job->applied->assumed && axis->seen > 1);
	if (axis->axis == ROLE_SHARD && axis->planned > 1 && d->cp > 1)
		return axis_is_right(run, ROLE_SHARD);
	return axis_is_right(run, axis->axis) || is_carried(run, axis->axis);
}

/* Groups that data parallelism of the plan may use: shards, copies, both, and cp's. */
static bool is_of_plan(const struct comparison_of_run *run, const struct group_family *family)
{
	struct layout shard = axis_planned(run->intended, ROLE_SHARD);
	struct layout copies = axis_planned(run->intended, ROLE_REPLICATE);
	struct layout context = axis_planned(run->intended, ROLE_CP);
	struct layout both = layout_join(copies, shard);

	both = layout_canonical(&both);
	return family_is(family, &shard) || family_is(family, &copies) ||
	       family_is(family, &context) || (both.modes && family_is(family, &both));
}

/*
 * Parameters, gradients, keys or values over groups that the plan has not, tensors of two and more
 * dimensions where none is cut: no match, whatever else is as planned. Experts have groups of their
 * own.
 */
static bool is_unplanned(const struct comparison_of_run *run)
{
	const struct families *families = &run->observed->families;
	size_t i;

	for (i = 0; i < families->flows.count && run->intended->degrees.ep <= 1; i++) {
		const struct group_flow *flow = &families->flows.items[i];
		const struct group_family *family = &families->list.items[flow->family];
		const enum role axis = axis_of(flow->role);
		if (run->intended->degrees.tp <= 1 &&
		    (flow->role == SEEN_TENSOR_PLAIN || (axis == ROLE_TP && flow->strong)))
			return true;
		if (family->members && family->regular && family->size > 1 &&
		    ((is_data(axis) && flow->strong) || axis == ROLE_CP) &&
		    !is_of_plan(run, family))
			return true;
	}
	return false;
}

/* Whether the config cuts the optimizer's state over ranks that repeat the parameters: ZeRO-1 and
 * 2, Megatron's distributed optimizer. */
static bool cuts_optimizer(const struct job *job)
{
	const int64_t stage = setting_int(&job->settings, FIELD_ZERO_STAGE, 0);

	return stage == 1 || stage == 2 ||
	       setting_bool(&job->settings, FIELD_OPTIMIZER_DISTRIBUTED, false);
}

/* Such a run gathers its parameters once a step; one whose whole steps reduce gradients alone does
 * not. */
static bool reduces_alone(const struct comparison_of_run *run)
{
	const struct families *families = &run->observed->families;
	bool reduces = false;
	size_t i;

	if (!cuts_optimizer(run->job) || run->observed->steps < 1)
		return false;
	for (i = 0; i < families->flows.count; i++) {
		const struct group_flow *flow = &families->flows.items[i];
		if (flow->role == SEEN_ZERO || flow->role == SEEN_SHARD)
			return false;
		reduces = reduces || flow->role == SEEN_DDP;
	}
	return reduces;
}

static bool all_shown(const struct comparison_of_run *run, const struct verdict *verdict)
{
	size_t i;

	if (is_unplanned(run) || reduces_alone(run))
		return false;
	for (i = 0; i < verdict->axes.count; i++)
		if (!is_shown(run, &verdict->axes.items[i]))
			return false;
	return true;
}

/* ---- what the framework builds ---- */

static const char *framework_words(const struct comparison_of_run *run)
{
	const struct versions *versions = &run->job->versions;

	if (!versions->list.count)
		return run->job->framework->name;
	return arena_join(run->arena, versions->list.items[0].framework, " ",
			  versions->list.items[0].label);
}

/* Where the applied plan shares or repeats parameters otherwise than the intended one. */
static const char *as_built(const struct comparison_of_run *run)
{
	const struct plan *applied = run->job->applied;
	const struct seen_axis *shard = &run->observed->axes.axis[ROLE_SHARD];
	struct layout built, planned = axis_planned(run->intended, ROLE_SHARD);
	bool obeyed;

	if (!applied || applied->error || applied->unmodelled || applied->assumed ||
	    !plan_comparable(run->intended, applied))
		return NULL;
	built = axis_planned(applied, ROLE_SHARD);
	if (layout_same_groups(&built, &planned))
		return NULL;
	obeyed = shard->family >= 0 &&
		 family_is(&run->observed->families.list.items[shard->family], &built);
	return arena_printf(run->arena,
			    "%s builds another plan of this config: parameters shared "
			    "by %s%s",
			    framework_words(run),
			    groups_text(run->arena, &built, run->intended->world, 4),
			    obeyed ? "; the run is as the framework builds it"
				   : "; the run is not that either");
}

/* ---- the verdict ---- */

static void say_mismatch(const struct comparison_of_run *run, const struct mismatch *mismatch,
			 struct verdict *verdict)
{
	size_t i, k;

	verdict->kind = VERDICT_MISMATCH;
	verdict->code = mismatch->code;
	verdict->text = mismatch->text;
	if (mismatch->evidence.what)
		vec_push(run->arena, &verdict->evidence, mismatch->evidence);
	for (i = 0; !mismatch->evidence.what && i < verdict->axes.count; i++) {
		const struct axis_verdict *axis = &verdict->axes.items[i];
		for (k = 0; axis->axis == mismatch->axis && k < axis->evidence.count; k++)
			vec_push(run->arena, &verdict->evidence, axis->evidence.items[k]);
	}
}

static void say_insufficient(struct verdict *verdict, const char *text)
{
	verdict->kind = VERDICT_INSUFFICIENT;
	verdict->code = "INSUFFICIENT";
	verdict->text = text;
}

/* A plan of one rank is kept by a run of one rank, whatever else is known of it. */
static bool is_trivial(const struct comparison_of_run *run)
{
	return run->intended->world == 1 && run->observed->capture->world == 1;
}

static void judge(const struct comparison_of_run *run, struct verdict *verdict)
{
	int64_t world = run->observed->families.world;
	struct mismatch mismatch;

	if (world && world != run->intended->world) {
		say_insufficient(verdict, "the evidence is of another job than the plan");
		return;
	}
	mismatch = mismatch_find(run);
	if (mismatch.code && verdict->confidence >= enough) {
		say_mismatch(run, &mismatch, verdict);
		return;
	}
	if (mismatch.code) {
		say_insufficient(verdict, arena_printf(run->arena,
						       "it looks as if %s; the "
						       "evidence is too thin to say so",
						       mismatch.text));
		return;
	}
	if (is_trivial(run) ||
	    (all_shown(run, verdict) && verdict->confidence >= enough && run->observed->useful)) {
		verdict->kind = VERDICT_MATCH;
		verdict->code = "MATCH";
		verdict->text = is_trivial(run) ? "one rank is planned and one rank ran"
						: "the run does what the config asks for";
		return;
	}
	say_insufficient(verdict,
			 reduces_alone(run)
				 ? "the plan cuts the optimizer's state, but gradients are "
				   "all-reduced whole and no parameter is gathered: as plain "
				   "DDP does"
				 : "the evidence neither proves nor refutes the plan");
}

struct verdict verdict_of(struct arena *arena, const struct job *job,
			  const struct observed *observed)
{
	struct comparison_of_run run = run_compare(arena, job, observed);
	struct verdict verdict = { .confidence = confidence_of(observed) };

	judge_axes(&run, &verdict);
	judge(&run, &verdict);
	verdict.built = as_built(&run);
	gaps_find(&run, &verdict);
	if (verdict.kind == VERDICT_INSUFFICIENT || verdict.confidence < 0.9)
		verdict.next = gaps_next(&run);
	return verdict;
}
