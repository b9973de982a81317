#include "base/number.h"
#include "rules/advice.h"
#include "rules/elsewhere.h"
#include "rules/facts.h"
#include "rules/pinned.h"
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
	c->balanced = c->cp > 1 && !strcmp(balancer, "headtail") && !elsewhere_cuts_plainly(job);
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

	if (!job_does(job, HABIT_LENGTH_FREE) || !cuts_of(job, &c, true) ||
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

/*
 * What becomes of chunks that are not of one size: PyTorch's context_parallel asserts from 2.6 to
 * 2.12, has no balance in 2.5 and gives it up from 2.13 on (#183968); others may cut in other ways.
 */
enum chunks { CHUNKS_FIT, CHUNKS_ASSERTED, CHUNKS_UNBALANCED, CHUNKS_UNKNOWN };

static enum chunks chunks_fit(const struct job *job, const struct cuts *c)
{
	struct torch_release torch;

	if (c->length % chunks_of(c) == 0)
		return CHUNKS_FIT;
	if (!torch_release_of(job, &torch) || !torch_has(&torch, TORCH_FLATTEN))
		return CHUNKS_UNKNOWN;
	return torch_has(&torch, TORCH_CP_BALANCED) && !torch_has(&torch, TORCH_CP_BALANCE_OPTIONAL)
		       ? CHUNKS_ASSERTED
		       : CHUNKS_UNBALANCED;
}

/* A script of one's own: it may pad, and cut in other ways than PyTorch does. */
static void check_script(const struct rule *rule, struct job *job)
{
	static const char *const why[] = {
		[CHUNKS_FIT] = "sequence parallelism takes parts of one size only",
		[CHUNKS_ASSERTED] = "context parallelism takes parts of one size only",
		[CHUNKS_UNBALANCED] = "the causal work is not balanced over cp",
		[CHUNKS_UNKNOWN] = "load-balanced cp takes parts of one size only",
	};
	struct finding *finding;
	enum chunks fit;
	struct cuts c;

	if (trainer_of(job) || (job->applied->assumed && !elsewhere_cuts_sequence(job)) ||
	    !cuts_of(job, &c, setting_bool(&job->settings, FIELD_SEQUENCE_PARALLEL, false)) ||
	    c.length % unit_of(&c) == 0)
		return;
	fit = chunks_fit(job, &c);
	finding = finding_add(
		job->findings, rule->id, fact(job, FIELD_SEQ_LEN)->span,
		"sequence length %" PRId64 " is not a multiple of %s: %s", c.length,
		failed_cut(job, &c),
		why[fit == CHUNKS_UNBALANCED && c.length % c.cp ? CHUNKS_ASSERTED : fit]);
	relate_cuts(job, finding);
	fix_length(job, finding, c.length, unit_of(&c));
	if (elsewhere_quote_sequence(rule, job, finding, c.length % chunks_of(&c) != 0))
		return;
	finding_cap(finding, SEVERITY_WARNING);
	if (fit == CHUNKS_ASSERTED) {
		finding_quote(job->findings, finding, "AssertionError");
		finding->speaker = speaker(job, "torch");
	} else if (fit != CHUNKS_FIT && c.length % c.cp == 0) {
		finding_cap(finding, SEVERITY_NOTE);
	}
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

/* TorchTitan's assertion: it may have ended the plan, or come next after what did. */
static struct finding *assertion(const struct rule *rule, struct job *job, int64_t unit)
{
	const struct setting *length = fact(job, FIELD_SEQ_LEN);
	const int64_t tp = degree_of(job, FIELD_TP), cp = degree_of(job, FIELD_CP);
	const char *message =
		arena_printf(job->arena,
			     "sequence length %" PRId64 " is not a multiple of tp(%" PRId64
			     ") * 2 * cp(%" PRId64 ") = %" PRId64,
			     length->integer, tp, cp, unit);
	struct finding *finding;

	if (raised(rule, job)) {
		finding = raised_finding(rule, job, "%s", message);
		if (span_known(length->span))
			finding->span = length->span;
		return finding;
	}
	finding = finding_add(job->findings, rule->id, length->span, "%s", message);
	relate_cuts(job, finding);
	quote_told(rule, job, finding,
		   (const struct exception_name[]) { TELL("s", length->integer), TELL("tp", tp),
						     TELL("cp", cp), TELL_END });
	return finding;
}

static void check_asserted(const struct rule *rule, struct job *job)
{
	const struct setting *length = fact(job, FIELD_SEQ_LEN);
	const int64_t tp = degree_of(job, FIELD_TP), cp = degree_of(job, FIELD_CP);
	const int64_t unit = multiply(multiply(tp, 2), cp);
	struct finding *finding;

	if (length->integer % unit == 0)
		return;
	finding = assertion(rule, job, unit);
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

/* What is wrong besides ended the plan before the lengths were looked at. */
static bool asserts_next(const struct job *job)
{
	return job->applied->error && job->applied->meshes.count && !job->applied->unmodelled &&
	       job_does(job, HABIT_LENGTH_DIVISOR);
}

static void check_sequence(const struct rule *rule, struct job *job)
{
	const struct setting *length = fact(job, FIELD_SEQ_LEN);
	const bool usable = setting_known(length) && length->integer > 0;

	if (runs_megatron(job)) {
		if (raised(rule, job) || !job->applied->error)
			check_script(rule, job);
	} else if (raised(rule, job)) {
		if (usable && !job_does(job, HABIT_COUNTS_TOKENS))
			check_asserted(rule, job);
		else
			raised_check(rule, job);
	} else if (asserts_next(job)) {
		if (usable)
			check_asserted(rule, job);
	} else if (!job->applied->error) {
		check_unchecked(rule, job);
		check_script(rule, job);
	}
}

enum { MASK_BLOCK = 128 };

/* True where FlexAttention's mask is cut over cp by PyTorch: torchtitan v0.2.2 until 5ab3a0fd1. */
static bool cuts_mask(const struct job *job)
{
	const char *kernel = job->model && job->model->attention
				     ? job->model->attention
				     : setting_text(&job->settings, FIELD_MODEL_ATTENTION, "sdpa");
	struct torch_release torch;

	if (strcmp(kernel, "flex") != 0 || !torch_release_of(job, &torch) || torch.minor < 9)
		return false;
	if (!trainer_of(job))
		return true;
	return job_does(job, HABIT_CP_FLEX_LLAMA) && job->model &&
	       !strncmp(job->model->family, "llama", 5);
}

/* torch distributed/tensor/experimental/_context_parallel/_attention.py, _create_cp_block_mask. */
static void check_mask(const struct rule *rule, struct job *job)
{
	struct finding *finding;
	struct cuts c;
	int64_t unit;

	if (!cuts_mask(job) || !cuts_of(job, &c, true) || c.cp < 2)
		return;
	unit = multiply(c.cp, MASK_BLOCK);
	if (c.length % unit == 0)
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_SEQ_LEN)->span,
			      "sequence length %" PRId64 " is not a multiple of cp(%" PRId64
			      ") * 128 = %" PRId64 ", the blocks of FlexAttention's mask",
			      c.length, c.cp, unit);
	relate_cuts(job, finding);
	finding_quote(job->findings, finding,
		      "NotImplementedError: Q_LEN %" PRId64
		      " is not divisible by CP mesh world size %" PRId64
		      " * BLOCK_SIZE 128. This is not supported yet.",
		      c.length, c.cp);
	finding->speaker = speaker(job, "torch");
	if (!trainer_of(job))
		finding_cap(finding, SEVERITY_WARNING);
	fix_length(job, finding, c.length, common_multiple(unit, unit_of(&c)));
}

/* torchtitan#2446: between the new context parallel (#2144) and DTensors throughout (#2149). */
static void check_qwen3(const struct rule *rule, struct job *job)
{
	struct finding *finding;

	if (!job->model || strcmp(job->model->family, "qwen3") != 0 ||
	    degree_of(job, FIELD_TP) < 2 || degree_of(job, FIELD_CP) < 2 ||
	    !job_does(job, HABIT_CP_TP_FAILS))
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_CP)->span,
			      "qwen3 with tp %" PRId64 " and cp %" PRId64
			      ": the first forward pass has been reported to fail",
			      degree_of(job, FIELD_TP), degree_of(job, FIELD_CP));
	relate_setting(job, finding, FIELD_TP);
	finding_requested(job->findings, finding, "attention over plain tensors, cut by cp");
	finding_actual(job->findings, finding,
		       "queries and keys are DTensors of the tp mesh, which context parallelism "
		       "does not expect");
}

static const struct saying mask_says[] = {
	{ "torch 2.9 and later",
	  "NotImplementedError: Q_LEN {n} is not divisible by CP mesh world size {cp} * BLOCK_SIZE "
	  "128. This is not supported yet." },
	{ NULL, NULL },
};

static const struct saying sequence_says[] = {
	{ "torch 2.6 to 2.8", "in shard assert buffer.size()[seq_dim] % (cp_world_size * 2) == 0 "
			      "{marks} AssertionError" },
	{ "torch 2.9", "in _generate_round_robin_indices assert {condition} AssertionError" },
	{ "torch 2.10 and 2.11", "in _generate_indices assert {condition} AssertionError" },
	{ "torch 2.12", "in _generate_indices raise AssertionError {marks} AssertionError" },
	{ NULL, NULL },
};
/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "sequence-length",
		.code = "T101",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "the sequence length cannot be cut over tp and cp",
		.explanation =
			"Context parallelism with load balancing cuts the sequence into 2 * cp "
			"chunks of one size, and sequence parallelism cuts each rank's part over "
			"tp, so the length must be a multiple of 2 * cp and of cp * tp. "
			"TorchTitan v0.2.0 to mid-2026 asks for more, seq_len % (tp * 2 * cp) == "
			"0, also with cp 1: without tp and cp the length must still be even. "
			"v0.1.0 checks nothing. PyTorch 2.13 gives up load balancing instead of "
			"failing (#183968).",
		.remedy = "Use a multiple of tp * 2 * cp.",
		.source = "https://github.com/pytorch/torchtitan/pull/1312",
		.says = sequence_says,
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT | JUDGES_ASSUMED | FOLLOWS_MODEL, check_sequence },
	{ &(const struct rule_id){
		.name = "flex-mask-blocks",
		.code = "T201",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "context parallelism cannot cut FlexAttention's mask",
		.explanation =
			"FlexAttention's mask is made of blocks of 128 queries, and PyTorch cuts "
			"it over cp only if every rank gets whole blocks: the sequence must be a "
			"multiple of 128 * cp. TorchTitan reaches this code in v0.2.2, with a "
			"Llama flavour that uses FlexAttention.",
		.remedy = "Use a sequence length that is a multiple of 128 * cp.",
		.source =
			"torch@v2.9.0 distributed/tensor/experimental/_attention.py, "
			"_create_cp_block_mask",
		.says = mask_says,
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_mask },
	{ &(const struct rule_id){
		.name = "qwen3-tensor-and-context",
		.code = "T202",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "qwen3 with tp and cp fails in TorchTitan of early 2026",
		.explanation =
			"qwen3 keeps queries and keys as DTensors for its norms over heads. The "
			"context parallelism of v0.2.2 turns its inputs into DTensors of the cp "
			"mesh, and the two kinds do not work together; seen in February 2026, "
			"fixed with DTensors throughout (#2149).",
		.remedy = "Use tp or cp alone, or TorchTitan of May 2026 or later.",
		.source = "https://github.com/pytorch/torchtitan/issues/2446",
	  },
	  NEEDS_WORLD | NEEDS_TORCHTITAN | NEEDS_APPLIED, check_qwen3 },
};
/* clang-format on */

const struct ruleset ruleset_sequence = {
	"sequence",
	"Sequences: context and sequence parallelism",
	rules,
	sizeof(rules) / sizeof(*rules),
};
