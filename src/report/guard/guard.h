#ifndef REPORT_GUARD_GUARD_H
#define REPORT_GUARD_GUARD_H

#include "base/json.h"
#include "framework/job.h"

/*
 * `parplan guard`: the applied plan as facts that a training script can hold itself to. The job
 * must have a whole applied plan of a known world.
 */

/* The facts: docs/schemas/guard.json. One line, or a line per fact. */
void report_guard_json(const struct job *job, struct buf *out, bool lines);

/* A Python module that needs torch alone: src/presets/guard/parplan_guard.py with the facts in it.
 */
void report_guard_python(const struct job *job, struct buf *out);

/* A parameter whose placement stands for all of its kind in one pipeline stage. */
struct guard_sample {
	const struct sharded *sharded;
	const char *kind; /* "column", "row", "embedding or output", "expert" */
	bool even;	  /* every cut divides: all versions tell the same offsets */
};

struct guard_samples {
	VEC(struct guard_sample) list;
};

/* Up to four for each stage: of its first block, of what is outside the blocks, of its experts. */
struct guard_samples guard_samples(const struct job *job);

/* "keys": ["parallelism.dp_shard: 8"], the settings that make a mesh what it is. */
void guard_keys(struct json_writer *json, const struct job *job, const char *const *meshes,
		int count);

#endif
