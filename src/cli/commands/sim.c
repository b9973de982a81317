#include "base/die.h"
#include "base/io.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/machine.h"
#include "cli/quantity.h"
#include "cli/what_if.h"
#include "framework/job.h"
#include "report/forecast/forecast.h"
#include "report/report.h"
#include "report/forecast/scenario.h"
#include "rules/change.h"
#include "rules/judge.h"

#include <string.h>

struct request {
	struct config_request config;
	const char *profile, *trace, *as;
	const char *tokens, *price, *mtbf, *checkpoint, *restart;
	struct texts compared;
	struct what_if what_if;
	bool collectives, memory;
	const struct source *numbers; /* of `profile`; NULL without one */
	struct budget_request budget;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json", "how to print it (default text)",
	  offsetof(struct request, config.format) },
	CONFIG_OPTIONS(struct request),
	{ OPT_TEXT, 0, "profile", "FILE", NULL, "numbers of your machine, over the presets",
	  offsetof(struct request, profile) },
	{ OPT_TEXT, 0, "as", "PLAN", "applied|asked",
	  "forecast what the framework builds, or what the degrees mean (default applied)",
	  offsetof(struct request, as) },
	{ OPT_FLAG, 0, "collectives", NULL, NULL, "text: list the collectives of one step",
	  offsetof(struct request, collectives) },
	{ OPT_TEXT, 0, "tokens", "N", NULL,
	  "say what training on N tokens takes: days and GPU hours (15T, 300B)",
	  offsetof(struct request, tokens) },
	{ OPT_TEXT, 0, "price", "PRICE", NULL, "with --tokens: what one GPU costs for an hour",
	  offsetof(struct request, price) },
	{ OPT_TEXT, 0, "mtbf", "TIME", NULL,
	  "with --tokens: how long the job runs between interruptions, on average (3h)",
	  offsetof(struct request, mtbf) },
	{ OPT_TEXT, 0, "checkpoint-time", "TIME", NULL,
	  "with --mtbf: how long training stands still for a checkpoint (30s)",
	  offsetof(struct request, checkpoint) },
	{ OPT_TEXT, 0, "restart-time", "TIME", NULL,
	  "with --mtbf: from an interruption to the first step after it (15m)",
	  offsetof(struct request, restart) },
	{ OPT_FLAG, 0, "memory-report", NULL, NULL,
	  "list memory by class of ranks and part, when it peaks, what would save some",
	  offsetof(struct request, memory) },
	{ OPT_TEXT, 0, "trace", "FILE", NULL,
	  "write a timeline for Perfetto or chrome://tracing ('-': instead of the forecast)",
	  offsetof(struct request, trace) },
	WHAT_IF_OPTIONS(struct request),
	{ OPT_TEXTS, 0, "compare", "FILE", NULL,
	  "forecast this config as well, and say what differs (repeatable)",
	  offsetof(struct request, compared) },
	{ .kind = OPT_END },
};

/* Writes the timeline to its file, whole or not at all; true: to stdout, in place of all else. */
static bool write_trace(const struct invocation *invocation, const char *path,
			const struct job *job, const struct forecast *forecast)
{
	const char *error;
	struct buf out;

	if (!path)
		return false;
	if (!strcmp(path, "-")) {
		report_forecast_trace(job, forecast, invocation->out);
		return true;
	}
	buf_init(&out);
	report_forecast_trace(job, forecast, &out);
	error = outward_write(invocation->arena, path, &out, OUTWARD_TEXT, false);
	buf_release(&out);
	if (error)
		die("sim: cannot write '%s': %s", path, error);
	return false;
}

/* ---- others to hold the forecast against ---- */

/* What a forecast is of. */
struct subject {
	struct job job;
	struct forecast forecast;
};

static bool wants_asked(const struct request *request)
{
	return request->as && !strcmp(request->as, "asked");
}

/* Forecasts the plan that the request chooses; NULL, or what is missing. */
static const char *forecast_subject(const struct request *request, struct subject *subject)
{
	const struct plan *plan =
		wants_asked(request) ? job_asked(&subject->job) : subject->job.applied;

	const char *missing =
		forecast_read(&subject->forecast, &subject->job, plan, request->numbers);

	if (!missing && request->tokens) {
		struct budget *budget = arena_new(subject->job.arena, struct budget);
		*budget = budget_of(&subject->forecast, &request->budget);
		subject->forecast.budget = budget;
	}
	if (missing && plan && missing == plan->unmodelled_why && !subject->job.document.no_job)
		return arena_join(subject->job.arena, missing, text_ends(missing, ".") ? " " : ". ",
				  "--as asked forecasts what the degrees mean");
	return missing;
}

static void hurt(const struct request *request, const struct job *job, struct forecast *forecast,
		 struct changes *changes)
{
	if (what_if_hurts(&request->what_if))
		what_if_hurt(&request->what_if, job, forecast, changes);
}

/* The forecast of the plan as asked, where a step of the applied one costs something else. */
static const struct forecast *forecast_asked(const struct request *request, struct subject *subject,
					     bool changed)
{
	struct job *job = &subject->job;
	struct changes said = { .arena = job->arena };
	struct forecast *asked;

	if (wants_asked(request) || !forecast_differs(job))
		return NULL;
	asked = arena_new(job->arena, struct forecast);
	if (forecast_read(asked, job, job_asked(job), request->numbers))
		return NULL;
	if (changed)
		hurt(request, job, asked, &said);
	return asked;
}

/* What stops the job, unless the plan as asked for is forecast, which nothing judges. */
static const struct plan_error *stopped(const struct request *request, struct job *job)
{
	return wants_asked(request) ? NULL : judge_error(job);
}

/* Reads another config, or the same one with more laid over it; true: there are errors in it. */
static bool read_other(const struct invocation *invocation, const char *path,
		       const struct overrides *overrides, struct subject *other)
{
	struct findings *findings = arena_new(invocation->arena, struct findings);
	const char *error;

	findings_init(findings, invocation->arena);
	error = job_read(&other->job, invocation->arena, path, overrides, findings);
	if (error)
		die("sim: %s", error);
	if (!findings_count(findings, SEVERITY_ERROR))
		return false;
	config_complain(invocation, &other->job);
	return true;
}

/* What a config expects costs nothing. */
static void drop_expectations(struct changes *changes)
{
	size_t i, kept = 0;

	for (i = 0; i < changes->list.count; i++)
		if (strcmp(changes->list.items[i].field, "expect") != 0)
			changes->list.items[kept++] = changes->list.items[i];
	changes->list.count = kept;
}

static struct changes *changes_between(struct arena *arena, const struct job *base,
				       const struct job *other)
{
	struct changes *changes = arena_new(arena, struct changes);

	changes->arena = arena;
	change_settings(changes, base, other);
	drop_expectations(changes);
	if (base->world != other->world)
		change_add(changes, CHANGE_SETTING, "world", text_count(arena, base->world),
			   text_count(arena, other->world));
	return changes;
}

/* The config with what the options change; its text is not read twice, for it may be stdin. */
static bool read_changed(const struct invocation *invocation, const struct request *request,
			 const struct job *base, struct subject *changed)
{
	struct overrides *overrides = overrides_copy(invocation->arena, base->document.overrides);
	const char *path = invocation->operands.count ? invocation->operands.items[0] : NULL;

	if (!what_if_settings(&request->what_if)) {
		changed->job = *base;
		return false;
	}
	what_if_overlay(&request->what_if, base, overrides);
	if (path && !strcmp(path, "-"))
		overrides->text = base->document.source->text;
	return read_other(invocation, path, overrides, changed);
}

/* Among those that are shown, with the forecast of the plan as asked. */
static void add_scenario(const struct request *request, struct scenarios *scenarios,
			 const char *name, struct subject *subject, struct changes *changes)
{
	const struct forecast *asked = forecast_asked(request, subject, changes != NULL);
	struct scenario scenario = { name, &subject->job, &subject->forecast, asked, changes };

	vec_push(scenarios->arena, &scenarios->list, scenario);
}

/* The config with what the options change; true: there are errors in it. */
static bool add_what_if(const struct invocation *invocation, const struct request *request,
			struct scenarios *scenarios, const struct job *base)
{
	struct subject *changed = arena_new(invocation->arena, struct subject);
	bool errors = read_changed(invocation, request, base, changed);
	struct changes *changes;
	const char *missing;

	if (!changed->job.readable)
		return true;
	changes = changes_between(invocation->arena, base, &changed->job);
	if (stopped(request, &changed->job)) {
		config_complain(invocation, &changed->job);
		return true;
	}
	missing = forecast_subject(request, changed);
	if (missing)
		die("sim: %s", missing);
	hurt(request, &changed->job, &changed->forecast, changes);
	add_scenario(request, scenarios, NULL, changed, changes);
	return errors;
}

/* Another config; true: there are errors in it. */
static bool add_compared(const struct invocation *invocation, const struct request *request,
			 struct scenarios *scenarios, const char *path)
{
	const struct job *base = scenarios->list.items[0].job;
	struct subject *other = arena_new(invocation->arena, struct subject);
	struct overrides *overrides = overrides_copy(invocation->arena, base->document.overrides);
	const char *missing;
	bool errors;

	overrides->project = config_project(invocation, &request->config, path, overrides);
	errors = read_other(invocation, path, overrides, other);
	if (!other->job.readable)
		return true;
	if (stopped(request, &other->job)) {
		config_complain(invocation, &other->job);
		return true;
	}
	missing = forecast_subject(request, other);
	if (missing)
		die("sim: %s: %s", path, missing);
	add_scenario(request, scenarios, path, other,
		     changes_between(invocation->arena, base, &other->job));
	return errors;
}

/* ---- the command ---- */

/* A quantity of an option, which is refused unless `read` takes it. */
static void take(const char *name, const char *text, const char *like,
		 bool (*read)(const char *, double *), double *value)
{
	if (text && !read(text, value))
		die("sim: --%s takes a number like %s, not '%s'", name, like, text);
}

static void read_budget(struct request *request)
{
	struct budget_request *budget = &request->budget;

	take("tokens", request->tokens, "15T", quantity_count, &budget->tokens);
	take("price", request->price, "2.5", quantity_count, &budget->price);
	take("mtbf", request->mtbf, "3h", quantity_seconds, &budget->mtbf);
	take("checkpoint-time", request->checkpoint, "30s", quantity_seconds, &budget->checkpoint);
	take("restart-time", request->restart, "15m", quantity_seconds, &budget->restart);
	if ((request->price || request->mtbf) && !request->tokens)
		die("sim: --%s needs --tokens, how much the job trains on",
		    request->price ? "price" : "mtbf");
	if (request->mtbf ? !request->checkpoint || !request->restart
			  : request->checkpoint || request->restart)
		die("sim: --mtbf, --checkpoint-time and --restart-time need each other: the loss "
		    "follows from all three");
}

static void check_request(const struct invocation *invocation, const struct request *request)
{
	size_t i, stdins = 0;

	if (request->compared.count &&
	    (what_if_settings(&request->what_if) || what_if_hurts(&request->what_if)))
		die("sim: further files are other configs, and the other options change this one: "
		    "one at a time");
	if (request->compared.count && !invocation->operands.count)
		die("sim: --compare needs a file to hold against: parplan sim --compare B A");
	for (i = 0; i < request->compared.count; i++)
		stdins += !strcmp(request->compared.items[i], "-");
	if (stdins + (invocation->operands.count && !strcmp(invocation->operands.items[0], "-")) >
	    1)
		die("sim: stdin can be read only once");
}

/* Files after the first are held against it. */
static void take_others(struct invocation *invocation, struct request *request)
{
	struct operands *operands = &invocation->operands;
	struct texts all = { 0 };
	size_t i;

	for (i = 1; i < operands->count; i++)
		vec_push(invocation->arena, &all, operands->items[i]);
	for (i = 0; i < request->compared.count; i++)
		vec_push(invocation->arena, &all, request->compared.items[i]);
	request->compared = all;
	if (operands->count > 1)
		operands->count = 1;
}

/* The scenario that is asked about: the config, with what the options change. */
static const struct scenario *subject_of(const struct request *request,
					 const struct scenarios *scenarios)
{
	return &scenarios->list.items[request->compared.count ? 0 : scenarios->list.count - 1];
}

static void report(const struct invocation *invocation, const struct request *request,
		   const struct scenarios *scenarios)
{
	const bool json = request->config.format && !strcmp(request->config.format, "json");
	const size_t count = scenarios->list.count;
	const struct scenario *first = &scenarios->list.items[0];
	const struct scenario *shown = subject_of(request, scenarios);

	if (write_trace(invocation, request->trace, shown->job, shown->forecast))
		return;
	if (json && count > 1)
		report_scenarios_json(scenarios, request->memory, invocation->out);
	else if (json)
		report_forecast_json(first->forecast, first->asked, request->memory,
				     invocation->out);
	else if (count > 1)
		report_scenarios_text(scenarios, invocation->out, invocation->color,
				      invocation->columns);
	else
		report_forecast_text(first->job, first->forecast, first->asked, invocation->out,
				     invocation->color, invocation->columns);
	if (request->memory && !json)
		report_memory_text(shown->job, shown->forecast, invocation->out, invocation->color);
	if (request->collectives && !json)
		report_traffic_text(shown->forecast, invocation->out, invocation->color);
}

/* The base, and what it is held against; false when one of them cannot be read. */
static bool gather(const struct invocation *invocation, const struct request *request,
		   struct scenarios *scenarios, struct subject *base, bool *errors)
{
	const bool changes = what_if_settings(&request->what_if);
	const char *missing = forecast_subject(request, base);
	size_t i, before;

	if (missing && !changes) /* else the options may give it */
		die("sim: %s", missing);
	if (!*errors)
		machine_complain("sim", base->job.findings); /* of the profile file */
	if (!missing)
		add_scenario(request, scenarios, base->job.document.source->path, base, NULL);
	before = scenarios->list.count;
	if (changes || what_if_hurts(&request->what_if)) {
		*errors = add_what_if(invocation, request, scenarios, &base->job) || *errors;
		return scenarios->list.count > before;
	}
	for (i = 0; i < request->compared.count; i++)
		*errors =
			add_compared(invocation, request, scenarios, request->compared.items[i]) ||
			*errors;
	return scenarios->list.count == before + request->compared.count;
}

/* Says why a job that stops has no forecast: on stderr, and as JSON what is raised. */
static int refuse(const struct invocation *invocation, const struct request *request,
		  struct job *job, const struct plan_error *error)
{
	config_complain(invocation, job);
	if (request->config.format && !strcmp(request->config.format, "json"))
		report_forecast_stopped(error, invocation->out);
	return EXIT_FINDINGS;
}

static int sim_run(struct invocation *invocation, void *data)
{
	struct request *request = data;
	struct scenarios scenarios = { .arena = invocation->arena };
	struct subject *base = arena_new(invocation->arena, struct subject);
	const struct plan_error *error;
	bool errors;

	take_others(invocation, request);
	check_request(invocation, request);
	read_budget(request);
	errors = config_job(invocation, "sim", &request->config, &base->job);
	if (!base->job.readable)
		return EXIT_FINDINGS;
	error = what_if_settings(&request->what_if) ? NULL : stopped(request, &base->job);
	if (error)
		return refuse(invocation, request, &base->job, error);
	request->numbers = machine_numbers(invocation->arena, "sim", request->profile);
	if (!gather(invocation, request, &scenarios, base, &errors))
		return EXIT_FINDINGS;
	report(invocation, request, &scenarios);
	errors = errors || forecast_runs_out(subject_of(request, &scenarios)->forecast);
	return errors ? EXIT_FINDINGS : EXIT_CLEAN;
}

const struct command command_sim = {
	.name = "sim",
	.summary = "forecast step time and memory, and how far off they may be",
	.operands = "FILE... [-- FLAGS...]",
	.details =
		"Forecasts one training step: seconds with an interval, where they go, model\n"
		"FLOPs utilisation, and the memory of the rank that holds most. Costs come from\n"
		"the kernels of a transformer block on the device, NCCL's choice of algorithm\n"
		"over the links that each group crosses, and what the framework of that version\n"
		"keeps, recomputes and overlaps. The device, the model, the sequence length and\n"
		"the number of ranks must be known. Settings that the config leaves open widen\n"
		"the interval.\n\n"
		"--memory-report lists what is in memory when each class of ranks (first,\n"
		"middle and last stage) holds most, and simulates changes that would lower it;\n"
		"as JSON (--format json) it adds memory over the step.\n\n"
		"What changes something (--gpu, --nic, --fabric, --seq, --batch, --micro,\n"
		"--straggler, --link-down and --expert-imbalance) makes one scenario together, "
		"which stands beside\n"
		"the forecast of the config as it is. Further files, and those of --compare, are\n"
		"forecast beside the first, as a table.\n\n"
		"The step is that of the applied plan: what the framework of that version\n"
		"builds. Where other ranks share parameters than the config asks for, or it\n"
		"computes in another type, the plan as asked is forecast beside it, with what the\n"
		"difference costs; --as asked forecasts that alone. A job that stops before its\n"
		"first step has no forecast: the exception is printed, and the exit status is 1.\n"
		"It is 1, too, for a job that runs out of memory with a probability of 99 % or\n"
		"more.\n\n"
		"--trace writes the simulated step as a timeline in Chrome's trace-event\n"
		"format, which ui.perfetto.dev opens.\n\n"
		"docs/accuracy.md holds forecasts against published measurements.",
	.examples = "  parplan sim plans/hsdp-2x8.yaml\n"
		    "  parplan sim --set cluster.gpu=h200 --format json plans/hsdp-2x8.yaml\n"
		    "  parplan sim --memory-report plans/pp-interleaved-405b.yaml\n"
		    "  parplan sim --gpu b200 --seq 16384 plans/hsdp-2x8.yaml\n"
		    "  parplan sim --straggler 37:1.2x --link-down node4/nic2 "
		    "plans/pp-interleaved-405b.yaml\n"
		    "  parplan sim plans/hsdp-2x8.yaml plans/fsdp-8.yaml plans/five-d.yaml\n"
		    "  parplan sim --trace step.json plans/pp-interleaved-405b.yaml",
	.options = options,
	.request_size = sizeof(struct request),
	.run = sim_run,
};
