#include "base/number.h"
#include "base/text.h"
#include "framework/resume.h"
#include "framework/torch/noted.h"
#include "input/field.h"
#include "plan/compare.h"
#include "rules/advice.h"
#include "rules/facts.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

/* Rows that the ranks of tensor parallelism and FSDP do not share evenly. */

/* The product of all cuts of dim 0; 0 when tensor parallelism and FSDP do not both cut it. */
static int64_t parts_of(const struct sharded *sharded)
{
	int64_t parts = 1;
	bool strided = false;
	int i;

	for (i = 0; i < sharded->dims; i++) {
		const struct placement *placement = &sharded->dim[i].placement;
		if (placement->kind == PLACE_REPLICATE || placement->kind == PLACE_PARTIAL ||
		    placement->dim != 0)
			continue;
		strided |= placement->kind == PLACE_STRIDED_SHARD;
		parts *= layout_size(sharded->dim[i].layout);
	}
	return strided ? parts : 0;
}

/* Parameters of a job that are cut unevenly, by pattern: "tok_embeddings.weight (128257 rows)". */
struct uneven {
	const char *names; /* joined, the first few */
	int count, more;
	int64_t rows, parts; /* of the first */
	bool vocab, ffn;     /* all of them have as many rows as the vocabulary, the network */
};

static void add_name(const struct job *job, struct uneven *uneven, const struct sharded *sharded)
{
	const char *name = layer_pattern(job->arena, sharded->parameter->fqn);
	int64_t rows = sharded->parameter->shape[0];

	if (uneven->names && strstr(uneven->names, name))
		return;
	if (!uneven->count) {
		uneven->rows = rows;
		uneven->parts = parts_of(sharded);
		uneven->vocab = uneven->ffn = true;
	}
	uneven->vocab &= rows == job->model->vocab;
	uneven->ffn &= rows == job->model->ffn;
	if (++uneven->count > 4) {
		uneven->more++;
		return;
	}
	uneven->names = arena_printf(job->arena, "%s%s%s (%" PRId64 " rows)",
				     uneven->names ? uneven->names : "", uneven->names ? ", " : "",
				     name, rows);
}

/*
 * Every parameter whose rows `unit` parts do not divide, but for experts, which ep cuts; unit 0: as
 * many parts as all cuts make.
 */
static struct uneven find_uneven(const struct job *job, int64_t unit)
{
	struct uneven uneven = { 0 };
	size_t i;

	if (!plan_places(job->applied))
		return uneven;
	for (i = 0; job->model && i < job->applied->parameters.count; i++) {
		const struct sharded *sharded = &job->applied->parameters.items[i];
		int64_t parts = unit && sharded->parameter->expert ? 0 : parts_of(sharded);
		if (parts && sharded->parameter->shape[0] % (unit ? unit : parts))
			add_name(job, &uneven, sharded);
	}
	if (uneven.more)
		uneven.names =
			arena_printf(job->arena, "%s and %d more", uneven.names, uneven.more);
	return uneven;
}

/* The size to pad, where all of them share one; with the edit where the file gives it. */
static const char *pad(struct job *job, struct finding *finding, const struct uneven *uneven,
		       int64_t unit)
{
	enum field_id field = uneven->vocab ? FIELD_MODEL_VOCAB : FIELD_MODEL_FFN;

	if (!uneven->vocab && !uneven->ffn)
		return arena_printf(job->arena, "choose degrees whose product divides the rows");
	edit_setting(job, finding, fact(job, field), round_up(uneven->rows, unit));
	return arena_printf(job->arena, "pad the %s to %" PRId64 ", a multiple of %" PRId64,
			    uneven->vocab ? "vocabulary" : "feed-forward network",
			    round_up(uneven->rows, unit), unit);
}

static void check_uneven(const struct rule *rule, struct job *job)
{
	const struct plan_error *error = raised(rule, job);
	struct uneven uneven;
	struct finding *finding;

	if (!error)
		return;
	uneven = find_uneven(job, 0);
	if (strstr(error->message, "on dim") || !uneven.count) {
		raised_check(rule, job);
		return;
	}
	finding = raised_finding(rule, job,
				 "%" PRId64 " parts of dp_shard * tp do not divide every weight "
				 "that both cut: %s",
				 uneven.parts, uneven.names);
	finding_fix(job->findings, finding, "%s; or use torch 2.8 or later (pytorch PR #150490)",
		    pad(job, finding, &uneven, uneven.parts));
	if (!finding->edits.count)
		edit_torch(job, finding, "2.8.0");
}

/* FSDP2 over what tensor parallelism has cut, both along dim 0. */
static bool cuts_twice(const struct job *job)
{
	enum strategy strategy = job->applied->dense.strategy;

	return degree_of(job, FIELD_TP) > 1 && layout_size(&job->applied->dense.shard) > 1 &&
	       strategy != STRATEGY_NONE && strategy != STRATEGY_DDP;
}

static void check_split(const struct rule *rule, struct job *job)
{
	struct torch_release torch;
	struct uneven uneven;
	struct finding *finding;

	if (trainer_of(job) || !torch_release_of(job, &torch) ||
	    !torch_has(&torch, TORCH_UNEVEN_STRIDED) ||
	    torch_has(&torch, TORCH_STRIDED_TRANSPOSED) || !cuts_twice(job))
		return;
	uneven = find_uneven(job, 0);
	if (!uneven.count)
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_TP)->span,
			      "torch %s splits a full tensor into other rows than FSDP stores, and "
			      "joins them so: %s",
			      torch.label, uneven.names);
	relate_setting(job, finding, FIELD_DP_SHARD);
	finding_fix(job->findings, finding,
		    "%s; or save and load with torch.distributed.checkpoint, not with full_tensor "
		    "and distribute_tensor",
		    pad(job, finding, &uneven, uneven.parts));
}

static const char *rows_text(struct arena *arena, const struct box *box)
{
	if (!box->shape[0])
		return "no rows";
	return arena_printf(arena, "rows %" PRId64 " to %" PRId64, box->offset[0],
			    box->offset[0] + box->shape[0] - 1);
}

static struct finding *find_metadata(const struct rule *rule, struct job *job,
				     const struct job *writer, struct span span)
{
	struct torch_release torch;
	struct finding *finding;
	struct noted noted;

	if (!torch_release_of(writer, &torch) || !torch_has(&torch, TORCH_OFFSETS_LEFT_TO_RIGHT) ||
	    writer->applied->error || !noted_elsewhere(writer, &noted))
		return NULL;
	finding = finding_add(job->findings, rule->id, span,
			      "tp %" PRId64 " does not divide the %" PRId64
			      " rows of %s: checkpoint metadata of torch %s names other rows than "
			      "FSDP stores",
			      degree_of(writer, FIELD_TP), noted.sharded->parameter->shape[0],
			      noted.sharded->parameter->fqn, torch.label);
	finding_requested(job->findings, finding, "rank %" PRId64 " stores %s", noted.rank,
			  rows_text(job->arena, &noted.stored));
	finding_actual(job->findings, finding, "the metadata says %s",
		       rows_text(job->arena, &noted.noted));
	return finding;
}

/* What DCP refuses to save in a job that saves: the parameter whose rows two ranks name, or NULL.
 */
static const struct sharded *refused_save(const struct job *job, struct torch_release *torch)
{
	return torch_release_of(job, torch) && torch_has(torch, TORCH_OFFSETS_LEFT_TO_RIGHT) &&
			       setting_bool(&job->settings, FIELD_CHECKPOINT_ENABLED, false)
		       ? noted_twice(job)
		       : NULL;
}

static void check_metadata_overlap(const struct rule *rule, struct job *job)
{
	const struct setting *enabled = fact(job, FIELD_CHECKPOINT_ENABLED);
	const struct sharded *twice;
	struct torch_release torch;
	struct finding *finding;
	struct uneven uneven;

	if (!(twice = refused_save(job, &torch)))
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_TP)->span,
			      "tp %" PRId64 " does not divide the %" PRId64
			      " rows of %s: torch %s refuses to save it",
			      degree_of(job, FIELD_TP), twice->parameter->shape[0],
			      twice->parameter->fqn, torch.label);
	relate_setting(job, finding, FIELD_DP_SHARD);
	finding_relate(job->findings, finding, enabled->span, "checkpoints are switched on here");
	finding_quote(job->findings, finding, "%s", noted_twice_error);
	finding->speaker = speaker(job, "torch");
	uneven = find_uneven(job, degree_of(job, FIELD_TP));
	if (uneven.count)
		finding_fix(job->findings, finding, "%s",
			    pad(job, finding, &uneven, degree_of(job, FIELD_TP)));
}

/* From 2.10 on metadata is computed left to right, FSDP2 still stores tp-first. */
static void check_metadata(const struct rule *rule, struct job *job)
{
	const struct resume *resume = resume_of(job);
	struct finding *finding;
	struct torch_release torch;
	struct uneven uneven;

	if (refused_save(job, &torch))
		return; /* strided-metadata-overlap tells it */
	finding = find_metadata(rule, job, job, fact(job, FIELD_TP)->span);
	if (!finding && resume && resume->checkpoint->from)
		find_metadata(rule, job, resume->checkpoint->from, resume->checkpoint->span);
	if (!finding)
		return;
	relate_setting(job, finding, FIELD_DP_SHARD);
	uneven = find_uneven(job, degree_of(job, FIELD_TP));
	if (uneven.count)
		finding_fix(job->findings, finding, "%s",
			    pad(job, finding, &uneven, degree_of(job, FIELD_TP)));
}

#define PYTORCH "https://github.com/pytorch/pytorch/"

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "uneven-sharding",
		.code = "T108",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "a parameter cannot be cut evenly where it must be",
		.explanation =
			"FSDP can cut dim 0 unevenly, but no other dim (it cuts experts along dim "
			"1 when there are more ranks than experts). Before PyTorch 2.8 it cannot "
			"cut even dim 0 unevenly when tensor parallelism cuts it, too.",
		.remedy = "Pad the dimension, or choose degrees that divide it.",
		.source = PYTORCH "pull/150490",
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT | HOLDS_ALWAYS, check_uneven },
	{ &(const struct rule_id){
		.name = "strided-split-uneven",
		.code = "S101",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_DERIVED,
		.summary = "PyTorch 2.8 and 2.9 split uneven strided shards wrongly",
		.explanation =
			"_StridedShard of 2.8 and 2.9 cuts a full tensor into tp * dp_shard "
			"pieces and deals them out; FSDP cuts into tp parts first and each of "
			"those over dp_shard. Where the product does not divide the rows the two "
			"differ, so full_tensor() and distribute_tensor of such a weight are "
			"scrambled. Six rows over 2 x 2 are enough.",
		.remedy = "Pad the rows, or use only sharded checkpoints.",
		.source = PYTORCH "pull/163843",
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_split },
	{ &(const struct rule_id){
		.name = "strided-metadata",
		.code = "R105",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_RUN,
		.summary = "checkpoint metadata differs from what FSDP stores (uneven tp)",
		.explanation =
			"From PyTorch 2.10 on offsets of strided shards are computed left to "
			"right. Where tp does not divide the rows of a weight that FSDP cuts, "
			"too, some ranks' metadata names other rows than they store: of 7 rows "
			"over dp 3 and tp 2 rank 5 stores the last, and the metadata says that "
			"rank 4 does. Seen with fully_shard in all releases from 2.10 to 2.15, at "
			"84 of 900 combinations of up to 64 rows, dp up to 8 and tp 2 to 8, never "
			"where tp divides the rows; 2.8 and 2.9 say what is stored. It holds for "
			"the checkpoints of the job and for the one it resumes from.",
		.remedy = "Pad the dimension (the vocabulary, usually) to a multiple of tp.",
		.source = PYTORCH "issues/168134",
	  },
	  NEEDS_WORLD | NEEDS_MODEL | NEEDS_APPLIED, check_metadata },
	{ &(const struct rule_id){
		.name = "strided-metadata-overlap",
		.code = "R126",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "DCP refuses to save: two ranks name the same rows (uneven tp)",
		.explanation =
			"From PyTorch 2.10 on offsets of strided shards are computed left to "
			"right. Where tp does not divide the rows of a weight that FSDP cuts, "
			"too, two ranks can so name the same rows: of 37 rows over dp 3 and tp 2 "
			"one rank says 14 to 19 and another 19 to 24. DCP compares the chunks "
			"of all ranks before it writes, and refuses. The job trains until its "
			"first checkpoint and stops there. Seen with gloo jobs in 2.10 to 2.15.",
		.remedy = "Pad the dimension (the vocabulary, usually) to a multiple of tp.",
		.source = PYTORCH "issues/168134",
		.says = (const struct saying[]){
			{ "torch >= 2.10", "ValueError: Failed to validate global plan" },
			{ NULL, NULL } },
	  },
	  NEEDS_WORLD | NEEDS_MODEL | NEEDS_APPLIED, check_metadata_overlap },
};
/* clang-format on */

const struct ruleset ruleset_uneven = {
	"uneven",
	"Uneven shards",
	rules,
	sizeof(rules) / sizeof(*rules),
};
