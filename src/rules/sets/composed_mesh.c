#include "input/launch/launch.h"
#include "rules/advice.h"
#include "rules/facts.h"
#include "rules/mesh_block.h"
#include "rules/pinned.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

/* Two meshes for one parameter, and what the launch does to a mesh. */

static void check_roots(const struct rule *rule, struct job *job)
{
	struct finding *finding;

	if (!raised(rule, job))
		return;
	finding = raised_finding(rule, job,
				 "fully_shard and parallelize_module get meshes of two different "
				 "init_device_mesh calls");
	block_point(job, finding, block_member(job, "script"));
	finding_fix(job->findings, finding,
		    "build one root mesh with all axes and slice both meshes out of it");
}

/* A name that both lists hold, or NULL. */
static const char *shared(const struct block_list *a, const struct block_list *b)
{
	int i, j;

	for (i = 0; i < a->count; i++)
		for (j = 0; j < b->count; j++)
			if (!strcmp(a->items[i]->text, b->items[j]->text))
				return a->items[i]->text;
	return NULL;
}

static void check_overlap(const struct rule *rule, struct job *job)
{
	struct block_list data = block_list(block_member(job, "fully_shard"));
	struct block_list tensor = block_list(block_member(job, "tensor_parallel"));
	const char *name = shared(&data, &tensor);
	struct finding *finding;

	if (!raised(rule, job))
		return;
	finding = raised_finding(rule, job,
				 "the mesh given to fully_shard and the one that cuts the same "
				 "parameters have ranks in common%s%s%s",
				 name ? ": '" : "", name ? name : "", name ? "' is in both" : "");
	block_point(job, finding, block_member(job, "fully_shard"));
	finding_fix(job->findings, finding,
		    "shard over the axes that are left; for experts (dp_shard * cp * tp) / ep of "
		    "them");
}

/* 2.2 wants a root of two axes. */
static void refuse_axes(const struct rule *rule, struct job *job)
{
	struct finding *finding;

	finding = raised_finding(rule, job,
				 "%s takes tensor parallelism in a root of two axes, not of more",
				 speaker(job, "torch"));
	block_point(job, finding, block_member(job, "tensor_parallel"));
	finding_fix(job->findings, finding, "use torch 2.3 or later, or a root (dp, tp)");
	edit_torch(job, finding, "2.3.0");
}

static void check_innermost(const struct rule *rule, struct job *job)
{
	const struct plan_error *error = raised(rule, job);
	struct finding *finding;

	if (!error)
		return;
	if (strstr(error->message, "parent mesh with dims")) {
		refuse_axes(rule, job);
		return;
	}
	finding = raised_finding(rule, job,
				 "the tensor-parallel axis is not the last of the root, as %s "
				 "wants",
				 speaker(job, "torch"));
	block_point(job, finding, block_member(job, "tensor_parallel"));
	finding_fix(job->findings, finding,
		    "make it the last axis of the root, or use torch 2.9 or later (pytorch PR "
		    "#157216)");
	block_tensor_last(job, finding);
}

static void check_tensor_axes(const struct rule *rule, struct job *job)
{
	const struct node *tensor = block_member(job, "tensor_parallel");
	const struct node *said = node_member(block_member(job, "means"), "tensor");
	struct finding *finding;

	if (!raised(rule, job))
		return;
	finding = raised_finding(rule, job,
				 "parallelize_module gets a mesh of several axes; it cuts over "
				 "one");
	block_point(job, finding, tensor);
	finding_fix(job->findings, finding, "name the one axis that tensor parallel cuts over");
	if (tensor && said && said->kind == NODE_SCALAR && tensor->origin == NODE_FROM_FILE)
		finding_edit(job->findings, finding, tensor->span, "%s", said->text);
}

static void check_hybrid_tensor(const struct rule *rule, struct job *job)
{
	struct finding *finding;

	if (!raised(rule, job))
		return;
	finding = raised_finding(rule, job,
				 "HSDP over parameters that tensor parallelism has cut: %s places "
				 "them on two axes only",
				 speaker(job, "torch"));
	block_point(job, finding, block_member(job, "fully_shard"));
	relate_setting(job, finding, FIELD_TP);
	finding_fix(job->findings, finding,
		    "use torch 2.5 or later (pytorch PR #133335), or FSDP without replicas");
	edit_torch(job, finding, "2.5.0");
}

static void check_ddp_tensor(const struct rule *rule, struct job *job)
{
	const struct node *ddp = block_member(job, "ddp");
	struct finding *finding;

	/* degrees alone do not say DDP: the script may well use fully_shard over (replicate, 1) */
	if (!ddp || trainer_of(job) || degree_of(job, FIELD_TP) < 2 ||
	    job->applied->dense.strategy != STRATEGY_DDP)
		return;
	finding = finding_add(job->findings, rule->id, ddp->span,
			      "DDP over parameters that tensor parallelism has cut: it has been "
			      "reported to train without gradients");
	relate_setting(job, finding, FIELD_TP);
	finding_fix(job->findings, finding,
		    "use fully_shard over (replicate, shard) instead, or with shard 1");
}

/* ---- the launch ---- */

static void check_hosts(const struct rule *rule, struct job *job)
{
	const struct setting *per_node = fact(job, FIELD_CLUSTER_GPUS_PER_NODE);
	struct torch_release torch;
	struct finding *finding;
	bool old;

	if (!job->world || !setting_known(fact(job, FIELD_MESH)) ||
	    !torch_release_of(job, &torch) || !setting_known(per_node) || per_node->integer < 1 ||
	    job->world <= per_node->integer || job->world % per_node->integer == 0)
		return;
	old = !torch_has(&torch, TORCH_LOCAL_RANK_TRUSTED);
	if (!old && launcher_makes_blocks(setting_text(&job->settings, FIELD_LAUNCH_LAUNCHER, "")))
		return;
	finding = finding_add(job->findings, rule->id, job->world_from->span,
			      "%" PRId64 " ranks do not fill whole nodes of %" PRId64
			      " devices: init_device_mesh stops unless the script %s first",
			      job->world, per_node->integer,
			      old ? "initialises the process group"
				  : "sets LOCAL_RANK or the device");
	relate_setting(job, finding, FIELD_CLUSTER_GPUS_PER_NODE);
	finding_quote(job->findings, finding,
		      "RuntimeError: DeviceMesh only support homogeneous hardware, but found "
		      "%" PRId64 " ranks and %" PRId64 " cuda devices!",
		      job->world, per_node->integer);
	finding->speaker = speaker(job, "torch");
	finding_fix(job->findings, finding, "use %" PRId64 " or %" PRId64 " ranks",
		    job->world / per_node->integer * per_node->integer,
		    (job->world / per_node->integer + 1) * per_node->integer);
}

/* ---- accelerate ---- */

static bool is_one(const struct setting *setting)
{
	return setting_given(setting) && setting_known(setting) && setting->integer == 1;
}

/* accelerate's own advice contradicts itself: the replicas as shards, all or some of them. */
static void fix_replicas(struct job *job, struct finding *finding)
{
	const int64_t replicas = setting_int(&job->settings, FIELD_DP_REPLICATE, 1);
	const int64_t shard = divisor_up_to(replicas, replicas - 1);

	if (shard > 1)
		finding_fix(job->findings, finding,
			    "use dp_replicate 1 and dp_shard %" PRId64 ", or dp_replicate %" PRId64
			    " and dp_shard %" PRId64,
			    replicas, replicas / shard, shard);
	else
		finding_fix(job->findings, finding, "use dp_replicate 1 and dp_shard %" PRId64,
			    replicas);
	edit_setting(job, finding, fact(job, FIELD_DP_REPLICATE), 1);
	edit_setting(job, finding, fact(job, FIELD_DP_SHARD), replicas);
}

static void check_accelerate(const struct rule *rule, struct job *job)
{
	int64_t tp = setting_int(&job->settings, FIELD_TP, 1);
	int64_t cp = setting_int(&job->settings, FIELD_CP, 1);
	bool replicas = setting_int(&job->settings, FIELD_DP_REPLICATE, 1) > 1;
	const struct setting *shard = fact(job, FIELD_DP_SHARD);
	struct finding *finding;

	if (!job_does(job, HABIT_SIZED_AXES) || !is_one(shard) ||
	    !(replicas ? tp > 1 || cp > 1 : tp > 1 && cp == 1))
		return;
	finding = finding_add(job->findings, rule->id, shard->span,
			      replicas ? "accelerate takes no replicas beside tp or cp without "
					 "dp_shard"
				       : "with dp_shard 1 accelerate makes no dp_shard_cp mesh, "
					 "which FSDP asks for: no FSDP is possible here");
	relate_setting(job, finding, FIELD_TP);
	relate_setting(job, finding, FIELD_DP_REPLICATE);
	quote_told(
		rule, job, finding,
		(const struct exception_name[]) {
			TELL_ABOUT(replicas ? "pure data parallelism" : "Invalid mesh_dim_names"),
			TELL("names", "['tp']"), TELL_END });
	if (!replicas) /* tp alone is fine where FSDP is not asked for */
		finding_cap(finding, setting_known(fact(job, FIELD_SHARDING_MODE)) ||
						     setting_known(fact(job, FIELD_FSDP_VERSION))
					     ? SEVERITY_WARNING
					     : SEVERITY_NOTE);
	if (replicas)
		fix_replicas(job, finding);
	else
		finding_fix(job->findings, finding,
			    "give dp_shard at least 2, or leave FSDP out (distributed_type "
			    "MULTI_GPU)");
}

#define TORCH_MESH "torch@v2.8.0 distributed/device_mesh.py"

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "meshes-of-two-roots",
		.code = "M206",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "FSDP and tensor parallelism on meshes of two init_device_mesh calls",
		.explanation =
			"A parameter that is cut twice lives on one mesh with both axes. Up to "
			"2.9 FSDP slices it out of the root of its own mesh, which must be the "
			"root of the tensor-parallel mesh, too; from 2.10 on FSDP joins the two "
			"meshes, which must cover the same ranks. Meshes are compared by names, "
			"sizes and ranks: a second world mesh with an equal slice takes over as "
			"its root.",
		.remedy = "Build one root mesh and slice it.",
		.source = "https://github.com/InternLM/xtuner/issues/1329",
		.says = (const struct saying[]){
			{ "torch <= 2.8", "AssertionError: FSDP requires the DP and TP mesh to have the same parent mesh but got:" },
			{ "torch 2.9", "AssertionError: FSDP requires the DP and model parallel TP/EP mesh to have the same parent mesh but got:" },
			{ "torch >= 2.10", "RuntimeError: Cannot concatenate DeviceMeshes derived from different device meshes" },
			{ NULL, NULL } },
	  },
	  NEEDS_ATTEMPT, check_roots },
	{ &(const struct rule_id){
		.name = "overlapping-meshes",
		.code = "M207",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "FSDP shards over an axis that already cuts the parameter",
		.explanation =
			"When fully_shard and tensor or expert parallelism both cut a parameter, "
			"PyTorch 2.10 and later join their two meshes. A rank cannot be at two "
			"places of the joined mesh, so the two must not share an axis, and "
			"neither may be flattened over the other.",
		.remedy = "Give fully_shard the axes that do not cut the parameter yet.",
		.source = "torch@v2.14.0 distributed/device_mesh.py, _concatenate",
		.says = (const struct saying[]){
			{ "torch >= 2.10", "RuntimeError: Cannot concatenate overlapping meshes: {meshes}" },
			{ NULL, NULL } },
	  },
	  NEEDS_ATTEMPT, check_overlap },
	{ &(const struct rule_id){
		.name = "tensor-mesh-not-innermost",
		.code = "M208",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "tensor parallel is not the last axis of the root mesh",
		.explanation =
			"Up to PyTorch 2.8 parallelize_module requires its axis to be the last of "
			"the root, so that its ranks are neighbours; 2.2 and 2.3 require a root "
			"of two axes.",
		.remedy = "Put tp last in the root, or use PyTorch 2.9 or later.",
		.source = "https://github.com/pytorch/pytorch/pull/157216",
		.says = (const struct saying[]){
			{ "torch <= 2.8", "RuntimeError: Found TP device_mesh on the {n} dimension of its parent mesh." },
			{ "torch 2.2 and 2.3", "RuntimeError: Found TP device_mesh has a parent mesh with dims {n}" },
			{ NULL, NULL } },
	  },
	  NEEDS_ATTEMPT, check_innermost },
	{ &(const struct rule_id){
		.name = "tensor-mesh-not-1d",
		.code = "M209",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "parallelize_module gets a mesh of several axes",
		.explanation =
			"Tensor parallelism cuts over one axis. PyTorch 2.3 to 2.8 refuse a mesh of "
			"two; 2.9 and later fail where the first "
			"weight is cut; 2.2 cuts over the first axis, as tp_mesh_dim says.",
		.remedy = "Pass mesh[\"tp\"].",
		.source = "torch@v2.8.0 distributed/tensor/parallel/_utils.py:52",
		.says = (const struct saying[]){
			{ "torch 2.9 and later", "ValueError: `placements` must have the same length as `device_mesh.ndim`! Found placements length: 1, and device_mesh.ndim: {n}." },
			{ NULL, NULL } },
	  },
	  NEEDS_ATTEMPT, check_tensor_axes },
	{ &(const struct rule_id){
		.name = "uneven-hosts",
		.code = "M213",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_READ,
		.summary = "the ranks do not fill whole nodes",
		.explanation =
			"init_device_mesh chooses each rank's device by counting devices per host "
			"and refuses a world size that this count does not divide: up to 2.7 "
			"whenever init_device_mesh itself initialises the process group, from 2.8 "
			"on only when neither LOCAL_RANK nor the device is set. A config does not "
			"show which of these a script does.",
		.remedy = "Fill every node, or set the device before building the mesh.",
		.source = TORCH_MESH ":510-520",
		.says = (const struct saying[]){
			{ "torch", "RuntimeError: DeviceMesh only support homogeneous hardware, but found {n} ranks and {n} cuda devices!" },
			{ NULL, NULL } },
	  },
	  NEEDS_ATTEMPT, check_hosts },
	{ &(const struct rule_id){
		.name = "ddp-with-tensor-parallel",
		.code = "M214",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "DDP over a model that tensor parallelism has cut",
		.explanation =
			"DDP reduces gradients of plain tensors. A report says that a script with "
			"DTensors trained without any gradient; TorchTitan refuses the "
			"combination until e1847f439, which replicates through FSDP's own "
			"machinery.",
		.remedy = "Use fully_shard over a mesh (replicate, shard); shard may be 1.",
		.source = "https://github.com/pytorch/torchtitan/issues/577",
	  },
	  NEEDS_APPLIED, check_ddp_tensor },
	{ &(const struct rule_id){
		.name = "hsdp-with-tensor-parallel",
		.code = "M215",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "HSDP with tensor parallelism before PyTorch 2.5",
		.explanation =
			"For a parameter that is a DTensor, fully_shard up to 2.4 supports one "
			"data-parallel and one tensor-parallel axis, and refuses a mesh of two.",
		.remedy = "Use PyTorch 2.5 or later, or FSDP alone.",
		.source = "https://github.com/pytorch/pytorch/pull/133335",
		.says = (const struct saying[]){
			{ "torch <= 2.4", "NotImplementedError: Using TP with HSDP is not supported" },
			{ NULL, NULL } },
	  },
	  NEEDS_ATTEMPT, check_hybrid_tensor },
	{ &(const struct rule_id){
		.name = "accelerate-tensor-only",
		.code = "M216",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "accelerate: tp without dp_shard leaves FSDP no mesh",
		.explanation =
			"ParallelismConfig makes only axes above 1. FSDP asks for dp_shard_cp, "
			"which accelerate flattens from dp_shard and cp; when both are 1 it does "
			"not exist, and FSDP stops with a KeyError. accelerate refuses replicas "
			"together with tp or cp at once unless dp_shard is above 1.",
		.remedy = "Give dp_shard at least 2, or leave FSDP out.",
		.source = "https://github.com/huggingface/accelerate/issues/3798",
	  },
	  NEEDS_NOTHING, check_accelerate },
};
/* clang-format on */

const struct ruleset ruleset_composed_mesh = {
	"composed_mesh",
	"Meshes together: FSDP, tensor parallel and the launch",
	rules,
	sizeof(rules) / sizeof(*rules),
};
