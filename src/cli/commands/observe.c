#include "base/die.h"
#include "cli/command.h"
#include "cli/gather.h"
#include "evidence/hang/captured.h"
#include "report/evidence/verify.h"

#include <string.h>

struct request {
	const char *format, *color, *gpu;
	int64_t node;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json|yaml",
	  "how to print it (default text); yaml: a config that would run so",
	  offsetof(struct request, format) },
	{ OPT_TEXT, 0, "gpu", "GPU", NULL, "the device, where no trace or log names it",
	  offsetof(struct request, gpu) },
	{ OPT_COUNT, 0, "gpus-per-node", "N", NULL, "devices of a node (default 8)",
	  offsetof(struct request, node) },
	{ OPT_TEXT, 0, "color", "WHEN", "auto|always|never", "colour in text output",
	  offsetof(struct request, color) },
	{ .kind = OPT_END },
};

/* What the device's links would do, where it is known. */
static struct yardstick yardstick_of(const struct invocation *invocation,
				     const struct request *request, const struct observed *observed)
{
	struct profile *profile = arena_new(invocation->arena, struct profile);
	const char *gpu = request->gpu ? request->gpu : observed->capture->device;
	const int64_t world = observed->families.world;
	struct yardstick yardstick = { .gpus_per_node = request->node };

	profile_init(profile, invocation->arena);
	if (request->gpu && !profile_gpu(profile, gpu))
		die("observe: no device is called '%s' (parplan presets)", gpu);
	if (!gpu || !profile_gpu(profile, gpu))
		return yardstick;
	profile_fabric(profile, "ib");
	yardstick.profile = profile;
	if (!yardstick.gpus_per_node)
		yardstick.gpus_per_node = world > 0 && world < 8 ? world : 8;
	return yardstick;
}

static int run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	const struct operands *operands = &invocation->operands;
	struct yardstick yardstick;
	struct observed observed;
	struct capture capture;

	if (!operands->count)
		die("observe: no evidence given (parplan observe EVIDENCE..., files or folders)");
	gather_evidence(invocation, "observe", operands->items, operands->count, &capture);
	observed = observed_of(invocation->arena, &capture, NULL);
	observed.hang = hang_of(&capture);
	yardstick = yardstick_of(invocation, request, &observed);
	if (request->format && !strcmp(request->format, "json"))
		report_observed_json(&observed, &yardstick, invocation->out);
	else if (request->format && !strcmp(request->format, "yaml"))
		report_observed_yaml(&observed, invocation->out);
	else
		report_observed_text(&observed, &yardstick, invocation->out, invocation->color,
				     invocation->columns);
	return gather_status(&capture, "observe", EXIT_CLEAN);
}

const struct command command_observe = {
	.name = "observe",
	.summary = "show which groups a run had, and what they carried",
	.operands = "EVIDENCE...",
	.details =
		"Reads what a run left behind, files or folders of them, compressed or not: dumps\n"
		"of PyTorch's flight recorder, traces of its profiler, checkpoints' metadata, and\n"
		"logs. Groups are told apart by their members, calls by what they are for:\n"
		"sharding, copies, tensor, pipeline, context and expert parallelism. Files of\n"
		"several ranks of one job belong together.\n\n"
		"Times of calls stand beside what the links of the device should do (busbw and\n"
		"model, GB/s), where a trace, a log or --gpu names it. The slowest rank, the one\n"
		"that the others wait for, is named.\n\n"
		"Degrees that no call shows are '?'. --format yaml writes a config that would run\n"
		"so; --format json all there is. docs/verify.md tells what each kind of evidence\n"
		"can show.",
	.examples = "  parplan observe testdata/evidence/hsdp-2x8/rank_0.json\n"
		    "  parplan observe --format yaml testdata/evidence/hsdp-2x8",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
	.starts = gather_unpacks,
};
