#include "base/text.h"
#include "framework/torch/fsdp.h"
#include "input/node.h"
#include "framework/wing.h"
#include "rules/facts.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

/* What one call of fully_shard may hold. */

static const struct unit *unit_starting(const struct plan *plan, const char *start)
{
	size_t i;

	for (i = 0; i < plan->units.count; i++)
		if (text_starts(plan->units.items[i].name, start))
			return &plan->units.items[i];
	return NULL;
}

/* Rows of the tied weight that the last ranks lack: the shards are not equal. */
static bool uneven_rows(const struct job *job)
{
	int64_t tp = degree_of(job, FIELD_TP), rows = (job->model->vocab + tp - 1) / tp;

	return rows % layout_size(&job->applied->dense.shard) != 0;
}

static struct finding *tied(const struct rule *rule, struct job *job, const char *what)
{
	const struct setting *tied = fact(job, FIELD_MODEL_TIED_EMBEDDINGS);
	struct span span = setting_given(tied) ? tied->span : job->model->span;
	struct finding *finding;

	finding =
		finding_add(job->findings, rule->id, span,
			    "%s shares one weight between embedding and output, which FSDP has in "
			    "two groups: %s",
			    job->model->name, what);
	relate_setting(job, finding, FIELD_DP_SHARD);
	return finding;
}

static void quote_shared(struct job *job, struct finding *finding, const char *name)
{
	finding_quote(job->findings, finding,
		      "ValueError: Parameter '%s' is shared with a parameter already managed by "
		      "another FSDP group. For shared/tied parameters, use fully_shard([module_a, "
		      "module_b]) to place them in the same FSDP group.",
		      name);
	finding->speaker = speaker(job, "torch");
}

/* TorchTitan until 67cdb9a73 (#2522, between 10 and 26 March 2026). */
static void check_tied_titan(const struct rule *rule, struct job *job, bool refused)
{
	struct finding *finding;

	if (!job_does(job, HABIT_TIED_APART) || !job->applied->units.count ||
	    !unit_starting(job->applied, "tok_embeddings") ||
	    !unit_starting(job->applied, "[norm, ") ||
	    layout_size(&job->applied->dense.shard) < 2 || (!refused && !uneven_rows(job)))
		return;
	finding = tied(rule, job,
		       refused ? "the first forward pass stops"
			       : "its last rows, on ranks with a short shard, are never updated");
	if (refused) {
		quote_shared(job, finding, "None");
	} else {
		finding_cap(finding, SEVERITY_WARNING);
		finding_actual(job->findings, finding,
			       "%" PRId64 " rows over %" PRId64 " ranks; the longer shards train",
			       job->model->vocab, layout_size(&job->applied->dense.shard));
	}
	finding_fix(job->findings, finding,
		    "use torchtitan 67cdb9a73 or later (PR #2522), which wraps both in one unit");
}

static void check_tied(const struct rule *rule, struct job *job)
{
	struct torch_release torch;
	struct finding *finding;
	bool refused;

	if (!job->world || !job->model || !job->model->tied_embeddings ||
	    !torch_release_of(job, &torch))
		return;
	refused = torch_has(&torch, TORCH_SHARED_REFUSED);
	if (trainer_of(job) && job->applied && !job->applied->error) {
		check_tied_titan(rule, job, refused);
	} else if (job_does(job, HABIT_TIED_APART) && refused &&
		   degree_of(job, FIELD_DP_SHARD) > 1 && !wrap_is_flat(&job->settings)) {
		finding = tied(rule, job, "the first forward pass stops");
		finding_cap(finding, SEVERITY_WARNING);
		quote_shared(job, finding, "model.embed_tokens.weight");
		finding_fix(
			job->findings, finding,
			"use an accelerate with PR #4171 (August 2026), or torch 2.12, or untie "
			"the weights");
	}
}

/* The type a parameter is stored in: that of the first pattern of model.dtypes that matches. */
static const char *stored_as(const struct job *job, const char *fqn, const struct node **because)
{
	const struct node *item = fact(job, FIELD_MODEL_DTYPES)->node->first;

	for (; item; item = item->next)
		if (item->key && item->kind == NODE_SCALAR && text_matches(item->key, fqn)) {
			*because = item;
			return item->text;
		}
	*because = NULL;
	return setting_text(&job->settings, FIELD_MASTER_DTYPE, "float32");
}

static void find_mixed(const struct rule *rule, struct job *job, const struct sharded *first,
		       const struct sharded *other, const struct node *because)
{
	const char *unit = job->applied->units.items[other->unit].name;
	const struct node *ignored;
	const char *a = stored_as(job, first->parameter->fqn, &ignored);
	const char *b = stored_as(job, other->parameter->fqn, &ignored);
	struct finding *finding;

	finding = finding_add(job->findings, rule->id,
			      because ? because->span : fact(job, FIELD_MODEL_DTYPES)->span,
			      "unit %s holds %s (%s) and %s (%s): fully_shard wants one type in a "
			      "unit",
			      unit, first->parameter->fqn, a, other->parameter->fqn, b);
	finding_quote(job->findings, finding,
		      "AssertionError: FSDP expects uniform original parameter dtype but got "
		      "{torch.%s, torch.%s}",
		      strcmp(a, b) < 0 ? a : b, strcmp(a, b) < 0 ? b : a);
	finding->speaker = speaker(job, "torch");
	finding_fix(
		job->findings, finding,
		"store both alike and let MixedPrecisionPolicy cast, or call fully_shard on the "
		"module that differs first");
}

static void check_mixed(const struct rule *rule, struct job *job)
{
	const struct node *because, *before;
	const struct sharded **firsts, *first; /* of each unit: a root has both ends of the model */
	size_t i;

	if (!plan_places(job->applied) || !setting_known(fact(job, FIELD_MODEL_DTYPES)) ||
	    fact(job, FIELD_MODEL_DTYPES)->node->kind != NODE_MAP)
		return;
	firsts = arena_alloc(job->arena, (job->applied->units.count + 1) * sizeof(*firsts));
	for (i = 0; i < job->applied->parameters.count; i++) {
		const struct sharded *sharded = &job->applied->parameters.items[i];
		if (sharded->unit < 0)
			continue;
		first = firsts[sharded->unit];
		if (!first)
			first = firsts[sharded->unit] = sharded;
		if (!strcmp(stored_as(job, first->parameter->fqn, &before),
			    stored_as(job, sharded->parameter->fqn, &because)))
			continue;
		find_mixed(rule, job, first, sharded, because ? because : before);
		return;
	}
}

#define PYTORCH "https://github.com/pytorch/pytorch/"

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "tied-weights-split",
		.code = "S106",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "embedding and output share a weight but are in two FSDP groups",
		.explanation =
			"A shared parameter must be in one fully_shard call. TorchTitan wraps the "
			"two ends separately until March 2026 and ties them afterwards: where the "
			"shards are uneven, FSDP then gathers the rows of the last ranks from a "
			"copy that no optimizer knows. From PyTorch 2.13 on two groups with one "
			"parameter are refused (a fork reports it for 2.12).",
		.remedy = "Wrap both modules in one call: fully_shard([embedding, norm, output]).",
		.source = PYTORCH "issues/176076",
		.says = (const struct saying[]){
			{ "torch >= 2.13", "ValueError: Parameter '{name}' is shared with a parameter already managed by another FSDP group. For shared/tied parameters, use fully_shard([module_a, module_b]) to place them in the same FSDP group." },
			{ NULL, NULL } },
	  },
	  NEEDS_NOTHING, check_tied },
	{ &(const struct rule_id){
		.name = "mixed-dtype-unit",
		.code = "S107",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "one fully_shard call gets parameters stored in two types",
		.explanation =
			"A unit is gathered and reduced as one buffer, so its parameters must be "
			"stored in one type: float32 norms or routers in a bfloat16 block, "
			"adapters beside a quantised base. FSDP asserts this in the first forward "
			"pass. From 2.8 on it ignores frozen parameters (PR #154103).",
		.remedy = "Store all parameters in one type, or wrap the module that differs in a "
			  "fully_shard call of its own.",
		.source = PYTORCH "issues/156784",
		.says = (const struct saying[]){
			{ "torch", "AssertionError: FSDP expects uniform original parameter dtype but got {dtypes}" },
			{ NULL, NULL } },
	  },
	  NEEDS_APPLIED, check_mixed },
};
/* clang-format on */

const struct ruleset ruleset_units = {
	"units",
	"Units: what one fully_shard call holds",
	rules,
	sizeof(rules) / sizeof(*rules),
};
