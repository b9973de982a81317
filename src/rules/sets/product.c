#include "base/number.h"
#include "input/launch/launch.h"
#include "input/node.h"
#include "rules/advice.h"
#include "rules/axes.h"
#include "rules/facts.h"
#include "rules/pinned.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

/* True for an axis with a degree of its own, which is not inferred. */
static bool is_factor(const struct job *job, enum field_id field)
{
	return axis_plays(job, field) && field != axis_free(job);
}

/* The product of all axes but the free one; 0 when one of them is not positive. */
static int64_t fixed_product(const struct job *job)
{
	int64_t product = 1, degree;
	int i;

	for (i = 0; i < FACTORS; i++) {
		if (!is_factor(job, factor(i)))
			continue;
		degree = axis_degree(job, factor(i));
		if (degree < 1 || degree > INT32_MAX || product > INT32_MAX)
			return 0;
		product *= degree;
	}
	return product;
}

/* "dp_replicate(2) * dp_shard(2) * ..." of the axes that play a part; without the free one. */
static const char *product_text(const struct job *job, bool with_free)
{
	const char *text = "";
	int i;

	for (i = 0; i < FACTORS; i++)
		if (axis_plays(job, factor(i)) && (with_free || factor(i) != axis_free(job)))
			text = arena_printf(job->arena, "%s%s%s(%" PRId64 ")", text,
					    *text ? " * " : "", axis_name(factor(i)),
					    axis_degree(job, factor(i)));
	return text;
}

static void relate_axes(struct job *job, struct finding *finding)
{
	int i;

	for (i = 0; i < FACTORS; i++)
		if (axis_plays(job, factor(i)) && axis_degree(job, factor(i)) != 1)
			relate_setting(job, finding, factor(i));
}

/* True when somebody gave a degree as such. */
static bool axis_given(const struct job *job)
{
	int i;

	for (i = 0; i < FACTORS; i++)
		if (setting_given(fact(job, factor(i))))
			return true;
	return false;
}

/* The free axis when it has a number of its own, else the first of the others that has one. */
static struct span product_place(const struct job *job)
{
	const bool open = axis_degree(job, axis_free(job)) == -1;
	enum field_id fields[FACTORS];
	int i, count = 0;

	if (!open)
		fields[count++] = axis_free(job);
	for (i = 0; i < FACTORS; i++)
		if (factor(i) != axis_free(job))
			fields[count++] = factor(i);
	if (open)
		fields[count++] = axis_free(job);
	return first_place(job, fields, (size_t)count);
}

/* True when an axis that may not be inferred is asked to be. */
static bool has_negative(const struct job *job)
{
	int i;

	for (i = 0; i < FACTORS; i++)
		if (is_factor(job, factor(i)) && axis_degree(job, factor(i)) < 1)
			return true;
	return false;
}

/* " (16 nodes of 8)" where the ranks fill whole nodes, else "". */
static const char *in_nodes(const struct job *job, int64_t ranks)
{
	int64_t each = setting_int(&job->settings, FIELD_CLUSTER_GPUS_PER_NODE, 0);

	if (each < 1)
		each = setting_int(&job->settings, FIELD_LAUNCH_GPUS_REQUESTED, 0);
	if (each < 1 && job->document.launch)
		each = job->document.launch->per_node;
	if (each < 2 || ranks % each)
		return "";
	return arena_printf(job->arena, " (%" PRId64 " nodes of %" PRId64 ")", ranks / each, each);
}

static bool degree_passes(const struct rule *rule, const struct job *job, enum field_id axis,
			  int64_t degree)
{
	const enum field_id free = axis_free(job);

	return passes_with(rule, job, axis, degree, axis_degree(job, free) > 0 ? free : axis);
}

/* The largest divisor below that is not refused, or 0. */
static int64_t degree_below(const struct rule *rule, const struct job *job, enum field_id axis,
			    int64_t ranks)
{
	int64_t below = axis_degree(job, axis);

	do
		below = below > 1 ? divisor_up_to(ranks, below - 1) : 0;
	while (below && !degree_passes(rule, job, axis, below));
	return below;
}

/* The smallest above, up to twice as much, or 0. */
static int64_t degree_above(const struct rule *rule, const struct job *job, enum field_id axis,
			    int64_t ranks)
{
	const int64_t degree = axis_degree(job, axis);
	int64_t above;

	for (above = degree + 1; above <= 2 * degree && above <= ranks; above++)
		if (ranks % above == 0 && degree_passes(rule, job, axis, above))
			return above;
	return 0;
}

/* "pp 2 or 4": degrees of one axis, nearest below and above, that let the others divide the world.
 */
static const char *nearest_degrees(const struct rule *rule, const struct job *job,
				   enum field_id axis, int64_t fixed)
{
	const int64_t degree = axis_degree(job, axis), others = fixed / degree;
	int64_t below, above;

	if (degree < 2 || job->world % others)
		return "";
	below = degree_below(rule, job, axis, job->world / others);
	above = degree_above(rule, job, axis, job->world / others);
	if (!below && !above)
		return "";
	return arena_printf(job->arena,
			    below && above ? "%s %" PRId64 " or %" PRId64 : "%s %" PRId64,
			    axis_key(job, axis), below ? below : above, above);
}

/* "cp 1, or pp 2 or 4": each by itself makes the product divide the world; "" when none does. */
static const char *other_degrees(const struct rule *rule, const struct job *job, int64_t fixed)
{
	const char *text = "", *one;
	int i;

	for (i = 0; i < FACTORS; i++) {
		if (!is_factor(job, factor(i)))
			continue;
		one = nearest_degrees(rule, job, factor(i), fixed);
		if (*one)
			text = arena_printf(job->arena, "%s%s%s", text, *text ? "; or " : "", one);
	}
	return text;
}

/* The free axis can make it right. */
static void fix_free(struct job *job, struct finding *finding, int64_t fixed)
{
	const struct setting *free = fact(job, axis_free(job));
	const int64_t asked = free->integer > 0 && free->integer <= INT32_MAX ? free->integer : 0;
	const char *name = axis_key(job, axis_free(job));
	const char *run = "";

	if (asked && fixed * asked > job->world)
		run = arena_printf(job->arena, "; or run on %" PRId64 " ranks%s", fixed * asked,
				   in_nodes(job, fixed * asked));
	finding_fix(job->findings, finding, "use %s %" PRId64 "%s%s", name, job->world / fixed,
		    free->field == FIELD_DP_REPLICATE || job_does(job, HABIT_NO_FREE_DEGREE)
			    ? ""
			    : ", or -1 for whatever the other axes leave",
		    run);
	edit_setting(job, finding, free, job->world / fixed);
}

/* The other axes alone do not divide the world: other worlds, other degrees. */
static void fix_others(const struct rule *rule, struct job *job, struct finding *finding,
		       int64_t fixed)
{
	const int64_t free = axis_degree(job, axis_free(job));
	const bool whole = free > 0 && free <= INT32_MAX;
	const int64_t below = job->world / fixed * fixed;
	const int64_t above = whole ? multiply(fixed, free) : below + fixed;
	const char *degrees = other_degrees(rule, job, fixed), *worlds;

	if (below && !whole)
		worlds = arena_printf(job->arena, "%" PRId64 " or %" PRId64 " ranks%s", below,
				      above, in_nodes(job, above));
	else
		worlds = arena_printf(job->arena, "%" PRId64 " ranks%s%s", above,
				      in_nodes(job, above), whole ? "" : " or a multiple");
	if (!*degrees)
		finding_fix(job->findings, finding, "run on %s; no change of one degree fits",
			    worlds);
	else
		finding_fix(job->findings, finding, "run on %s; or, on %" PRId64 ", use %s%s",
			    worlds, job->world, degrees,
			    free > 0 && axis_free(job) != FIELD_DP_REPLICATE
				    ? arena_printf(job->arena, ", with %s -1",
						   axis_key(job, axis_free(job)))
				    : "");
}

static void fix_product(const struct rule *rule, struct job *job, struct finding *finding,
			int64_t fixed)
{
	const char *name = axis_key(job, axis_free(job));

	if (fixed > 0 && job->world % fixed == 0)
		fix_free(job, finding, fixed);
	else if (has_negative(job))
		finding_fix(job->findings, finding,
			    "give every degree but %s a number of 1 or more", name);
	else if (fixed < 1)
		finding_fix(job->findings, finding,
			    "lower the degrees: the others alone need "
			    "more ranks than any job has");
	else
		fix_others(rule, job, finding, fixed);
}

/* True when a degree was not understood: what its default gives is nobody's wish. */
static bool unsettled(const struct job *job)
{
	int i;

	for (i = 0; i < FACTORS; i++) {
		const struct setting *setting = fact(job, factor(i));

		if (setting->invalid || (setting->doubtful && !setting_given(setting)))
			return true;
	}
	return false;
}

/* Ranks go to tp and cp first, by floor division, then to dp_shard what is left. */
static void explain_floors(struct job *job, struct finding *finding, const char *name)
{
	const int64_t inner = multiply(axis_degree(job, FIELD_TP), axis_degree(job, FIELD_CP));
	const int64_t shard = axis_degree(job, FIELD_DP_SHARD);
	const int64_t left = inner > 0 ? job->world / inner : 0;

	if (inner < 1 || !left)
		return;
	if (left == 1 && shard > 1)
		finding_actual(job->findings, finding,
			       "%s gives the ranks to tp and cp first: %" PRId64 " / %" PRId64
			       " = 1 is left, and dp_shard %" PRId64 " is ignored",
			       name, job->world, inner, shard);
	else if (job->world % inner)
		finding_actual(job->findings, finding,
			       "%s drops the remainder: %" PRId64 " // %" PRId64 " = %" PRId64
			       ", a mesh of %" PRId64 " of %" PRId64 " ranks",
			       name, job->world, inner, left, left * inner, job->world);
}

/* Megatron before --yaml-cfg went, and inference engines: min(tp, world), and nothing is printed.
 */
static bool clamps(const struct job *job)
{
	return job_does(job, HABIT_CLAMPS) && axis_degree(job, FIELD_TP) > job->world;
}

/* Misunderstandings that the numbers give away. */
static void explain_product(struct job *job, struct finding *finding, int64_t product)
{
	const int64_t ep = axis_degree(job, FIELD_EP);

	if (ep > 1 && job_has_axis(job, FIELD_EP) && multiply(product, ep) == job->world)
		finding_actual(job->findings, finding,
			       "ep is not a factor: it reuses the ranks of dp_shard * cp * tp; "
			       "with it the product would be %" PRId64 " * %" PRId64 " = %" PRId64,
			       product, ep, job->world);
	else if (clamps(job))
		finding_actual(job->findings, finding,
			       "tp %" PRId64 " is asked for; where no check comes first, tp is "
			       "clamped to min(%" PRId64 ", %" PRId64 ") = %" PRId64
			       " and nothing is printed: the world is too small",
			       axis_degree(job, FIELD_TP), axis_degree(job, FIELD_TP), job->world,
			       job->world);
	else if (job->world_from && job->world_from->parent_count &&
		 job->world_from->parents[0]->field == FIELD_LAUNCH_PROCESSES)
		finding_actual(job->findings, finding,
			       "%s counts the processes of all machines: %" PRId64,
			       job->world_from->parents[0]->spelling
				       ? job->world_from->parents[0]->spelling
				       : "launch.processes",
			       job->world);
}

/* `product` of all axes, or 0 when one is free or out of range; `fixed` of all but the free one. */
static struct finding *say_product(const struct rule *rule, struct job *job, int64_t product,
				   int64_t fixed)
{
	if (product)
		return raised_finding(rule, job,
				      "%s = %" PRId64 ", but the world has %" PRId64 " ranks",
				      product_text(job, true), product, job->world);
	if (fixed > 0 && axis_degree(job, axis_free(job)) == -1)
		return raised_finding(rule, job,
				      "%s = %" PRId64 " does not divide the world of %" PRId64
				      " ranks: %" PRId64 " mod %" PRId64 " = %" PRId64,
				      product_text(job, false), fixed, job->world, job->world,
				      fixed, job->world % fixed);
	return raised_finding(rule, job, "%s cannot be laid over a world of %" PRId64 " ranks",
			      product_text(job, true), job->world);
}

static void check_product(const struct rule *rule, struct job *job)
{
	int64_t fixed = fixed_product(job), free = axis_degree(job, axis_free(job));
	const int64_t product = free > 0 && free <= INT32_MAX && fixed > 0 ? fixed * free : 0;
	const struct version *floors = job_does(job, HABIT_TAKES_BY_FLOOR);
	struct finding *finding;

	if (!raised(rule, job) || unsettled(job))
		return;
	finding = say_product(rule, job, product, fixed);
	if (axis_given(job) || !span_known(finding->span))
		finding->span = product_place(job);
	finding->related.count = 0;
	relate_axes(job, finding);
	if (floors)
		explain_floors(job, finding, floors->framework);
	else if (fixed > 0)
		explain_product(job, finding, product ? product : fixed);
	fix_product(rule, job, finding, fixed);
}

static void check_below_one(const struct rule *rule, struct job *job)
{
	struct finding *finding;
	int i;

	if (!raised(rule, job))
		return;
	for (i = 0; i < FACTORS; i++) {
		const struct setting *setting = fact(job, factor(i));
		int64_t degree = axis_degree(job, factor(i));
		bool free = factor(i) == axis_free(job);

		if (!axis_plays(job, factor(i)) || degree >= 1 || (free && degree == -1))
			continue;
		finding = raised_finding(rule, job, "%s is %" PRId64 "; it must be %s1 or more",
					 axis_name(factor(i)), degree, free ? "-1, or " : "");
		if (span_known(setting->span))
			finding->span = setting->span;
		finding->related.count = 0;
		if (degree == -1)
			finding_fix(job->findings, finding,
				    "give a number; only %s may be -1, for whatever is left",
				    axis_name(axis_free(job)));
		else
			edit_setting(job, finding, setting, free ? -1 : 1);
		return;
	}
	raised_check(rule, job);
}

/* "2 * 4 = 8": the sizes of the root mesh of a script; 0 when they cannot be read. */
static int64_t root_product(const struct job *job, const char **text)
{
	const struct node *axis = node_member(fact(job, FIELD_MESH)->node, "root");
	int64_t product = 1;

	*text = "";
	for (axis = axis ? axis->first : NULL; axis; axis = axis->next) {
		if (axis->kind != NODE_SCALAR || axis->type != SCALAR_INT || axis->integer < 1)
			return 0;
		product = multiply(product, axis->integer);
		*text = arena_printf(job->arena, "%s%s%s(%" PRId64 ")", *text, **text ? " * " : "",
				     axis->key, axis->integer);
	}
	return product;
}

static void check_larger(const struct rule *rule, struct job *job)
{
	struct finding *finding;
	const char *text;
	int64_t product;

	if (!raised(rule, job))
		return;
	product = root_product(job, &text);
	if (!product || !*text) {
		raised_check(rule, job);
		return;
	}
	finding = raised_finding(rule, job,
				 "the root mesh %s = %" PRId64 " is larger than the world of "
				 "%" PRId64 " ranks",
				 text, product, job->world);
	relate_setting(job, finding, FIELD_WORLD);
	if (product % job->world == 0)
		finding_fix(job->findings, finding,
			    "run on %" PRId64 " ranks%s, or make an axis %" PRId64 " times smaller",
			    product, in_nodes(job, product), product / job->world);
	else
		finding_fix(job->findings, finding,
			    "run on %" PRId64 " ranks%s, or use sizes that multiply to %" PRId64,
			    product, in_nodes(job, product), job->world);
}

#define MESHES "torchtitan distributed/parallel_dims.py, ParallelDims._validate"

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "degrees-product",
		.code = "D101",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "the degrees do not multiply to the number of ranks",
		.explanation =
			"Every rank sits at one point of the mesh, so the degrees must multiply "
			"to the world size exactly. -1 stands for the world size divided by the "
			"other degrees, rounded down; if there is a remainder, the exception "
			"shows the inferred value. ep and etp take ranks from dp_shard, cp and tp "
			"and do not count.",
		.remedy = "Change a degree or the number of ranks so that the product holds.",
		.source = MESHES,
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT | HOLDS_ALWAYS, check_product },
	{ &(const struct rule_id){
		.name = "degree-below-one",
		.code = "D102",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "a degree is zero or negative",
		.explanation =
			"Degrees count ranks along an axis, so 1 means \"not used\". Only "
			"dp_shard may be -1, which means the world size divided by the other "
			"degrees.",
		.remedy = "Write 1 to switch an axis off.",
		.source = MESHES,
	  },
	  NEEDS_ATTEMPT | HOLDS_ALWAYS, check_below_one },
	{ &(const struct rule_id){
		.name = "mesh-larger-than-world",
		.code = "D106",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "the root mesh of a script has more ranks than the world",
		.explanation =
			"init_device_mesh lays the ranks 0 to N - 1 over the mesh and refuses a "
			"mesh with more ranks than the world.",
		.remedy = "Make the sizes multiply to the number of ranks.",
		.source = "https://github.com/pytorch/pytorch/issues/111452",
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT | HOLDS_ALWAYS, check_larger },
};
/* clang-format on */

const struct ruleset ruleset_product = {
	"product",
	"The product of the degrees and the world",
	rules,
	sizeof(rules) / sizeof(*rules),
};
