#include "evidence/observed/mismatch.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* ---- what the plan says, what is seen ---- */

int64_t planned_size(const struct comparison_of_run *run, enum role axis)
{
	struct layout planned = axis_planned(run->intended, axis);

	if (axis == ROLE_EP)
		return run->intended->degrees.ep > 1 ? run->intended->degrees.ep : 1;
	return planned.modes ? layout_size(&planned) : 1;
}

static const struct seen_axis *seen(const struct comparison_of_run *run, enum role axis)
{
	return &run->observed->axes.axis[axis];
}

/* The family that calls show for an axis, or NULL. */
static const struct group_family *family_of(const struct comparison_of_run *run, enum role axis)
{
	int32_t index = seen(run, axis)->family;

	return index < 0 ? NULL : &run->observed->families.list.items[index];
}

/* Its size when sizes or shapes say so and it can be an axis; else 0. */
static int64_t certain_size(const struct comparison_of_run *run, enum role axis)
{
	const struct group_family *family = family_of(run, axis);

	if (!family || !seen(run, axis)->strong || (family->members && !family->regular))
		return 0;
	return family->size;
}

bool axis_is_right(const struct comparison_of_run *run, enum role axis)
{
	const struct group_family *family = family_of(run, axis);
	struct layout planned = axis_planned(run->intended, axis);

	return family && family_is(family, &planned);
}

static const char *groups(const struct comparison_of_run *run, enum role axis)
{
	return family_groups(run->observed, family_of(run, axis));
}

static const char *planned_groups(const struct comparison_of_run *run, enum role axis)
{
	struct layout planned = axis_planned(run->intended, axis);

	return groups_text(run->arena, &planned, run->intended->world, 4);
}

/* An all-reduce of a loss or a norm behind the first reduce-scatter: that step's gradients were
 * through. */
static bool step_ended(const struct observed *observed)
{
	const struct families *families = &observed->families;
	size_t i, k;

	for (i = 0; i < families->flows.count; i++) {
		const struct group_flow *scatter = &families->flows.items[i];
		if (scatter->call.op != SEEN_REDUCE_SCATTER || scatter->role != SEEN_SHARD)
			continue;
		for (k = 0; k < families->flows.count; k++) {
			const struct group_flow *control = &families->flows.items[k];
			if (control->role == SEEN_CONTROL && control->call.op == SEEN_ALL_REDUCE &&
			    control->call.witness.file == scatter->call.witness.file &&
			    control->call.witness.record > scatter->call.witness.record)
				return true;
		}
	}
	return false;
}

/* Limits that hide no calls. */
static bool hides_nothing(const char *code)
{
	return !strcmp(code, "LAZY_COMM_UNUSED_OK") || !strcmp(code, "ONE_RANK_ONLY") ||
	       !strcmp(code, "FILE_UNKNOWN");
}

struct comparison_of_run run_compare(struct arena *arena, const struct job *job,
				     const struct observed *observed)
{
	struct comparison_of_run run = { arena, job, job->intended, observed, true };
	size_t i;

	for (i = 0; i < observed->capture->limits.count; i++)
		run.complete =
			run.complete && hides_nothing(observed->capture->limits.items[i].code);
	run.complete = run.complete && !observed->families.cut &&
		       (observed->steps >= 2 || step_ended(observed));
	return run;
}

/* ---- the codes ---- */

static const char *ranks_text(struct arena *arena, const struct disagreement *found)
{
	const char *text = "";
	size_t i;

	for (i = 0; i < found->ranks.count && i < 8; i++)
		text = arena_printf(arena, "%s%s%" PRId64, text, i ? ", " : "",
				    found->ranks.items[i]);
	return found->ranks.count > 8 ? arena_join(arena, text, ", ...", "") : text;
}

/* Whether ranks follow from an assumption, which may put a process into the wrong groups. */
static bool ranks_assumed(const struct comparison_of_run *run)
{
	const struct capture *capture = run->observed->capture;
	size_t i;

	for (i = 0; i < capture->limits.count; i++)
		if (!strcmp(capture->limits.items[i].code, "RANKS_ASSUMED"))
			return true;
	return false;
}

static bool ranks_disagree(const struct comparison_of_run *run, struct mismatch *mismatch)
{
	const struct disagreement *found = &run->observed->disagreement;
	const struct families *families = &run->observed->families;

	if (found->axis == ROLES || ranks_assumed(run))
		return false;
	mismatch->axis = found->axis;
	mismatch->text =
		arena_printf(run->arena, "rank%s %s run%s %s over %s, the others over %s",
			     found->ranks.count == 1 ? "" : "s", ranks_text(run->arena, found),
			     found->ranks.count == 1 ? "s" : "", role_name(found->axis),
			     family_groups(run->observed, &families->list.items[found->other]),
			     family_groups(run->observed, &families->list.items[found->family]));
	mismatch->evidence.witness = found->witness;
	mismatch->evidence.what = "the first call that differs";
	return true;
}

static bool hsdp_collapsed(const struct comparison_of_run *run, struct mismatch *mismatch)
{
	int64_t shard = planned_size(run, ROLE_SHARD), copies = planned_size(run, ROLE_REPLICATE);

	if (shard <= 1 || copies <= 1 || certain_size(run, ROLE_SHARD) != shard * copies ||
	    family_of(run, ROLE_REPLICATE))
		return false;
	mismatch->axis = ROLE_SHARD;
	mismatch->text = arena_printf(run->arena,
				      "parameters are shared by %s, not by %s: the copies are "
				      "part of the sharding, and nothing is reduced between copies",
				      groups(run, ROLE_SHARD), planned_groups(run, ROLE_SHARD));
	return true;
}

static bool hsdp_unintended(const struct comparison_of_run *run, struct mismatch *mismatch)
{
	int64_t shard = certain_size(run, ROLE_SHARD);

	if (planned_size(run, ROLE_REPLICATE) > 1 || shard <= 1 ||
	    shard >= planned_size(run, ROLE_SHARD) || certain_size(run, ROLE_REPLICATE) <= 1 ||
	    seen(run, ROLE_REPLICATE)->how != SEEN_REPLICATE)
		return false;
	mismatch->axis = ROLE_REPLICATE;
	mismatch->text = arena_printf(run->arena,
				      "parameters are shared by %s alone and repeated over %s; "
				      "no copies are planned",
				      groups(run, ROLE_SHARD), groups(run, ROLE_REPLICATE));
	return true;
}

static bool sync_missing(const struct comparison_of_run *run, struct mismatch *mismatch)
{
	if (!run->complete || planned_size(run, ROLE_REPLICATE) <= 1 ||
	    planned_size(run, ROLE_SHARD) <= 1 || !axis_is_right(run, ROLE_SHARD) ||
	    !seen(run, ROLE_SHARD)->strong || family_of(run, ROLE_REPLICATE))
		return false;
	mismatch->axis = ROLE_SHARD;
	mismatch->text = arena_printf(run->arena,
				      "gradients are scattered over %s and never reduced between "
				      "the copies, %s: they drift apart",
				      groups(run, ROLE_SHARD), planned_groups(run, ROLE_REPLICATE));
	return true;
}

/* Stages of ZeRO below 3 share no parameters. */
static bool shards_parameters(const struct comparison_of_run *run)
{
	return setting_int(&run->job->settings, FIELD_ZERO_STAGE, 3) >= 3;
}

static bool ddp_instead(const struct comparison_of_run *run, struct mismatch *mismatch)
{
	int64_t shard = planned_size(run, ROLE_SHARD), copies = planned_size(run, ROLE_REPLICATE);

	if (shard <= 1 || family_of(run, ROLE_SHARD) || !shards_parameters(run) ||
	    seen(run, ROLE_REPLICATE)->how != SEEN_DDP ||
	    certain_size(run, ROLE_REPLICATE) != shard * copies)
		return false;
	mismatch->axis = ROLE_REPLICATE;
	mismatch->text = arena_printf(run->arena,
				      "whole gradients are all-reduced over %s, and no parameters "
				      "are gathered: every rank holds all of them",
				      groups(run, ROLE_REPLICATE));
	return true;
}

static bool shard_instead(const struct comparison_of_run *run, struct mismatch *mismatch)
{
	if (planned_size(run, ROLE_SHARD) > 1 || planned_size(run, ROLE_REPLICATE) <= 1 ||
	    certain_size(run, ROLE_SHARD) <= 1 ||
	    family_is_even(&run->observed->families, seen(run, ROLE_SHARD)->family))
		return false;
	mismatch->axis = ROLE_SHARD;
	mismatch->text =
		arena_printf(run->arena, "parameters are shared by %s; copies alone are planned",
			     groups(run, ROLE_SHARD));
	return true;
}

/* Groups that were to stay within nodes and do not; "" for others. */
static const char *crossing_words(const struct comparison_of_run *run, enum role axis)
{
	const int64_t node = setting_int(&run->job->settings, FIELD_CLUSTER_GPUS_PER_NODE, 0);
	struct layout planned = axis_planned(run->intended, axis);

	if (node < 1 || !layout_within(&planned, node) ||
	    layout_within(&family_of(run, axis)->layout, node))
		return "";
	return arena_printf(run->arena, ": it crosses nodes of %" PRId64 " devices", node);
}

/* What is slow across nodes first. */
static bool order_swapped(const struct comparison_of_run *run, struct mismatch *mismatch)
{
	static const enum role axes[] = { ROLE_TP, ROLE_CP, ROLE_SHARD, ROLE_REPLICATE, ROLE_PP };
	size_t i;

	for (i = 0; i < sizeof(axes) / sizeof(*axes) && !ranks_assumed(run); i++) {
		const struct group_family *family = family_of(run, axes[i]);
		if (!family || !family->regular || planned_size(run, axes[i]) <= 1 ||
		    certain_size(run, axes[i]) != planned_size(run, axes[i]) ||
		    axis_is_right(run, axes[i]))
			continue;
		mismatch->axis = axes[i];
		mismatch->text =
			arena_printf(run->arena, "%s is over %s, planned over %s%s",
				     role_name(axes[i]), groups(run, axes[i]),
				     planned_groups(run, axes[i]), crossing_words(run, axes[i]));
		return true;
	}
	return false;
}

/* Over as many ranks as another planned axis: the ranks' calls may be that one's. */
static bool is_another(const struct comparison_of_run *run, enum role axis)
{
	static const enum role alike[][2] = { { ROLE_PP, ROLE_CP },
					      { ROLE_CP, ROLE_PP },
					      { ROLE_TP, ROLE_CP },
					      { ROLE_CP, ROLE_TP },
					      { ROLE_REPLICATE, ROLE_TP } };
	size_t i;

	for (i = 0; i < sizeof(alike) / sizeof(*alike); i++) {
		struct layout planned = axis_planned(run->intended, alike[i][1]);
		if (alike[i][0] == axis && family_is(family_of(run, axis), &planned))
			return true;
	}
	return false;
}

/*
 * Groups that pipelines send over and that say nothing of their depth: NCCL's communicators of two
 * neighbouring stages, and all ranks, for pairs that have no group.
 */
static bool is_link(const struct comparison_of_run *run, enum role axis)
{
	const struct group_family *family = family_of(run, axis);
	struct layout planned = axis_planned(run->intended, axis);

	if (axis != ROLE_PP || planned.modes != 1)
		return false;
	if (family->size == run->intended->world)
		return true;
	return family->size == 2 && planned.size[0] > 2 &&
	       (!family->regular || family->layout.stride[0] == planned.stride[0]);
}

static bool degree_wrong(const struct comparison_of_run *run, struct mismatch *mismatch)
{
	/* Where sharding is right, copies and the rest follow; so it is asked first. */
	static const enum role order[] = { ROLE_TP, ROLE_PP, ROLE_SHARD, ROLE_REPLICATE, ROLE_CP };
	size_t i;

	for (i = 0; i < sizeof(order) / sizeof(*order); i++) {
		int64_t size = certain_size(run, order[i]), planned = planned_size(run, order[i]);
		if (size <= 1 || size == planned || is_another(run, order[i]) ||
		    is_link(run, order[i]))
			continue;
		if (order[i] == ROLE_SHARD && planned == 1)
			continue; /* a distributed optimizer, or shard_instead has said so */
		mismatch->axis = order[i];
		mismatch->text = arena_printf(
			run->arena, "%s is over %s: %" PRId64 " ranks, not the %" PRId64 " planned",
			role_name(order[i]), groups(run, order[i]), size, planned);
		return true;
	}
	return false;
}

/* Experts lie as each framework wants; their number counts, where a model of it knows. */
static bool experts_wrong(const struct comparison_of_run *run, struct mismatch *mismatch)
{
	const struct degrees *d = &run->intended->degrees;
	int64_t size = certain_size(run, ROLE_EP);

	if (d->ep <= 1 || size <= 1 || size == d->ep || size == d->ep * (d->etp > 1 ? d->etp : 1) ||
	    !run->job->applied || run->job->applied->assumed || run->job->applied->unmodelled)
		return false;
	mismatch->axis = ROLE_EP;
	mismatch->text = arena_printf(run->arena,
				      "tokens go to experts over %s: %" PRId64
				      " ranks, not the %" PRId64 " planned",
				      groups(run, ROLE_EP), size, d->ep);
	return true;
}

/* Calls on a family beside losses and barriers. */
static bool is_used(const struct observed *observed, const struct group_family *family)
{
	size_t i;

	for (i = 0; i < observed->families.flows.count; i++) {
		const struct group_flow *flow = &observed->families.flows.items[i];
		if (&observed->families.list.items[flow->family] == family &&
		    flow->role != SEEN_CONTROL)
			return true;
	}
	return false;
}

/* The family that is the plan's axis and that somebody tells of, or NULL. */
static const struct group_family *planned_family(const struct comparison_of_run *run,
						 enum role axis)
{
	const struct families *families = &run->observed->families;
	struct layout planned = axis_planned(run->intended, axis);
	size_t i;

	for (i = 0; i < families->list.count; i++)
		if (families->list.items[i].told && families->list.items[i].regular &&
		    family_is(&families->list.items[i], &planned))
			return &families->list.items[i];
	return NULL;
}

/* Whole steps that one file covers whose kind tells of all calls. */
static int64_t watched_steps(const struct observed *observed)
{
	const struct capture *capture = observed->capture;
	int64_t steps = 0;
	size_t i;

	for (i = 0; i < capture->calls.count; i++) {
		const struct witness witness = capture->calls.items[i].witness;
		const struct evidence_source *source = witness_source(capture, witness);
		if (source && !source->blind && capture->files.items[witness.file].steps > steps)
			steps = capture->files.items[witness.file].steps;
	}
	return steps;
}

static bool dim_unused(const struct comparison_of_run *run, struct mismatch *mismatch)
{
	static const enum role axes[] = { ROLE_TP, ROLE_PP, ROLE_CP };
	size_t i;

	if (watched_steps(run->observed) < 2 || !run->complete ||
	    setting_bool(&run->job->settings, FIELD_ASYNC_TP, false))
		return false;
	for (i = 0; i < sizeof(axes) / sizeof(*axes); i++) {
		const struct group_family *family = planned_family(run, axes[i]);
		if (!family || family_of(run, axes[i]) || is_used(run->observed, family))
			continue;
		mismatch->axis = axes[i];
		mismatch->text =
			arena_printf(run->arena,
				     "the groups of %s, %s, were made and carry nothing in %" PRId64
				     " whole steps",
				     role_name(axes[i]), family_groups(run->observed, family),
				     run->observed->steps);
		mismatch->evidence.witness = family->witness;
		mismatch->evidence.what = "the group";
		return true;
	}
	return false;
}

/* Whole gradients all-reduced beside a sharding that is as planned: a DDP wrapper around FSDP. */
static bool extra_traffic(const struct comparison_of_run *run, struct mismatch *mismatch)
{
	const struct families *families = &run->observed->families;
	size_t i;

	if (run->observed->steps < 2 || !axis_is_right(run, ROLE_SHARD))
		return false;
	for (i = 0; i < families->flows.count; i++) {
		const struct group_flow *flow = &families->flows.items[i];
		if (flow->call.op != SEEN_ALL_REDUCE || flow->role != SEEN_UNKNOWN ||
		    flow->call.dims > 1 || flow->family != seen(run, ROLE_SHARD)->family ||
		    flow_elements(flow) <= 0 || /* it may be losses, counted with others */
		    (int64_t)flow->steps.count < run->observed->steps)
			continue;
		mismatch->axis = ROLE_SHARD;
		mismatch->text = arena_printf(run->arena, "%s, in every step: no plan has that",
					      seen_flow_text(run->observed, flow));
		mismatch->evidence.witness = flow->call.witness;
		mismatch->evidence.what = seen_flow_text(run->observed, flow);
		return true;
	}
	return false;
}

/* The type that calls of one operation carry parameters or gradients in, or NULL. */
static const struct group_flow *typed_flow(const struct comparison_of_run *run, enum seen_op op,
					   const char *planned)
{
	const struct families *families = &run->observed->families;
	size_t i;

	for (i = 0; i < families->flows.count; i++) {
		const struct group_flow *flow = &families->flows.items[i];
		const char *dtype = flow->call.dtype;
		if (flow->role == SEEN_SHARD && flow->strong && flow->call.op == op &&
		    (!strcmp(dtype, "bfloat16") || !strcmp(dtype, "float32") ||
		     !strcmp(dtype, "float16")) &&
		    strcmp(dtype, planned) != 0)
			return flow;
	}
	return NULL;
}

static bool dtype_differs(const struct comparison_of_run *run, struct mismatch *mismatch)
{
	static const struct {
		enum field_id field;
		enum seen_op op;
		const char *what;
	} rows[] = {
		{ FIELD_PARAM_DTYPE, SEEN_ALL_GATHER, "parameters are gathered" },
		{ FIELD_REDUCE_DTYPE, SEEN_REDUCE_SCATTER, "gradients are reduced" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct setting *setting = &run->job->settings.items[rows[i].field];
		const struct group_flow *flow;
		if (!setting_known(setting) || !setting_given(setting))
			continue;
		flow = typed_flow(run, rows[i].op,
				  setting_text(&run->job->settings, rows[i].field, ""));
		if (!flow)
			continue;
		mismatch->axis = ROLE_SHARD;
		mismatch->text = arena_printf(run->arena, "%s in %s, planned in %s", rows[i].what,
					      flow->call.dtype,
					      setting_text(&run->job->settings, rows[i].field, ""));
		mismatch->evidence.witness = flow->call.witness;
		mismatch->evidence.what = seen_flow_text(run->observed, flow);
		return true;
	}
	return false;
}

static const struct {
	const char *code;
	bool (*holds)(const struct comparison_of_run *run, struct mismatch *mismatch);
} checks[] = {
	{ "RANK_DISAGREEMENT", ranks_disagree },   { "HSDP_COLLAPSED_TO_FSDP", hsdp_collapsed },
	{ "UNINTENDED_HSDP", hsdp_unintended },	   { "DDP_INSTEAD_OF_SHARD", ddp_instead },
	{ "SHARD_INSTEAD_OF_DDP", shard_instead }, { "DIM_ORDER_SWAPPED", order_swapped },
	{ "WRONG_DEGREE", degree_wrong },	   { "WRONG_DEGREE", experts_wrong },
	{ "REPLICA_SYNC_MISSING", sync_missing },  { "DIM_UNUSED", dim_unused },
	{ "EXTRA_TRAFFIC", extra_traffic },	   { "DTYPE_DIFFERS", dtype_differs },
};

struct mismatch mismatch_find(const struct comparison_of_run *run)
{
	struct mismatch none = { .axis = ROLES }, found;
	size_t i;

	for (i = 0; i < sizeof(checks) / sizeof(*checks); i++) {
		found = none;
		if (!checks[i].holds(run, &found))
			continue;
		found.code = checks[i].code;
		return found;
	}
	return none;
}
