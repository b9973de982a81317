#include "base/die.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/delivery.h"
#include "cli/meter.h"
#include "input/field.h"
#include "report/report.h"
#include "rules/judge.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* What is wrong with a pin, or NULL; and which versions are known. */
static const struct finding *trouble_of(struct arena *arena, const struct pin *pin,
					const char **known)
{
	const struct finding *finding;
	struct findings findings;

	findings_init(&findings, arena);
	version_check_pin(pin, &findings);
	if (!findings.list.count)
		return NULL;
	finding = findings.list.items[0];
	*known = finding->fix ? finding->fix : finding->actual;
	return finding;
}

static void refuse_unknown(struct arena *arena, const struct pin *pin)
{
	const char *known = NULL;
	const struct finding *finding = trouble_of(arena, pin, &known);

	if (finding)
		die("--framework: %s%s%s", finding->message, known ? "; " : "", known ? known : "");
}

/* It names no version: of a framework that is known, those that are. */
static void refuse_bare(struct arena *arena, const char *text)
{
	const struct pin pin = { .framework = text, .version = "", .origin = ORIGIN_SET };
	const char *known = NULL;

	if (*text && !strchr(text, '@'))
		trouble_of(arena, &pin, &known);
	die("--framework takes NAME@VERSION, as in torchtitan@v0.2.0, not '%s'%s%s", text,
	    known ? "; " : "", known ? known : "");
}

/* One --framework NAME@VERSION. */
static struct pin pin_of(struct arena *arena, const char *text)
{
	const char *at = strchr(text, '@');
	struct pin pin = { .origin = ORIGIN_SET };

	if (!at || at == text || !at[1])
		refuse_bare(arena, text);
	pin.framework = arena_strndup(arena, text, (size_t)(at - text));
	pin.version = arena_strdup(arena, at + 1);
	pin.span = source_span(source_new(arena, "<--framework>", text, strlen(text)), 0,
			       strlen(text));
	refuse_unknown(arena, &pin);
	return pin;
}

/* "parplan, torchtitan, ..." */
static const char *dialect_names(struct arena *arena)
{
	const struct dialect *const *dialect;
	const char *names = "";

	for (dialect = dialects; *dialect; dialect++)
		names = arena_printf(arena, "%s%s%s", names, *names ? ", " : "", (*dialect)->name);
	return names;
}

void config_overrides(const struct invocation *invocation, const struct config_request *request,
		      struct overrides *overrides)
{
	struct arena *arena = invocation->arena;
	struct stat status;
	size_t i;

	memset(overrides, 0, sizeof(*overrides));
	overrides->world = request->world;
	for (i = 0; i < request->sets.count; i++) {
		if (!strchr(request->sets.items[i], '='))
			die("--set takes KEY=VALUE, not '%s'", request->sets.items[i]);
		vec_push(arena, &overrides->sets, request->sets.items[i]);
	}
	for (i = 0; i < request->env.count; i++) {
		if (!strchr(request->env.items[i], '='))
			die("--env takes NAME=VALUE, not '%s'", request->env.items[i]);
		vec_push(arena, &overrides->env, request->env.items[i]);
	}
	if (request->dialect && !dialect_find(request->dialect))
		die("--dialect: there is no dialect '%s' (%s)", request->dialect,
		    dialect_names(arena));
	overrides->dialect = request->dialect;
	overrides->launcher = request->launcher;
	overrides->allow_outside = request->allow_outside;
	if (request->folder && (stat(request->folder, &status) || !S_ISDIR(status.st_mode)))
		die("--in takes a folder, and '%s' is none", request->folder);
	overrides->folder = request->folder;
	for (i = 0; i < request->frameworks.count; i++)
		vec_push(arena, &overrides->pins, pin_of(arena, request->frameworks.items[i]));
	for (i = 0; i < invocation->operands.rest_count; i++)
		vec_push(arena, &overrides->words, invocation->operands.rest[i]);
}

void config_hosts(const struct invocation *invocation, struct config_request *request,
		  const char *hosts)
{
	struct buf text;

	if (!hosts)
		return;
	buf_init(&text);
	buf_text(&text, "cluster.hosts=");
	json_quote(&text, hosts);
	vec_push(invocation->arena, &request->sets, arena_strdup(invocation->arena, text.data));
	buf_release(&text);
}

void config_complain(const struct invocation *invocation, struct job *job)
{
	struct buf out;

	buf_init(&out);
	report_complaints(job, job->document.source->path, invocation->columns, invocation->quiet,
			  &out);
	meter_clear(invocation->meter);
	outward_complain(&out);
	buf_release(&out);
}

void config_warn(const struct invocation *invocation, const struct job *job)
{
	size_t i;

	for (i = 0; i < job->findings->list.count && !invocation->quiet; i++) {
		const struct finding *finding = job->findings->list.items[i];
		if (finding->rule == &rule_unknown_key && finding->severity < SEVERITY_ERROR &&
		    span_known(finding->span) && !strcmp(finding->span.source->path, "<--set>"))
			outward_say("warning: --set %s: %s%s%s", finding->span.source->text,
				    finding->message, finding->fix ? ": " : "",
				    finding->fix ? finding->fix : "");
	}
}

bool config_stops(const struct invocation *invocation, struct job *job)
{
	struct levels levels = { 0 };
	struct skips skips = { 0 };

	if (!job->applied || !job->applied->error)
		return false;
	judge(&levels, job, &skips);
	config_complain(invocation, job);
	return true;
}

bool config_job(const struct invocation *invocation, const char *command,
		const struct config_request *request, struct job *job)
{
	const struct operands *operands = &invocation->operands;
	struct findings *findings = arena_new(invocation->arena, struct findings);
	struct overrides *overrides = arena_new(invocation->arena, struct overrides);
	const char *path = operands->count ? operands->items[0] : NULL, *error;

	if (operands->count > 1)
		die("%s: takes one FILE, not %zu (parplan %s --help)", command, operands->count,
		    command);
	if (!operands->count && !operands->rest_count)
		die("%s: no file given (parplan %s FILE, '-' reads stdin)", command, command);
	config_overrides(invocation, request, overrides); /* the document keeps them */
	overrides->project = config_project(invocation, request, path, overrides);
	findings_init(findings, invocation->arena);
	error = job_read(job, invocation->arena, path, overrides, findings);
	if (error)
		die("%s: %s", command, error);
	delivery_spare_job(invocation, command, job);
	if (!findings_count(findings, SEVERITY_ERROR)) {
		config_warn(invocation, job);
		return false;
	}
	config_complain(invocation, job);
	return true;
}
