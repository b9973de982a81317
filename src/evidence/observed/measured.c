#include "evidence/observed/measured.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Deviations that are worth a word: of bytes, of times; and of the mean from the quickest. */
static const double other_bytes = 0.1, other_time = 0.25, waiting = 1.5;

/* What is written to. */
struct desk {
	struct arena *arena;
	const struct observed *observed;
	const struct yardstick *yardstick;
	struct measured *measured;
};

double deviation_of(double measured, double expected)
{
	return measured > 0 && expected > 0 ? measured / expected - 1 : (double)NAN;
}

/* ---- calls ---- */

/* What the cost model calls an operation; NULL: it has none. */
static const struct collective *collective_of(enum seen_op op)
{
	static const char *const names[SEEN_OPS] = {
		[SEEN_ALL_GATHER] = "all_gather", [SEEN_REDUCE_SCATTER] = "reduce_scatter",
		[SEEN_ALL_REDUCE] = "all_reduce", [SEEN_ALL_TO_ALL] = "all_to_all",
		[SEEN_SEND] = "send_recv",	  [SEEN_BROADCAST] = "broadcast",
		[SEEN_REDUCE] = "reduce",
	};

	return names[op] ? collective_find(names[op]) : NULL;
}

double model_of_call(const struct yardstick *yardstick, const struct group_family *family,
		     const struct seen_traffic *row)
{
	const struct collective *op = collective_of(row->first->call.op);
	struct layout group = family->layout;
	struct lane lane;

	if (!op || !yardstick->profile || !yardstick->gpus_per_node || row->bytes <= 0 ||
	    row->differs || !family->regular || !group.modes)
		return 0;
	if (row->first->call.op == SEEN_SEND)
		group = layout_axis(2, group.stride[group.modes - 1]);
	lane = network_lane(yardstick->profile, yardstick->gpus_per_node, &group);
	return collective_time(&lane.route, op, row->bytes).time;
}

static enum traffic_axis traffic_axis_of(enum seen_role role)
{
	static const enum traffic_axis axes[ROLES + 1] = {
		[ROLE_PP] = TRAFFIC_PIPELINE, [ROLE_REPLICATE] = TRAFFIC_DATA,
		[ROLE_SHARD] = TRAFFIC_DATA,  [ROLE_CP] = TRAFFIC_CONTEXT,
		[ROLE_TP] = TRAFFIC_TENSOR,   [ROLE_EP] = TRAFFIC_EXPERT,
		[ROLES] = TRAFFIC_AXES,
	};

	return axes[axis_of(role)];
}

/* The same operation over the same groups; where nobody knows which ranks these are, of that size.
 */
static bool is_same_group(const struct group_family *family, const struct call_deviation *row,
			  const struct traffic *planned)
{
	const struct group *group = planned->call.group;

	if (planned->call.op != collective_of(row->first->call.op))
		return false;
	if (traffic_axis_of(row->first->role) == TRAFFIC_PIPELINE) /* seen between any two stages */
		return planned->axis == TRAFFIC_PIPELINE;
	if (family->regular && family->layout.modes)
		return layout_same_groups(&group->layout, &family->layout);
	return group->ranks == family->size && planned->axis == traffic_axis_of(row->first->role);
}

static void add_planned_row(struct call_deviation *row, const struct traffic *planned)
{
	row->planned_calls += planned->count;
	row->planned_bytes += planned->count * planned->call.bytes;
	row->planned_time += planned->count * planned->time.time;
}

/* What the account of traffic has of it, of its own axis where several axes call the same. */
static void add_planned(const struct desk *desk, struct call_deviation *row)
{
	const struct forecast *forecast = desk->yardstick->forecast;
	const struct group_family *family = &desk->observed->families.list.items[row->family];
	const enum traffic_axis axis = traffic_axis_of(row->first->role);
	bool own = false;
	size_t i;

	row->planned_calls = row->planned_bytes = row->planned_time = forecast ? 0 : -1;
	for (i = 0; forecast && i < forecast->traffic.list.count; i++) {
		const struct traffic *planned = &forecast->traffic.list.items[i];
		own = own || (planned->axis == axis && is_same_group(family, row, planned));
	}
	for (i = 0; forecast && i < forecast->traffic.list.count; i++) {
		const struct traffic *planned = &forecast->traffic.list.items[i];
		if (is_same_group(family, row, planned) && (!own || planned->axis == axis))
			add_planned_row(row, planned);
	}
}

/* The row of an operation; new where there is none. Receives wait for their senders. */
static struct call_deviation *row_at(const struct desk *desk, int32_t family,
				     const struct seen_traffic *traffic)
{
	struct measured *measured = desk->measured;
	struct call_deviation row = { .family = family, .first = traffic->first, .per_step = true };
	size_t i;

	for (i = 0; i < measured->calls.count; i++) {
		const struct call_deviation *known = &measured->calls.items[i];
		if (known->family == family && known->first->call.op == traffic->first->call.op &&
		    axis_of(known->first->role) == axis_of(traffic->first->role))
			return &measured->calls.items[i];
	}
	add_planned(desk, &row);
	vec_push(desk->arena, &measured->calls, row);
	return &measured->calls.items[measured->calls.count - 1];
}

/* Of one size that nobody timed or the model does not know, none of the row is told. */
static void add_up(double *sum, double each, double count, bool first)
{
	*sum = each > 0 && (first || *sum > 0) ? *sum + each * count : 0;
}

static void add_traffic(const struct desk *desk, int32_t family, const struct seen_traffic *traffic)
{
	const struct group_family *of = &desk->observed->families.list.items[family];
	struct call_deviation *row;
	bool first;

	if (axis_of(traffic->first->role) == ROLES || !collective_of(traffic->first->call.op))
		return;
	row = row_at(desk, family, traffic);
	first = row->calls <= 0;
	row->per_step = row->per_step && traffic->per_step;
	row->calls += traffic->count;
	row->bytes = traffic->bytes < 0 || row->bytes < 0 || traffic->differs
			     ? -1
			     : row->bytes + traffic->bytes * traffic->count;
	add_up(&row->time, traffic->mean, traffic->count, first);
	add_up(&row->quickest, traffic->shortest, traffic->count, first);
	add_up(&row->expected, model_of_call(desk->yardstick, of, traffic), traffic->count, first);
}

/* ---- why calls deviate ---- */

static bool is_planned(const struct call_deviation *row)
{
	return row->per_step && row->planned_calls > 0;
}

/* "131 calls instead of 66": as many bytes each. */
static const char *calls_words(const struct desk *desk, const struct call_deviation *row)
{
	return arena_printf(desk->arena, "%.4g calls a step, where the forecast has %.4g",
			    row->calls, row->planned_calls);
}

/* What the plan means to carry and what was carried. */
static const char *why_bytes(const struct desk *desk, const struct call_deviation *row)
{
	const double more = deviation_of(row->bytes, row->planned_bytes);

	if (desk->yardstick->forecast && row->per_step && row->planned_calls == 0)
		return "the forecast has no such calls on these groups";
	if (!is_planned(row) || row->bytes <= 0 || fabs(more) <= other_bytes)
		return NULL;
	return arena_printf(desk->arena, "it carries %s a step, where the forecast has %s (%s)",
			    text_bytes(desk->arena, row->bytes),
			    text_bytes(desk->arena, row->planned_bytes), calls_words(desk, row));
}

/* The links: even the quickest calls are other than the model's. */
static const char *why_link(const struct desk *desk, const struct call_deviation *row)
{
	const double more = deviation_of(row->quickest, row->expected);

	if (!(fabs(more) > other_time))
		return NULL;
	return arena_printf(desk->arena,
			    "even at the quickest they take %.2g times what the model expects of "
			    "these links",
			    1 + more);
}

/* Waiting for others: the mean is far from the quickest. */
static const char *why_waiting(const struct desk *desk, const struct call_deviation *row)
{
	const struct seen_straggler last = straggler_of(desk->observed, row->family);

	if (!(row->quickest > 0) || row->time < waiting * row->quickest)
		return NULL;
	if (last.rank >= 0)
		return arena_printf(desk->arena,
				    "they take %.2g times as long in the mean as at the quickest: "
				    "they wait for rank %lld, which comes last",
				    row->time / row->quickest, (long long)last.rank);
	return arena_printf(desk->arena,
			    "they take %.2g times as long in the mean as at the quickest: ranks "
			    "come at different times, or share links and processors with what "
			    "overlaps",
			    row->time / row->quickest);
}

static const char *why_calls(const struct desk *desk, const struct call_deviation *row)
{
	const char *parts[] = { why_bytes(desk, row), why_link(desk, row), why_waiting(desk, row) };
	const char *text = NULL;
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i])
			text = text ? arena_join(desk->arena, text, "; ", parts[i]) : parts[i];
	return text;
}

/* ---- quantities of the step ---- */

static const char *source_of(const struct desk *desk, const struct seen_measure *measure)
{
	const struct evidence_source *source =
		witness_source(desk->observed->capture, measure->witness);

	return source ? source->name : "";
}

static int by_value(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* The median of what one kind of files tells; of memory the most. */
static void settle(const struct desk *desk, struct step_deviation *row)
{
	const struct capture *capture = desk->observed->capture;
	VEC(double) values = { 0 };
	size_t i;

	for (i = 0; i < capture->measures.count; i++) {
		const struct seen_measure *measure = &capture->measures.items[i];
		if (measure->quantity == row->quantity &&
		    !strcmp(source_of(desk, measure), row->source))
			vec_push(desk->arena, &values, measure->value);
	}
	if (!values.items)
		return; /* not so: the row was made for one of them */
	qsort(values.items, values.count, sizeof(*values.items), by_value);
	row->samples = values.count;
	row->measured = row->quantity == SEEN_MEMORY_RESERVED || row->quantity == SEEN_MEMORY_DEVICE
				? values.items[values.count - 1]
				: values.items[values.count / 2];
}

static void expect(const struct forecast *forecast, struct step_deviation *row)
{
	const struct memory_class *class = memory_fullest(&forecast->memory);
	const double cached = class->device - class->reserved;

	switch (row->quantity) {
	case SEEN_STEP_SECONDS:
		row->expected = forecast->step.total;
		row->low = forecast->low;
		row->high = forecast->high;
		break;
	case SEEN_TOKENS_PER_SECOND:
		row->expected = forecast->tokens;
		row->low = forecast->tokens * forecast->step.total / forecast->high;
		row->high = forecast->tokens * forecast->step.total / forecast->low;
		break;
	case SEEN_MEMORY_RESERVED:
		row->expected = class->reserved;
		row->low = risk_low(&forecast->memory) - cached;
		row->high = risk_high(&forecast->memory) - cached;
		break;
	default:
		row->expected = class->device;
		row->low = risk_low(&forecast->memory);
		row->high = risk_high(&forecast->memory);
	}
}

/* us a step that timed calls take beyond what the model expects of them. */
static double excess_of(const struct measured *measured)
{
	double excess = 0;
	size_t i;

	for (i = 0; i < measured->calls.count; i++) {
		const struct call_deviation *row = &measured->calls.items[i];
		if (row->per_step && row->time > 0 && row->expected > 0)
			excess += row->time - row->expected;
	}
	return excess;
}

static bool is_timed(const struct measured *measured)
{
	size_t i;

	for (i = 0; i < measured->calls.count; i++)
		if (measured->calls.items[i].time > 0)
			return true;
	return false;
}

static const char *why_time(const struct desk *desk, const struct step_deviation *row)
{
	const double excess = 1e-6 * excess_of(desk->measured);

	if (row->measured < row->low)
		return "less is done in it than the config says, or what the config leaves open "
		       "(recomputation, compilation) is otherwise than assumed";
	if (!is_timed(desk->measured))
		return "no collective was timed: a profiler trace of two steps would tell whether "
		       "it waits or computes";
	if (excess > (row->measured - row->expected) / 2)
		return arena_printf(desk->arena,
				    "collectives take %.3g s a step more than the model expects: "
				    "see below",
				    excess);
	return "the collectives do not account for it: computing takes longer, or the reading of "
	       "data";
}

/* Whether the forecast's interval holds it. */
static bool is_within(const struct step_deviation *row)
{
	return row->measured >= row->low && row->measured <= row->high;
}

/* Only what lies outside of the forecast's range is in want of a word. */
static const char *why_step(const struct desk *desk, const struct step_deviation *row)
{
	const struct verdict *verdict = desk->yardstick->verdict;

	if (!(row->expected > 0) || is_within(row))
		return NULL;
	if (verdict && verdict->kind == VERDICT_MISMATCH)
		return "the run is not the one that is forecast";
	if (row->quantity == SEEN_STEP_SECONDS)
		return why_time(desk, row);
	if (row->quantity == SEEN_MEMORY_RESERVED || row->quantity == SEEN_MEMORY_DEVICE)
		return "what is recomputed, kept and compiled decides most of it: say in the "
		       "config what it does";
	return NULL; /* tokens: as the step */
}

static bool is_compared(enum seen_quantity quantity)
{
	return quantity <= SEEN_TOKENS_PER_SECOND;
}

static void add_measure(const struct desk *desk, const struct seen_measure *measure)
{
	struct step_deviation row = { .quantity = measure->quantity,
				      .source = source_of(desk, measure),
				      .witness = measure->witness };
	size_t i;

	for (i = 0; i < desk->measured->steps.count; i++)
		if (desk->measured->steps.items[i].quantity == row.quantity &&
		    !strcmp(desk->measured->steps.items[i].source, row.source))
			return;
	settle(desk, &row);
	if (desk->yardstick->forecast)
		expect(desk->yardstick->forecast, &row);
	row.why = why_step(desk, &row);
	vec_push(desk->arena, &desk->measured->steps, row);
}

/* ---- all of it ---- */

/* The most time off first, then the most bytes. */
static double weight_of(const struct call_deviation *row)
{
	if (row->time > 0 && row->expected > 0)
		return fabs(row->time - row->expected);
	return row->bytes > 0 ? -1 / row->bytes : -1;
}

static int by_weight(const void *left, const void *right)
{
	const struct call_deviation *a = left, *b = right;
	const double x = weight_of(a), y = weight_of(b);

	if (x != y)
		return x < y ? 1 : -1;
	return (a->first > b->first) - (a->first < b->first);
}

static void add_calls(const struct desk *desk)
{
	struct measured *measured = desk->measured;
	size_t i, k;

	for (i = 0; i < desk->observed->families.list.count; i++) {
		const struct seen_table table = table_of(desk->observed, (int32_t)i);
		for (k = 0; k < table.rows.count; k++)
			add_traffic(desk, (int32_t)i, &table.rows.items[k]);
	}
	if (measured->calls.count)
		qsort(measured->calls.items, measured->calls.count, sizeof(*measured->calls.items),
		      by_weight);
	for (i = 0; i < measured->calls.count; i++) {
		struct call_deviation *row = &measured->calls.items[i];
		row->why = why_calls(desk, row);
		if (why_link(desk, row))
			measured->advice =
				"links are not as the model has them: parplan calibrate makes a "
				"profile of these traces and logs, and --profile forecasts with it";
	}
}

struct measured measured_of(struct arena *arena, const struct observed *observed,
			    const struct yardstick *yardstick)
{
	struct measured measured = { 0 };
	const struct desk desk = { arena, observed, yardstick, &measured };
	const struct capture *capture = observed->capture;
	size_t i;

	add_calls(&desk);
	for (i = 0; i < capture->measures.count; i++)
		if (is_compared(capture->measures.items[i].quantity))
			add_measure(&desk, &capture->measures.items[i]);
	return measured;
}
