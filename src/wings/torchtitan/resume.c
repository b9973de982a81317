#include "wings/torchtitan/resume.h"

#include "base/text.h"
#include "framework/state_dict.h"
#include "framework/torch/dcp.h"
#include "framework/torch/resume.h"
#include "wings/torchtitan/exceptions.h"
#include "wings/torchtitan/timeline.h"

#include <inttypes.h>
#include <string.h>

static int trait_at(moment_t when, enum trait trait)
{
	int traits[TRAIT_COUNT];

	titan_traits(when, traits);
	return traits[trait];
}

static int trait_of(const struct job *job, enum trait trait)
{
	const struct version *version = versions_find(&job->versions, "torchtitan");

	return version ? trait_at(version->when, trait) : 0;
}

static const char *model_prefix(int flattened)
{
	return flattened ? "" : "model.";
}

const char *titan_model_prefix(const struct job *job)
{
	return model_prefix(trait_of(job, TRAIT_MODEL_FLATTENED));
}

void titan_saves(const struct job *job, struct state_dict *dict)
{
	dict->model = titan_model_prefix(job);
	dict->optimizer_first = !*dict->model;
	dict->train_state = true;
}

static bool has_entry(const struct dcp_metadata *metadata, const char *prefix)
{
	size_t i;

	for (i = 0; i < metadata->blobs.count; i++)
		if (text_starts(metadata->blobs.items[i].fqn, prefix))
			return true;
	for (i = 0; i < metadata->tensors.count; i++)
		if (text_starts(metadata->tensors.items[i].fqn, prefix))
			return true;
	return false;
}

/*
 * A trait of the version that wrote the checkpoint. One that was only inferred says nothing where
 * its interval has both; then it is as in the job.
 */
static int trait_then(const struct job *job, const struct checkpoint *checkpoint, enum trait trait)
{
	const struct version *version = NULL;
	int low, high;

	if (checkpoint->from && checkpoint->dated)
		version = versions_find(&checkpoint->from->versions, "torchtitan");
	if (!version)
		return trait_of(job, trait);
	low = high = trait_at(version->when, trait);
	if (version->origin == VERSION_INFERRED) {
		low = trait_at(version->low, trait);
		high = trait_at(version->high, trait);
	}
	return low == high ? low : trait_of(job, trait);
}

/* What stood before model parameters when the checkpoint was written. */
static const char *prefix_then(const struct job *job, const struct checkpoint *checkpoint)
{
	if (checkpoint->metadata)
		return model_prefix(!has_entry(checkpoint->metadata, "model."));
	return model_prefix(trait_then(job, checkpoint, TRAIT_MODEL_FLATTENED));
}

/* ---- Model ---- */

/*
 * Setting the state of a compiled model renamed the keys that were saved from then on, so that
 * the second resume failed (pytorch/torchtitan#961, fixed by #977).
 */
static void judge_compiled(struct job *job, struct resume *resume)
{
	struct obstacle *obstacle;

	if (!setting_bool(&job->settings, FIELD_COMPILE, false) ||
	    !trait_of(job, TRAIT_EXCLUDE_FROM_LOADING) || trait_of(job, TRAIT_COMPILED_NAMES_KEPT))
		return;
	obstacle = resume_add(job, resume, COMPONENT_MODEL, FATE_LOSES, "resume-compiled",
			      "the checkpoints that a resumed, compiled job writes have "
			      "_orig_mod. in their names: the next resume fails");
	obstacle->error = "RuntimeError: Missing key in checkpoint state_dict: "
			  "model.layers.0.attention.wq.weight.";
	obstacle->speaker = "torchtitan";
	obstacle->reported = true;
	obstacle->because[obstacle->because_count++] = FIELD_COMPILE;
}

static void judge_tensors(struct job *job, struct resume *resume)
{
	const char *now = titan_model_prefix(job), *then = prefix_then(job, resume->checkpoint);
	const struct dcp_metadata *metadata = resume->checkpoint->metadata;

	resume->optimizer_first = trait_of(job, TRAIT_MODEL_FLATTENED);
	resume_tensors(job, resume, COMPONENT_MODEL, now, then);
	if (!metadata || has_entry(metadata, "optimizer."))
		resume_optimizer(job, resume, state_dict_of(job).optimizer);
	judge_compiled(job, resume);
}

/* ---- Learning-rate scheduler ---- */

/* Schedulers on the first rank: one for each of its pipeline stages. */
static int64_t schedulers_of(const struct job *job)
{
	int64_t count = 0;
	size_t i;

	for (i = 0; i < job->applied->stages.count; i++)
		count += job->applied->stages.items[i].pp_rank == 0;
	return count ? count : 1;
}

/* "lr_scheduler" for one, "lr_scheduler_0" and so on for several, until cca07028e made them one. */
static void judge_scheduler(struct job *job, struct resume *resume)
{
	const struct checkpoint *checkpoint = resume->checkpoint;
	int64_t now, then;
	struct obstacle *obstacle;

	if (trait_of(job, TRAIT_LR_SCHEDULER_RESHARDS) || !checkpoint->from ||
	    checkpoint->from->applied->error)
		return;
	now = schedulers_of(job);
	then = schedulers_of(checkpoint->from);
	if (now == then)
		return;
	obstacle =
		resume_add(job, resume, COMPONENT_LR_SCHEDULER, FATE_FAILS, "lr-scheduler-resume",
			   "the checkpoint has %" PRId64 " learning-rate scheduler%s per rank, "
			   "the job %" PRId64 ": one per pipeline stage",
			   then, then > 1 ? "s" : "", now);
	obstacle->error = arena_printf(job->arena,
				       "RuntimeError: Missing key in checkpoint state_dict: "
				       "lr_scheduler%s.base_lrs.",
				       now > 1 ? "_0" : "");
	obstacle->speaker = "torch";
	obstacle->reported = true;
	obstacle->way = "keep the number of stages per rank, or use torchtitan cca07028e "
			"(2025-01-31, PR #794) or later";
	obstacle->because[obstacle->because_count++] = FIELD_PP;
	obstacle->because[obstacle->because_count++] = FIELD_PP_SCHEDULE;
}

/* ---- Data loader ---- */

/* What is raised, or NULL. Growing never gets as far as the loader: its keys are not there. */
static const char *loader_error(struct job *job, int64_t then, int64_t now)
{
	int trait = trait_of(job, TRAIT_DATALOADER);

	if (now > then)
		return arena_printf(job->arena,
				    "RuntimeError: Missing key in checkpoint state_dict: "
				    "dataloader.dp_rank_%" PRId64 "%s",
				    now - 1, trait == DATALOADER_RAISES ? ".[...]" : ".");
	if (trait == DATALOADER_ASSERTS)
		return TITAN(LOADER_DEGREE)->says.text;
	if (trait == DATALOADER_RAISES)
		return TITAN(LOADER_RANKS)->says.text;
	return NULL;
}

/* In which form the checkpoint has its loaders. */
static int loaders_then(const struct job *job, const struct checkpoint *checkpoint)
{
	if (!checkpoint->metadata)
		return trait_then(job, checkpoint, TRAIT_DATALOADER);
	if (has_entry(checkpoint->metadata, "dataloader.version"))
		return DATALOADER_RAISES;
	return has_entry(checkpoint->metadata, "dataloader.world_size") ? DATALOADER_ASSERTS
									: DATALOADER_BY_RANK;
}

/* 690f299d3 added world_size to a loader's state; at HEAD it is another loader with other keys. */
static const char *key_added(int then, int now)
{
	if (now == DATALOADER_RAISES && then != DATALOADER_RAISES)
		return "version";
	if (now == DATALOADER_ASSERTS && then == DATALOADER_BY_RANK)
		return "world_size";
	return now != DATALOADER_RAISES && then == DATALOADER_RAISES ? "dp_rank_0" : NULL;
}

static void judge_loader_keys(struct job *job, struct resume *resume)
{
	const char *key =
		key_added(loaders_then(job, resume->checkpoint), trait_of(job, TRAIT_DATALOADER));
	struct obstacle *obstacle;

	if (!key || !resume->checkpoint->loaders)
		return;
	obstacle = resume_add(
		job, resume, COMPONENT_DATALOADER, FATE_FAILS, "resume-missing-key",
		"the data loader of the version that wrote the checkpoint saved no %s", key);
	obstacle->error = arena_printf(
		job->arena, "RuntimeError: Missing key in checkpoint state_dict: dataloader.%s.",
		key);
	obstacle->speaker = "torch";
	obstacle->way = "add dataloader to checkpoint.exclude_from_loading";
	obstacle->lost = "the token stream starts over";
}

static void judge_loader(struct job *job, struct resume *resume)
{
	int64_t then = resume->checkpoint->loaders, now = loaders_of_job(job);
	struct obstacle *obstacle;
	const char *error;

	if (then < 0 || then == now)
		return;
	error = loader_error(job, then, now);
	obstacle = resume_add(job, resume, COMPONENT_DATALOADER, error ? FATE_FAILS : FATE_LOSES,
			      "dataloader-resume",
			      "the checkpoint has %" PRId64 " data-parallel ranks, the job %" PRId64
			      ": %s",
			      then, now,
			      error ? "the data loader cannot be resumed"
				    : "the data loader state of the ranks beyond is dropped, "
				      "and nothing is printed");
	obstacle->requested = arena_printf(
		job->arena, "dataloader state for dp_rank_0 to dp_rank_%" PRId64, now - 1);
	obstacle->actual = arena_printf(job->arena,
					"dataloader state for dp_rank_0 to dp_rank_%" PRId64
					"; model and optimizer reshard",
					then - 1);
	obstacle->error = error;
	obstacle->speaker = now > then ? "torch" : "torchtitan";
	obstacle->lost =
		error ? "the token stream starts over"
		      : arena_printf(job->arena,
				     "the streams of dp_rank_%" PRId64 " to dp_rank_%" PRId64, now,
				     then - 1);
	obstacle->way = trait_of(job, TRAIT_EXCLUDE_FROM_LOADING)
				? "add dataloader to checkpoint.exclude_from_loading (the token "
				  "stream then starts over), or keep the data-parallel degree"
				: "keep the data-parallel degree, or use torchtitan 49c6d6fc1 "
				  "(2025-02-06, PR #819) or later and exclude dataloader from "
				  "loading";
	obstacle->because[obstacle->because_count++] = FIELD_DP_REPLICATE;
	obstacle->because[obstacle->because_count++] = FIELD_DP_SHARD;
}

/* ---- What a checkpoint lacks altogether ---- */

/* The last step is saved as the model alone unless last_save_model_only says otherwise. */
static void judge_presence(struct job *job, struct resume *resume)
{
	const struct {
		enum component component;
		const char *entries, *first;
	} kept[] = {
		{ COMPONENT_OPTIMIZER, "optimizer.", resume_first_state(job) },
		{ COMPONENT_LR_SCHEDULER, "lr_scheduler", "lr_scheduler.base_lrs" },
		{ COMPONENT_DATALOADER, "dataloader.", "dataloader.dp_rank_0" },
		{ COMPONENT_TRAIN_STATE, "train_state.", "train_state.step" },
	};
	const struct dcp_metadata *metadata = resume->checkpoint->metadata;
	struct obstacle *obstacle;
	size_t i;

	for (i = 0; metadata && i < sizeof(kept) / sizeof(*kept); i++) {
		if (has_entry(metadata, kept[i].entries))
			continue;
		obstacle =
			resume_add(job, resume, kept[i].component, FATE_FAILS, "resume-missing-key",
				   "the checkpoint has no %s", component_name(kept[i].component));
		obstacle->error = arena_printf(
			job->arena, "RuntimeError: Missing key in checkpoint state_dict: %s.",
			kept[i].first);
		obstacle->speaker = "torch";
		obstacle->way =
			arena_printf(job->arena, "add %s to checkpoint.exclude_from_loading",
				     component_name(kept[i].component));
	}
}

/* From 5ab3a0fd1 on a scheduler without its optimizer is refused (#4168). */
static void judge_pair(struct job *job, struct resume *resume)
{
	struct obstacle *obstacle;

	if (trait_of(job, TRAIT_DATALOADER) != DATALOADER_RAISES ||
	    resume->fates[COMPONENT_OPTIMIZER] != FATE_EXCLUDED)
		return;
	obstacle = resume_add(job, resume, COMPONENT_LR_SCHEDULER, FATE_FAILS,
			      "checkpoint-exclude-pair",
			      "the optimizer is left out of loading, but not the learning-rate "
			      "scheduler");
	obstacle->error = TITAN(EXCLUDE_PAIR)->says.text;
	obstacle->speaker = "torchtitan";
	obstacle->way = "add lr_scheduler to checkpoint.exclude_from_loading";
	obstacle->lost = "the schedule starts over";
}

void titan_resume(struct job *job, struct resume *resume)
{
	int i;

	for (i = COMPONENT_LR_SCHEDULER; i <= COMPONENT_TRAIN_STATE; i++)
		if (resume->fates[i] != FATE_EXCLUDED)
			resume->fates[i] = FATE_OK;
	resume->fates[COMPONENT_RNG] = FATE_ABSENT;
	judge_tensors(job, resume);
	torch_resume_layout(job, resume);
	judge_scheduler(job, resume);
	judge_loader(job, resume);
	judge_loader_keys(job, resume);
	judge_presence(job, resume);
	judge_pair(job, resume);
}
