#include "base/die.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/dead.h"
#include "cli/gather.h"
#include "evidence/evidence.h"
#include "evidence/hang/captured.h"
#include "evidence/log/joblog.h"
#include "report/evidence/why.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
	struct config_request config;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json", "how to tell it",
	  offsetof(struct request, config.format) },
	CONFIG_OPTIONS(struct request),
	{ .kind = OPT_END },
};

/* Operands behind the first that are configs by their names. */
static bool is_config(const char *path)
{
	static const char *const ends[] = { ".yaml", ".yml", ".toml", ".json", ".py", ".sh" };
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (text_ends(path, ends[i]))
			return !text_ends(path, ".json") || !evidence_is(path);
	return false;
}

/* The index of the one operand that is a config; 0: none, the first is a log. */
static size_t find_config(const struct operands *operands)
{
	size_t i, config = 0;

	for (i = 1; i < operands->count; i++) {
		if (!is_config(operands->items[i]))
			continue;
		if (config)
			die("why: two configs, '%s' and '%s': a job has one",
			    operands->items[config], operands->items[i]);
		config = i;
	}
	return config;
}

/* True when all of them were read to their ends. */
static bool read_logs(const struct operands *operands, size_t config, struct joblog *log)
{
	bool whole = true;
	size_t i;

	for (i = 0; i < operands->count; i++)
		if (!config || i != config)
			whole = dead_read(log, "why", operands->items[i]) && whole;
	joblog_close(log);
	return whole;
}

static int run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	const struct style style = { invocation->color, invocation->columns };
	struct joblog log;
	struct why why = { .arena = invocation->arena, .log = &log };
	size_t config;
	bool whole;

	if (!invocation->operands.count)
		die("why: no log given (parplan why LOG... [CONFIG], '-' reads stdin)");
	config = find_config(&invocation->operands);
	if (config || invocation->operands.rest_count)
		why.config = dead_config(invocation, "why", &request->config,
					 config ? invocation->operands.items[config] : NULL);
	joblog_init(&log, invocation->arena, why.config ? why.config->findings : NULL);
	whole = read_logs(&invocation->operands, config, &log);
	if (!whole && !log.files.count)
		exit(EXIT_TROUBLE);
	why_rank(&why, &log);
	why.hang = hang_of(log.capture);
	if (request->config.format && !strcmp(request->config.format, "json"))
		why_json(&why, invocation->out);
	else
		why_text(&why, &style, invocation->out);
	if (!whole)
		return EXIT_TROUBLE;
	return log.hits.count || why.hang.culprits.count ? EXIT_CLEAN : EXIT_FINDINGS;
}

const struct command command_why = {
	.name = "why",
	.summary = "what the log of a dead job says: known texts, cause, fix",
	.operands = "LOG... [CONFIG] [-- FLAGS...]",
	.details = "Searches logs of any size, packed with gzip or zstd or not, for every message "
		   "that\n"
		   "a rule knows, and for common failures: memory, ports, disks, timeouts. Line "
		   "breaks, colours, numbers and\n"
		   "what launchers and loggers put before a line do not matter; a message of 512\n"
		   "ranks is printed once. Possible causes come first, in order of time, then\n"
		   "messages that only follow from a cause. With a config (an operand behind the\n"
		   "first that ends in .yaml, .yml, .toml, .json, .py or .sh, or a launch line\n"
		   "behind \"--\"): whether check finds the same in it, and what to edit.\n\n"
		   "Exit status, as grep has it: 0 a known text was found; 1 none was: the last\n"
		   "exception is shown; 2 a file could not be read to its end (what the others say "
		   "is\n"
		   "shown all the same) or an option is wrong.",
	.examples = "  parplan why testdata/logs/degrees.log\n"
		    "  parplan why testdata/logs/degrees.log plans/mistake-degrees.yaml",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
	.starts = gather_unpacks,
};
