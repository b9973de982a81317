#include "plan/plan.h"

#include "base/number.h"
#include "base/text.h"
#include "input/field.h"

#include <string.h>

/*
 * The degrees as the config means them. -1 is what is left of the world; without a
 * world, or when nothing is left, it stays open and only the strategy is known. 0: given as
 * something that nobody can resolve.
 */
static int64_t read_degree(const struct settings *settings, enum field_id id, int64_t otherwise)
{
	return setting_unresolved(settings, id) ? 0 : setting_int(settings, id, otherwise);
}

/* Of a model that is not known to have experts, unknown ones change no group of the others. */
static int64_t read_expert_degree(const struct settings *settings, enum field_id id)
{
	const bool dense = setting_int(settings, FIELD_MODEL_MOE_EXPERTS, 0) < 1;

	return dense && setting_unresolved(settings, id) ? 1 : read_degree(settings, id, 1);
}

static void read_degrees(const struct settings *settings, struct degrees *degrees)
{
	degrees->dp_replicate = read_degree(settings, FIELD_DP_REPLICATE, 1);
	degrees->dp_shard = read_degree(settings, FIELD_DP_SHARD, -1);
	degrees->cp = read_degree(settings, FIELD_CP, 1);
	degrees->tp = read_degree(settings, FIELD_TP, 1);
	degrees->pp = read_degree(settings, FIELD_PP, 1);
	degrees->ep = read_expert_degree(settings, FIELD_EP);
	degrees->etp = read_expert_degree(settings, FIELD_ETP);
}

/* TorchTitan's one data-parallel degree before db6b39acd, sharded or replicated. What a framework
 * with both makes of one has been derived. */
static void read_total_dp(const struct settings *settings, struct degrees *degrees)
{
	int64_t dp = setting_int(settings, FIELD_DP, -1);
	bool ddp = setting_text(settings, FIELD_DP_TYPE, "fsdp")[0] == 'd';

	if (!setting_known(&settings->items[FIELD_DP]) ||
	    setting_given(&settings->items[FIELD_DP_SHARD]) ||
	    setting_given(&settings->items[FIELD_DP_REPLICATE]) ||
	    settings->items[FIELD_DP_SHARD].invalid ||
	    settings->items[FIELD_DP_SHARD].origin == ORIGIN_DERIVED)
		return;
	degrees->dp_replicate = ddp ? dp : 1;
	degrees->dp_shard = ddp ? 1 : dp;
}

static void infer(int64_t *open, int64_t others, int64_t world)
{
	if (*open == -1 && others > 0 && world >= others)
		*open = world / others;
}

static bool positive(const struct degrees *d)
{
	return d->dp_replicate > 0 && d->dp_shard > 0 && d->cp > 0 && d->tp > 0 && d->pp > 0 &&
	       d->ep > 0 && d->etp > 0;
}

/* What Megatron and its like do otherwise: cp ranks repeat parameters unless FSDP shares them over
 * dp. */
struct megatron_ways {
	bool builds;	   /* one of them builds the groups */
	bool repeats_cp;   /* parameters are whole on each cp rank */
	bool dp_last;	   /* dp is the outermost axis, not pp */
	bool cuts_experts; /* what cuts each expert has ranks of its own */
	int64_t gtp, egtp; /* ranks that gather weights, and those of experts */
};

int64_t plan_gathering_ranks(const struct settings *settings, enum field_id shards, int64_t tensor)
{
	const int64_t parts = setting_int(settings, shards, tensor);

	return tensor > 0 && parts > 0 && parts % tensor == 0 ? parts / tensor : 1;
}

static struct megatron_ways ways_of(const struct settings *settings, const struct degrees *d,
				    struct group_ways builder)
{
	struct megatron_ways ways = { .builds = builder.megatron_groups, .gtp = 1, .egtp = 1 };

	if (builder.expert_tensor) {
		ways.gtp = plan_gathering_ranks(settings, FIELD_WEIGHT_SHARDS, d->tp);
		ways.egtp = plan_gathering_ranks(settings, FIELD_EXPERT_WEIGHT_SHARDS, d->etp);
	}
	ways.repeats_cp = ways.builds && d->dp_shard == 1;
	ways.dp_last =
		ways.builds && text_ends(setting_text(settings, FIELD_AXIS_ORDER, ""), "pp-dp");
	ways.cuts_experts = builder.expert_tensor && (d->etp != d->tp || ways.egtp != ways.gtp) &&
			    setting_int(settings, FIELD_MODEL_MOE_EXPERTS, 0) > 0;
	return ways;
}

/* The ranks beside dp that exchange heads for tokens, and whether they share parameters. */
struct sequence {
	int64_t ranks;
	bool shares; /* else they repeat them: below ZeRO-3 */
};

static struct sequence sequence_of(const struct settings *settings, const struct degrees *d,
				   struct megatron_ways ways)
{
	struct sequence sp = { .ranks = setting_int(settings, FIELD_SP, 1) };

	if (sp.ranks < 1)
		sp.ranks = 1;
	sp.shares = sp.ranks > 1 && (setting_int(settings, FIELD_ZERO_STAGE, 3) >= 3 ||
				     d->dp_shard > 1 || (d->cp > 1 && !ways.repeats_cp));
	return sp;
}

/* True when what repeats parameters is what degrees leave of which one is not known: perhaps none.
 */
static bool rest_is_open(const struct degrees *d)
{
	return d->dp_replicate < 0 && !(d->cp && d->tp && d->pp);
}

static enum strategy strategy_of(const struct degrees *d, struct sequence sp,
				 struct megatron_ways ways)
{
	if (!d->dp_shard || !d->dp_replicate || rest_is_open(d))
		return STRATEGY_UNKNOWN;
	/* An open dp_shard is more than one rank unless the world says otherwise. */
	bool shards = d->dp_shard != 1 || (d->cp > 1 && !ways.repeats_cp) || sp.shares;
	bool repeats = d->dp_replicate > 1 || d->dp_replicate < 0 || (sp.ranks > 1 && !sp.shares) ||
		       (d->cp > 1 && ways.repeats_cp);

	if (repeats)
		return shards ? STRATEGY_HSDP : STRATEGY_DDP;
	return shards ? STRATEGY_FSDP : STRATEGY_NONE;
}

static void put_mesh(struct plan *plan, const char *name, int64_t size, int64_t stride)
{
	struct mesh mesh = { .name = name, .exists = size > 1, .backend = "nccl" };

	mesh.layout = layout_axis(size, stride);
	mesh.from[mesh.from_count++] = name;
	vec_push(plan->arena, &plan->meshes, mesh);
}

/* Steps between ranks that are neighbours along an axis. */
struct strides {
	int64_t pp, replicate, shard, sp, cp;
};

/* The canonical order, outermost first: pp, dp_replicate, dp_shard, sp, cp, gtp, tp. */
static struct strides strides_of(const struct degrees *d, struct sequence sp,
				 struct megatron_ways ways)
{
	struct strides s = { .cp = d->tp * ways.gtp };

	s.sp = s.cp * d->cp;
	s.shard = s.sp * sp.ranks;
	if (ways.dp_last) {
		s.pp = s.shard;
		s.shard = s.pp * d->pp;
	}
	s.replicate = s.shard * d->dp_shard;
	if (!ways.dp_last)
		s.pp = s.replicate * d->dp_replicate;
	return s;
}

static struct layout along(int64_t size, int64_t stride)
{
	struct layout none = { 0 };

	return size > 1 ? layout_axis(size, stride) : none;
}

static void put_meshes(struct plan *plan, const struct strides *s, struct sequence sp)
{
	const struct degrees *d = &plan->degrees;

	put_mesh(plan, "pp", d->pp, s->pp);
	put_mesh(plan, "dp_replicate", d->dp_replicate, s->replicate);
	put_mesh(plan, "dp_shard", d->dp_shard, s->shard);
	if (sp.ranks > 1)
		put_mesh(plan, "sp", sp.ranks, s->sp);
	put_mesh(plan, "cp", d->cp, s->cp);
	put_mesh(plan, "tp", d->tp, 1);
}

/* Parameters are shared over cp, too, and with sp as with the axis outside it. */
static void lay_out(struct plan *plan, struct sequence sp, struct megatron_ways ways)
{
	const struct degrees *d = &plan->degrees;
	const struct strides s = strides_of(d, sp, ways);
	const struct layout cp = along(d->cp, s.cp), exchange = along(sp.ranks, s.sp);
	struct layout *shard = &plan->dense.shard, *replicate = &plan->dense.replicate;

	put_meshes(plan, &s, sp);
	if (ways.gtp > 1)
		put_mesh(plan, "gtp", ways.gtp, d->tp);
	*shard = along(d->dp_shard, s.shard);
	*replicate = along(d->dp_replicate, s.replicate);
	if (sp.shares)
		*shard = layout_join(*shard, exchange);
	else
		*replicate = layout_join(*replicate, exchange);
	if (ways.repeats_cp)
		*replicate = layout_join(*replicate, cp);
	else
		*shard = layout_join(*shard, cp);
	*shard = layout_coalesce(*shard);
	if (ways.builds)
		*replicate = layout_coalesce(*replicate);
}

/* Megatron's expert data parallel: of `ranks` ranks, `step` apart. */
static void lay_out_second_grid(struct plan *plan, int64_t ranks, int64_t step,
				struct megatron_ways ways)
{
	const int64_t replicas = ways.repeats_cp ? ranks : plan->degrees.dp_replicate;
	const int64_t stride = ways.dp_last ? multiply(step, plan->degrees.pp) : step;

	plan->has_expert = replicas > 0 && ranks % replicas == 0;
	if (!plan->has_expert)
		return;
	plan->expert.shard = along(ranks / replicas, stride);
	plan->expert.replicate = along(replicas, multiply(stride, ranks / replicas));
}

/*
 * Experts: of the dp_shard * cp * tp ranks of a replica, innermost ep * etp hold different
 * experts (or parts); what is left of them shares each expert's parameters. Megatron takes all
 * ranks of a pipeline stage for its second grid. Which experts ranks along sp hold is not modelled.
 */
static void lay_out_experts(struct plan *plan, struct sequence sp, struct megatron_ways ways)
{
	const struct degrees *d = &plan->degrees;
	int64_t block = d->dp_shard * d->cp * d->tp, inner = multiply(d->ep, d->etp);

	inner = multiply(inner, ways.egtp);
	if (ways.builds)
		block = multiply(block, multiply(d->dp_replicate, ways.gtp));
	if ((d->ep <= 1 && !ways.cuts_experts) || block % inner || sp.ranks > 1)
		return;
	plan->has_expert = true;
	plan->expert = plan->dense;
	plan->expert.shard = along(block / inner, inner);
	if (ways.egtp > 1)
		put_mesh(plan, "expert_gtp", ways.egtp, inner / ways.egtp);
	if (ways.builds)
		lay_out_second_grid(plan, block / inner, inner, ways);
}

void plan_put_expert_meshes(struct plan *plan)
{
	if (!plan->has_expert)
		return;
	put_mesh(plan, "ep", plan->degrees.ep, plan->degrees.etp);
	put_mesh(plan, "etp", plan->degrees.etp, 1);
}

struct plan *plan_intended(struct arena *arena, const struct settings *settings, int64_t world,
			   struct group_ways builder)
{
	struct plan *plan = plan_new(arena, PLAN_INTENDED);
	struct degrees *d = &plan->degrees;
	struct megatron_ways ways;
	struct sequence sp;
	int64_t others;

	plan->world = world;
	read_degrees(settings, d);
	read_total_dp(settings, d);
	ways = ways_of(settings, d, builder);
	d->weight_shards = ways.gtp > 1 ? d->tp * ways.gtp : 0;
	sp = sequence_of(settings, d, ways);
	others = multiply(multiply(multiply(d->cp, d->tp), d->pp), multiply(sp.ranks, ways.gtp));
	infer(&d->dp_shard, multiply(others, d->dp_replicate), world);
	infer(&d->dp_replicate, multiply(others, d->dp_shard), world);
	plan->requested = plan->dense.strategy = strategy_of(d, sp, ways);
	if (world && positive(d) &&
	    multiply(others, multiply(d->dp_replicate, d->dp_shard)) == world) {
		lay_out(plan, sp, ways);
		lay_out_experts(plan, sp, ways);
	}
	return plan;
}
