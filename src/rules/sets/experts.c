#include "base/number.h"
#include "input/axis.h"
#include "rules/advice.h"
#include "rules/axes.h"
#include "rules/facts.h"
#include "rules/pinned.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

/*
 * Expert parallelism outside TorchTitan, whose rule is expert-degree: Megatron lays a second grid
 * (pp, expert-dp, ep, etp) over the ranks, front ends count in ways of their own.
 */

/* The degrees of the two grids. */
struct grid {
	int64_t world, tp, cp, pp, ep, etp;
	bool etp_given;
};

static bool grid_of(const struct job *job, struct grid *g)
{
	const struct setting *etp = fact(job, FIELD_ETP);

	if (axes_are_open(&job->settings, AXIS_CP, AXIS_SP)) /* such a degree is not its default */
		return false;

	g->world = job->world;
	g->tp = degree_of(job, FIELD_TP);
	g->cp = degree_of(job, FIELD_CP);
	g->pp = degree_of(job, FIELD_PP);
	g->ep = setting_int(&job->settings, FIELD_EP, 1);
	g->etp_given = setting_given(etp) && setting_known(etp);
	/* Megatron's default is tp, ms-swift's and NeMo-RL's is 1 */
	g->etp = g->etp_given ? etp->integer : job_does(job, HABIT_ETP_ONE) ? 1 : g->tp;
	return (g->ep > 1 || (g->etp_given && g->etp != g->tp)) && g->ep > 0 && g->etp > 0;
}

/* Every ep that the world, and the experts where they are known, can be cut by. */
static const char *valid_ep(const struct job *job, int64_t most)
{
	const int64_t experts = job->model ? job->model->experts : 0;

	return divisors_text(job->arena, experts > 0 ? common_divisor(most, experts) : most);
}

/* "256 or 512 ranks": the multiples of both numbers around the world. */
static const char *worlds_around(const struct job *job, int64_t a, int64_t b)
{
	const int64_t unit = common_multiple(a, b), below = job->world / unit * unit;

	if (!below)
		return arena_printf(job->arena, "%" PRId64 " ranks or a multiple of that", unit);
	return arena_printf(job->arena, "%" PRId64 " or %" PRId64 " ranks", below, below + unit);
}

static void check_grid(const struct rule *rule, struct job *job)
{
	const struct version *one = job_does(job, HABIT_ETP_ONE);
	struct finding *finding;
	struct grid g;
	int64_t inner;

	if (!runs_megatron(job) || !grid_of(job, &g))
		return;
	inner = multiply(multiply(g.etp, g.ep), g.pp);
	if (g.world % inner == 0 || g.world % multiply(multiply(g.tp, g.cp), g.pp))
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_EP)->span,
			      "etp(%" PRId64 ") * ep(%" PRId64 ") * pp(%" PRId64 ") = %" PRId64
			      " does not divide the world of %" PRId64 " ranks: %" PRId64
			      " mod %" PRId64 " = %" PRId64,
			      g.etp, g.ep, g.pp, inner, g.world, g.world, inner, g.world % inner);
	relate_setting(job, finding, FIELD_ETP);
	relate_setting(job, finding, FIELD_TP);
	relate_setting(job, finding, FIELD_PP);
	finding_actual(
		job->findings, finding,
		"dense grid pp %" PRId64 " x dp %" PRId64 " x cp %" PRId64 " x tp %" PRId64
		", expert grid pp %" PRId64 " x ep %" PRId64 " x etp %" PRId64 "%s",
		g.pp, g.world / multiply(multiply(g.tp, g.cp), g.pp), g.cp, g.tp, g.pp, g.ep, g.etp,
		g.etp_given ? ""
		: one ? arena_printf(job->arena, " (etp is 1 unless given: %s)", one->framework)
		      : " (etp is tp unless given)");
	quote_told(rule, job, finding,
		   (const struct exception_name[]) { TELL("w", g.world), TELL("un", inner),
						     TELL_END });
	if (!g.etp_given && g.etp > 1 && g.world % multiply(g.ep, g.pp) == 0)
		finding_fix(job->findings, finding,
			    "set etp 1: 1 * %" PRId64 " * %" PRId64 " = %" PRId64
			    " divides %" PRId64,
			    g.ep, g.pp, multiply(g.ep, g.pp), g.world);
	else if (g.world % multiply(g.etp, g.pp) == 0)
		finding_fix(job->findings, finding, "use %s %s, or run on %s",
			    axis_key(job, FIELD_EP), valid_ep(job, g.world / multiply(g.etp, g.pp)),
			    worlds_around(job, inner, multiply(multiply(g.tp, g.cp), g.pp)));
	else
		finding_fix(job->findings, finding, "run on %s",
			    worlds_around(job, inner, multiply(multiply(g.tp, g.cp), g.pp)));
}

/* Front ends that multiply ep into the product of the degrees. */
static void check_factor(const struct rule *rule, struct job *job)
{
	struct finding *finding;
	struct grid g;
	int64_t product;

	if (!job_does(job, HABIT_EP_IN_PRODUCT) || !may_run_megatron(job) || !grid_of(job, &g))
		return;
	product = multiply(multiply(g.tp, g.pp), multiply(g.cp, g.ep));
	if (g.world % product == 0)
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_EP)->span,
			      "LLaMA-Factory multiplies ep in: tp(%" PRId64 ") * pp(%" PRId64
			      ") * cp(%" PRId64 ") * ep(%" PRId64 ") = %" PRId64
			      ", which does not divide the world of %" PRId64 " ranks",
			      g.tp, g.pp, g.cp, g.ep, product, g.world);
	relate_setting(job, finding, FIELD_TP);
	relate_setting(job, finding, FIELD_PP);
	relate_setting(job, finding, FIELD_CP);
	finding_actual(job->findings, finding,
		       "Megatron itself needs tp * cp * pp = %" PRId64
		       " and etp * ep * pp = %" PRId64 " to divide %" PRId64,
		       multiply(multiply(g.tp, g.cp), g.pp), multiply(g.ep, g.pp), g.world);
	if (job_says_all(job)) /* mcore_adapter, by the same keys, does not ask */
		finding_cap(finding, SEVERITY_WARNING);
	quote_told(rule, job, finding,
		   (const struct exception_name[]) {
			   TELL("pr", product), TELL("w", g.world),
			   TELL_ABOUT(product > g.world ? "exceeds" : "divide"), TELL_END });
	if (g.world % multiply(multiply(g.tp, g.pp), g.cp) == 0)
		finding_fix(job->findings, finding, "use ep %s, or start Megatron-Bridge directly",
			    valid_ep(job, g.world / multiply(multiply(g.tp, g.pp), g.cp)));
	else
		finding_fix(job->findings, finding, "run on %s", worlds_around(job, product, 1));
}

static void check_count(const struct rule *rule, struct job *job)
{
	const int64_t ep = setting_int(&job->settings, FIELD_EP, 1);
	const int64_t experts = job->model ? job->model->experts : 0;
	struct finding *finding;

	if (trainer_of(job) || ep < 2 || experts < 1 || experts % ep == 0)
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_EP)->span,
			      "ep %" PRId64 " does not divide the %" PRId64
			      " experts of %s: %" PRId64 " mod %" PRId64 " = %" PRId64,
			      ep, experts, model_called(job->model), experts, ep, experts % ep);
	relate_setting(job, finding, FIELD_MODEL_MOE_EXPERTS);
	if (!quote_told(rule, job, finding, (const struct exception_name[]) { TELL_END }))
		finding_cap(finding, SEVERITY_WARNING);
	finding_fix(job->findings, finding, "use %s %s", axis_key(job, FIELD_EP),
		    divisors_text(job->arena, experts));
	edit_setting(job, finding, fact(job, FIELD_EP), divisor_up_to(experts, ep));
}

static const struct saying count_says[] = {
	{ "vLLM", "n_physical_experts={n} must be divisible by ep_size={n}" },
	{ NULL, NULL },
};
/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "expert-grid",
		.code = "S211",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "Megatron's second grid, etp * ep * pp, does not divide the world",
		.explanation =
			"Experts have a grid of their own: pp, expert data parallel, ep, etp. "
			"Like tp * cp * pp, the product etp * ep * pp must divide the world size. "
			"By default etp is tp in Megatron and 1 in ms-swift: with a large tp the "
			"default alone can make the product too large.",
		.remedy = "Set etp to 1, or choose an ep that fits.",
		.source = "Megatron-LM@d98e8a64 core/parallel_state.py:883; "
			  "https://github.com/NVIDIA-NeMo/Speech/issues/14838",
	  },
	  NEEDS_OTHER | NEEDS_WORLD, check_grid },
	{ &(const struct rule_id){
		.name = "ep-counted-as-factor",
		.code = "S212",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "LLaMA-Factory: tp * pp * cp * ep does not divide the world",
		.explanation =
			"LLaMA-Factory's front end of Megatron-Bridge multiplies ep into the "
			"product of the degrees and refuses layouts that Megatron accepts.",
		.remedy = "Lower ep, or start Megatron-Bridge directly.",
		.source = "LlamaFactory@ff6d4d12 hparams/parser.py:344",
	  },
	  NEEDS_OTHER | NEEDS_WORLD, check_factor },
	{ &(const struct rule_id){
		.name = "experts-divisibility",
		.code = "S213",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "ep does not divide the number of experts",
		.explanation =
			"Each ep rank holds the same number of experts. TorchTitan's own check is "
			"rule expert-degree.",
		.remedy = "Use a divisor of the number of experts.",
		.source = "Megatron-LM@d98e8a64 core/transformer/transformer_config.py:1658; "
			  "https://github.com/vllm-project/vllm/issues/52435",
		.says = count_says,
	  },
	  NEEDS_NOTHING, check_count },
};
/* clang-format on */

const struct ruleset ruleset_experts = {
	"experts",
	"Expert parallelism of other frameworks",
	rules,
	sizeof(rules) / sizeof(*rules),
};
