#include "rules/facts.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

static int64_t data_parallel_degree(const struct job *job)
{
	int64_t replicas = 1;

	if (setting_bool(&job->settings, FIELD_FT_ENABLED, false))
		replicas = setting_int(&job->settings, FIELD_FT_GROUP_SIZE, 1);
	return degree_of(job, FIELD_DP_REPLICATE) * degree_of(job, FIELD_DP_SHARD) *
	       (replicas > 0 ? replicas : 1);
}

/* The degrees a checkpoint was written with. */
struct saved {
	int64_t dp, pp;
};

/* A degree in the map of checkpoint.resume; 1 when it does not say. */
static int64_t listed_degree(const struct node *resume, const char *key)
{
	const struct node *member = node_member(resume, key);

	return member && member->kind == NODE_SCALAR && member->type == SCALAR_INT &&
			       member->integer > 0
		       ? member->integer
		       : 1;
}

/* The path of another config, as seen from this one's folder. */
static const char *beside(const struct job *job, const char *path)
{
	const char *own = job->document.source->path, *slash = strrchr(own, '/');

	if (*path == '/' || !slash)
		return path;
	return arena_printf(job->arena, "%.*s%s", (int)(slash - own + 1), own, path);
}

/* The job of the config that wrote the checkpoint, or NULL when it says too little. */
static struct job *read_saved(const struct job *job, const char *path)
{
	struct findings *findings = arena_new(job->arena, struct findings);
	struct job *saved = arena_new(job->arena, struct job);

	findings_init(findings, job->arena);
	if (job_read(saved, job->arena, beside(job, path), NULL, findings))
		return NULL;
	return saved->readable && saved->world && !saved->applied->error ? saved : NULL;
}

/* Reads checkpoint.resume, a map of degrees or the path of a config; false when neither. */
static bool read_degrees(const struct job *job, struct saved *saved)
{
	const struct setting *resume = fact(job, FIELD_CHECKPOINT_RESUME);
	const struct node *node = resume->node;
	struct job *other;

	if (!node || (node->kind != NODE_MAP && node->kind != NODE_SCALAR))
		return false;
	if (node->kind == NODE_MAP) {
		saved->dp = listed_degree(node, "dp_replicate") * listed_degree(node, "dp_shard");
		saved->pp = listed_degree(node, "pp");
		return true;
	}
	other = read_saved(job, node->text);
	if (!other)
		return false;
	saved->dp = data_parallel_degree(other);
	saved->pp = degree_of(other, FIELD_PP);
	return true;
}

static void quote_resume(struct job *job, struct finding *finding, int64_t saved, int64_t now)
{
	switch (titan_trait(job, TRAIT_DATALOADER)) {
	case DATALOADER_BY_RANK:
		if (now > saved)
			finding_quote(job->findings, finding,
				      "RuntimeError: Missing key in checkpoint state_dict: "
				      "dataloader.dp_rank_%" PRId64 ".",
				      now - 1);
		break;
	case DATALOADER_ASSERTS:
		finding_quote(job->findings, finding,
			      "AssertionError: dp_degree is inconsistent before and after "
			      "checkpoint, dataloader resharding is not supported yet.");
		break;
	default:
		finding_quote(job->findings, finding,
			      "ValueError: cannot resume after changing the effective "
			      "data-parallel degree");
	}
	finding->speaker = speaker(job, "torchtitan");
}

/* Puts "dataloader" into the list of what is not loaded, where the file has one. */
static void fix_resume(struct job *job, struct finding *finding)
{
	const struct setting *exclude = fact(job, FIELD_CHECKPOINT_EXCLUDE);
	struct span at = exclude->span;
	size_t end;

	if (!titan_trait(job, TRAIT_EXCLUDE_FROM_LOADING)) {
		finding_fix(job->findings, finding,
			    "keep the data-parallel degree, or use torchtitan 49c6d6fc1 "
			    "(2025-02-06, PR #819) or later and exclude dataloader from loading");
		return;
	}
	finding_fix(job->findings, finding,
		    "add dataloader to checkpoint.exclude_from_loading (the token stream then "
		    "starts over), or keep the data-parallel degree");
	if (exclude->origin != ORIGIN_GIVEN || !exclude->node || !span_known(at) ||
	    at.source != job->document.source)
		return;
	end = source_offset(at.source, at.end_line, at.end_column);
	if (!end || at.source->text[end - 1] != ']')
		return;
	finding_edit(job->findings, finding, source_span(at.source, end - 1, end - 1),
		     exclude->node->first ? ", \"dataloader\"" : "\"dataloader\"");
}

static void check_resume(const struct rule *rule, struct job *job)
{
	const struct setting *resume = fact(job, FIELD_CHECKPOINT_RESUME);
	int64_t saved, now = data_parallel_degree(job);
	struct finding *finding;
	struct saved degrees;
	bool silent;

	if (setting_lists(&job->settings, FIELD_CHECKPOINT_EXCLUDE, "dataloader") ||
	    !read_degrees(job, &degrees) || degrees.dp == now)
		return;
	saved = degrees.dp;
	silent = titan_trait(job, TRAIT_DATALOADER) == DATALOADER_BY_RANK && now < saved;
	finding = finding_add(job->findings, rule->id, resume->span,
			      "the checkpoint has %" PRId64 " data-parallel ranks, the job %" PRId64
			      ": %s",
			      saved, now,
			      silent ? "the data loader state of the ranks beyond is dropped "
				       "without a word"
				     : "the data loader cannot be resumed");
	if (silent)
		finding_cap(finding, SEVERITY_WARNING);
	relate_setting(job, finding, FIELD_DP_REPLICATE);
	relate_setting(job, finding, FIELD_DP_SHARD);
	finding_requested(job->findings, finding,
			  "dataloader state for dp_rank_0 to dp_rank_%" PRId64, now - 1);
	finding_actual(job->findings, finding,
		       "dataloader state for dp_rank_0 to dp_rank_%" PRId64
		       "; model and optimizer reshard",
		       saved - 1);
	if (!silent)
		quote_resume(job, finding, saved, now);
	fix_resume(job, finding);
}

static void check_readable(const struct rule *rule, struct job *job)
{
	const struct setting *resume = fact(job, FIELD_CHECKPOINT_RESUME);
	struct saved saved;

	if (read_degrees(job, &saved))
		return;
	finding_add(job->findings, rule->id, resume->span,
		    "no degrees could be read from checkpoint.resume: whether this job can load "
		    "the checkpoint is not judged");
}

/* Before cca07028e the scheduler's state was kept by pipeline stage. */
static void check_scheduler(const struct rule *rule, struct job *job)
{
	const struct setting *resume = fact(job, FIELD_CHECKPOINT_RESUME);
	int64_t now = degree_of(job, FIELD_PP);
	struct finding *finding;
	struct saved saved;

	if (titan_trait(job, TRAIT_LR_SCHEDULER_RESHARDS) || !read_degrees(job, &saved) ||
	    saved.pp == now)
		return;
	finding = finding_add(job->findings, rule->id, resume->span,
			      "the checkpoint has %" PRId64 " pipeline stages, the job %" PRId64
			      ": the learning-rate scheduler's state does not fit",
			      saved.pp, now);
	relate_setting(job, finding, FIELD_PP);
}

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "dataloader-resume",
		.code = "R102",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "a checkpoint is resumed with another data-parallel degree",
		.explanation =
			"Model and optimizer reshard, but the data loader's state is stored by "
			"data-parallel rank. The quantity is dp_replicate * dp_shard (times "
			"replica groups under torchft), not the world size: changing tp, cp or "
			"pp, or FSDP 16 into HSDP 2 x 8, is safe. Before 690f299d3 growing "
			"failed on a missing key and shrinking dropped state in silence; from "
			"then on both are refused; from 49c6d6fc1 on the component can be left "
			"out.",
		.remedy = "Keep the data-parallel degree, or exclude dataloader from loading.",
		.source = "https://github.com/pytorch/torchtitan/issues/811",
	  },
	  NEEDS_RESUME | NEEDS_TORCHTITAN | NEEDS_WORLD | NEEDS_APPLIED, check_resume },
	{ &(const struct rule_id){
		.name = "lr-scheduler-resume",
		.code = "R107",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "another number of pipeline stages, and a scheduler that cannot reshard",
		.explanation =
			"Before cca07028e (2025-01-31, PR #794) TorchTitan kept one learning-rate "
			"scheduler per pipeline stage in the checkpoint; with another pp the "
			"states do not fit.",
		.remedy = "Keep pp, or use torchtitan cca07028e or later.",
		.source = "https://github.com/pytorch/torchtitan/issues/738",
	  },
	  NEEDS_RESUME | NEEDS_TORCHTITAN | NEEDS_WORLD | NEEDS_APPLIED, check_scheduler },
	{ &(const struct rule_id){
		.name = "resume-unreadable",
		.code = "R109",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_RUN,
		.summary = "checkpoint.resume tells no degrees",
		.explanation =
			"checkpoint.resume is a map of the degrees the checkpoint was written "
			"with, or the path (from this file's folder) of the config that wrote it. "
			"That config must be readable, start, and fix its world size.",
		.remedy = "Give the degrees: resume: {dp_replicate: 1, dp_shard: 8}.",
		.source = "the native config's checkpoint: block",
	  },
	  NEEDS_RESUME | NEEDS_WORLD | NEEDS_APPLIED, check_readable },
};
/* clang-format on */

const struct ruleset ruleset_resume = {
	"resume",
	"Resuming on other degrees",
	rules,
	sizeof(rules) / sizeof(*rules),
};
