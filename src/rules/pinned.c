#include "rules/pinned.h"

#include "input/field.h"
#include "rules/raised.h"

#include <stdarg.h>
#include <string.h>

bool pinned(const struct job *job, const char *framework)
{
	return versions_find(&job->versions, framework) != NULL;
}

const char *pinned_among(const struct job *job, const char *names)
{
	size_t i;

	for (i = 0; i < job->versions.list.count; i++)
		if (words_have(names, job->versions.list.items[i].framework))
			return job->versions.list.items[i].framework;
	return NULL;
}

const char *runs_megatron(const struct job *job)
{
	const char *engine = setting_text(&job->settings, FIELD_ENGINE, NULL);
	const char *name = pinned_among(job, "megatron|megatron-bridge|nemo|ms-swift");

	if (!engine)
		return name;
	if (strcmp(engine, "megatron") != 0)
		return NULL;
	return name ? name : "megatron"; /* driven by another */
}

void quote_pinned(struct job *job, struct finding *finding, const char *framework,
		  const char *format, ...)
{
	va_list args;

	va_start(args, format);
	finding_quote(job->findings, finding, "%s", arena_vprintf(job->arena, format, args));
	va_end(args);
	finding->speaker = speaker(job, framework);
}
