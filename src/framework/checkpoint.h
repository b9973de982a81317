#ifndef FRAMEWORK_CHECKPOINT_H
#define FRAMEWORK_CHECKPOINT_H

#include "framework/job.h"

/*
 * The checkpoint a job resumes from, as far as somebody told: the config that wrote it, the
 * degrees it was written with, or its own `.metadata`.
 */
enum checkpoint_source {
	CHECKPOINT_UNKNOWN, /* nothing could be read: `trouble` says why */
	CHECKPOINT_DEGREES, /* a map of degrees: the same config under other degrees wrote it */
	CHECKPOINT_CONFIG,
	CHECKPOINT_METADATA
};

struct dcp_metadata;

struct checkpoint {
	enum checkpoint_source source;
	const char *name;	/* the path, or "checkpoint.resume" */
	const char *path;	/* of the file that was to be read; NULL: none was */
	struct span span;	/* where the new config names it; nowhere for an operand */
	const char *trouble;	/* a clause without full stop, or NULL */
	const struct job *from; /* the job that wrote it; NULL under METADATA and UNKNOWN */
	bool dated;		/* written by versions of its own, not by the job's */
	const struct dcp_metadata *metadata; /* METADATA only */
	struct degrees degrees;		     /* DEGREES, CONFIG: all 1 or more */
	int64_t loaders; /* data loaders that stored a state: the data-parallel degree; -1: unknown
			  */
};

/* Reads what checkpoint.resume of a job names, once, into job->checkpoint, which stays NULL where
 * the job has no such setting. */
void checkpoint_of_job(struct job *job);

/*
 * A config, a `.metadata` file or a folder that holds one. `overrides` (may be NULL) are laid over
 * a config. Everything the config has wrong is in `findings`.
 */
void checkpoint_read(struct checkpoint *checkpoint, struct arena *arena, const char *path,
		     const struct overrides *overrides, struct findings *findings);

/*
 * What of a checkpoint holds for the same document at another version, too: NULL for degrees, which
 * stand for the config at the job's own version.
 */
const struct checkpoint *checkpoint_of_other(const struct checkpoint *checkpoint);

/* The degrees of a job that knows its world, all 1 or more. */
struct degrees degrees_of_job(const struct job *job);

/* How many data loaders with streams of their own a job has: dp_replicate * dp_shard, times
 * torchft's replica groups. */
int64_t loaders_of_job(const struct job *job);

#endif
