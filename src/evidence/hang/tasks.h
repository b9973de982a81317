#ifndef EVIDENCE_HANG_TASKS_H
#define EVIDENCE_HANG_TASKS_H

#include "evidence/hang/facts.h"

/*
 * Slurm's lines of tasks that ended, "srun: error: gpu-a03: tasks 32-39: Killed" (src/srun/libsrun/
 * launch.c): where ranks ran. A task is a rank where a host has several of them; with one for each
 * host it is what starts the ranks there.
 */
struct slurm_task {
	int64_t first, last;
	const char *host;
	const char *how; /* it was ended by nobody else: "was killed (Slurm)"; or NULL */
	double time;	 /* -1: not told */
};

struct slurm_tasks {
	VEC(struct slurm_task) list;
	bool ranks; /* some host has several */
};

/* A line that has "srun: error: ". */
void slurm_tasks_take(struct slurm_tasks *tasks, struct arena *arena, const char *text,
		      double time);

/* Tells where the ranks were, and who ended first. */
void slurm_tasks_end(struct slurm_tasks *tasks, struct hang_facts *facts);

#endif
