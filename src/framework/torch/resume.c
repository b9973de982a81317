#include "framework/torch/resume.h"

#include "base/text.h"
#include "framework/state_dict.h"
#include "framework/torch/dcp.h"
#include "framework/torch/dcp_saved.h"
#include "framework/torch/job_torch.h"
#include "framework/torch/noted.h"

#include <string.h>

const char torch_state_dict_refusal[] =
	"NotImplementedError: 2D state_dict is under development. Please check "
	"https://github.com/pytorch/pytorch/issues/129627 for more details.";

/* True when tensor parallelism and fully_shard cut the same tensors. */
static bool shards_twice(const struct job *job)
{
	const struct sharding *dense = &job->applied->dense;

	return degrees_of_job(job).tp > 1 && layout_size(&dense->shard) > 1 &&
	       dense->strategy != STRATEGY_NONE && dense->strategy != STRATEGY_DDP;
}

/* A pinned torch, not the newest one that nobody named. */
static bool torch_before(const struct job *job, enum torch_feature feature)
{
	struct torch_release torch;

	if (!versions_find(&job->versions, "torch"))
		return false;
	torch = torch_of_job(job);
	return !torch_has(&torch, feature);
}

const char *torch_state_dict_refused(const struct job *job)
{
	const struct sharding *dense = &job->applied->dense;
	struct torch_release torch = torch_of_job(job);

	if (!torch_before(job, TORCH_STRIDED_SHARD) ||
	    !torch_has(&torch, TORCH_STATE_DICT_2D_REFUSED))
		return NULL;
	if (shards_twice(job))
		return "FSDP with tensor parallelism";
	return layout_size(&dense->shard) > 1 && layout_size(&dense->replicate) > 1 &&
			       dense->strategy != STRATEGY_NONE && dense->strategy != STRATEGY_DDP
		       ? "HSDP"
		       : NULL;
}

static void add_refused(struct job *job, struct resume *resume, const char *layout,
			const char *verb)
{
	struct obstacle *obstacle;

	if (!layout)
		return;
	obstacle =
		resume_add(job, resume, COMPONENT_MODEL, FATE_FAILS, "state-dict-2d",
			   "%s cannot be %s under this torch: state_dict is refused", layout, verb);
	obstacle->error = torch_state_dict_refusal;
	obstacle->speaker = "torch";
	obstacle->way = "use PyTorch 2.5 or later";
}

/* What DCP refuses to save, since metadata of some parameter gives the same rows to two ranks. */
static void add_overlap(struct job *job, struct resume *resume, const struct job *from)
{
	struct torch_release torch = torch_of_job(from);
	const struct sharded *twice;
	struct obstacle *obstacle;

	if (!torch_has(&torch, TORCH_OFFSETS_LEFT_TO_RIGHT) || !(twice = noted_twice(from)))
		return;
	obstacle =
		resume_add(job, resume, COMPONENT_MODEL, FATE_FAILS, "strided-metadata-overlap",
			   "torch %s cannot save %s as the checkpoint's writer cuts it: two ranks "
			   "name the same rows",
			   torch.label, twice->parameter->fqn);
	obstacle->error = noted_twice_error;
	obstacle->speaker = "torch";
	obstacle->way = "pad the dimension to a multiple of tp";
}

void torch_resume_layout(struct job *job, struct resume *resume)
{
	const struct job *from = resume->checkpoint->from;
	struct obstacle *obstacle;

	add_refused(job, resume, torch_state_dict_refused(job), "loaded");
	if (from && !from->applied->error)
		add_refused(job, resume, torch_state_dict_refused(from), "saved");
	if (from && !from->applied->error && versions_find(&from->versions, "torch"))
		add_overlap(job, resume, from);
	if (!from || from->applied->error || !shards_twice(from) ||
	    !torch_before(from, TORCH_STRIDED_SHARD) || torch_state_dict_refused(from))
		return;
	obstacle = resume_add(job, resume, COMPONENT_MODEL, FATE_LOSES, "resume-scrambled",
			      "the checkpoint was written with tensor parallelism and FSDP under "
			      "torch %s: its rows stand in another order than their offsets say",
			      torch_of_job(from).label);
	obstacle->reported = true;
	obstacle->lost = "every weight that both have cut is put together wrongly";
	obstacle->way = "load it on the ranks that wrote it, and save it again with PyTorch 2.5 or "
			"later";
}

/* What stands before the first parameter of the model in a metadata file; NULL: it is not there. */
static const char *prefix_in(struct job *job, const struct dcp_metadata *metadata)
{
	const char *fqn = job->model->parameters.items[0].fqn;
	size_t i;

	for (i = 0; i < metadata->tensors.count; i++) {
		const char *name = metadata->tensors.items[i].fqn;
		size_t extra = strlen(name) - strlen(fqn);
		if (strlen(name) >= strlen(fqn) && !strcmp(name + extra, fqn) &&
		    (!extra || name[extra - 1] == '.') && !text_starts(name, "optim"))
			return arena_strndup(job->arena, name, extra);
	}
	return NULL;
}

void torch_resume(struct job *job, struct resume *resume)
{
	const struct dcp_metadata *metadata = resume->checkpoint->metadata;
	struct state_dict dict = state_dict_of(job);
	const char *prefix = dict.model;
	int i;

	for (i = COMPONENT_LR_SCHEDULER; i < COMPONENTS; i++)
		if (resume->fates[i] != FATE_EXCLUDED)
			resume->notes[i] = "the training script decides";
	if (metadata && job->model && job->model->parameters.count) {
		prefix = prefix_in(job, metadata);
		state_dict_find(&dict, job->arena, job->model, metadata);
	}
	if (!prefix) {
		resume->fates[COMPONENT_MODEL] = FATE_UNKNOWN;
		resume->notes[COMPONENT_MODEL] = "its names are not those of the model";
		return;
	}
	resume_tensors(job, resume, COMPONENT_MODEL, prefix, prefix);
	resume_optimizer(job, resume, dict.optimizer);
	torch_resume_layout(job, resume);
}
