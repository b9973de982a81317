#include "base/number.h"
#include "framework/optimizer.h"
#include "rules/facts.h"
#include "rules/raised.h"

#include <inttypes.h>

/*
 * How long planning a save takes: torch distributed/checkpoint/default_planner.py,
 * _validate_global_plan, holds every chunk of a tensor against every other before #166820.
 */

enum { SLOW_SECONDS = 60, SECONDS_PER_MINUTE = 60 };

/* The pull request's own benchmark: 0.486 s for 2,048 chunks, 32.7 s for 16,384. */
static const double seconds_per_pair = 0.24e-6;

/* Parts a parameter is saved in: replicas are saved once. */
static int64_t chunks_of(const struct sharded *sharded)
{
	int64_t chunks = 1;
	int i;

	for (i = 0; i < sharded->dims; i++)
		if (sharded->dim[i].placement.kind != PLACE_REPLICATE)
			chunks = multiply(chunks, layout_size(sharded->dim[i].layout));
	return chunks;
}

/* Tensors saved for each parameter: itself, and what the optimizer keeps of it. */
static int tensors_each(const struct job *job)
{
	return 1 + optimizer_of(job).states;
}

static void check_validation(const struct rule *rule, struct job *job)
{
	const struct setting *enabled = fact(job, FIELD_CHECKPOINT_ENABLED);
	const struct plan *plan = job->applied;
	double pairs = 0, seconds;
	struct torch_release torch;
	struct finding *finding;
	int64_t most = 1, chunks;
	size_t i;

	if (!plan_places(plan) || !torch_release_of(job, &torch) ||
	    torch_has(&torch, TORCH_PLAN_VALIDATED_BY_SWEEP) ||
	    !setting_bool(&job->settings, FIELD_CHECKPOINT_ENABLED, false))
		return;
	for (i = 0; i < plan->parameters.count; i++) {
		chunks = chunks_of(&plan->parameters.items[i]);
		most = chunks > most ? chunks : most;
		pairs += (double)chunks * (double)(chunks - 1) / 2;
	}
	pairs *= tensors_each(job);
	seconds = pairs * seconds_per_pair;
	if (seconds < SLOW_SECONDS)
		return;
	finding = finding_add(job->findings, rule->id, enabled->span,
			      "every save compares the %" PRId64 " chunks of each tensor with each "
			      "other on one rank",
			      most);
	relate_setting(job, finding, FIELD_DP_SHARD);
	relate_setting(job, finding, FIELD_TP);
	finding_consequence(job->findings, finding,
			    "%.3g pairs of chunks over %zu parameters: about %.0f minutes of "
			    "planning per save, at the pace of the fix's own benchmark",
			    pairs, plan->parameters.count, seconds / SECONDS_PER_MINUTE);
}

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "save-plan-quadratic",
		.code = "R111",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_REPORTED,
		.summary = "before PyTorch 2.10, planning a save takes minutes with this many "
			   "shards",
		.explanation =
			"Before it writes, DCP checks on one rank that no two chunks of a tensor "
			"overlap. Up to 2.9 it compares all pairs, so the time grows with the "
			"square of the number of shards; 2.10 sorts them (#166820). Replicas are "
			"saved once and do not count.",
		.remedy = "Use PyTorch 2.10 or later, or fewer shards and more replicas (HSDP).",
		.source = "https://github.com/pytorch/pytorch/issues/163548",
	  },
	  NEEDS_WORLD | NEEDS_MODEL | NEEDS_APPLIED, check_validation },
};
/* clang-format on */

const struct ruleset ruleset_saving = {
	"saving",
	"Saving checkpoints",
	rules,
	sizeof(rules) / sizeof(*rules),
};
