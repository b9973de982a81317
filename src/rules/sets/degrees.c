#include "base/number.h"
#include "rules/axes.h"
#include "rules/facts.h"
#include "rules/pinned.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

enum { EP_MOST = 4096, EP_LISTED = 8 };

/* True for an ep that divides the experts and that the version takes. */
static bool accepts_ep(const struct rule *rule, const struct job *job, int64_t ep)
{
	const int64_t experts = job->model ? job->model->experts : 0;
	const int64_t pool = multiply(degree_of(job, FIELD_DP_SHARD),
				      multiply(degree_of(job, FIELD_CP), degree_of(job, FIELD_TP)));

	return pool % ep == 0 && (!experts || experts % ep == 0) &&
	       passes_with(rule, job, FIELD_EP, ep, FIELD_EP);
}

/* The largest such ep below the one asked for; 1 when there is none. */
static int64_t fitting_ep(const struct rule *rule, const struct job *job, int64_t ep)
{
	int64_t fits = ep - 1 < EP_MOST ? ep - 1 : EP_MOST;

	while (fits > 1 && !accepts_ep(rule, job, fits))
		fits--;
	return fits > 1 ? fits : 1;
}

/* "2, 4, 8": the smallest of them. */
static const char *fitting_eps(const struct rule *rule, const struct job *job)
{
	const char *text = "";
	int64_t ep;
	int count = 0;

	for (ep = 2; ep <= EP_MOST && count < EP_LISTED; ep++)
		if (accepts_ep(rule, job, ep)) {
			text = arena_printf(job->arena, "%s%s%" PRId64, text, *text ? ", " : "",
					    ep);
			count++;
		}
	return text;
}

/* The dense grid, and what is left of it for the experts' own. */
static void show_grids(struct job *job, struct finding *finding, int64_t pool, int64_t ep,
		       int64_t etp)
{
	const int64_t inner = multiply(ep, etp);
	const char *left;

	if (ep < 2 || inner < 1)
		return;
	left = pool % inner
		       ? arena_printf(job->arena, "%" PRId64 " / %" PRId64 ", not a whole number",
				      pool, inner)
		       : arena_printf(job->arena, "%" PRId64, pool / inner);
	finding_actual(job->findings, finding,
		       "ep borrows the ranks of dp_shard %" PRId64 " x cp %" PRId64 " x tp %" PRId64
		       " = %" PRId64 ": experts have efsdp x ep %" PRId64 "%s, efsdp %s",
		       degree_of(job, FIELD_DP_SHARD), degree_of(job, FIELD_CP),
		       degree_of(job, FIELD_TP), pool, ep,
		       etp > 1 ? arena_printf(job->arena, " x etp %" PRId64, etp) : "", left);
}

/* TorchTitan with etp: tp or 1, nothing between. */
static bool check_etp(const struct rule *rule, struct job *job)
{
	const int64_t etp = axis_degree(job, FIELD_ETP), tp = degree_of(job, FIELD_TP);
	struct finding *finding;

	if (etp == 1 || etp == tp)
		return false;
	finding = raised_finding(rule, job, "etp %" PRId64 " is neither tp %" PRId64 " nor 1", etp,
				 tp);
	relate_setting(job, finding, FIELD_TP);
	finding_fix(job->findings, finding, "use etp %" PRId64 ", as tp, or 1", tp);
	edit_setting(job, finding, fact(job, FIELD_ETP), tp);
	return true;
}

static void check_experts(const struct rule *rule, struct job *job)
{
	int64_t ep = axis_degree(job, FIELD_EP), cp = degree_of(job, FIELD_CP);
	int64_t tp = degree_of(job, FIELD_TP), etp = axis_degree(job, FIELD_ETP);
	int64_t pool = degree_of(job, FIELD_DP_SHARD) * cp * tp;
	const struct model *model = job->model;
	struct finding *finding;

	if (!raised(rule, job) || check_etp(rule, job))
		return;
	if (model && model->experts && ep > 0 && model->experts % ep)
		finding = raised_finding(rule, job,
					 "ep %" PRId64 " does not divide the %" PRId64
					 " experts of %s: %" PRId64 " mod %" PRId64 " = %" PRId64,
					 ep, model->experts, model_called(model), model->experts,
					 ep, model->experts % ep);
	else
		finding = raised_finding(rule, job,
					 "ep %" PRId64 " with etp %" PRId64
					 " does not fit dp_shard * cp * tp = %" PRId64,
					 ep, etp, pool);
	relate_setting(job, finding, FIELD_EP);
	relate_setting(job, finding, FIELD_DP_SHARD);
	relate_setting(job, finding, FIELD_TP);
	show_grids(job, finding, pool, ep, etp == tp ? etp : 1);
	if (ep < 2 || fitting_ep(rule, job, ep) < 2)
		return;
	finding_fix(job->findings, finding, "use ep %" PRId64 "; what fits is %s",
		    fitting_ep(rule, job, ep), fitting_eps(rule, job));
	edit_setting(job, finding, fact(job, FIELD_EP), fitting_ep(rule, job, ep));
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
	if (field == FIELD_ETP && job_does(job, HABIT_ETP_BY_TP))
		return degree == degree_of(job, FIELD_TP);
	return degree == 1;
}

/* A native config can ask any framework for any axis. */
static void check_no_axis(const struct rule *rule, struct job *job)
{
	const struct setting *axis = job_lacking(job);
	struct finding *finding;

	if (!axis)
		return;
	finding = finding_add(job->findings, rule->id, axis->span,
			      "%s %" PRId64 " is requested, but %s has no such axis",
			      axis_name(axis->field), axis->integer, job->framework->name);
	finding_fix(job->findings, finding, "leave %s out", axis_name(axis->field));
}

static void check_lacking(const struct rule *rule, struct job *job)
{
	const struct version *titan = trainer_of(job);
	const bool by_tp = job_does(job, HABIT_ETP_BY_TP);
	const char *instead;
	struct finding *finding;
	size_t i;

	check_no_axis(rule, job);
	for (i = 0; titan && i < sizeof(newer) / sizeof(*newer); i++) {
		const struct setting *setting = fact(job, newer[i].field);
		const int64_t degree = axis_degree(job, newer[i].field);

		if (job_has_axis(job, newer[i].field) || !setting_given(setting) ||
		    same_without(job, newer[i].field, degree))
			continue;
		instead = newer[i].instead ? newer[i].instead
			  : by_tp	   ? "experts are cut by tp"
					   : "experts are not cut by tp";
		finding = finding_add(job->findings, rule->id, setting->span,
				      "%s %" PRId64 " is asked for, but torchtitan %s has no such "
				      "axis: %s",
				      newer[i].name, degree, titan->label, instead);
		finding_fix(job->findings, finding, "leave %s out, or change the version: %s",
			    newer[i].name, newer[i].since);
	}
}

#define MESHES "torchtitan distributed/parallel_dims.py, ParallelDims._validate"

/* What must be named in plugins: for ep to be read, or NULL. */
static const char *expert_plugin(const struct job *job)
{
	const struct wing *wing = wing_find(job->framework->name);

	return wing ? wing->expert_plugin : NULL;
}

/* Why, where it is known. */
static void explain_ignored(struct job *job, struct finding *finding, enum field_id field)
{
	const int64_t inner = degree_of(job, FIELD_TP) * degree_of(job, FIELD_CP);

	const char *plugin = field == FIELD_EP ? expert_plugin(job) : NULL;

	if (plugin)
		finding_actual(job->findings, finding,
			       "the plug-in that reads it, %s, is not among plugins", plugin);
	else if (job_does(job, HABIT_FIXED_RECIPES))
		finding_actual(job->findings, finding,
			       "its recipe shares the model over all %" PRId64
			       " ranks and reads no degrees",
			       job->world);
	else if (field == FIELD_DP_SHARD && job->world / inner == 1)
		finding_actual(job->findings, finding,
			       "%s gives the ranks to tp and cp first: %" PRId64 " / %" PRId64
			       " = 1 is left",
			       job->framework->name, job->world, inner);
	else if (field == FIELD_DP_SHARD)
		finding_actual(job->findings, finding,
			       "beside fsdp_config %s shares the model over all %" PRId64
			       " ranks that are left",
			       job->framework->name, degree_of(job, FIELD_DP_SHARD));
}

static void check_ignored(const struct rule *rule, struct job *job)
{
	static const enum field_id fields[] = { FIELD_DP_REPLICATE, FIELD_DP_SHARD, FIELD_CP,
						FIELD_TP, FIELD_EP };
	const struct setting *setting;
	struct finding *finding;
	size_t i;

	if (!job->framework ||
	    !wing_does(wing_find(job->framework->name), HABIT_IGNORES_DEGREES, NULL))
		return;
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		setting = fact(job, fields[i]);
		if (!setting_given(setting) || !setting_known(setting) || setting->integer < 1 ||
		    setting->integer == degree_of(job, fields[i]))
			continue;
		finding = finding_add(
			job->findings, rule->id, setting->span,
			"%s %" PRId64 " is silently ignored: the job runs with %" PRId64,
			setting->spelling, setting->integer, degree_of(job, fields[i]));
		explain_ignored(job, finding, fields[i]);
		if (fields[i] == FIELD_EP && expert_plugin(job))
			finding_fix(job->findings, finding, "name it in plugins: - %s",
				    expert_plugin(job));
	}
}

/* clang-format off */
static const struct rule rules[] = {
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
			"Choose an ep that divides dp_shard * cp * tp and is a multiple of cp * "
			"tp.",
		.source = MESHES,
		.says = (const struct saying[]){
			{ "torch", "ValueError: The product of mesh_sizes={sizes} is {n}, but the original dimension at dim={n} has size {n}. These must be equal for unflatten to work correctly." },
			{ NULL, NULL } },
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT | HOLDS_ALWAYS, check_experts },
	{ &(const struct rule_id){
		.name = "expert-dispatcher",
		.code = "D104",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "the expert communication backend does not support these degrees",
		.explanation =
			"DeepEP (TorchTitan v0.2.1 and later) moves tokens between expert ranks, "
			"so it needs ep > 1, and it does not support tensor parallelism inside "
			"experts: etp must be 1.",
		.remedy = "Use the standard backend, or ep > 1 with etp 1.",
		.source = "torchtitan@v0.2.1 models/deepseek_v3/infra/parallelize.py",
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT, raised_check },
	{ &(const struct rule_id){
		.name = "axis-not-in-version",
		.code = "D105",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "the config asks for an axis that the framework's version does not "
			   "have",
		.explanation =
			"A degree that the version does not know has no effect: TorchTitan has "
			"dp_replicate since db6b39acd (2024-09-10), cp since b19456a98 "
			"(2024-10-22), ep since 01f4e5022 (2025-07-08), etp from aeb3a4baf "
			"(2025-08-13) to c4b409af2 (2026-04-30). In between, 01f4e5022 cuts "
			"experts by tp.",
		.remedy = "Leave the degree out, or use a version that has the axis.",
		.source = MESHES,
	  },
	  HOLDS_ALWAYS, check_lacking },
	{ &(const struct rule_id){
		.name = "degree-ignored",
		.code = "D107",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_READ,
		.summary = "the framework reads a degree and then silently drops it",
		.explanation =
			"axolotl gives ranks to one axis after the other. It drops dp_shard_size "
			"when no ranks are left for it, or when it is 1 and fsdp_config is set. "
			"torchtune's recipes for DPO and distillation read no degrees. The job runs with "
			"another layout than its config says.",
		.remedy = "Remove the degree, or make room for it: fewer ranks for tp and cp, or "
			  "a larger world.",
		.source = "axolotl@067b021c src/axolotl/utils/distributed.py:320, "
			  "torchtune@bd2a0fc7 recipes/full_dpo_distributed.py",
	  },
	  NEEDS_WORLD | NEEDS_APPLIED | NEEDS_OTHER, check_ignored },
	{ &(const struct rule_id){
		.name = "framework-raises",
		.code = "D199",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "the framework stops before the first step",
		.explanation =
			"parplan runs the config through a model of the framework's own code, and "
			"that code raises. The exception is quoted exactly; no other rule "
			"explains it.",
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
