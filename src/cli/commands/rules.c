#include "cli/command.h"
#include "report/findings/catalogue.h"
#include "report/findings/sarif.h"
#include "version.h"

#include <string.h>

struct request {
	const char *format;
	const char *color;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json|markdown|sarif", "how to list them",
	  offsetof(struct request, format) },
	{ OPT_TEXT, 0, "color", "WHEN", "auto|always|never", "colour in text output",
	  offsetof(struct request, color) },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0 },
};

static int run(struct invocation *invocation, void *memory)
{
	const struct request *request = memory;
	const struct style style = { invocation->color, invocation->columns };
	const char *format = request->format ? request->format : "text";

	if (!strcmp(format, "json"))
		catalogue_json(invocation->arena, invocation->out);
	else if (!strcmp(format, "markdown"))
		catalogue_markdown(invocation->out);
	else if (!strcmp(format, "sarif"))
		sarif_catalogue(VERSION, invocation->out);
	else
		catalogue_text(&style, invocation->out);
	return EXIT_CLEAN;
}

const struct command command_rules = {
	.name = "rules",
	.summary = "the catalogue of everything check can find",
	.operands = "",
	.details = "Lists every rule with its code and the highest severity it can have.\n"
		   "`parplan explain RULE` tells what is behind one.",
	.examples = "  parplan rules\n  parplan rules --format json",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
