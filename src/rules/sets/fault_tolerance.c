#include "framework/wing.h"
#include "rules/facts.h"
#include "rules/raised.h"

static void check_flatten(const struct rule *rule, struct job *job)
{
	const struct setting *enabled = fact(job, FIELD_FT_ENABLED);
	bool early = raised(rule, job) != NULL;
	struct finding *finding;

	if (!early && (!job_does(job, HABIT_FT_MANAGED) ||
		       !setting_bool(&job->settings, FIELD_FT_ENABLED, false) ||
		       !job_does(job, HABIT_MESH_REGISTERED)))
		return;
	if (!early && job->applied->error)
		return;
	finding = finding_add(job->findings, rule->id, enabled->span,
			      "the fault-tolerant mesh cannot be flattened: it has named dims "
			      "dp_replicate and dp_shard, but its tensor only the latter");
	relate_setting(job, finding, FIELD_DP_SHARD);
	finding_requested(job->findings, finding,
			  "\"dp\" flattened from ManagedDeviceMesh (dp_replicate, dp_shard)");
	finding_actual(
		job->findings, finding,
		"an exception in _flatten: index 1 is taken from a root of 1 dim (%s with %s)",
		raiser(job), speaker(job, "torchft"));
	finding_quote(job->findings, finding, "ValueError: list.remove(x): x not in list");
	finding->speaker = speaker(job, "torch");
	finding_fix(job->findings, finding,
		    "use torchtitan 508350b7d (2025-04-17, PR #1109) or later, which keeps the "
		    "mesh plain and reduces over replicas by a hook");
}

static void check_no_replica_sync(const struct rule *rule, struct job *job)
{
	enum strategy strategy = job->applied->dense.strategy;
	struct finding *finding;

	if (!job_does(job, HABIT_FT_HOOK) || !setting_bool(&job->settings, FIELD_FT_ENABLED, false))
		return;
	if (strategy != STRATEGY_NONE && strategy != STRATEGY_DDP)
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_FT_ENABLED)->span,
			      "without FSDP the replica groups never exchange gradients: the "
			      "all-reduce hook is installed on FSDP modules only");
	relate_setting(job, finding, FIELD_DP_SHARD);
	finding_requested(job->findings, finding,
			  "gradients averaged over the replica groups (group_size %lld)",
			  (long long)setting_int(&job->settings, FIELD_FT_GROUP_SIZE, 0));
	finding_actual(job->findings, finding, "each replica group trains a model of its own");
}

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "ft-flatten",
		.code = "A101",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "torchft's device mesh cannot be flattened",
		.explanation =
			"TorchTitan 0f5bafa33 to 508350b7d builds a ManagedDeviceMesh whose "
			"replicate dim is virtual: two named dims, one tensor dim. From "
			"torchft#155 (2025-04-02) on PyTorch sees that mesh as a root, computes "
			"the index to flatten from the names and removes it from the list of "
			"tensor dims, which does not contain it.",
		.remedy = "Use torchtitan 508350b7d or later.",
		.source = "https://github.com/pytorch/torchtitan/issues/1105",
	  },
	  NEEDS_TORCHTITAN | NEEDS_ATTEMPT, check_flatten },
	{ &(const struct rule_id){
		.name = "ft-no-replica-sync",
		.code = "A102",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_DERIVED,
		.summary = "fault tolerance without FSDP: replica groups do not exchange gradients",
		.explanation =
			"From 508350b7d on FTManager.set_all_reduce_hook installs the reduction "
			"over replica groups on every FSDPModule. With dp_shard * cp = 1 there is "
			"no FSDPModule, so with DDP, TP or PP alone every replica group trains on "
			"its own.",
		.remedy = "Use dp_shard above 1.",
		.source = "torchtitan@508350b7d components/ft.py:56",
	  },
	  NEEDS_WORLD | NEEDS_TORCHTITAN | NEEDS_APPLIED, check_no_replica_sync },
};
/* clang-format on */

const struct ruleset ruleset_fault_tolerance = {
	"fault_tolerance",
	"Fault tolerance (torchft)",
	rules,
	sizeof(rules) / sizeof(*rules),
};
