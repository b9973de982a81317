#include "framework/resume.h"

#include "base/map.h"
#include "base/text.h"
#include "framework/state_dict.h"
#include "framework/torch/dcp.h"
#include "framework/torch/job_torch.h"
#include "framework/torch/release.h"

#include <inttypes.h>
#include <string.h>

static const char *const component_names[] = {
	[COMPONENT_MODEL] = "model",
	[COMPONENT_OPTIMIZER] = "optimizer",
	[COMPONENT_LR_SCHEDULER] = "lr_scheduler",
	[COMPONENT_DATALOADER] = "dataloader",
	[COMPONENT_TRAIN_STATE] = "train_state",
	[COMPONENT_RNG] = "rng",
};

static const char *const fate_names[] = {
	[FATE_UNKNOWN] = "unknown", [FATE_ABSENT] = "not saved",  [FATE_EXCLUDED] = "excluded",
	[FATE_OK] = "ok",	    [FATE_RESHARDS] = "reshards", [FATE_LOSES] = "loses",
	[FATE_FAILS] = "fails",
};

const char *component_name(enum component component)
{
	return component_names[component];
}

const char *fate_name(enum fate fate)
{
	return fate_names[fate];
}

struct obstacle *resume_add(struct job *job, struct resume *resume, enum component component,
			    enum fate fate, const char *rule, const char *format, ...)
{
	struct obstacle obstacle = { .component = component, .fate = fate, .rule = rule };
	va_list args;

	va_start(args, format);
	obstacle.what = arena_vprintf(job->arena, format, args);
	va_end(args);
	if (resume->fates[component] == FATE_EXCLUDED)
		return arena_new(job->arena, struct obstacle);
	vec_push(job->arena, &resume->obstacles, obstacle);
	if (fate > resume->fates[component])
		resume->fates[component] = fate;
	return &resume->obstacles.items[resume->obstacles.count - 1];
}

const struct obstacle *resume_obstacle(const struct resume *resume, enum component component)
{
	const struct obstacle *worst = NULL;
	size_t i;

	for (i = 0; i < resume->obstacles.count; i++) {
		const struct obstacle *obstacle = &resume->obstacles.items[i];
		if (obstacle->component == component && (!worst || obstacle->fate > worst->fate))
			worst = obstacle;
	}
	return worst;
}

bool resume_loads(const struct resume *resume)
{
	int i;

	for (i = 0; i < COMPONENTS; i++)
		if (resume->fates[i] == FATE_FAILS)
			return false;
	return true;
}

bool resume_judged(const struct resume *resume)
{
	return resume->fates[COMPONENT_MODEL] != FATE_UNKNOWN;
}

static bool same_degrees(const struct degrees *a, const struct degrees *b)
{
	return a->dp_replicate == b->dp_replicate && a->dp_shard == b->dp_shard && a->dp == b->dp &&
	       a->cp == b->cp && a->tp == b->tp && a->pp == b->pp && a->ep == b->ep &&
	       a->etp == b->etp;
}

/* What every framework has in common: a component left out, tensors that are cut anew. */
static void begin(const struct job *job, struct resume *resume)
{
	const struct checkpoint *checkpoint = resume->checkpoint;
	struct degrees now = degrees_of_job(job);
	enum fate tensors = FATE_RESHARDS;
	int i;

	if (checkpoint->source != CHECKPOINT_METADATA && same_degrees(&now, &checkpoint->degrees))
		tensors = FATE_OK;
	resume->fates[COMPONENT_MODEL] = resume->fates[COMPONENT_OPTIMIZER] = tensors;
	for (i = 0; i < COMPONENTS; i++)
		if (setting_lists(&job->settings, FIELD_CHECKPOINT_EXCLUDE, component_names[i]))
			resume->fates[i] = FATE_EXCLUDED;
}

/* How the framework keeps its checkpoints is not modelled. */
static void leave_open(const struct job *job, struct resume *resume)
{
	int i;

	for (i = 0; i < COMPONENTS; i++)
		resume->notes[i] =
			job->applied->unmodelled ? job->applied->unmodelled_why
			: job->applied->assumed
				? job->applied->assumed
				: "how this framework keeps its checkpoints is not modelled";
}

static bool can_judge(const struct job *job)
{
	return job->readable && job->world && job->applied && !job->applied->error;
}

const struct resume *resume_of(struct job *job)
{
	struct resume *resume;

	if (job->resume || !can_judge(job))
		return job->resume;
	checkpoint_of_job(job);
	if (!job->checkpoint)
		return NULL;
	resume = arena_new(job->arena, struct resume);
	resume->checkpoint = job->checkpoint;
	job->resume = resume;
	if (resume->checkpoint->source == CHECKPOINT_UNKNOWN)
		return resume;
	if (job->applied->unmodelled || job->applied->assumed || !job->framework ||
	    !job->framework->resume) {
		leave_open(job, resume);
		return resume;
	}
	begin(job, resume);
	job->framework->resume(job, resume);
	return resume;
}

void resume_from(struct job *job, const struct checkpoint *checkpoint)
{
	job->checkpoint = checkpoint;
	job->resume = NULL;
}

bool resume_compatible(struct job *job, const char **why)
{
	const struct resume *resume = resume_of(job);
	size_t i;

	*why = NULL;
	if (!resume)
		*why = can_judge(job) ? "no checkpoint.resume says what is loaded"
				      : "the job's own plan is not known";
	else if (resume->checkpoint->trouble)
		*why = arena_printf(job->arena, "the checkpoint %s tells nothing: %s",
				    resume->checkpoint->name, resume->checkpoint->trouble);
	for (i = 0; resume && !*why && i < resume->obstacles.count; i++)
		if (resume->obstacles.items[i].fate == FATE_FAILS)
			*why = resume->obstacles.items[i].what;
	return !*why;
}

/* ---- Tensors ---- */

/* The tensors of a checkpoint by the name of the model's parameter. */
struct shelf {
	struct map names;
	const struct parameter *parameters; /* of the job that wrote it, or */
	const struct dcp_tensor *tensors;   /* what its metadata lists */
};

/*
 * The model's state dict has the fused matrix of queries, keys and values in three parts
 * (pytorch/torchtitan#3656); the optimizer's has it whole.
 */
static const char fused[] = ".qkv_linear.wqkv.";

/* The name a parameter has in the model's state dict; the first of them where it is taken apart. */
static const char *model_name(struct arena *arena, const char *fqn)
{
	const char *at = strstr(fqn, fused);

	if (!at)
		return fqn;
	return arena_printf(arena, "%.*s.qkv_linear.wq.%s", (int)(at - fqn), fqn,
			    at + strlen(fused));
}

/* The entry of a state dict that a parameter stands for; of the optimizer's, the first moment. */
static const char *key_of(struct arena *arena, enum component component, const char *prefix,
			  const struct parameter *parameter)
{
	if (component == COMPONENT_MODEL)
		return arena_join(arena, prefix, model_name(arena, parameter->fqn), "");
	return arena_join(arena, prefix, parameter->fqn, ".exp_avg");
}

/* The entry that is looked up first. */
static const char *first_key(struct arena *arena, enum component component, const char *prefix,
			     const struct parameter *parameter)
{
	if (component == COMPONENT_MODEL)
		return key_of(arena, component, prefix, parameter);
	return arena_join(arena, prefix, parameter->fqn, ".step");
}

static bool stock_metadata(struct shelf *shelf, const struct dcp_metadata *metadata)
{
	size_t i;

	shelf->tensors = metadata->tensors.items;
	for (i = 0; i < metadata->tensors.count; i++)
		map_add(&shelf->names, shelf->tensors[i].fqn, (uint32_t)i);
	return true;
}

static bool stock_job(struct arena *arena, struct shelf *shelf, const struct job *from,
		      enum component component, const char *prefix)
{
	size_t i;

	if (!from || !from->model || !from->model->parameters.count)
		return false;
	shelf->parameters = from->model->parameters.items;
	for (i = 0; i < from->model->parameters.count; i++)
		map_add(&shelf->names, key_of(arena, component, prefix, &shelf->parameters[i]),
			(uint32_t)i);
	return true;
}

/* A tensor's size as Python prints it: "torch.Size([128256, 4096])". */
static const char *size_text(struct arena *arena, int dims, const int64_t *shape)
{
	const char *text = "torch.Size([";
	int i;

	for (i = 0; i < dims; i++)
		text = arena_printf(arena, "%s%s%" PRId64, text, i ? ", " : "", shape[i]);
	return arena_join(arena, text, "])", "");
}

static bool same_shape(const struct parameter *parameter, int dims, const int64_t *shape)
{
	return parameter->dims == dims &&
	       !memcmp(parameter->shape, shape, (size_t)dims * sizeof(*shape));
}

/* What differs between a job's parameters and a checkpoint's tensors. */
struct mismatch {
	bool sorted;		  /* DCP goes through the outermost keys by name */
	int64_t missing, resized; /* parameters */
	const struct parameter *first_missing, *first_resized;
	int dims;
	const int64_t *shape; /* of first_resized in the checkpoint */
};

static const char *others(struct arena *arena, int64_t count)
{
	return count > 1 ? arena_printf(arena, " and %" PRId64 " more", count - 1) : "";
}

/* Whether DCP comes to a parameter before it comes to one that is listed earlier. */
static bool comes_before(const struct mismatch *mismatch, const struct parameter *parameter,
			 const struct parameter *listed)
{
	return mismatch->sorted && strcmp(parameter->fqn, listed->fqn) < 0;
}

static void look_up(struct mismatch *mismatch, struct arena *arena, const struct shelf *shelf,
		    enum component component, const char *prefix, const struct parameter *parameter)
{
	int64_t at = map_find(&shelf->names, key_of(arena, component, prefix, parameter));
	const int64_t *shape;
	int dims;

	if (at < 0) {
		if (!mismatch->missing++ ||
		    comes_before(mismatch, parameter, mismatch->first_missing))
			mismatch->first_missing = parameter;
		return;
	}
	if (shelf->tensors && component == COMPONENT_MODEL && strstr(parameter->fqn, fused))
		return; /* a part has the size of a part */
	if (shelf->tensors) {
		dims = shelf->tensors[at].dims;
		shape = shelf->tensors[at].shape;
	} else if (shelf->parameters) {
		dims = shelf->parameters[at].dims;
		shape = shelf->parameters[at].shape;
	} else {
		return;
	}
	if (same_shape(parameter, dims, shape))
		return;
	if (mismatch->resized++ && !comes_before(mismatch, parameter, mismatch->first_resized))
		return;
	mismatch->first_resized = parameter;
	mismatch->dims = dims;
	mismatch->shape = shape;
}

static void add_missing(struct job *job, struct resume *resume, enum component component,
			const char *prefix, const char *then, const struct mismatch *mismatch)
{
	const char *key = first_key(job->arena, component, prefix, mismatch->first_missing);
	struct obstacle *obstacle;

	obstacle = resume_add(job, resume, component, FATE_FAILS, "resume-missing-key",
			      "the checkpoint has no %s%s", key,
			      others(job->arena, mismatch->missing));
	obstacle->error = arena_printf(
		job->arena, "RuntimeError: Missing key in checkpoint state_dict: %s.", key);
	obstacle->speaker = "torch";
	if (!strcmp(prefix, then))
		return;
	obstacle->requested = key;
	obstacle->actual = key_of(job->arena, component, then, mismatch->first_missing);
}

/* Up to PyTorch 2.5 sizes are not compared: the overlap is loaded, the rest stays as it was. */
static bool sizes_compared(const struct job *job)
{
	struct torch_release torch = torch_of_job(job);

	return !versions_find(&job->versions, "torch") || torch_has(&torch, TORCH_SIZES_COMPARED);
}

static void add_resized(struct job *job, struct resume *resume, enum component component,
			const char *prefix, const struct mismatch *mismatch)
{
	const struct parameter *parameter = mismatch->first_resized;
	const char *key = key_of(job->arena, component, prefix, parameter);
	const char *saved = size_text(job->arena, mismatch->dims, mismatch->shape);
	const char *now = size_text(job->arena, parameter->dims, parameter->shape);
	bool compared = sizes_compared(job);
	struct obstacle *obstacle;

	obstacle = resume_add(
		job, resume, component, compared ? FATE_FAILS : FATE_LOSES, "resume-size-mismatch",
		"%s has another size in the checkpoint%s", key,
		mismatch->resized > 1
			? arena_printf(job->arena, ", and so ha%s %" PRId64 " more",
				       mismatch->resized > 2 ? "ve" : "s", mismatch->resized - 1)
			: "");
	obstacle->requested = now;
	obstacle->actual = saved;
	obstacle->speaker = "torch";
	if (compared)
		obstacle->error = arena_printf(
			job->arena,
			"ValueError: Size mismatch between saved %s and current: %s for %s", saved,
			now, key);
	else
		obstacle->lost = "all but the part that both sizes have";
	obstacle->because[obstacle->because_count++] = FIELD_MODEL_PRESET;
	obstacle->because[obstacle->because_count++] = FIELD_MODEL_VOCAB;
	obstacle->because[obstacle->because_count++] = FIELD_MODEL_MOE_EXPERTS;
}

/* Tensors of the model that the checkpoint has and the job never asks for. */
static void count_unread(struct job *job, struct resume *resume, const struct shelf *shelf,
			 const char *prefix)
{
	struct map wanted = { .arena = job->arena };
	const struct model *model = job->model;
	const char *first = NULL;
	struct obstacle *obstacle;
	int64_t unread = 0;
	size_t i, count;

	if (!shelf->parameters)
		return;
	for (i = 0; i < model->parameters.count; i++)
		map_add(&wanted, model->parameters.items[i].fqn, (uint32_t)i);
	count = resume->checkpoint->from->model->parameters.count;
	for (i = 0; i < count; i++)
		if (map_find(&wanted, shelf->parameters[i].fqn) < 0 && !unread++)
			first = arena_join(job->arena, prefix, shelf->parameters[i].fqn, "");
	if (!unread)
		return;
	obstacle = resume_add(job, resume, COMPONENT_MODEL, FATE_LOSES, "resume-unread-parameters",
			      "%s%s of the checkpoint %s in no parameter of the job and stay%s "
			      "unread",
			      first, others(job->arena, unread), unread > 1 ? "are" : "is",
			      unread > 1 ? "" : "s");
	obstacle->lost = "what those parameters had learnt";
	obstacle->because[obstacle->because_count++] = FIELD_MODEL_LAYERS;
}

void resume_tensors(struct job *job, struct resume *resume, enum component component,
		    const char *now, const char *then)
{
	const struct checkpoint *checkpoint = resume->checkpoint;
	struct shelf shelf = { .names = { .arena = job->arena } };
	struct mismatch mismatch = { .sorted = !*now };
	bool known;
	size_t i;

	known = checkpoint->metadata
			? stock_metadata(&shelf, checkpoint->metadata)
			: stock_job(job->arena, &shelf, checkpoint->from, component, then);
	if (!known || !job->model || !job->model->parameters.count)
		return;
	for (i = 0; i < job->model->parameters.count; i++)
		look_up(&mismatch, job->arena, &shelf, component, now,
			&job->model->parameters.items[i]);
	if (mismatch.missing)
		add_missing(job, resume, component, now, then, &mismatch);
	if (mismatch.resized)
		add_resized(job, resume, component, now, &mismatch);
	if (!mismatch.missing && component == COMPONENT_MODEL)
		count_unread(job, resume, &shelf, then);
}

/* ---- Optimizer ---- */

const char *resume_first_state(const struct job *job)
{
	const char *prefix = state_dict_of(job).optimizer;

	if (!job->model || !job->model->parameters.count)
		return "optimizer.state";
	return arena_join(job->arena, prefix, job->model->parameters.items[0].fqn, ".step");
}

/* An optimizer without states asks for settings that another one's group does not have. */
static void add_setting(struct job *job, struct resume *resume, const char *prefix,
			const struct state_dict *now)
{
	const char *fqn = job->model->parameters.items[0].fqn;
	struct obstacle *obstacle;

	obstacle = resume_add(job, resume, COMPONENT_OPTIMIZER, FATE_FAILS, "resume-missing-key",
			      "the optimizer that wrote the checkpoint had no %s", now->setting);
	obstacle->error =
		arena_printf(job->arena,
			     "RuntimeError: Missing key in checkpoint state_dict: "
			     "%.*sparam_groups.%s.%s.",
			     (int)(strlen(prefix) - strlen("state.")), prefix, fqn, now->setting);
	obstacle->speaker = "torch";
	obstacle->way = "add optimizer to checkpoint.exclude_from_loading";
	obstacle->because[obstacle->because_count++] = FIELD_OPTIMIZER_NAME;
}

/* Whether the group of a parameter was kept under its name, and without a setting. */
static bool lacks_setting(const struct dcp_metadata *metadata, const char *fqn, const char *setting)
{
	const char *group = "param_groups.", *at;
	bool kept = false;
	size_t i;

	for (i = 0; i < metadata->blobs.count; i++) {
		at = strstr(metadata->blobs.items[i].fqn, group);
		if (!at || !text_starts(at + strlen(group), fqn))
			continue;
		kept = true;
		if (text_ends(at, setting))
			return false;
	}
	return kept;
}

static void judge_settings(struct job *job, struct resume *resume, const char *prefix,
			   const struct state_dict *now, const struct state_dict *then)
{
	const struct checkpoint *checkpoint = resume->checkpoint;

	if (!job->model || !job->model->parameters.count)
		return;
	if (checkpoint->from
		    ? strcmp(now->setting, then->setting) != 0
		    : checkpoint->metadata &&
			      lacks_setting(checkpoint->metadata,
					    job->model->parameters.items[0].fqn, now->setting))
		add_setting(job, resume, prefix, now);
}

/* A checkpoint by an optimizer with fewer states than the job's. */
static void add_states(struct job *job, struct resume *resume, const struct state_dict *now)
{
	struct obstacle *obstacle;

	obstacle = resume_add(job, resume, COMPONENT_OPTIMIZER, FATE_FAILS, "resume-missing-key",
			      "the optimizer that wrote the checkpoint kept no %s", now->state[0]);
	obstacle->error =
		arena_printf(job->arena, "RuntimeError: Missing key in checkpoint state_dict: %s.",
			     resume_first_state(job));
	obstacle->speaker = "torch";
	obstacle->way = "add optimizer to checkpoint.exclude_from_loading";
	obstacle->lost = "the optimizer starts with empty moments";
	obstacle->because[obstacle->because_count++] = FIELD_OPTIMIZER_NAME;
}

void resume_optimizer(struct job *job, struct resume *resume, const char *prefix)
{
	const struct checkpoint *checkpoint = resume->checkpoint;
	struct state_dict now = state_dict_of(job), then = now;

	if (resume->fates[COMPONENT_OPTIMIZER] == FATE_EXCLUDED)
		return;
	if (checkpoint->from)
		then = state_dict_of(checkpoint->from);
	if (now.unknown || then.unknown) {
		resume->fates[COMPONENT_OPTIMIZER] = FATE_UNKNOWN;
		resume->notes[COMPONENT_OPTIMIZER] =
			arena_printf(job->arena, "the states of %s are not known",
				     now.unknown ? now.unknown : then.unknown);
	} else if (now.states > then.states) {
		add_states(job, resume, &now);
	} else if (now.states) {
		resume_tensors(job, resume, COMPONENT_OPTIMIZER, prefix, prefix);
	} else {
		judge_settings(job, resume, prefix, &now, &then);
	}
}
