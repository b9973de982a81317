#ifndef TESTS_UNIT_SIM_TALLY_H
#define TESTS_UNIT_SIM_TALLY_H

#include "sim/build.h"
#include "sim/traffic.h"

#include <string.h>

/* Calls of the account, and of tasks, by what they do: their number and bytes. */
struct tally {
	double calls, bytes;
};

static inline void tally_row(const struct workload *work, const struct traffic *row,
			     struct tally tallies[TASK_KINDS])
{
	enum task_kind kind = TASK_REDUCE;
	struct tally *tally;

	if (row->axis == TRAFFIC_PIPELINE)
		kind = TASK_SEND;
	else if (row->axis != TRAFFIC_DATA)
		return;
	else if (!strcmp(row->call.op->name, "all_gather"))
		kind = TASK_GATHER;
	else if (row->call.group == &work->copies[DENSE] ||
		 row->call.group == &work->copies[EXPERTS])
		kind = TASK_COPIES;
	tally = &tallies[kind];
	tally->calls += row->count;
	tally->bytes += row->count * row->call.bytes;
}

/* Tasks of a pipeline rank, each with its calls: units with experts of their own make two. */
static inline void tally_tasks(const struct workload *work, const struct run *run, int64_t rank,
			       struct tally tallies[TASK_KINDS])
{
	size_t i;

	for (i = 0; i < run->program.tasks.count; i++) {
		const struct task *task = &run->program.tasks.items[i];
		if (task->rank != rank || task->stream == STREAM_COMPUTE)
			continue;
		tallies[task->kind].calls++;
		tallies[task->kind].bytes += task_bytes(run, work, task);
	}
}

#endif
