#include "sim/workload/objective.h"

#include "framework/torch/job_torch.h"
#include "sim/holding.h"

#include <inttypes.h>
#include <string.h>

/*
 * Samples of two answers are one batch of twice as many sequences, and their reference goes over
 * the same (huggingface/trl@f2cd5771 trl/trainer/dpo_trainer.py, DataCollatorForPreference and
 * _compute_loss; experimental/orpo and cpo without a reference). KTO has one answer, and beside it
 * another prompt's, over which both models go without gradients (kto_trainer.py, _compute_kl_logps;
 * hiyouga/LLaMA-Factory@ff6d4d12 train/kto/trainer.py), but for the loss apo_zero_unpaired. A model
 * of rewards ends in one number of each token (reward_trainer.py).
 */
static const struct objective {
	const char *name;
	int sequences;
	int reference, own; /* forward passes of either model that have no backward one */
	bool scalar;
} objectives[] = {
	{ "pretrain", 1, 0, 0, false }, { "sft", 1, 0, 0, false },   { "dpo", 2, 1, 0, false },
	{ "ipo", 2, 1, 0, false },	{ "kto", 1, 2, 1, false },   { "apo", 1, 1, 0, false },
	{ "orpo", 2, 0, 0, false },	{ "simpo", 2, 0, 0, false }, { "cpo", 2, 0, 0, false },
	{ "rm", 2, 0, 0, true },
};

enum { OBJECTIVES = sizeof(objectives) / sizeof(*objectives), SFT = 1 };

static const struct objective *objective_of(const struct job *job)
{
	const char *name = setting_text(&job->settings, FIELD_OBJECTIVE, objectives[SFT].name);
	int i;

	for (i = 0; i < OBJECTIVES; i++)
		if (!strcmp(objectives[i].name, name))
			return &objectives[i];
	return NULL;
}

static int64_t sequences_of(const struct job *job)
{
	const struct objective *objective = objective_of(job);

	return objective ? objective->sequences : 1;
}

const char *objective_samples(struct arena *arena, const struct job *job, int64_t count)
{
	const bool pairs = sequences_of(job) == 2;

	return arena_printf(arena, "%" PRId64 " %s%s%s", count, pairs ? "pair" : "sequence",
			    count == 1 ? "" : "s", pairs ? " of sequences" : "");
}

static enum reference_held held_by(const struct job *job)
{
	static const char *const words[] = {
		[REFERENCE_NONE] = "none",   [REFERENCE_HOST] = "host",
		[REFERENCE_WHOLE] = "whole", [REFERENCE_BLOCKS] = "blocks",
		[REFERENCE_MODEL] = "model",
	};
	const char *word = setting_text(&job->settings, FIELD_REFERENCE_HELD, "none");
	int held = REFERENCE_MODEL;

	while (held > REFERENCE_NONE && strcmp(words[held], word) != 0)
		held--;
	return (enum reference_held)held;
}

/* Whether any unit of the trained model goes behind a forward pass. */
static bool lets_go(const struct holdings *stage)
{
	size_t i;

	for (i = 0; i < stage->list.count; i++)
		if (stage->list.items[i].lets_go)
			return true;
	return false;
}

/* FSDP2 that wraps it as one unit is told what the trained one is; and up to 2.7 the root never
 * goes (torch@v2.7.1 _fsdp_state.py, _lazy_init). */
static bool stays(const struct workload *work, const struct job *job)
{
	const struct torch_release torch = torch_of_job(job);

	return work->reference == REFERENCE_MODEL &&
	       (!lets_go(work->holdings) || !torch_has(&torch, TORCH_ROOT_RESHARD_AUTO));
}

void objective_put(struct workload *work, const struct job *job)
{
	const struct objective *objective = objective_of(job);
	const char *type = setting_text(&job->settings, FIELD_REFERENCE_DTYPE, "");

	if (!objective)
		objective = &objectives[SFT]; /* objective_lacks says that nothing is known */
	work->sequences = sequences_of(job);
	work->scalar_head = objective->scalar;
	work->passes = objective->own;
	if (!objective->reference)
		return;
	work->reference = held_by(job);
	work->reference_bytes = !strcmp(type, "float32") ? 4 : 2;
	if (!setting_bool(&job->settings, FIELD_REFERENCE_PRECOMPUTED, false))
		work->reference_passes = objective->reference;
	work->passes += work->reference_passes;
	work->reference_stays = work->reference_passes > 0 && stays(work, job);
}

const char *objective_lacks(const struct job *job)
{
	const struct settings *settings = &job->settings;
	const struct objective *objective = objective_of(job);
	const char *held = setting_text(settings, FIELD_REFERENCE_HELD, "");

	if (setting_unresolved(settings, FIELD_OBJECTIVE))
		return "what is trained for is not known (--set training.objective=sft)";
	if (!objective)
		return arena_printf(job->arena,
				    "what training for %.40s takes is not modelled "
				    "(--set training.objective=sft: as if it were fine-tuning)",
				    setting_text(settings, FIELD_OBJECTIVE, ""));
	if (!objective->reference)
		return NULL;
	/* an adapter's is the model without it: none where all weights are trained after all */
	if (!*held ||
	    (!strcmp(held, "none") && !setting_bool(settings, FIELD_REFERENCE_PRECOMPUTED, false)))
		return "where the reference model is that answers are held against is not known "
		       "(--set training.reference.held=blocks)";
	if (strcmp(held, "none") != 0 && strcmp(held, "host") != 0 &&
	    !*setting_text(settings, FIELD_REFERENCE_DTYPE, ""))
		return "the type of the reference model's parameters is not known "
		       "(--set training.reference.dtype=bfloat16)";
	return NULL;
}
