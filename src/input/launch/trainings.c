#include "input/launch/trainings.h"

#include "input/launch/form.h"
#include "input/launch/launchers.h"
#include "input/shell/shell.h"

#include <string.h>

static const char *program_of(const struct training *training)
{
	return launch_basename(training->launch->program ? training->launch->program : "");
}

/* Known by its program, or by a launcher of processes that train: srun and mpirun start anything.
 */
static bool may_train(const struct launch *launch)
{
	const bool python = launch->launched && launch->launcher && launch->program &&
			    !words_have("srun|mpirun|mpiexec", launch->launcher);

	return launch_trains(launch) && !launch_other_task(launch) &&
	       (python || launch_is_sure(launch));
}

/* Whether a launch is a framework's by its program, or the same program is started twice. */
static bool is_sure(const struct trainings *trainings, size_t at)
{
	const struct training *training = &trainings->list.items[at];
	size_t i;

	if (launch_is_sure(training->launch))
		return true;
	for (i = 0; i < trainings->list.count; i++)
		if (i != at && !strcmp(program_of(training), program_of(&trainings->list.items[i])))
			return true;
	return false;
}

struct trainings trainings_of(const struct document *document)
{
	const struct shell_script *script = document->shell;
	struct trainings trainings = { 0 };
	size_t i;

	for (i = 0; script && i < script->commands.count; i++) {
		struct training training = { .command = i };
		training.launch =
			launch_of_command(document->arena, script, &script->commands.items[i]);
		training.undecided = script->commands.items[i].undecided;
		if (may_train(training.launch))
			vec_push(document->arena, &trainings.list, training);
	}
	for (i = 0; i < trainings.list.count; i++)
		trainings.list.items[i].sure = is_sure(&trainings, i);
	return trainings;
}

void trainings_keep(struct document *document, size_t number)
{
	const struct trainings trainings =
		number ? trainings_of(document) : (struct trainings) { 0 };
	struct shell_script *script = document->shell;
	size_t i, next = 0, kept = 0;

	if (!trainings.list.count)
		return;
	for (i = 0; i < script->commands.count; i++) {
		if (next < trainings.list.count && trainings.list.items[next].command == i &&
		    ++next != number)
			continue;
		script->commands.items[kept++] = script->commands.items[i];
	}
	script->commands.count = kept;
}
