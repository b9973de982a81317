#include "framework/resume.h"
#include "framework/torch/noted.h"
#include "base/text.h"
#include "framework/torch/fsdp.h"
#include "framework/torch/reshard.h"
#include "input/node.h"
#include "input/field.h"
#include "plan/compare.h"
#include "rules/advice.h"
#include "rules/facts.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* Parameters that FSDP, or FSDP after tensor parallelism, cuts unevenly; and how it gathers them.
 */

/* ---- uneven rows ---- */

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

static int64_t padded(int64_t value, int64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* The size to pad, where all of them share one; with the edit where the file gives it. */
static const char *pad(struct job *job, struct finding *finding, const struct uneven *uneven,
		       int64_t unit)
{
	enum field_id field = uneven->vocab ? FIELD_MODEL_VOCAB : FIELD_MODEL_FFN;

	if (!uneven->vocab && !uneven->ffn)
		return arena_printf(job->arena, "choose degrees whose product divides the rows");
	edit_setting(job, finding, fact(job, field), padded(uneven->rows, unit));
	return arena_printf(job->arena, "pad the %s to %" PRId64 ", a multiple of %" PRId64,
			    uneven->vocab ? "vocabulary" : "feed-forward network",
			    padded(uneven->rows, unit), unit);
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

	if (versions_find(&job->versions, "torchtitan") || !torch_release_of(job, &torch) ||
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

/* ---- tensor parallelism alone, and FSDP of the first generation ---- */

/* The first parameter that tensor parallelism cuts unevenly; `size`: of the dim it cuts. */
static const struct sharded *uneven_tensor(const struct job *job, int64_t *size)
{
	int64_t tp = degree_of(job, FIELD_TP);
	size_t i;

	if (job->applied->stages_assumed)
		return NULL;
	for (i = 0; i < job->applied->parameters.count; i++) {
		const struct sharded *sharded = &job->applied->parameters.items[i];
		const struct mesh_dim *last =
			sharded->dims ? &sharded->dim[sharded->dims - 1] : NULL;
		if (!last || last->placement.kind != PLACE_SHARD ||
		    layout_size(last->layout) != tp || sharded->parameter->expert)
			continue;
		*size = sharded->parameter->shape[last->placement.dim];
		if (*size % tp)
			return sharded;
	}
	return NULL;
}

static void check_flat_uneven(const struct rule *rule, struct job *job)
{
	int64_t tp = degree_of(job, FIELD_TP), size = 0;
	const struct sharded *sharded;
	struct finding *finding;

	if (!wrap_is_flat(&job->settings) || tp < 2)
		return;
	sharded = uneven_tensor(job, &size);
	if (!sharded)
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_FSDP_VERSION)->span,
			      "FSDP1 takes all parts that tp %" PRId64 " cuts of %s (%" PRId64
			      ") for equal: its shards overlap when they are saved",
			      tp, sharded->parameter->fqn, size);
	relate_setting(job, finding, FIELD_TP);
	finding_fix(job->findings, finding, "use FSDP2 (fully_shard), or pad the size to %" PRId64,
		    padded(size, tp));
	edit_setting(job, finding, fact(job, FIELD_FSDP_VERSION), 2);
}

static void check_flat_alone(const struct rule *rule, struct job *job)
{
	int64_t replicas = degree_of(job, FIELD_DP_REPLICATE);
	const struct setting *shard = fact(job, FIELD_DP_SHARD);
	struct finding *finding;

	if (!strcasecmp(setting_text(&job->settings, FIELD_SHARDING_MODE, ""), "no_shard"))
		return; /* FSDP1's own word for DDP: gradients are reduced over all */
	if (!wrap_is_flat(&job->settings) || replicas < 2 || !setting_known(shard) ||
	    degree_of(job, FIELD_DP_SHARD) != 1)
		return;
	finding = finding_add(job->findings, rule->id,
			      span_known(shard->span) ? shard->span
						      : fact(job, FIELD_FSDP_VERSION)->span,
			      "FSDP1 over %" PRId64 " replicas that share with nobody: gradients "
			      "are reduced over one rank, and every replica trains on its own",
			      replicas);
	relate_setting(job, finding, FIELD_DP_REPLICATE);
	relate_setting(job, finding, FIELD_FSDP_VERSION);
	finding_fix(job->findings, finding, "use DDP or FSDP2, or share over 2 ranks and more");
}

static void check_old_uneven(const struct rule *rule, struct job *job)
{
	int64_t tp = degree_of(job, FIELD_TP), size = 0;
	const struct sharded *sharded;
	struct torch_release torch;
	struct finding *finding;

	if (!torch_release_of(job, &torch) || torch_has(&torch, TORCH_UNEVEN_STRIDES) || tp < 2)
		return;
	sharded = uneven_tensor(job, &size);
	if (!sharded)
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_TP)->span,
			      "tp %" PRId64
			      " does not divide %s, which it cuts along a dim of %" PRId64
			      ": operators of torch %s on uneven shards have been reported "
			      "to fail or to give wrong strides",
			      tp, sharded->parameter->fqn, size, torch.label);
	finding_fix(job->findings, finding,
		    "pad the size to %" PRId64 ", or use torch 2.4 or later", padded(size, tp));
	edit_torch(job, finding, "2.4.0");
}

/* ---- reshard_after_forward as a number of ranks ---- */

/* The number, or 0 when it is a word. */
static int64_t reshard_ranks(const struct job *job)
{
	const struct setting *setting = fact(job, FIELD_RESHARD_AFTER_FORWARD);
	int64_t ranks;

	return setting_known(setting) && text_to_int(setting->text, &ranks) ? ranks : 0;
}

static int64_t shard_ranks(const struct job *job)
{
	enum strategy strategy = job->applied->dense.strategy;

	return strategy == STRATEGY_FSDP || strategy == STRATEGY_HSDP
		       ? layout_size(&job->applied->dense.shard)
		       : 0;
}

static void refuse_number(const struct rule *rule, struct job *job)
{
	const struct setting *setting = fact(job, FIELD_RESHARD_AFTER_FORWARD);
	struct finding *finding;

	finding = finding_add(job->findings, rule->id, setting->span,
			      "TorchTitan takes default, always or never, no number of ranks");
	finding_quote(job->findings, finding,
		      "ValueError: Invalid reshard_after_forward_policy: %s.", setting->text);
	finding->speaker = speaker(job, "torchtitan");
	finding_fix(job->findings, finding, "write always, or never");
	if (setting->origin == ORIGIN_GIVEN && setting->span.source == job->document.source)
		finding_edit(job->findings, finding, setting->span, "always");
}

static void check_factor(const struct rule *rule, struct job *job)
{
	const struct setting *setting = fact(job, FIELD_RESHARD_AFTER_FORWARD);
	int64_t ranks = reshard_ranks(job), shard = shard_ranks(job);
	struct finding *finding;

	if (ranks && versions_find(&job->versions, "torchtitan")) {
		refuse_number(rule, job);
		return;
	}
	if (!ranks || !shard || (ranks <= shard && shard % ranks == 0))
		return;
	finding = finding_add(job->findings, rule->id, setting->span,
			      "reshard_after_forward %" PRId64 " is no factor of the %" PRId64
			      " ranks that share parameters",
			      ranks, shard);
	relate_setting(job, finding, FIELD_DP_SHARD);
	finding_quote(job->findings, finding,
		      "ValueError: If passing reshard_after_forward as an int, it should be a "
		      "factor of %" PRId64 ", not %" PRId64,
		      shard, ranks);
	finding->speaker = speaker(job, "torch");
	finding_fix(job->findings, finding, "use %s (1 keeps everything gathered)",
		    divisors_text(job->arena, shard));
	edit_setting(job, finding, setting, divisor_up_to(shard, ranks));
}

/* fully_shard gets DTensors: tensor parallelism made them, even over one rank. */
static bool wraps_tensors(const struct job *job)
{
	const struct node *block = fact(job, FIELD_MESH)->node;

	return degree_of(job, FIELD_TP) > 1 || (block && node_member(block, "tensor_parallel"));
}

static void check_reshard_tensor(const struct rule *rule, struct job *job)
{
	const struct setting *setting = fact(job, FIELD_RESHARD_AFTER_FORWARD);
	int64_t ranks = reshard_ranks(job), shard = shard_ranks(job);
	struct torch_release torch;
	struct finding *finding;

	if (ranks < 2 || ranks >= shard || shard % ranks || !wraps_tensors(job) ||
	    versions_find(&job->versions, "torchtitan"))
		return;
	if (!torch_release_of(job, &torch))
		torch = torch_latest();
	finding =
		finding_add(job->findings, rule->id, setting->span,
			    "reshard_after_forward %" PRId64 " with tensor parallelism: the first "
			    "forward pass stops when a block is cut again",
			    ranks);
	relate_setting(job, finding, FIELD_TP);
	finding_quote(job->findings, finding, "NotImplementedError: %s",
		      reshard_tensor_text(&torch));
	finding->speaker = speaker(job, "torch");
	finding_fix(job->findings, finding, "write always, or never");
	if (setting->origin == ORIGIN_GIVEN && setting->span.source == job->document.source)
		finding_edit(job->findings, finding, setting->span, "always");
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
			"FSDP cuts dim 0 unevenly, but no other dim (experts are cut along dim 1 "
			"where there are more ranks than experts); and before PyTorch 2.8 not "
			"even dim 0 when tensor parallelism cuts it, too.",
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
		.remedy = "Pad the rows, or keep to sharded checkpoints.",
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
	{ &(const struct rule_id){
		.name = "fsdp1-uneven-tensor-parallel",
		.code = "S102",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "FSDP1 with tensor parallelism saves uneven parts at wrong offsets",
		.explanation =
			"FullyShardedDataParallel writes down where a part lies by dividing the "
			"size by tp and rounding down, but DTensor cuts by rounding up. Parts of "
			"7 rows over 3 ranks are noted at 0, 2 and 4 with 3 rows each: they "
			"overlap, and saving stops. Up to 2.7 an empty part also shares its "
			"offset with one that is not, and may replace it. Seen on a 2.14 "
			"nightly.",
		.remedy = "Use FSDP2, or pad the size to a multiple of tp.",
		.source = PYTORCH "pull/188947",
		.says = (const struct saying[]){
			{ "torch", "ValueError: Shards {shards} overlap" },
			{ NULL, NULL } },
	  },
	  NEEDS_APPLIED, check_flat_uneven },
	{ &(const struct rule_id){
		.name = "fsdp1-shard-of-one",
		.code = "S103",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "FSDP1 with replicas and one rank to share with: no gradient sync",
		.explanation =
			"HYBRID_SHARD over a shard group of one rank becomes NO_SHARD, but "
			"gradients go on to be reduced over that one rank. Nothing fails; the "
			"replicas drift apart. It will not be fixed in FSDP1.",
		.remedy = "Use DDP or FSDP2.",
		.source = "https://github.com/verl-project/verl/issues/7493",
	  },
	  NEEDS_APPLIED, check_flat_alone },
	{ &(const struct rule_id){
		.name = "reshard-not-a-factor",
		.code = "S104",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "reshard_after_forward is no factor of the ranks that share",
		.explanation =
			"As a number it says over how many neighbours a block stays cut after "
			"forward. It must divide the size of the shard axis (without replicas); "
			"1 is the same as never, the whole size the same as always. TorchTitan "
			"takes words only.",
		.remedy = "Use a factor of dp_shard * cp.",
		.source = "torch@v2.8.0 distributed/fsdp/_fully_shard/_fsdp_init.py:38",
		.says = (const struct saying[]){
			{ "torch", "ValueError: If passing reshard_after_forward as an int, it should be a factor of {n}, not {n}" },
			{ "torchtitan", "ValueError: Invalid reshard_after_forward_policy: {n}." },
			{ NULL, NULL } },
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_factor },
	{ &(const struct rule_id){
		.name = "reshard-number-with-tp",
		.code = "S105",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "reshard_after_forward as a number with tensor parallelism",
		.explanation =
			"Cutting a gathered block over a smaller group is not written for "
			"DTensors. fully_shard accepts it; the first forward pass stops.",
		.remedy = "Use true or false.",
		.source = "torch@v2.8.0 distributed/fsdp/_fully_shard/_fsdp_param.py:546",
		.says = (const struct saying[]){
			{ "torch <= 2.11", "NotImplementedError: Resharding to smaller mesh with TP is not supported yet" },
			{ "torch >= 2.12", "NotImplementedError: Resharding to smaller mesh is not supported for DTensor parameters yet" },
			{ NULL, NULL } },
	  },
	  NEEDS_APPLIED, check_reshard_tensor },
	{ &(const struct rule_id){
		.name = "uneven-tensor-parallel",
		.code = "S117",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "uneven tensor-parallel shards before PyTorch 2.4",
		.explanation =
			"Up to 2.3 views and redistributions of unevenly cut DTensors failed, "
			"and the short shards had the strides of the long ones.",
		.remedy = "Use a tp that divides the size, or PyTorch 2.4 and later.",
		.source = PYTORCH "issues/118836",
	  },
	  NEEDS_APPLIED, check_old_uneven },
};
/* clang-format on */

const struct ruleset ruleset_fsdp = {
	"fsdp",
	"FSDP: what is cut, and gathered again",
	rules,
	sizeof(rules) / sizeof(*rules),
};
