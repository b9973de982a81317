#include "base/text.h"
#include "framework/torch/resume.h"
#include "rules/facts.h"
#include "rules/pinned.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

/* ---- FSDP with tensor parallelism before strided sharding ---- */

/* A parameter of the first block that tp and FSDP both cut along dim 0, or NULL. */
static const struct sharded *cut_twice(const struct plan *plan)
{
	size_t i;

	for (i = 0; plan_places(plan) && i < plan->parameters.count; i++) {
		const struct sharded *sharded = &plan->parameters.items[i];
		int cuts = 0, j;

		for (j = 0; j < sharded->dims; j++)
			cuts += sharded->dim[j].placement.kind != PLACE_REPLICATE &&
				sharded->dim[j].placement.dim == 0 &&
				layout_size(sharded->dim[j].layout) > 1;
		if (cuts > 1 && sharded->parameter->layer == 0 && !sharded->parameter->expert)
			return sharded;
	}
	return NULL;
}

/* Who owns which rows: as FSDP2 stores them, and as the checkpoint said. */
static void describe_rows(struct job *job, struct finding *finding)
{
	const struct sharded *sharded = cut_twice(job->applied);
	int64_t tp = degree_of(job, FIELD_TP), shards, rows;
	struct box box;

	if (!sharded)
		return;
	shards = layout_size(&job->applied->dense.shard);
	rows = sharded->parameter->shape[0] / (shards * tp);
	box = plan_box(sharded, 1);
	finding_requested(job->findings, finding,
			  "rank 1 (first dp shard, second tp rank) owns rows %" PRId64
			  " to %" PRId64 " of %s: tp cuts first, FSDP cuts what tp left",
			  box.offset[0], box.offset[0] + box.shape[0] - 1, sharded->parameter->fqn);
	finding_actual(job->findings, finding,
		       "read from left to right, (dp, tp) says rows %" PRId64 " to %" PRId64
		       ": a checkpoint put together so is scrambled",
		       rows, 2 * rows - 1);
}

static bool shards_twice(const struct job *job)
{
	const struct sharding *dense = &job->applied->dense;

	return degree_of(job, FIELD_TP) > 1 && layout_size(&dense->shard) > 1 &&
	       dense->strategy != STRATEGY_NONE && dense->strategy != STRATEGY_DDP;
}

static void check_state_dict(const struct rule *rule, struct job *job)
{
	const struct setting *enabled = fact(job, FIELD_CHECKPOINT_ENABLED);
	const char *refused;
	struct torch_release torch;
	struct finding *finding;

	if (!torch_release_of(job, &torch) || torch_has(&torch, TORCH_STRIDED_SHARD) ||
	    !setting_bool(&job->settings, FIELD_CHECKPOINT_ENABLED, false))
		return;
	refused = torch_state_dict_refused(job);
	if (!refused && !shards_twice(job))
		return;
	finding = finding_add(job->findings, rule->id, enabled->span,
			      refused ? "%s cannot be saved under torch %s: state_dict is refused"
				      : "%s is saved wrongly under torch %s: rows come back in "
					"another order",
			      refused ? refused : "FSDP with tensor parallelism", torch.label);
	relate_setting(job, finding, shards_twice(job) ? FIELD_TP : FIELD_DP_REPLICATE);
	relate_setting(job, finding, FIELD_DP_SHARD);
	if (shards_twice(job))
		describe_rows(job, finding);
	if (refused) {
		finding_quote(job->findings, finding, "%s", torch_state_dict_refusal);
		finding->speaker = speaker(job, "torch");
	}
}

/* From 5ab3a0fd1 on: what must be left out together, and what may not be left out. */
static void check_exclude(const struct rule *rule, struct job *job)
{
	const struct setting *exclude = fact(job, FIELD_CHECKPOINT_EXCLUDE);
	struct finding *finding;

	if (!job_does(job, HABIT_EXCLUDES_PAIR) ||
	    !setting_lists(&job->settings, FIELD_CHECKPOINT_EXCLUDE, "optimizer") ||
	    setting_lists(&job->settings, FIELD_CHECKPOINT_EXCLUDE, "lr_scheduler"))
		return;
	finding = finding_add(job->findings, rule->id, exclude->span,
			      "the optimizer is left out of loading, but not the learning-rate "
			      "scheduler");
	quote_told(rule, job, finding, (const struct exception_name[]) { TELL_END });
}

static const char *const components[] = { "model", "optimizer", "lr_scheduler", "dataloader",
					  "train_state" };

enum { COMPONENT_NAMES = sizeof(components) / sizeof(*components) };

static const char *nearest_component(const char *name)
{
	return strcmp(name, "data_loader") ? text_nearest(name, components, COMPONENT_NAMES)
					   : "dataloader";
}

static void find_component(const struct rule *rule, struct job *job, const struct node *item)
{
	const char *near = nearest_component(item->text);
	struct finding *finding;

	finding = finding_add(job->findings, rule->id, item->span,
			      "no checkpoint component is called \"%s\"%s%s%s", item->text,
			      near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	if (!near)
		finding_cap(finding, SEVERITY_WARNING);
	quote_told(rule, job, finding,
		   (const struct exception_name[]) { TELL("name", item->text), TELL_END });
	if (near && item->origin == NODE_FROM_FILE && span_known(item->span))
		finding_edit(job->findings, finding, item->span, "\"%s\"", near);
}

static void check_component(const struct rule *rule, struct job *job)
{
	const struct setting *exclude = fact(job, FIELD_CHECKPOINT_EXCLUDE);
	const struct node *item;
	size_t i;

	if (!setting_known(exclude) || !exclude->node)
		return;
	for (item = exclude->node->first; item; item = item->next) {
		if (item->kind != NODE_SCALAR)
			continue;
		for (i = 0; i < COMPONENT_NAMES && strcmp(item->text, components[i]) != 0; i++)
			;
		if (i == COMPONENT_NAMES)
			find_component(rule, job, item);
	}
}

static void check_keep(const struct rule *rule, struct job *job)
{
	const struct setting *keep = fact(job, FIELD_CHECKPOINT_KEEP_LATEST_K);
	struct finding *finding;

	if (!raised(rule, job) &&
	    (setting_int(&job->settings, FIELD_CHECKPOINT_KEEP_LATEST_K, 0) != 1 ||
	     !setting_bool(&job->settings, FIELD_CHECKPOINT_ENABLED, false)))
		return;
	finding = finding_add(job->findings, rule->id, keep->span,
			      "keep_latest_k is 1, but the newest checkpoint may still be being "
			      "written when the one before is deleted");
	quote_told(rule, job, finding, (const struct exception_name[]) { TELL_END });
	edit_setting(job, finding, keep, 2);
}

static void check_seed(const struct rule *rule, struct job *job)
{
	const struct setting *seed = fact(job, FIELD_CHECKPOINT_CREATE_SEED);
	struct finding *finding;

	if (job->world < 2 || !setting_bool(&job->settings, FIELD_CHECKPOINT_CREATE_SEED, false))
		return;
	finding = finding_add(job->findings, rule->id, seed->span,
			      "a seed checkpoint is asked for on %" PRId64 " ranks; it is made on "
			      "one",
			      job->world);
	quote_told(rule, job, finding, (const struct exception_name[]) { TELL_END });
}

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "state-dict-2d",
		.code = "R101",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "before PyTorch 2.5, FSDP with tp (in 2.4 also HSDP) cannot be saved",
		.explanation =
			"Tensor parallelism cuts a weight first and FSDP cuts what is left, so a "
			"rank's rows do not follow from reading the mesh (dp, tp) left to right. "
			"Before _StridedShard (pytorch#130760, 2.5) DTensor could not express "
			"this order: up to 2.3 it silently puts checkpoints together in the wrong "
			"order, 2.4 refuses state_dict with an exception (pytorch#129519). 2.4 "
			"also refuses it for HSDP, where every parameter has two mesh dims, too.",
		.remedy =
			"Use PyTorch 2.5 or later; a checkpoint written before 2.4 with tp and "
			"FSDP is scrambled.",
		.source = "https://github.com/pytorch/torchtitan/issues/441",
		.says = (const struct saying[]){
			{ "torch 2.4", "NotImplementedError: 2D state_dict is under development. Please check https://github.com/pytorch/pytorch/issues/129627 for more details." },
			{ NULL, NULL } },
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_state_dict },
	{ &(const struct rule_id){
		.name = "checkpoint-component-name",
		.code = "R103",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "exclude_from_loading names a component that does not exist",
		.explanation =
			"The components are model, optimizer, lr_scheduler, dataloader and "
			"train_state. TorchTitan's own docs/checkpoint.md shows data_loader, "
			"which is refused when a checkpoint is loaded.",
		.remedy = "Use one of the five names.",
		.source = "torchtitan components/checkpoint.py",
	  },
	  NEEDS_TORCHTITAN, check_component },
	{ &(const struct rule_id){
		.name = "keep-latest-k-one",
		.code = "R104",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "keep_latest_k 1 is refused",
		.explanation =
			"TorchTitan deletes old checkpoints while it may still be writing the "
			"newest, so it keeps at least two; 0 keeps all.",
		.remedy = "Keep at least 2, or 0 for all.",
		.source = "torchtitan components/checkpoint.py, CheckpointManager.__init__",
	  },
	  NEEDS_TORCHTITAN, check_keep },
	{ &(const struct rule_id){
		.name = "seed-checkpoint-single-device",
		.code = "R106",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "a seed checkpoint is made on one device only",
		.explanation =
			"create_seed_checkpoint writes the unsharded initial model, so it is "
			"refused with more than one rank.",
		.remedy = "Run it with one rank and all degrees 1.",
		.source = "torchtitan train.py",
	  },
	  NEEDS_WORLD | NEEDS_TORCHTITAN, check_seed },
	{ &(const struct rule_id){
		.name = "checkpoint-exclude-pair",
		.code = "R108",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "optimizer is excluded from loading, but lr_scheduler is not",
		.explanation =
			"TorchTitan's main branch refuses to load a learning-rate scheduler for "
			"an optimizer that starts afresh.",
		.remedy = "Exclude lr_scheduler, too.",
		.source = "torchtitan@b5bcd76c6 components/checkpoint.py",
	  },
	  NEEDS_TORCHTITAN, check_exclude },
};
/* clang-format on */

const struct ruleset ruleset_checkpoint = {
	"checkpoint",
	"Checkpoints: saving and loading",
	rules,
	sizeof(rules) / sizeof(*rules),
};
