#include "evidence/hang/tasks.h"

#include "base/text.h"

#include <string.h>

enum { TASKS_MOST = 1 << 14, RANGE_MOST = 1 << 12 };

/* How tasks end that no launcher has ended: it says "Terminated" of those. */
static const struct {
	const char *says, *how;
} ends[] = {
	{ "Out Of Memory", "ran out of host memory, as Slurm tells" },
	{ "Killed", "was killed, as Slurm tells" },
	{ "Segmentation fault", "crashed (segmentation fault), as Slurm tells" },
	{ "Bus error", "crashed (bus error), as Slurm tells" },
};

static const char *how_of(const char *text)
{
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (text_starts(text, ends[i].says))
			return ends[i].how;
	return NULL;
}

/* "32-39,41" up to a colon; what follows that tells how they ended. */
static void take_ranges(struct slurm_tasks *tasks, struct arena *arena, const char *at,
			struct slurm_task task)
{
	const char *colon = strchr(at, ':');

	if (!colon || colon[1] != ' ')
		return;
	task.how = how_of(colon + 2);
	while (at < colon && tasks->list.count < TASKS_MOST && text_digits(&at, 8, &task.first)) {
		task.last = task.first;
		if (*at == '-' && (at++, !text_digits(&at, 8, &task.last)))
			return;
		if (task.last < task.first || task.last - task.first > RANGE_MOST)
			return;
		vec_push(arena, &tasks->list, task);
		tasks->ranks = tasks->ranks || task.last > task.first || *at == ',';
		at += *at == ',';
	}
}

void slurm_tasks_take(struct slurm_tasks *tasks, struct arena *arena, const char *text, double time)
{
	static const char mark[] = "srun: error: ";
	const char *host = strstr(text, mark), *at;
	struct slurm_task task = { .time = time };
	size_t length;

	if (!host)
		return;
	host += strlen(mark);
	length = strcspn(host, ": [,");
	at = host + length;
	if (!length || !text_starts(at, ": task"))
		return;
	at += strlen(": task");
	at += *at == 's';
	if (*at != ' ')
		return;
	task.host = arena_strndup(arena, host, length);
	take_ranges(tasks, arena, at + 1, task);
}

void slurm_tasks_end(struct slurm_tasks *tasks, struct hang_facts *facts)
{
	const char *how = NULL;
	double time = -1;
	int64_t rank;
	size_t i;

	for (i = 0; tasks->ranks && i < tasks->list.count; i++) {
		const struct slurm_task *task = &tasks->list.items[i];
		struct hang_named named = {
			.fate = HANG_DIED, .how = task->how, .sequence = -1, .time = task->time
		};
		const bool first = task->how && (!how || (how == task->how && time >= task->time));
		for (rank = task->first; rank <= task->last; rank++) {
			hang_facts_place(facts, rank, task->host, strlen(task->host), -1);
			named.rank = rank;
			if (first)
				hang_facts_name(facts, named);
		}
		if (first) {
			how = task->how;
			time = task->time;
		}
	}
	tasks->list.count = 0;
	tasks->ranks = false;
}
