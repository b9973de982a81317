#include "base/text.h"
#include "input/document.h"
#include "input/launch/launch.h"
#include "input/launch/form.h"
#include "input/recognition.h"
#include "input/shell/shell.h"
#include "input/syntax/reader.h"

#include <string.h>

/*
 * Scripts that start a training with a launcher (torchrun, srun, accelerate launch, deepspeed,
 * mpirun, composer): how many ranks there are follows from the launch line and from #SBATCH. A
 * config that the line names and that lies beside the script is read in its own dialect, the launch
 * line as if it had been given behind "--". A framework whose row claims the line reads it itself
 * (input/launch/form.h). Of a job of Slurm that only starts another script nothing is known, and a
 * script without a launcher is no training.
 */

static int launch_sh_detect(const struct document *document)
{
	if (!document->shell)
		return 0;
	if (launch_of_script(document->arena, document->shell, NULL))
		return 30;
	return document->shell->sbatch.count ? 10 : 5;
}

/* The path that a word names, when it is a config's: "--config=x.yaml" is "x.yaml". */
static const char *config_in(const struct shell_word *word)
{
	static const char *const endings[] = { ".yaml", ".yml", ".toml", ".json" };
	const char *equals = strchr(word->text, '=');
	size_t i;

	for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (!word->unresolved && text_ends(word->text, endings[i]))
			return equals ? equals + 1 : word->text;
	return NULL;
}

/* What a document with that tree would be, and how sure its dialect is. */
static const struct dialect *dialect_of(const struct document *document, struct node *root,
					int *sure)
{
	struct document as = *document;
	const struct dialect *found = NULL;
	size_t i;

	as.root = root;
	as.documents = root;
	as.shell = NULL;
	*sure = 0;
	for (i = 0; dialects[i]; i++) {
		int here = dialects[i]->detect(&as);
		if (here <= *sure)
			continue;
		*sure = here;
		found = dialects[i];
	}
	return found;
}

/* The config of the training; one that only tells the launcher what to do gives way to others. */
static struct node *find_config(struct document *document, const struct shell_command *command,
				const struct dialect **dialect, struct findings *findings)
{
	struct node *best = NULL;
	int most = 0;
	size_t i;

	for (i = 0; i < command->words.count; i++) {
		const char *path = config_in(&command->words.items[i]);
		struct node *root =
			path ? launch_load(document, document->launch, path, findings) : NULL;
		const struct dialect *found;
		int sure;
		if (!root)
			continue;
		found = dialect_of(document, root, &sure);
		if (found && (found->starts || launcher_has_files(found->name)))
			sure = 1;
		if (!found || sure <= most)
			continue;
		most = sure;
		best = root;
		*dialect = found;
	}
	return best;
}

/* A word that names a config, by its ending and by the flag in front of it, if there is one. */
static bool names_config(const struct launch *launch, size_t i)
{
	const char *text = launch->arguments.items[i].text, *equals = strchr(text, '=');
	const char *before = i ? launch->arguments.items[i - 1].text : "";
	const bool tree =
		text_ends(text, ".yaml") || text_ends(text, ".yml") || text_ends(text, ".toml");

	if (!tree && !text_ends(text, ".json"))
		return false;
	if (*text == '-')
		return equals && text_mentions(text, (size_t)(equals - text), "config");
	if (*before == '-' && !strchr(before, '='))
		return text_mentions(before, strlen(before), "config") || !strcmp(before, "-c");
	return tree;
}

/* Of a config that the line names and that is not here it is said so. */
static void miss_config(struct document *document, const struct launch *launch,
			struct findings *findings)
{
	size_t i;

	for (i = 0; i < launch->arguments.count; i++) {
		struct launch_flag flag = launch_flag_of(&launch->arguments.items[i], "config");
		const char *equals = strchr(flag.value, '=');
		if (!names_config(launch, i))
			continue;
		flag.value = *flag.value == '-' && equals ? equals + 1 : flag.value;
		if (flag.unresolved || !launch_load(document, launch, flag.value, findings)) {
			launch_config_of(document, launch, &flag, findings);
			return;
		}
	}
}

/* True when another script is started, which is not here: it may start anything. */
static bool starts_script(const struct shell_script *script)
{
	size_t i, k;

	for (i = 0; i < script->commands.count; i++)
		for (k = 0; k < script->commands.items[i].words.count; k++) {
			const char *word = script->commands.items[i].words.items[k].text;
			if (*word != '-' && (text_ends(word, ".sh") || text_ends(word, ".slurm") ||
					     text_ends(word, ".sbatch")))
				return true;
		}
	return false;
}

/* Without a launcher a program trains when its name says so, or when a framework's row does. */
static bool is_training(const struct document *document, const struct launch *launch)
{
	static const char *const signs[] = { "train", "tune", "sft", "dpo", "ppo",  "grpo",
					     "rlhf",  "main", "run", "fit", "learn" };
	size_t i;

	if (!launch)
		return starts_script(document->shell);
	for (i = 0; launch->program && i < sizeof(signs) / sizeof(signs[0]); i++)
		if (strstr(launch->program, signs[i]))
			return true;
	return launch->launched || launch_form_of(launch);
}

/* A script that starts nothing may do so because a shell does not come to what follows. */
static void report_break(const struct shell_script *script, struct findings *findings)
{
	struct finding *finding;

	if (!script->trouble)
		return;
	finding = finding_add(findings, &rule_syntax, script->broken,
			      "no shell reads on from here: %s", script->trouble);
	finding_consequence(findings, finding,
			    "A shell stops there, and starts nothing of what follows.");
	finding_fix(findings, finding, "correct the text at the place shown");
}

static void launch_sh_compose(struct document *document, struct findings *findings)
{
	const struct shell_command *command = NULL;
	struct launch *launch = launch_of_script(document->arena, document->shell, &command);
	const struct dialect *dialect = NULL;
	const struct launch_form *form;
	struct node *root;

	if (!is_training(document, launch)) {
		report_break(document->shell, findings);
		document->no_job =
			arena_join(document->arena, "no launcher is started; ",
				   recognition_programs(document->arena, document->shell), "");
	}
	if (!launch || document->no_job)
		return;
	launch_take(document, launch);
	if (launch_other_task(launch))
		return;
	form = launch_form_of(launch);
	if (form && form->by_variables)
		launch_by_variables(launch, document->shell, command);
	if (launch_form_take(document, launch, findings))
		return;
	if (form && !form->dialect)
		return;
	root = find_config(document, command, &dialect, findings);
	if (root)
		launch_hand_over(document, root, dialect, findings);
	else
		miss_config(document, launch, findings);
}

static void launch_sh_settle(struct document *document, moment_t when, struct settings *settings,
			     struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };

	(void)when;
	launch_settle(document->launch, document->arena, settings);
	launch_put_model(&decoder, document);
}

const struct dialect dialect_launch_sh = {
	.name = "launch-sh",
	.summary = "shell and Slurm scripts, and SkyPilot tasks, that start a training with a "
		   "launcher",
	.signs = "a command with torchrun, srun, accelerate launch, deepspeed, mpirun or python",
	.framework = NULL,
	.as_of = NULL,
	.starts = true,
	.detect = launch_sh_detect,
	.compose = launch_sh_compose,
	.settle = launch_sh_settle,
};
