#include "cli/planned.h"

#include "base/die.h"
#include "cli/gather.h"
#include "cli/machine.h"

/* The job of the first operand. */
static void read_config(const struct invocation *invocation, const char *command,
			const struct config_request *config, struct job *job)
{
	struct invocation alone = *invocation;
	const char *refused;

	alone.operands.count = 1;
	config_job(&alone, command, config, job);
	if (!job->readable)
		die("%s: the config cannot be read", command);
	refused = verdict_refuses(job);
	if (refused)
		die("%s: %s", command, refused);
}

/* The forecast of the job as it ran; the evidence names the device where the config does not. */
static struct yardstick yardstick_of(const struct invocation *invocation, const char *command,
				     const char *profile, const struct job *job,
				     const struct capture *capture)
{
	struct forecast *forecast = arena_new(invocation->arena, struct forecast);
	const struct source *numbers = machine_numbers(invocation->arena, command, profile);
	struct yardstick yardstick = { 0 };

	yardstick.missing = forecast_read_on(forecast, job, job->applied, numbers, capture->device);
	if (numbers)
		machine_complain(command, job->findings);
	yardstick.profile = forecast->profile.gpu ? &forecast->profile : NULL;
	yardstick.forecast = yardstick.missing ? NULL : forecast;
	yardstick.gpus_per_node = setting_int(&job->settings, FIELD_CLUSTER_GPUS_PER_NODE,
					      job->world < 8 ? job->world : 8);
	return yardstick;
}

void planned_read(struct invocation *invocation, const char *command,
		  const struct config_request *config, const char *profile, struct planned *planned)
{
	const struct operands *operands = &invocation->operands;
	struct arena *arena = invocation->arena;

	if (operands->count < 2)
		die("%s: a config and evidence are needed (parplan %s CONFIG EVIDENCE..., '-' "
		    "reads the config from stdin)",
		    command, command);
	read_config(invocation, command, config, &planned->job);
	gather_evidence(invocation, command, operands->items + 1, operands->count - 1,
			&planned->capture);
	planned->observed = observed_of(arena, &planned->capture, planned->job.intended);
	planned->verdict = verdict_of(arena, &planned->job, &planned->observed);
	planned->yardstick =
		yardstick_of(invocation, command, profile, &planned->job, &planned->capture);
	planned->yardstick.verdict = &planned->verdict;
	planned->measured = measured_of(arena, &planned->observed, &planned->yardstick);
}
