#include "base/number.h"
#include "rules/advice.h"
#include "rules/elsewhere.h"
#include "rules/axes.h"
#include "rules/facts.h"
#include "rules/pinned.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

/* Tensor parallelism gives every rank whole heads: what that asks of tp. */
struct heads {
	int64_t tp, heads, kv_heads;
	int64_t common; /* every valid tp divides it */
	bool kv;	/* tp divides the heads, but not the key/value heads */
};

/* Latent attention makes keys and values for every head. False when the model does not say. */
static bool heads_of(const struct job *job, struct heads *h)
{
	const struct model *model = job->model;

	h->tp = degree_of(job, FIELD_TP);
	h->heads = model->heads;
	h->kv_heads = model->kv_lora ? model->heads : model->kv_heads;
	if (h->heads < 1 || h->kv_heads < 1)
		return false;
	h->common = common_divisor(h->heads, h->kv_heads);
	h->kv = h->heads % h->tp == 0;
	return true;
}

/* Nobody said how many ranks there are: the world follows the degrees. */
static bool world_follows(const struct job *job)
{
	return !job->world_from ||
	       (job->world_from->origin == ORIGIN_DERIVED && !span_known(job->world_from->span));
}

/* The product of the axes beside tp and dp_shard. */
static int64_t other_axes(const struct job *job)
{
	return multiply(multiply(degree_of(job, FIELD_DP_REPLICATE), degree_of(job, FIELD_CP)),
			degree_of(job, FIELD_PP));
}

/* True when the file fixes dp_shard, and the degrees multiply to the world as they are. */
static bool product_holds(const struct job *job, const struct heads *h)
{
	const struct setting *shard = fact(job, FIELD_DP_SHARD);

	return setting_given(shard) && setting_known(shard) && shard->integer > 0 &&
	       !world_follows(job) &&
	       multiply(multiply(h->tp, shard->integer), other_axes(job)) == job->world;
}

/* The valid tp nearest to the one asked for that the world can be cut by; the lower of two. */
static int64_t fitting_tp(const struct job *job, const struct heads *h)
{
	const bool follows = world_follows(job);
	const int64_t others = other_axes(job);
	int64_t best = divisor_up_to(h->common, h->tp), up;

	while (!follows && best > 1 && job->world % multiply(best, others))
		best = divisor_up_to(h->common, best - 1);
	for (up = h->tp + 1; up <= h->common && up - h->tp < h->tp - best; up++)
		if (h->common % up == 0 && (follows || job->world % multiply(up, others) == 0))
			return up;
	return best;
}

/* Another tp, and the dp_shard that keeps the product where the file fixes that, too. */
static void fix_tp(struct job *job, struct finding *finding, const struct heads *h)
{
	const int64_t fits = fitting_tp(job, h);
	const int64_t shard = job->world / multiply(fits, other_axes(job));
	const char *list = divisors_text(job->arena, h->common);

	if (!product_holds(job, h)) {
		finding_fix(job->findings, finding, "use %s %" PRId64 "; these heads take tp %s",
			    axis_key(job, FIELD_TP), fits, list);
		edit_setting(job, finding, fact(job, FIELD_TP), fits);
	} else if (job->world % multiply(fits, other_axes(job)) == 0) {
		finding_fix(job->findings, finding,
			    "use %s %" PRId64 " and %s %" PRId64 "; these heads take tp %s",
			    axis_key(job, FIELD_TP), fits, axis_key(job, FIELD_DP_SHARD), shard,
			    list);
		edit_setting(job, finding, fact(job, FIELD_TP), fits);
		edit_setting(job, finding, fact(job, FIELD_DP_SHARD), shard);
	} else {
		finding_fix(job->findings, finding,
			    "use %s %" PRId64 ", and degrees that multiply to %" PRId64
			    "; these heads take tp %s",
			    axis_key(job, FIELD_TP), fits, job->world, list);
	}
}

/* Rows of the projection that tp cuts, on rank 0. */
static int64_t local_rows(const struct job *job, const struct heads *h)
{
	const int64_t rows = multiply(h->kv ? h->kv_heads : h->heads, job->model->head_dim);

	return rows / h->tp + (rows % h->tp > 0);
}

static void say_rows(struct job *job, struct finding *finding, const struct heads *h)
{
	const int64_t size = job->model->head_dim, local = local_rows(job, h);

	if (job->model->kv_lora || size < 1)
		return;
	finding_requested(job->findings, finding, "whole heads of %" PRId64 " rows on each tp rank",
			  size);
	finding_actual(job->findings, finding, "%" PRId64 " of the %" PRId64 " rows of %s, %s",
		       local, multiply(h->kv ? h->kv_heads : h->heads, size),
		       h->kv ? "wk and of wv" : "wq",
		       local < size ? "less than one head" : "not a whole number of heads");
}

/* Sequences in one forward pass, or 0 when the config does not say. */
static int64_t batch_of_forward(const struct job *job)
{
	const int64_t batch = setting_int(&job->settings, FIELD_LOCAL_BATCH_SIZE, 0);

	if (degree_of(job, FIELD_PP) < 2)
		return batch;
	return job_does(job, HABIT_COUNTS_MICRO)
		       ? 0
		       : setting_int(&job->settings, FIELD_PP_MICROBATCH_SIZE, 1);
}

/*
 * The exact words of TorchTitan's attention, where it views plain tensors: wq(x).view(batch,
 * tokens, -1, head_dim). torchtitan@29624e37f models/llama3/model/model.py,
 * models/gpt_oss/model/model.py; qwen3 and deepseek_v3 view DTensors, which has other words by
 * version of PyTorch.
 */
static void quote_view(struct job *job, struct finding *finding, const struct heads *h)
{
	const char *family = job->model->family;
	const int64_t cp = degree_of(job, FIELD_CP), batch = batch_of_forward(job);
	const int64_t tokens = setting_int(&job->settings, FIELD_SEQ_LEN, 0) / cp;
	const int64_t rows = multiply(h->kv ? h->kv_heads : h->heads, job->model->head_dim);

	if (!job_does(job, HABIT_VIEWS_PLAIN) || batch < 1 || tokens < 1 || tokens % h->tp ||
	    rows % h->tp || job->model->head_dim < 1 ||
	    (strncmp(family, "llama", 5) && strcmp(family, "gpt_oss")))
		return;
	finding_quote(job->findings, finding,
		      "RuntimeError: shape '[%" PRId64 ", %" PRId64 ", -1, %" PRId64
		      "]' is invalid for input of size %" PRId64,
		      batch, tokens, job->model->head_dim,
		      multiply(multiply(batch, tokens), local_rows(job, h)));
	finding->speaker = speaker(job, "torch");
}

/* ---- frameworks without a model of their own ---- */

enum { TP_MOST = 256, LISTED_MOST = 12 };

/* "1, 2, 4 or 8": the degrees that go with the heads; *nearest is the one to use instead. */
static const char *valid_degrees(const struct job *job, const struct heads *h, int64_t *nearest)
{
	int64_t valid[LISTED_MOST], tp;
	const char *text = "";
	int count = 0, i;

	*nearest = 1;
	for (tp = 1; tp <= h->heads && tp <= TP_MOST; tp++) {
		if (!elsewhere_takes_heads(job, tp, h->heads, h->kv_heads))
			continue;
		if (tp < h->tp && (world_follows(job) || !job->world ||
				   job->world % multiply(tp, other_axes(job)) == 0))
			*nearest = tp;
		if (count < LISTED_MOST)
			valid[count++] = tp;
	}
	for (i = 0; i < count; i++)
		text = arena_printf(job->arena, "%s%s%" PRId64, text,
				    !i		     ? ""
				    : i + 1 == count ? " or "
						     : ", ",
				    valid[i]);
	return text;
}

static struct finding *report_elsewhere(const struct rule *rule, struct job *job,
					const struct heads *h)
{
	const struct span place = fact(job, FIELD_TP)->span;
	const char *name = model_called(job->model);

	if (!h->kv)
		return finding_add(job->findings, rule->id, place,
				   "tp %" PRId64 " does not divide heads %" PRId64
				   " of %s: %" PRId64 " mod %" PRId64 " = %" PRId64,
				   h->tp, h->heads, name, h->heads, h->tp, h->heads % h->tp);
	if (elsewhere_kv(job) == KV_MULTIPLE_OR_DIVISOR)
		return finding_add(job->findings, rule->id, place,
				   "tp %" PRId64 " is neither a multiple nor a divisor of kv_heads "
				   "%" PRId64 " of %s",
				   h->tp, h->kv_heads, name);
	if (elsewhere_kv(job) == KV_AT_LEAST_TP)
		return finding_add(job->findings, rule->id, place,
				   "tp %" PRId64 " is more than kv_heads %" PRId64 " of %s", h->tp,
				   h->kv_heads, name);
	return finding_add(job->findings, rule->id, place,
			   "tp %" PRId64 " does not divide kv_heads %" PRId64 " of %s: %" PRId64
			   " mod %" PRId64 " = %" PRId64,
			   h->tp, h->kv_heads, name, h->kv_heads, h->tp, h->kv_heads % h->tp);
}

static void check_elsewhere(const struct rule *rule, struct job *job, const struct heads *h)
{
	const struct model *model = job->model;
	struct finding *finding;
	const char *list;
	int64_t nearest;

	if (elsewhere_takes_heads(job, h->tp, h->heads, h->kv_heads))
		return;
	finding = report_elsewhere(rule, job, h);
	if (span_known(model->span))
		finding_relate(job->findings, finding, model->span,
			       "%s: heads %" PRId64 ", kv_heads %" PRId64, model_called(model),
			       model->heads, h->kv_heads);
	if (raised(rule, job))
		quote_raised(job, finding);
	else if (!elsewhere_quote_heads(rule, job, finding, h->tp, h->heads, h->kv_heads))
		finding_cap(finding, SEVERITY_WARNING);
	list = valid_degrees(job, h, &nearest);
	finding_fix(job->findings, finding, "use %s %" PRId64 "; these heads take tp %s",
		    axis_key(job, FIELD_TP), nearest, list);
	edit_setting(job, finding, fact(job, FIELD_TP), nearest);
}

/* The framework stops on the heads itself: framework-raises has its words. */
static bool told_of_heads(const struct job *job)
{
	const struct plan_error *error = job->applied->error;
	int i;

	for (i = 0; error && i < error->because_count; i++)
		if (error->because[i]->field == FIELD_MODEL_HEADS)
			return !strcmp(raised_rule(error), "framework-raises");
	return false;
}

/* What stops as it is built, or in the first forward pass. */
static void check_views(const struct rule *rule, struct job *job, const struct heads *h, bool early)
{
	const struct model *model = job->model;
	const char *name = h->kv ? "kv_heads" : "heads";
	const int64_t bad = h->kv ? h->kv_heads : h->heads;
	struct finding *finding;

	if (early)
		finding = raised_finding(rule, job,
					 "tp %" PRId64 " does not divide %s %" PRId64 " of %s",
					 h->tp, name, bad, model_called(model));
	else
		finding = finding_add(job->findings, rule->id, fact(job, FIELD_TP)->span,
				      "tp %" PRId64 " does not divide %s %" PRId64 " of %s: the "
				      "first forward pass stops in attention's view",
				      h->tp, name, bad, model_called(model));
	if (span_known(model->span))
		finding_relate(job->findings, finding, model->span,
			       "%s: heads %" PRId64 ", kv_heads %" PRId64, model_called(model),
			       model->heads, h->kv_heads);
	say_rows(job, finding, h);
	if (!early)
		quote_view(job, finding, h);
	/* a script of one's own may repeat key/value heads */
	if (h->kv && !early && !trainer_of(job))
		finding_cap(finding, SEVERITY_WARNING);
	fix_tp(job, finding, h);
}

static void check_heads(const struct rule *rule, struct job *job)
{
	const bool early = raised(rule, job) != NULL;
	struct heads h;

	if (!heads_of(job, &h) || h.tp < 2 || told_of_heads(job))
		return;
	if (job->applied->assumed || !job->framework->views_heads)
		check_elsewhere(rule, job, &h);
	else if (h.common % h.tp)
		check_views(rule, job, &h, early);
}

static const struct saying heads_says[] = {
	{ "torch",
	  "RuntimeError: shape '[{batch}, {tokens}, -1, {head size}]' is invalid for input of size "
	  "{n}" },
	{ NULL, NULL },
};
/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "heads-divisibility",
		.code = "T103",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "tp does not divide the attention heads",
		.explanation =
			"Tensor parallelism gives each rank whole heads. With grouped-query "
			"attention the key/value heads count, too: tp may not exceed them. "
			"Latent attention (MLA, deepseek_v3) makes keys and values for every "
			"head, so there only the heads count. TorchTitan v0.1.0 to v0.2.2 checks "
			"nothing, and the first forward pass stops where a part of a head is "
			"viewed as whole ones; later versions refuse the config.",
		.remedy = "Use a tp that divides heads and kv_heads.",
		.source = "https://github.com/pytorch/torchtitan/issues/932",
		.says = heads_says,
		.stops = true,
	  },
	  NEEDS_WORLD | NEEDS_MODEL | NEEDS_ATTEMPT | JUDGES_ASSUMED | FOLLOWS_BLAMED, check_heads },
};
/* clang-format on */

const struct ruleset ruleset_tensor_parallel = {
	"tensor-parallel",
	"Tensor parallelism",
	rules,
	sizeof(rules) / sizeof(*rules),
};
