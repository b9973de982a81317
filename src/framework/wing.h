#ifndef FRAMEWORK_WING_H
#define FRAMEWORK_WING_H

#include "framework/habit.h"
#include "framework/job.h"
#include "plan/exception.h"

/*
 * What is known of a framework by its name, whether it has a model of its own or not. The file that
 * defines `wing_NAME` lies in its folder, src/wings/; rules and forecasts ask for habits, never for
 * a name.
 */

/* A habit in the versions from `since` up to `until`; 0: from the first, to the last. */
struct habit_row {
	enum habit habit;
	moment_t since, until;
	bool undated;	  /* of a version whose date is not known as well */
	int major, minor; /* not 0: numbered releases before that one; without `until` only those */
	const char *what; /* what changed with `since`, where plans depend on it; or NULL */

	/* or as the wing's timeline has it: between commits, while a trait has a value of a set */
	const char *from, *before; /* NULL: the first, the last */
	int trait;
	unsigned values; /* 1 << value, ...; 0: whatever it is */
};

/* A family of models that there is none of in versions from a commit up to another. */
struct lacking_family {
	const char *family, *from, *before, *has; /* "v0.2.0 has it" */
};

/* One step of an interleaved schedule that takes microbatches in groups. */
struct interleaved_step {
	int64_t microbatches, pp;
	int64_t group; /* microbatches of one virtual stage in a row */
	bool grouped;  /* that number is given; else it is pp */
};

struct wing {
	const char *name; /* as it is pinned */
	bool packaged;	  /* installed as a package of that name, whose version pins it */
	const struct habit_row *habits; /* ended by HABIT_END; NULL: none */
	const struct exceptions *tells; /* its table of exceptions, or NULL */
	const char *schedule; /* the one it has no name for, which its own stands for; or NULL */
	/* names it may be pinned by that say no version ("core", "zero"), ended by NULL; or NULL */
	const char *const *kinds;
	int bucket_mib;		   /* of DistributedDataParallel's buckets; 0: PyTorch's own 25 */
	const char *expert_plugin; /* without which it ignores ep; or NULL */
	const struct lacking_family *lacks_families; /* ended by a NULL family; or NULL */
	/* Stages on each rank of pp; 1 where nothing is said, 0 where it cannot be counted. Or NULL
	 */
	int64_t (*virtual_stages)(const struct settings *settings, int64_t pp);
	/* False where the schedule is another one or a step's microbatches are not known. Or NULL
	 */
	bool (*interleaves)(const struct job *job, int64_t pp, int64_t dp,
			    struct interleaved_step *step);
	const char *dump; /* a Python program that has it write what a config of its own Python
			     makes, in a form that a dialect of the wing reads; or NULL */
	/* what it stands on: habits and exceptions of that are its own, too */
	const struct wing *on;
};

extern const struct wing *const wings[]; /* ended by NULL */

/* What readers of wings find; the catalogue has it. */
extern const struct rule_id rule_deepspeed_mismatch, rule_strategy_ignored, rule_strategy_refused,
	rule_arguments_refused;

/* The wing of that name, or NULL. */
const struct wing *wing_find(const char *name);

/* Whether it does so at that version, NULL where none is known. False for a wing that is NULL. */
bool wing_does(const struct wing *wing, enum habit habit, const struct version *version);

/* Adds what it does at that version, as wing_does tells. */
void wing_add_habits(struct habits *habits, const struct wing *wing, const struct version *version);

/* The wing whose name a version begins with, as that of a fork does: "deepspeed@2024-05"; or NULL.
 */
const struct wing *wing_joined(const char *version);

/* What that version has no models of, or NULL. */
const struct lacking_family *wing_lacks(const struct wing *wing, const char *family,
					const struct version *version);

/* The first framework of the job that does so at its version, or NULL. */
const struct version *job_does(const struct job *job, enum habit habit);

/* False for a degree that the version of a trainer that is read commit by commit does not have. */
bool job_has_axis(const struct job *job, enum field_id field);

/* Whether tokens on their way to experts wait for the host, which no CUDA graph captures:
 * TorchTitan's standard and deepep dispatchers. */
bool job_waits_for_host(const struct job *job);

/* Whether the global batch counts ranks that see the same samples: micro batch * accumulation *
 * world. */
bool job_counts_all(const struct job *job);

/*
 * Sequences that a step trains, over so many data-parallel ranks with `each` of them in a pass: the
 * global batch, or what becomes of it.
 */
int64_t job_sequences(const struct job *job, int64_t dp, int64_t each);

/* Whether cp cuts sequences of which each rank then attends to its own part alone. */
bool job_attends_alone(const struct job *job);

/* Whether stages of a schedule that wants a V, by torch's name, lie in a loop. */
bool job_loops(const struct job *job, const char *schedule);

/* Whether the framework whose own file the config is does so. */
bool file_does(const struct job *job, enum habit habit);

#endif
