#include "base/text.h"
#include "input/launch/form.h"

/*
 * NeMo-RL's programs (NVIDIA-NeMo/RL@7ea279ab examples/run_grpo.py): `uv run examples/run_grpo.py
 * --config FILE` and hydra's words over it. Ray makes the ranks that train, as many as the config
 * has; without a file the program takes one of its own.
 */

static const char programs[] =
	"run_grpo|run_grpo_math|run_grpo_rm|run_grpo_single_controller|run_grpo_sliding_puzzle|"
	"run_vlm_grpo|run_ppo|run_sft|run_vlm_sft|run_dpo|run_rm|run_distillation|"
	"run_distillation_math|run_xtoken_off_policy_distillation";

/* Words over sections that its configs have. */
static bool overrides(const struct launch *launch)
{
	static const char *const sections[] = { "policy.", "cluster.", "grpo.", "sft.",
						"dpo.",	   "rm.",      "ppo.",	"distillation." };
	size_t i, k;

	for (i = 0; i < launch->strays.count; i++) {
		const char *word = launch->strays.items[i].text;
		while (*word == '+')
			word++;
		for (k = 0; k < sizeof(sections) / sizeof(*sections); k++)
			if (text_starts(word, sections[k]))
				return true;
	}
	return false;
}

static int claims(const struct launch *launch)
{
	return launch_runs(launch, programs) && (launch_find(launch, "config") || overrides(launch))
		       ? 60
		       : 0;
}

static struct node *compose(struct document *document, struct launch *launch,
			    struct findings *findings)
{
	const struct launch_flag *file = launch_find(launch, "config");

	launch_forget(launch);
	if (file)
		return launch_config_of(document, launch, file, findings);
	launch_leave_open(document, launch->program_span, "the program's own config decides");
	return node_container(document->arena, NODE_MAP, document->root->span);
}

const struct launch_form launch_form_nemo_rl = {
	.name = "NeMo-RL",
	.dialect = "nemo-rl",
	.claims = claims,
	.compose = compose,
};
