#ifndef CLI_BASELINES_H
#define CLI_BASELINES_H

#include "base/io.h"
#include "base/vec.h"
#include "input/project.h"
#include "rules/baseline.h"

/* The baselines of one command, each read once. Zero-initialised but for `arena` there are none. */
struct baselines {
	struct arena *arena;
	VEC(struct baseline *) list;
	struct io_text (*read)(const void *from, const char *path); /* NULL: from the disk */
	const void *from;
};

/*
 * The baseline for a config: the option's file, else the one that its project names; NULL when
 * there is none. Dies when the file cannot be read. Either argument may be NULL.
 */
struct baseline *baselines_of(struct baselines *baselines, const char *option,
			      const struct project *project);

#endif
