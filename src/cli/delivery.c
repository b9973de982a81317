#include "cli/delivery.h"

#include "base/die.h"
#include "base/io.h"
#include "cli/meter.h"
#include "framework/inputs.h"
#include "input/project.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void delivery_spare(const struct invocation *invocation, const char *command, const char *input)
{
	size_t i;

	for (i = 0; i < invocation->outputs.count; i++)
		if (io_same(invocation->outputs.items[i], input))
			die("%s: '%s' would be overwritten, and it is read: write to another file",
			    command, input);
}

void delivery_spare_job(const struct invocation *invocation, const char *command,
			const struct job *job)
{
	struct inputs inputs = { 0 };
	size_t i;

	if (!invocation->outputs.count)
		return;
	inputs_of_job(&inputs, job);
	for (i = 0; i < inputs.paths.count; i++)
		delivery_spare(invocation, command, inputs.paths.items[i]);
	if (job->document.overrides->project)
		delivery_spare(invocation, command, job->document.overrides->project->source->path);
}

void delivery_write(struct invocation *invocation, const char *path)
{
	struct buf *out = invocation->out;
	const char *error;

	if (!path || !strcmp(path, "-"))
		return;
	error = outward_write(invocation->arena, path, out, invocation->kind, false);
	meter_stop(invocation->meter);
	if (error)
		die("check: cannot write '%s': %s", path, error);
	buf_clear(out);
}

void delivery_new(const struct invocation *invocation, const char *command, const char *path,
		  const struct buf *text, enum outward kind)
{
	const char *error;

	if (!path || !strcmp(path, "-")) {
		buf_bytes(invocation->out, text->data, text->length);
		return;
	}
	if (io_exists(path))
		die("%s: %s exists already; remove it first", command, path);
	error = outward_write(invocation->arena, path, text, kind, false);
	if (error)
		die("%s: cannot write %s: %s", command, path, error);
}

void delivery_digest(struct report *report, const struct format *format)
{
	const char *path = format->digest_to ? getenv(format->digest_to) : NULL, *error;
	struct buf text;

	if (!path || !*path)
		return;
	buf_init(&text);
	format->digest(report, &text);
	error = outward_append(report->arena, path, &text);
	buf_release(&text);
	if (error)
		outward_say("cannot append the summary to '%s' (%s): %s", path, format->digest_to,
			    error);
}
