#include "framework/state_dict.h"

#include "base/text.h"

#include <string.h>

/* Optimizers by the states they keep per parameter (torch/optim). */
static const struct {
	const char *name;
	int states;
	bool steps;
	const char *setting;
} optimizers[] = {
	{ "adamw", 2, true, "betas" },
	{ "adam", 2, true, "betas" },
	{ "sgd", 0, false, "momentum" },
};

/*
 * Entries of an AdamW parameter group as state dicts show them: lr, betas, eps, weight_decay,
 * amsgrad, maximize, foreach, capturable, differentiable, fused (torch@v2.8.0 optim/adamw.py),
 * decoupled_weight_decay (2.7) and the scheduler's initial_lr. Their number only decides how far
 * they scatter over the files.
 */
enum { GROUP_ENTRIES = 12 };

struct state_dict state_dict_of(const struct job *job)
{
	struct state_dict dict = { .model = "model.",
				   .optimizer = "optimizer.state.",
				   .state = { "exp_avg", "exp_avg_sq" },
				   .groups = GROUP_ENTRIES,
				   .element = 4 };
	const char *name = setting_text(&job->settings, FIELD_OPTIMIZER_NAME, "adamw");
	const char *lower = text_lower(job->arena, name);
	size_t i;

	dict.unknown = name;
	for (i = 0; i < sizeof(optimizers) / sizeof(*optimizers); i++) {
		if (strcmp(lower, optimizers[i].name) != 0)
			continue;
		dict.states = optimizers[i].states;
		dict.steps = optimizers[i].steps;
		dict.setting = optimizers[i].setting;
		dict.unknown = NULL;
	}
	if (job->framework && job->framework->saves)
		job->framework->saves(job, &dict);
	if (!strcmp(setting_text(&job->settings, FIELD_MASTER_DTYPE, "float32"), "bfloat16"))
		dict.element = 2;
	return dict;
}
