#include "framework/state_dict.h"

#include "framework/optimizer.h"

#include <string.h>

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
	const struct optimizer optimizer = optimizer_of(job);

	dict.states = optimizer.setting ? optimizer.states : 0;
	dict.steps = optimizer.adam;
	dict.setting = optimizer.setting;
	if (!optimizer.setting)
		dict.unknown = setting_text(&job->settings, FIELD_OPTIMIZER_NAME, "");
	if (job->framework && job->framework->saves)
		job->framework->saves(job, &dict);
	if (!strcmp(setting_text(&job->settings, FIELD_MASTER_DTYPE, "float32"), "bfloat16"))
		dict.element = 2;
	return dict;
}
