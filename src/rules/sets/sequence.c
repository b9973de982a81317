#include "base/number.h"
#include "rules/advice.h"
#include "rules/facts.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

/* How the sequence is cut: by context parallelism into cp parts, each by sequence parallelism. */
struct cuts {
	int64_t length, tp, cp;
	bool sequence_parallel; /* norms and residuals are cut over tp */
	bool balanced;		/* context parallelism cuts 2 * cp chunks, a rank takes two */
};

static bool cuts_of(const struct job *job, struct cuts *c, bool sequence_parallel)
{
	const struct setting *length = fact(job, FIELD_SEQ_LEN);
	const char *balancer = setting_text(&job->settings, FIELD_CP_LOAD_BALANCER, "headtail");

	c->length = setting_known(length) ? length->integer : 0;
	c->tp = degree_of(job, FIELD_TP);
	c->cp = degree_of(job, FIELD_CP);
	c->sequence_parallel = sequence_parallel && c->tp > 1;
	c->balanced = c->cp > 1 && !strcmp(balancer, "headtail");
	return c->length > 0;
}

/* The chunks context parallelism cuts. */
static int64_t chunks_of(const struct cuts *c)
{
	return c->balanced ? multiply(2, c->cp) : c->cp;
}

/* What the length must really be a multiple of: often less than tp * 2 * cp. */
static int64_t unit_of(const struct cuts *c)
{
	return common_multiple(chunks_of(c), c->sequence_parallel ? multiply(c->cp, c->tp) : 1);
}

static void fix_length(struct job *job, struct finding *finding, int64_t length, int64_t unit)
{
	finding_fix(job->findings, finding, "use %s", multiples_around(job->arena, length, unit));
	edit_setting(job, finding, fact(job, FIELD_SEQ_LEN), nearest_multiple(length, unit));
}

static void relate_cuts(struct job *job, struct finding *finding)
{
	relate_setting(job, finding, FIELD_TP);
	relate_setting(job, finding, FIELD_CP);
}

/* "tp * cp = 8", "2 * cp = 4": what the length fails, the first cut first. */
static const char *failed_cut(const struct job *job, const struct cuts *c)
{
	if (c->length % chunks_of(c))
		return arena_printf(job->arena, "%scp = %" PRId64, c->balanced ? "2 * " : "",
				    chunks_of(c));
	return arena_printf(job->arena, "tp%s = %" PRId64, c->cp > 1 ? " * cp" : "",
			    multiply(c->tp, c->cp));
}

/* v0.1.0 and before check nothing: what then fails in the first step. */
static void check_unchecked(const struct rule *rule, struct job *job)
{
	struct finding *finding;
	struct cuts c;

	if (titan_trait(job, TRAIT_SEQ_LEN) != SEQ_LEN_UNCHECKED ||
	    !titan_within(job, "a6d26255e", "6f6a89727") || !cuts_of(job, &c, true) ||
	    c.length % unit_of(&c) == 0)
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_SEQ_LEN)->span,
			      "sequence length %" PRId64 " is not a multiple of %s: nothing checks "
			      "it, and the first step fails",
			      c.length, failed_cut(job, &c));
	relate_cuts(job, finding);
	if (c.length % chunks_of(&c)) {
		finding_quote(job->findings, finding, "AssertionError");
		finding->speaker = speaker(job, "torch");
	}
	fix_length(job, finding, c.length, unit_of(&c));
}

/* PyTorch's context_parallel from 2.5 to 2.12; later ones fall back to plain chunks (#183968). */
static bool asserts_chunks(const struct job *job)
{
	struct torch_release torch;

	return torch_release_of(job, &torch) && torch.minor >= 5 && torch.minor <= 12;
}

/* A script of one's own: it may pad, and cut in other ways than PyTorch does. */
static void check_script(const struct rule *rule, struct job *job)
{
	struct finding *finding;
	struct cuts c;

	if (versions_find(&job->versions, "torchtitan") ||
	    !cuts_of(job, &c, setting_bool(&job->settings, FIELD_SEQUENCE_PARALLEL, false)) ||
	    c.length % unit_of(&c) == 0)
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_SEQ_LEN)->span,
			      "sequence length %" PRId64 " is not a multiple of %s: its parts are "
			      "not of one size, which %s does not take",
			      c.length, failed_cut(job, &c),
			      c.length % chunks_of(&c) ? "context parallelism"
						       : "sequence parallelism");
	finding_cap(finding, SEVERITY_WARNING);
	relate_cuts(job, finding);
	if (c.length % chunks_of(&c) && asserts_chunks(job)) {
		finding_quote(job->findings, finding, "AssertionError");
		finding->speaker = speaker(job, "torch");
	} else if (c.length % chunks_of(&c) && c.length % c.cp == 0) {
		finding_cap(finding, SEVERITY_NOTE);
	}
	fix_length(job, finding, c.length, unit_of(&c));
}

/* False when tp is at fault itself: what fits it would not fit the tp it is corrected to. */
static bool tp_divides_heads(const struct job *job, int64_t tp)
{
	const struct model *model = job->model;
	int64_t kv_heads;

	if (!model)
		return true;
	kv_heads = model->kv_lora ? model->heads : model->kv_heads;
	return model->heads < 1 || kv_heads < 1 || (model->heads % tp == 0 && kv_heads % tp == 0);
}

/* TorchTitan's assertion. */
static void check_asserted(const struct rule *rule, struct job *job)
{
	const struct setting *length = fact(job, FIELD_SEQ_LEN);
	const int64_t tp = degree_of(job, FIELD_TP), cp = degree_of(job, FIELD_CP);
	const int64_t unit = multiply(multiply(tp, 2), cp);
	struct finding *finding;

	finding = raised_finding(rule, job,
				 "sequence length %" PRId64 " is not a multiple of tp(%" PRId64
				 ") * 2 * cp(%" PRId64 ") = %" PRId64,
				 length->integer, tp, cp, unit);
	if (span_known(length->span))
		finding->span = length->span;
	if (!tp_divides_heads(job, tp)) {
		finding_fix(job->findings, finding,
			    "correct tp first, which does not divide the heads");
		return;
	}
	finding_fix(job->findings, finding, "use %s%s",
		    multiples_around(job->arena, length->integer, unit),
		    cp == 1 ? " (the factor 2 applies without context parallel, too)" : "");
	edit_setting(job, finding, length, nearest_multiple(length->integer, unit));
}

static void check_sequence(const struct rule *rule, struct job *job)
{
	const struct setting *length = fact(job, FIELD_SEQ_LEN);

	if (!raised(rule, job)) {
		if (job->applied->error)
			return;
		check_unchecked(rule, job);
		check_script(rule, job);
	} else if (!setting_known(length) || length->integer < 1 ||
		   titan_trait(job, TRAIT_SEQ_LEN) == SEQ_LEN_TOKENS) {
		raised_check(rule, job);
	} else {
		check_asserted(rule, job);
	}
}

static const struct saying sequence_says[] = {
	{ "torchtitan v0.2.0 to v0.2.2",
	  "Sequence length {n} must be divisible by the product of TP degree ({tp}) and 2 * CP "
	  "degree ({cp})." },
	{ "torch 2.5 to 2.12", "AssertionError (no text, from _RoundRobinLoadBalancer.shard or "
			       "_HeadTailLoadBalancer._generate_indices)" },
	{ "torchtitan from 2026-08-20 on",
	  "The number of tokens per pipeline microbatch ({n}) must be divisible by {n} for the "
	  "configured sequence/context parallelism." },
	{ NULL, NULL },
};

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "sequence-length",
		.code = "T101",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "the sequence length cannot be cut over tp and cp",
		.explanation =
			"Context parallelism with load balancing cuts the sequence into 2 * cp "
			"chunks of one size, and sequence parallelism cuts each rank's part over "
			"tp, so the length must be a multiple of 2 * cp and of cp * tp. "
			"TorchTitan v0.2.0 to mid-2026 asks for more, seq_len % (tp * 2 * cp) == "
			"0, also with cp 1: without tp and cp the length must still be even. "
			"v0.1.0 checks nothing. PyTorch 2.14 gives up the balance instead of "
			"failing (#183968).",
		.remedy = "Use a multiple of tp * 2 * cp.",
		.source = "https://github.com/pytorch/torchtitan/pull/1312",
		.says = sequence_says,
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT, check_sequence },
};
/* clang-format on */

const struct ruleset ruleset_sequence = {
	"sequence",
	"Sequences: context and sequence parallelism",
	rules,
	sizeof(rules) / sizeof(*rules),
};
