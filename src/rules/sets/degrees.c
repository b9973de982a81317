#include "rules/facts.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

/* The axes of the product rule, as the exceptions name them. */
static const struct {
	enum field_id field;
	const char *name;
} axes[] = {
	{ FIELD_DP, "dp" },
	{ FIELD_DP_REPLICATE, "dp_replicate" },
	{ FIELD_DP_SHARD, "dp_shard" },
	{ FIELD_CP, "cp" },
	{ FIELD_TP, "tp" },
	{ FIELD_PP, "pp" },
};

enum { AXES = sizeof(axes) / sizeof(*axes) };

/* What the file says of an axis: -1 stays -1; 1 when nothing is said. */
static int64_t asked(const struct job *job, enum field_id field)
{
	return setting_int(&job->settings, field, 1);
}

/* False for an axis that the job's TorchTitan has no degree for. */
static bool version_has(const struct job *job, enum field_id field)
{
	const int axes_of = titan_trait(job, TRAIT_AXES), experts = titan_trait(job, TRAIT_EP);

	if (!versions_find(&job->versions, "torchtitan"))
		return true;
	switch (field) {
	case FIELD_DP_REPLICATE:
		return axes_of != AXES_DP;
	case FIELD_CP:
		return axes_of >= AXES_CP;
	case FIELD_EP:
		return experts != EP_NONE;
	case FIELD_ETP:
		return experts == EP_ETP || experts == EP_SPARSE_ETP;
	default:
		return true;
	}
}

static bool plays(const struct job *job, enum field_id field)
{
	bool total = setting_given(fact(job, FIELD_DP));

	if (!version_has(job, field))
		return false;
	if (field == FIELD_DP)
		return total;
	if (field == FIELD_DP_REPLICATE || field == FIELD_DP_SHARD)
		return !total;
	if (field == FIELD_CP) /* total data parallel is older than context parallel */
		return !total || asked(job, field) != 1;
	return true;
}

/* The axis that -1 or the surplus goes to. */
static enum field_id free_axis(const struct job *job)
{
	return setting_given(fact(job, FIELD_DP)) ? FIELD_DP : FIELD_DP_SHARD;
}

/* The product of all axes but the free one; 0 when one of them is not positive. */
static int64_t fixed_product(const struct job *job)
{
	int64_t product = 1, degree;
	int i;

	for (i = 0; i < AXES; i++) {
		if (!plays(job, axes[i].field) || axes[i].field == free_axis(job))
			continue;
		degree = asked(job, axes[i].field);
		if (degree < 1 || degree > INT32_MAX || product > INT32_MAX)
			return 0;
		product *= degree;
	}
	return product;
}

/* "dp_replicate(2) * dp_shard(2) * ..." of the axes that play a part. */
static const char *product_text(const struct job *job)
{
	char *text = arena_strdup(job->arena, "");
	int i;

	for (i = 0; i < AXES; i++)
		if (plays(job, axes[i].field))
			text = arena_printf(job->arena, "%s%s%s(%" PRId64 ")", text,
					    *text ? " * " : "", axes[i].name,
					    asked(job, axes[i].field));
	return text;
}

static void relate_axes(struct job *job, struct finding *finding)
{
	int i;

	for (i = 0; i < AXES; i++)
		if (plays(job, axes[i].field) && asked(job, axes[i].field) != 1)
			relate_setting(job, finding, axes[i].field);
}

static struct span product_place(const struct job *job)
{
	enum field_id fields[AXES + 1];
	int i;

	fields[0] = free_axis(job);
	for (i = 0; i < AXES; i++)
		fields[i + 1] = axes[i].field;
	return first_place(job, fields, AXES + 1);
}

/* True when an axis that may not be inferred is asked to be. */
static bool has_negative(const struct job *job)
{
	int i;

	for (i = 0; i < AXES; i++)
		if (plays(job, axes[i].field) && axes[i].field != free_axis(job) &&
		    asked(job, axes[i].field) < 1)
			return true;
	return false;
}

static void fix_product(struct job *job, struct finding *finding, int64_t fixed)
{
	const struct setting *free = fact(job, free_axis(job));
	const char *name = free->field == FIELD_DP ? "dp" : "dp_shard";

	if (fixed > 0 && job->world % fixed == 0) {
		finding_fix(job->findings, finding,
			    "use %s %" PRId64 ", or -1 for whatever the other axes leave", name,
			    job->world / fixed);
		edit_setting(job, finding, free, job->world / fixed);
	} else if (has_negative(job)) {
		finding_fix(job->findings, finding,
			    "give every degree but %s a number of 1 or more", name);
	} else if (fixed < 1) {
		finding_fix(job->findings, finding,
			    "lower the degrees: the others alone need "
			    "more ranks than any job has");
	} else if (fixed > job->world) {
		finding_fix(job->findings, finding,
			    "the other axes alone multiply to %" PRId64 ": lower them, or run on a "
			    "multiple of %" PRId64 " ranks",
			    fixed, fixed);
	} else {
		finding_fix(job->findings, finding,
			    "no %s fits: %" PRId64 " ranks are not a multiple of %" PRId64
			    ", the product of the other axes",
			    name, job->world, fixed);
	}
}

/* True when a degree was not understood: what its default gives is nobody's wish. */
static bool unsettled(const struct job *job)
{
	int i;

	for (i = 0; i < AXES; i++) {
		const struct setting *setting = fact(job, axes[i].field);

		if (setting->invalid || (setting->doubtful && !setting_given(setting)))
			return true;
	}
	return false;
}

static void check_product(const struct rule *rule, struct job *job)
{
	int64_t fixed = fixed_product(job), free = asked(job, free_axis(job));
	struct finding *finding;

	if (!raised(rule, job) || unsettled(job))
		return;
	if (free > 0 && free <= INT32_MAX && fixed > 0)
		finding = raised_finding(rule, job,
					 "%s = %" PRId64 ", but the world has %" PRId64 " ranks",
					 product_text(job), fixed * free, job->world);
	else
		finding = raised_finding(rule, job,
					 "%s cannot be laid over a world of %" PRId64 " ranks",
					 product_text(job), job->world);
	finding->span = product_place(job);
	finding->related.count = 0;
	relate_axes(job, finding);
	fix_product(job, finding, fixed);
}

static void check_below_one(const struct rule *rule, struct job *job)
{
	struct finding *finding;
	int i;

	if (!raised(rule, job))
		return;
	for (i = 0; i < AXES; i++) {
		const struct setting *setting = fact(job, axes[i].field);
		int64_t degree = asked(job, axes[i].field);
		bool free = axes[i].field == free_axis(job);

		if (!plays(job, axes[i].field) || degree >= 1 || (free && degree == -1))
			continue;
		finding = raised_finding(rule, job, "%s is %" PRId64 "; it must be %s1 or more",
					 axes[i].name, degree, free ? "-1, or " : "");
		if (span_known(setting->span))
			finding->span = setting->span;
		finding->related.count = 0;
		if (degree == -1)
			finding_fix(job->findings, finding,
				    "give a number; only %s may be -1, for whatever is left",
				    free_axis(job) == FIELD_DP ? "dp" : "dp_shard");
		else
			edit_setting(job, finding, setting, free ? -1 : 1);
		return;
	}
	raised_check(rule, job);
}

enum { EP_MOST = 4096 };

/*
 * The largest ep below the one asked for that every version accepts: it divides the experts and
 * dp_shard * cp, and cp, without etp also tp, divides it. 1 when there is none.
 */
static int64_t fitting_ep(const struct job *job, int64_t ep)
{
	int64_t experts = job->model ? job->model->experts : 0, tp = degree_of(job, FIELD_TP);
	int64_t cp = degree_of(job, FIELD_CP), pool = degree_of(job, FIELD_DP_SHARD) * cp;
	int64_t unit = asked(job, FIELD_ETP) == tp ? cp : cp * tp;
	int64_t fits = ep - 1 < pool ? ep - 1 : pool;

	if (fits > EP_MOST)
		fits = EP_MOST;
	for (; fits > 1; fits--)
		if (pool % fits == 0 && fits % unit == 0 && (!experts || experts % fits == 0))
			return fits;
	return 1;
}

static void check_experts(const struct rule *rule, struct job *job)
{
	int64_t ep = asked(job, FIELD_EP), cp = degree_of(job, FIELD_CP);
	int64_t tp = degree_of(job, FIELD_TP), etp = asked(job, FIELD_ETP);
	int64_t pool = degree_of(job, FIELD_DP_SHARD) * cp * tp;
	struct finding *finding;

	if (!raised(rule, job))
		return;
	if (job->model && job->model->experts && ep > 0 && job->model->experts % ep) {
		finding = raised_finding(
			rule, job, "ep %" PRId64 " does not divide the %" PRId64 " experts of %s",
			ep, job->model->experts, job->model->name);
	} else {
		finding = raised_finding(rule, job,
					 "ep %" PRId64 " with etp %" PRId64
					 " does not fit dp_shard * cp * tp = %" PRId64,
					 ep, etp, pool);
	}
	relate_setting(job, finding, FIELD_EP);
	relate_setting(job, finding, FIELD_DP_SHARD);
	relate_setting(job, finding, FIELD_TP);
	if (ep < 2 || fitting_ep(job, ep) < 2)
		return;
	finding_fix(job->findings, finding,
		    "use ep %" PRId64 ", or another divisor of dp_shard * cp and of the experts "
		    "that cp * tp divides",
		    fitting_ep(job, ep));
	edit_setting(job, finding, fact(job, FIELD_EP), fitting_ep(job, ep));
}

/* What becomes of the ranks of an axis that a version lacks, and since when there is one. */
static const struct {
	enum field_id field;
	const char *name, *instead, *since;
} newer[] = {
	{ FIELD_DP_REPLICATE, "dp_replicate", "the replicas are sharded, too",
	  "db6b39acd (2024-09-10) and later have it" },
	{ FIELD_CP, "cp", "sequences are not cut", "b19456a98 (2024-10-22) and later have it" },
	{ FIELD_EP, "ep", "every rank keeps all experts, sharded like other parameters",
	  "01f4e5022 (2025-07-08, in v0.2.0) and later have it" },
	{ FIELD_ETP, "etp", NULL, "aeb3a4baf (2025-08-13) to c4b409af2 (2026-04-30) have it" },
};

/* Whether the version does by itself what is asked of the axis it has no degree for. */
static bool same_without(const struct job *job, enum field_id field, int64_t degree)
{
	if (field == FIELD_ETP && titan_trait(job, TRAIT_EP) == EP_BORROWED)
		return degree == degree_of(job, FIELD_TP);
	return degree == 1;
}

static void check_lacking(const struct rule *rule, struct job *job)
{
	const bool by_tp = titan_trait(job, TRAIT_EP) == EP_BORROWED;
	const char *label = versions_find(&job->versions, "torchtitan")->label, *instead;
	struct finding *finding;
	size_t i;

	for (i = 0; i < sizeof(newer) / sizeof(*newer); i++) {
		const struct setting *setting = fact(job, newer[i].field);
		const int64_t degree = asked(job, newer[i].field);

		if (version_has(job, newer[i].field) || !setting_given(setting) ||
		    same_without(job, newer[i].field, degree))
			continue;
		instead = newer[i].instead ? newer[i].instead
			  : by_tp	   ? "experts are cut by tp"
					   : "experts are not cut by tp";
		finding = finding_add(job->findings, rule->id, setting->span,
				      "%s %" PRId64 " is asked for, but torchtitan %s has no such "
				      "axis: %s",
				      newer[i].name, degree, label, instead);
		finding_fix(job->findings, finding, "leave %s out, or change the version: %s",
			    newer[i].name, newer[i].since);
	}
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
			"to the world size exactly. -1 stands for what the other axes leave, by "
			"floor division: when it does not come out even, the exception shows the "
			"inferred value. ep and etp take ranks from dp_shard, cp and tp and do "
			"not count.",
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
			"dp_shard may be -1, for whatever is left.",
		.remedy = "Write 1 to switch an axis off.",
		.source = MESHES,
	  },
	  NEEDS_ATTEMPT | HOLDS_ALWAYS, check_below_one },
	{ &(const struct rule_id){
		.name = "expert-degree",
		.code = "D103",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "ep or etp does not fit the other degrees or the number of experts",
		.explanation =
			"Expert parallelism borrows ranks from dp_shard, cp and tp. v0.2.0 wants "
			"ep to be a multiple of cp (with etp 1: of cp * tp) and to divide "
			"dp_shard * cp (* tp); v0.2.1 and v0.2.2 fail later, in "
			"DeviceMesh._unflatten; main wants ep to divide dp_shard * cp * tp. etp "
			"must be tp or 1.",
		.remedy =
			"Choose ep among the divisors of dp_shard * cp * tp that cp * tp divides.",
		.source = MESHES,
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT | HOLDS_ALWAYS, check_experts },
	{ &(const struct rule_id){
		.name = "expert-dispatcher",
		.code = "D104",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "the expert communication backend does not go with these degrees",
		.explanation =
			"DeepEP (TorchTitan v0.2.1 and later) moves tokens between expert ranks, "
			"so it needs ep > 1, and it knows no tensor parallelism inside experts: "
			"etp must be 1.",
		.remedy = "Use the standard backend, or ep > 1 with etp 1.",
		.source = "torchtitan@v0.2.1 models/deepseek_v3/infra/parallelize.py",
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT, raised_check },
	{ &(const struct rule_id){
		.name = "axis-not-in-version",
		.code = "D105",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "an axis is asked for that the framework's version does not have",
		.explanation =
			"A degree that the version knows nothing of changes nothing: TorchTitan "
			"has dp_replicate since db6b39acd (2024-09-10), cp since b19456a98 "
			"(2024-10-22), ep since 01f4e5022 (2025-07-08), etp from aeb3a4baf "
			"(2025-08-13) to c4b409af2 (2026-04-30). In between, 01f4e5022 cuts "
			"experts by tp.",
		.remedy = "Leave the degree out, or use a version that has the axis.",
		.source = MESHES,
	  },
	  NEEDS_TORCHTITAN | HOLDS_ALWAYS, check_lacking },
	{ &(const struct rule_id){
		.name = "framework-raises",
		.code = "D199",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "the framework stops before the first step",
		.explanation =
			"The config was executed by a model of the framework's own code, and "
			"that code raises. The exception is quoted exactly; no rule of its own "
			"says more about this one.",
		.remedy = "Follow the exception's text.",
		.source = "the code of the version named",
	  },
	  NEEDS_ATTEMPT, raised_check },
};
/* clang-format on */

const struct ruleset ruleset_degrees = {
	"degrees",
	"Degrees: numbers that must fit each other and the world",
	rules,
	sizeof(rules) / sizeof(*rules),
};
