#include "input/launch/form.h"
#include "input/shell/shell.h"
#include "wings/verl/keys.h"

/*
 * Scripts that start verl (verl-project/verl@1dda039b): nearly all of a job's config is hydra's
 * overrides behind `python3 -m verl.trainer.main_ppo`.
 */

/* Programs that write answers down or judge them (verl/trainer/main_generation.py, main_eval.py).
 */
static bool trains_nothing(const struct launch *launch)
{
	return launch_runs_below(launch, "verl.trainer.main_generation|"
					 "verl.trainer.main_generation_server|"
					 "verl.trainer.main_eval");
}

/* The command that starts verl: one that trains, the last that is sure to run, else the last. */
static const struct shell_command *find_command(const struct document *document,
						struct launch **launch)
{
	const struct shell_script *script = document->shell;
	const struct shell_command *found = NULL;
	size_t i;

	for (i = 0; script && i < script->commands.count; i++) {
		const struct shell_command *command = &script->commands.items[i];
		struct launch *here = launch_of_command(document->arena, script, command);
		if (!verl_is_launch(here) || (found && command->undecided && !found->undecided) ||
		    (found && trains_nothing(here) && !trains_nothing(*launch)))
			continue;
		found = command;
		*launch = here;
	}
	return found;
}

extern const struct dialect dialect_verl;

static int verl_sh_detect(const struct document *document)
{
	struct launch *launch = NULL;

	return find_command(document, &launch) ? 90 : 0;
}

static void verl_sh_compose(struct document *document, struct findings *findings)
{
	struct launch *launch = NULL;
	const struct shell_command *command = find_command(document, &launch);

	if (!command)
		return;
	if (trains_nothing(launch))
		document->no_job = "verl generates or evaluates here, and trains nothing";
	if (!launch_runs_below(launch, "verl.trainer.sft_trainer|verl.trainer.fsdp_sft_trainer"))
		launch_forget(launch);
	launch_take(document, launch);
	verl_put_overrides(document, document->shell, command, findings);
	if (document->task)
		document->dialect = &dialect_verl;
}

static void verl_sh_settle(struct document *document, moment_t when, struct settings *settings,
			   struct findings *findings)
{
	(void)when;
	verl_settle(document, settings, findings);
}

const struct dialect dialect_verl_sh = {
	.name = "verl-sh",
	.summary = "scripts that start verl with hydra's overrides",
	.signs = "a command with verl.trainer.* or actor_rollout_ref.*=",
	.framework = "verl",
	.as_of = "1dda039b",
	.command = COMMAND_HYDRA,
	.detect = verl_sh_detect,
	.compose = verl_sh_compose,
	.settle = verl_sh_settle,
};
