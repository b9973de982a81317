#include "cli/baselines.h"

#include "base/bounds.h"
#include "base/die.h"
#include "base/io.h"
#include "base/path.h"
#include "input/syntax/reader.h"

#include <string.h>

/* Where the file is named, to put in front of what is wrong with it. */
static const char *named(struct arena *arena, const char *option, const struct project *project)
{
	if (option)
		return "--baseline";
	return arena_printf(arena, "%s:%u: baseline", project->source->path,
			    (unsigned int)project->baseline.span.line);
}

static struct baseline *read_file(struct baselines *baselines, const char *path, const char *who,
				  const char *bounds)
{
	struct baseline *baseline = arena_new(baselines->arena, struct baseline);
	struct io_text text = baselines->read ? baselines->read(baselines->from, path)
			      : bounds ? bounds_read(baselines->arena, bounds, path, READER_BYTES)
				       : io_read(baselines->arena, path, READER_BYTES);
	const char *wrong;

	if (!text.text)
		die("%s: cannot read '%s': %s (parplan check --write-baseline %s CONFIGS writes "
		    "it)",
		    who, path, text.error, path);
	wrong = baseline_read(baseline, baselines->arena, path, text.text, text.length);
	if (wrong)
		die("%s: %s", who, wrong);
	vec_push(baselines->arena, &baselines->list, baseline);
	return baseline;
}

struct baseline *baselines_of(struct baselines *baselines, const char *option,
			      const struct project *project)
{
	const char *path = option, *bounds = NULL;
	size_t i;

	if (!path && project && project->baseline.text)
		path = path_join(baselines->arena, project->folder, project->baseline.text);
	if (!path)
		return NULL;
	for (i = 0; i < baselines->list.count; i++)
		if (!strcmp(baselines->list.items[i]->source->path, path))
			return baselines->list.items[i];
	if (!option)
		bounds = bounds_of(baselines->arena, project->source->path);
	return read_file(baselines, path, named(baselines->arena, option, project), bounds);
}
