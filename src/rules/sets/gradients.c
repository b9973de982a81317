#include "framework/torch/fsdp.h"
#include "base/text.h"
#include "input/field.h"
#include "input/launch/launch.h"
#include "input/node.h"
#include "framework/wing.h"
#include "rules/advice.h"
#include "rules/facts.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

/* What a gradient goes through: reduction, clipping, the step. */

static bool is_titan(const struct job *job)
{
	return trainer_of(job) != NULL;
}

static bool by_fully_shard(const struct job *job)
{
	enum strategy strategy = job->applied->dense.strategy;

	return (strategy == STRATEGY_FSDP || strategy == STRATEGY_HSDP) &&
	       !wrap_is_flat(&job->settings);
}

/* ---- reduction ---- */

static struct span mesh_or(const struct job *job, const char *key, enum field_id field)
{
	const struct setting *mesh = fact(job, FIELD_MESH);
	const struct node *node = setting_known(mesh) ? node_member(mesh->node, key) : NULL;

	return node && span_known(node->span) ? node->span : fact(job, field)->span;
}

static void check_one_rank(const struct rule *rule, struct job *job)
{
	struct torch_release torch;
	struct finding *finding;

	if (!torch_release_of(job, &torch) || torch_has(&torch, TORCH_ONE_RANK_SUMMED) ||
	    !by_fully_shard(job) || layout_size(&job->applied->dense.shard) != 1 ||
	    !strcmp(setting_text(&job->settings, FIELD_REDUCE_DTYPE, ""), "float16"))
		return;
	finding =
		finding_add(job->findings, rule->id, mesh_or(job, "fully_shard", FIELD_DP_SHARD),
			    "fully_shard over one rank averages gradients over a group of one, for "
			    "which NCCL has been reported to return zeros: small weights stop "
			    "learning");
	finding_fix(
		job->findings, finding,
		"use torch 2.9 or later (pytorch PR #157529); or leave fully_shard out, or call "
		"set_force_sum_reduction_for_comms(True) from 2.8 on");
	edit_torch(job, finding, "2.9.0");
}

static void check_gloo(const struct rule *rule, struct job *job)
{
	const struct setting *backend = fact(job, FIELD_BACKEND);
	struct torch_release torch;
	int64_t ranks;
	struct finding *finding;

	if (!setting_known(backend) || strcmp(backend->text, "gloo") != 0 ||
	    !torch_release_of(job, &torch) || torch_has(&torch, TORCH_GLOO_AVERAGES) ||
	    !by_fully_shard(job))
		return;
	ranks = layout_size(&job->applied->dense.shard);
	if (ranks < 2)
		return;
	finding = finding_add(job->findings, rule->id, backend->span,
			      "gloo sums where fully_shard asks for the average: gradients are "
			      "%" PRId64 " times too large",
			      ranks);
	finding_fix(
		job->findings, finding,
		"divide the learning rate or the loss in tests on CPU, or call "
		"set_force_sum_reduction_for_comms(True) from 2.8 on, or use torch 2.9 or later");
}

/* Bytes of the float32 buffers of all units: the reduce-scatter's output of each. */
static int64_t reduced_bytes(const struct plan *plan)
{
	int64_t elements = 0;
	size_t i;

	for (i = 0; !plan->stages_assumed && i < plan->units.count; i++)
		elements += plan->units.items[i].shard_elements;
	return elements * 4;
}

static void check_buffers(const struct rule *rule, struct job *job)
{
	const struct setting *stored = fact(job, FIELD_MASTER_DTYPE);
	const struct setting *reduced = fact(job, FIELD_REDUCE_DTYPE);
	int64_t bytes;
	struct finding *finding;

	if (job->applied->dense.strategy != STRATEGY_HSDP || !by_fully_shard(job) ||
	    layout_size(&job->applied->dense.replicate) < 2 || !setting_known(stored) ||
	    !setting_known(reduced) || strcmp(stored->text, "bfloat16") != 0 ||
	    strcmp(reduced->text, "float32") != 0)
		return;
	bytes = reduced_bytes(job->applied);
	if (bytes < 256 * 1024 * 1024)
		return;
	finding = finding_add(job->findings, rule->id,
			      setting_given(reduced) ? reduced->span : stored->span,
			      "HSDP with bfloat16 weights and float32 reduction keeps the reduced "
			      "gradients of all units until backward ends: %.1f GiB per rank",
			      (double)bytes / (1024.0 * 1024 * 1024));
	relate_setting(job, finding, FIELD_DP_REPLICATE);
	relate_setting(job, finding, FIELD_MASTER_DTYPE);
}

static const char *assigned(const struct job *job, const char *name, struct span *span)
{
	const struct setting *setting = fact(job, FIELD_ENVIRONMENT);
	const struct launch *launch = job->document.launch;
	const struct node *node;
	size_t i;

	for (i = launch ? launch->environment.count : 0; i > 0; i--)
		if (!strcmp(launch->environment.items[i - 1].name, name)) {
			*span = launch->environment.items[i - 1].span;
			return launch->environment.items[i - 1].value;
		}
	node = setting_known(setting) ? node_member(setting->node, name) : NULL;
	if (!node || node->kind != NODE_SCALAR)
		return NULL;
	*span = node->span;
	return node->text;
}

static void check_streams(const struct rule *rule, struct job *job)
{
	static const char name[] = "TORCH_NCCL_AVOID_RECORD_STREAMS";
	struct span span = { 0 };
	const char *value = assigned(job, name, &span);
	struct torch_release torch;
	struct finding *finding;

	if (!value || strcmp(value, "1") != 0 || !by_fully_shard(job) ||
	    job->applied->dense.strategy != STRATEGY_HSDP || !torch_release_of(job, &torch) ||
	    torch_has(&torch, TORCH_STREAMS_STASHED) ||
	    !setting_bool(&job->settings, FIELD_DETERMINISTIC, false))
		return;
	finding =
		finding_add(job->findings, rule->id, span,
			    "%s=1 with deterministic algorithms: HSDP has been reported to reduce "
			    "NaN into gradients, now and then",
			    name);
	relate_setting(job, finding, FIELD_DETERMINISTIC);
	relate_setting(job, finding, FIELD_DP_REPLICATE);
	finding_fix(job->findings, finding,
		    "leave the variable unset, or set "
		    "torch.utils.deterministic.fill_uninitialized_memory to False");
}

/* ---- clipping and the step ---- */

static bool clips(const struct job *job)
{
	const struct setting *norm = fact(job, FIELD_MAX_NORM);

	return setting_known(norm) && norm->number > 0;
}

/* Newest first. */
static const struct saying clip_says[] = {
	{ "torch 2.10 and later",
	  "RuntimeError: All operands in aten.stack.default must have the same mesh" },
	{ "torch 2.9", "RuntimeError: Sharding propagation failed for Op(op=aten.stack.default" },
	{ "torch 2.7 and 2.8",
	  "ValueError: All operands in aten.stack.default must have the same mesh" },
	{ "torch up to 2.6", "NotImplementedError: aten.stack.default: DTensor does not support "
			     "cross-mesh operation yet!" },
	{ NULL, NULL },
};

static void check_clip_experts(const struct rule *rule, struct job *job)
{
	struct torch_release torch;
	struct finding *finding;

	if (is_titan(job) || !clips(job) || degree_of(job, FIELD_EP) < 2)
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_MAX_NORM)->span,
			      "torch.nn.utils.clip_grad_norm_ cannot stack norms of two meshes: "
			      "experts live on another than the rest");
	relate_setting(job, finding, FIELD_EP);
	finding_quote(job->findings, finding, "%s",
		      !torch_release_of(job, &torch)		    ? clip_says[0].text
		      : torch_has(&torch, TORCH_CROSS_MESH_NAMED)   ? clip_says[0].text
		      : torch_has(&torch, TORCH_CROSS_MESH_UNNAMED) ? clip_says[1].text
		      : torch_has(&torch, TORCH_CROSS_MESH_CHECKED) ? clip_says[2].text
								    : clip_says[3].text);
	finding->speaker = speaker(job, "torch");
	finding_fix(job->findings, finding,
		    "take the norm of each mesh's gradients on its own and join the two, as "
		    "torchtitan's distributed/utils.py does");
}

static void check_clip_stages(const struct rule *rule, struct job *job)
{
	const struct version *titan = trainer_of(job);
	struct finding *finding;

	if (degree_of(job, FIELD_PP) < 2 ||
	    (titan ? !job_does(job, HABIT_CLIPS_STAGES) : !clips(job)))
		return;
	finding = finding_add(job->findings, rule->id,
			      titan ? fact(job, FIELD_PP)->span : fact(job, FIELD_MAX_NORM)->span,
			      "gradients are clipped by the norm of one pipeline stage, not of the "
			      "model: %" PRId64 " stages clip differently",
			      degree_of(job, FIELD_PP));
	relate_setting(job, finding, FIELD_PP);
	finding_fix(job->findings, finding,
		    titan ? "use torchtitan 3e3909a0c (2024-11-28) or later (PR #649)"
			  : "all-reduce the norm over the pipeline axis before clipping");
}

static bool moves_rows(const char *optimizer)
{
	return !strcmp(optimizer, "muon") || !strcmp(optimizer, "dion") ||
	       !strcmp(optimizer, "Muon") || !strcmp(optimizer, "Dion");
}

static void check_experts(const struct rule *rule, struct job *job)
{
	const char *optimizer = setting_text(&job->settings, FIELD_OPTIMIZER_NAME, "");
	int64_t ep = degree_of(job, FIELD_EP), each, ranks, full, last;
	struct finding *finding;

	if (ep < 2 || !job->model || !job->model->experts || !job->applied->has_expert ||
	    job->model->experts % ep || (is_titan(job) && !moves_rows(optimizer)))
		return;
	each = job->model->experts / ep;
	ranks = layout_size(&job->applied->expert.shard);
	if (ranks < 2 || each % ranks == 0 || ranks > each)
		return;
	full = (each + ranks - 1) / ranks;
	last = each - (ranks - 1) * full; /* below 0 where several ranks hold nothing */
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_EP)->span,
			      "each expert-parallel rank has %" PRId64 " experts, which FSDP cuts "
			      "over %" PRId64 " ranks unevenly: optimizer states and gradients of "
			      "different sizes have been reported to meet",
			      each, ranks);
	relate_setting(job, finding, FIELD_DP_SHARD);
	relate_setting(job, finding, FIELD_OPTIMIZER_NAME);
	finding_quote(job->findings, finding,
		      "RuntimeError: The size of tensor a (%" PRId64
		      ") must match the size of tensor b (%" PRId64
		      ") at non-singleton dimension 0",
		      full, last > 0 ? last : 0);
	finding->speaker = speaker(job, "torch");
	finding_fix(job->findings, finding,
		    "let %s ranks share the %" PRId64 " experts, or cut experts along another dim",
		    divisors_text(job->arena, each), each);
}

static void check_simple(const struct rule *rule, struct job *job)
{
	const char *trainer = setting_text(&job->settings, FIELD_EXPERIMENT, "");
	struct finding *finding;

	if ((!strstr(trainer, "simple_fsdp") && !strstr(trainer, "graph_trainer")) ||
	    !setting_bool(&job->settings, FIELD_FLOAT8_FSDP_ALL_GATHER, false))
		return;
	finding =
		finding_add(job->findings, rule->id, fact(job, FIELD_FLOAT8_FSDP_ALL_GATHER)->span,
			    "%s gathers weights in bfloat16, whatever is said of float8: twice the "
			    "bytes",
			    trainer);
	finding_requested(job->findings, finding, "all-gathers of one byte per weight");
	finding_actual(job->findings, finding, "all-gathers of two bytes per weight");
}

#define PYTORCH "https://github.com/pytorch/pytorch/"
#define TITAN	"https://github.com/pytorch/torchtitan/"

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "fsdp-over-one-rank",
		.code = "S108",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "fully_shard over one rank: gradients of small weights become zero",
		.explanation =
			"FSDP2 asks NCCL for the average over the shard group. Users report that "
			"over one rank the reduce-scatter returns zeros for small tensors (2.5.1 "
			"and 2.8). From 2.9 on it asks for the sum.",
		.remedy = "Use PyTorch 2.9 or later, or no fully_shard over one rank.",
		.source = PYTORCH "issues/144045",
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_one_rank },
	{ &(const struct rule_id){
		.name = "gloo-average",
		.code = "S109",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_RUN,
		.summary = "gloo sums gradients that FSDP2 wants averaged",
		.explanation =
			"Gloo's reduce-scatter accepts ReduceOp.AVG but sums. FSDP2 on CPU then "
			"trains on gradients that are larger by the number of ranks. Seen in runs "
			"of 2.7.1 and 2.8.0 and reported for 2.6; 2.9.1 averages.",
		.remedy = "Use NCCL or PyTorch 2.9, or force sum reductions.",
		.source = PYTORCH "issues/162338",
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_gloo },
	{ &(const struct rule_id){
		.name = "hsdp-reduce-buffers",
		.code = "S111",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_REPORTED,
		.summary = "HSDP keeps the float32 gradients of all units during backward",
		.explanation =
			"When the type of stored weights differs from the type of reduced "
			"gradients, HSDP keeps the reduced buffer of every unit for the "
			"all-reduce until backward ends, in addition to the gradient that was "
			"cast from it. Plain FSDP, and weights stored in float32, do not need "
			"this memory. The size is that of the units' shards at four bytes per "
			"element.",
		.remedy = "Plan for this memory, reduce in bfloat16, or store in float32.",
		.source = PYTORCH "issues/179128",
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_buffers },
	{ &(const struct rule_id){
		.name = "hsdp-record-streams",
		.code = "S112",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "HSDP, deterministic fill and no recorded streams: NaN gradients",
		.explanation =
			"TORCH_NCCL_AVOID_RECORD_STREAMS=1 lets the allocator hand out a buffer "
			"that a collective still reads; deterministic mode fills it with NaN. "
			"Either alone has been reported to be harmless. Seen with 2.4 and "
			"claimed up to 2.7.",
		.remedy = "Leave the variable unset.",
		.source = PYTORCH "issues/147810",
	  },
	  NEEDS_APPLIED, check_streams },
	{ &(const struct rule_id){
		.name = "clip-across-meshes",
		.code = "S113",
		.severity = SEVERITY_NOTE, /* a script may join the norms in a way of its own */
		.evidence = EVIDENCE_RUN,
		.summary = "clip_grad_norm_ over experts and the rest of the model",
		.explanation =
			"torch.nn.utils.clip_grad_norm_ stacks the norms of all gradients. Norms "
			"of DTensors keep their mesh, and experts have a mesh of their own.",
		.remedy = "Clip by mesh and join the norms.",
		.source = PYTORCH "issues/180346",
		.says = clip_says,
	  },
	  NEEDS_APPLIED, check_clip_experts },
	{ &(const struct rule_id){
		.name = "clip-per-stage",
		.code = "S114",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_READ,
		.summary = "gradients are clipped by the norm of one pipeline stage",
		.explanation =
			"clip_grad_norm_ sees the parameters of its process: with pipeline "
			"parallelism the norm is one stage's. TorchTitan joins the stages' norms "
			"from PR #649 (November 2024) on; your own script must do this itself.",
		.remedy = "All-reduce the norm over the pipeline axis.",
		.source = TITAN "issues/596",
	  },
	  NEEDS_APPLIED, check_clip_stages },
	{ &(const struct rule_id){
		.name = "uneven-experts",
		.code = "S115",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "FSDP cuts the experts of a rank unevenly",
		.explanation =
			"Expert parallelism leaves each rank experts / ep experts, which FSDP "
			"cuts again along the same dim. If this cut is uneven, users report that "
			"padded states meet unpadded gradients in the first step, and that "
			"optimizers that gather whole matrices (Muon, Dion) hang.",
		.remedy = "Let ep * (ranks that share experts) divide the experts.",
		.source = "https://github.com/marin-community/marin/issues/6335",
		.says = (const struct saying[]){
			{ "torch", "RuntimeError: The size of tensor a ({n}) must match the size of tensor b ({n}) at non-singleton dimension 0" },
			{ NULL, NULL } },
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_experts },
	{ &(const struct rule_id){
		.name = "simple-fsdp-float8",
		.code = "S116",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_REPORTED,
		.summary = "SimpleFSDP gathers in bfloat16 and ignores the float8 setting",
		.explanation =
			"SimpleFSDP gathers by redistributing DTensors, which removes torchao's "
			"float8 wrapper before the collective. There is no message. The issue was "
			"open in April 2026.",
		.remedy = "Use the trainer with FSDP2 if you need the float8 all-gather.",
		.source = TITAN "issues/3123",
	  },
	  NEEDS_TORCHTITAN, check_simple },
};
/* clang-format on */

const struct ruleset ruleset_gradients = {
	"gradients",
	"Gradients: reduction, clipping and the step",
	rules,
	sizeof(rules) / sizeof(*rules),
};
