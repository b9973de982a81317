#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A discrete-event engine. One rank stands for all ranks of its pipeline position; each has
 * streams that run side by side, and tasks that run in order on their stream once what they wait
 * for has ended. Times are whole ticks, which are picoseconds but for steps of days, so that
 * results do not depend on the build.
 */
enum stream {
	STREAM_COMPUTE,
	STREAM_GATHER, /* all-gathers of parameters */
	STREAM_REDUCE, /* reductions of gradients */
	STREAM_COPIES, /* all-reduces between copies of a sharded model */
	STREAM_SEND,   /* to other pipeline ranks */
	STREAMS
};

/* Which links a collective is bound by; those on the same ones share them. */
enum crossed { CROSSING_NONE, CROSSING_NODE, CROSSING_NETWORK, CROSSINGS };

enum task_kind {
	TASK_FORWARD,
	TASK_BACKWARD,
	TASK_INPUT,  /* backward, gradients of inputs alone */
	TASK_WEIGHT, /* of weights */
	TASK_APART,  /* forward with no backward: a frozen model's, or without gradients */
	TASK_GATHER,
	TASK_REDUCE,
	TASK_COPIES,
	TASK_SEND,
	TASK_OPTIMIZER,
	TASK_KINDS
};

enum { TASK_AFTER = 4, NO_TASK = -1 };

struct task {
	enum task_kind kind;
	enum stream stream;
	enum crossed crossing;
	int32_t rank;		   /* of the pipeline */
	int32_t stage, microbatch; /* -1: of all */
	int32_t unit;		   /* of the stage; -1: all of them in one */
	int32_t after[TASK_AFTER]; /* tasks that end before it starts, or NO_TASK */
	int64_t work;		   /* ticks, alone on the rank */
	int64_t start, end;	   /* ticks; of engine_run */
};

struct program {
	struct arena *arena;
	int32_t ranks;
	int64_t scale;	  /* picoseconds of a tick: 1, but for steps of days */
	double longest;	  /* seconds of a task */
	double total;	  /* seconds of all tasks */
	int64_t slowdown; /* per mille that computing takes longer while a collective runs beside */
	VEC(struct task) tasks;
	int32_t *begins; /* per rank: its first task; tasks of a rank follow each other */
};

/* Adds to the work of a task what takes so long alone. */
void program_work(struct program *program, int32_t task, double seconds);

/* Whether ticks are too short: tasks take longer than can be counted in thousandths of them, or
 * all of them longer than can be counted. The program is then to be built with a larger scale. */
bool program_overflows(const struct program *program);

/* Seconds of so many ticks. */
double program_seconds(const struct program *program, int64_t ticks);

/* Appends a task that is nothing yet and waits for nothing; returns its index. */
int32_t program_add(struct program *program);

/* Makes a task wait for another; NO_TASK is nothing. */
void program_wait(struct program *program, int32_t task, int32_t for_task);

/* Sets start and end of all tasks. False: tasks wait for each other in a circle. */
bool engine_run(struct program *program);

#endif
