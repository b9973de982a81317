#include "input/launch/launch.h"

#include "base/text.h"
#include "input/field.h"
#include "input/launch/form.h"
#include "input/launch/launchers.h"
#include "input/shell/shell.h"

#include <string.h>

/* The launch line of a shell script. */

/* Options of #SBATCH that srun takes over. */
static const struct {
	const char *option;
	enum field_id field;
	bool step; /* only what srun starts is so many */
} slurm[] = {
	{ "nodes", FIELD_LAUNCH_NODES, true },
	{ "ntasks", FIELD_LAUNCH_TASKS, true },
	{ "ntasks-per-node", FIELD_LAUNCH_TASKS_PER_NODE, true },
	{ "gres", FIELD_LAUNCH_GPUS_REQUESTED, false },
	{ "gpus-per-node", FIELD_LAUNCH_GPUS_REQUESTED, false },
};

static void read_slurm(struct launch_parser *p, const struct shell_script *script)
{
	const bool step = launch_has_srun(p);
	const char *text;
	size_t i;

	for (i = 0; i < sizeof(slurm) / sizeof(slurm[0]); i++) {
		const struct shell_word *word = shell_sbatch(script, slurm[i].option);
		int64_t number;
		if (!word || (slurm[i].step && !step))
			continue;
		text = strrchr(word->text, ':');
		text = text ? text + 1 : word->text;
		if (text_to_int(text, &number))
			launch_fact(p, slurm[i].field, text, word->span);
	}
}

/* Whether the word before is a flag, whose value an empty word may be: --layout "". */
static bool follows_flag(const struct launch_parser *p)
{
	const char *last = p->words.count ? p->words.items[p->words.count - 1].text : "";

	return text_starts(last, "--") && last[2] && !strchr(last, '=');
}

static void push_word(struct launch_parser *p, const char *text, const struct shell_word *from)
{
	struct word word = { .text = text, .span = from->span, .unresolved = from->unresolved };

	if (*text || follows_flag(p))
		vec_push(p->arena, &p->words, word);
}

struct launch *launch_of_command(struct arena *arena, const struct shell_script *script,
				 const struct shell_command *command)
{
	struct launch_parser p = { .arena = arena,
				   .launch = arena_new(arena, struct launch),
				   .script = true };
	const struct shell_word *word;
	size_t i;

	p.launch->source = script->source;
	p.launch->folder = command->folder;
	for (i = 0; i < command->environment.count; i++) {
		const struct shell_assignment *assignment = &command->environment.items[i];
		push_word(&p, arena_join(arena, assignment->name, "=", assignment->value.text),
			  &assignment->value);
	}
	for (i = 0; i < command->words.count; i++)
		push_word(&p, command->words.items[i].text, &command->words.items[i]);
	read_slurm(&p, script);
	word = shell_environment(script, command, "CUDA_VISIBLE_DEVICES");
	if (word && !word->unresolved)
		p.visible = word->text;
	launch_read_words(&p);
	if (!word)
		word = shell_environment(script, command, "ASCEND_RT_VISIBLE_DEVICES");
	if (word)
		launch_limit(&p, word);
	return p.launch;
}

static void take_variable(struct launch_parser *p, enum field_id field,
			  const struct shell_word *word)
{
	struct launch_fact fact = { field, word->text, word->span, false, word->unresolved };

	if (*word->text)
		vec_push(p->arena, &p->launch->facts, fact);
}

void launch_by_variables(struct launch *launch, const struct shell_script *script,
			 const struct shell_command *command)
{
	struct launch_parser p = { .arena = script->arena, .launch = launch };
	const struct shell_word *nodes = shell_environment(script, command, "NNODES");
	const struct shell_word *processes = shell_environment(script, command, "NPROC_PER_NODE");
	int64_t count = 0, machines = 1;

	if (!processes || launch->launched)
		return;
	launch_fact(&p, FIELD_LAUNCH_LAUNCHER, "torchrun", processes->span);
	take_variable(&p, FIELD_LAUNCH_PER_NODE, processes);
	if (nodes)
		take_variable(&p, FIELD_LAUNCH_NODES, nodes);
	else
		launch_fact(&p, FIELD_LAUNCH_NODES, "1", processes->span);
	if (processes->unresolved || !text_to_int(processes->text, &count) || count < 1 ||
	    (nodes && (nodes->unresolved || !text_to_int(nodes->text, &machines))))
		return;
	if (machines < 1 || machines > INT32_MAX / count)
		return;
	launch->nodes = machines;
	launch->per_node = count;
	launch->world = machines * count;
	launch->world_span = processes->span;
}

bool launch_trains(const struct launch *launch)
{
	static const char *const tools[] = {
		"pip",	 "venv",      "http.server",	      "json.tool",
		"wandb", "ensurepip", "sglang.launch_server", "vllm.entrypoints.openai.api_server"
	};
	const char *program = launch->program;
	size_t i;

	if (launch_form_of(launch))
		return true;
	if (!program)
		return launch->launched && strcmp(launch->launcher, "srun") != 0;
	for (i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (!strcmp(program, tools[i]))
			return false;
	return true;
}

/* How surely a command is the training: a launcher counts more than Python, sure more than not. */
static int weight(const struct shell_command *command, const struct launch *launch)
{
	const char *program = launch->program ? launch_basename(launch->program) : "";

	if (!launch_trains(launch))
		return 0;
	return 1 + 16 * launch_is_sure(launch) +
	       2 * (strstr(program, "train") || strstr(program, "tune")) + 4 * launch->launched +
	       8 * !command->undecided - 2 * (launch_other_task(launch) != NULL);
}

struct launch *launch_of_script(struct arena *arena, const struct shell_script *script,
				const struct shell_command **command)
{
	struct launch *best = NULL, *launch;
	int heaviest = 0, here;
	size_t i;

	for (i = 0; i < script->commands.count; i++) {
		launch = launch_of_command(arena, script, &script->commands.items[i]);
		here = weight(&script->commands.items[i], launch);
		if (!here || here < heaviest)
			continue;
		heaviest = here;
		best = launch;
		if (command)
			*command = &script->commands.items[i];
	}
	return best;
}
