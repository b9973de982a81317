#include "cost/choices.h"

#include <stdlib.h>
#include <string.h>

static int by_size(const void *a, const void *b)
{
	const struct nccl_said *left = ((const struct choice *)a)->said,
			       *right = ((const struct choice *)b)->said;

	if (left->op != right->op)
		return strcmp(left->op->name, right->op->name);
	if (left->bytes != right->bytes)
		return left->bytes < right->bytes ? -1 : 1;
	if (left->algorithm != right->algorithm)
		return left->algorithm < right->algorithm ? -1 : 1;
	return (left->protocol > right->protocol) - (left->protocol < right->protocol);
}

static bool agrees(const struct nccl_choice *choice, const struct nccl_said *said)
{
	return choice->algorithm == said->algorithm && choice->protocol == said->protocol;
}

static void add_log(struct choices *choices, const struct calibration *calibration,
		    const struct nccl_log *log)
{
	struct calibration bare = { .arena = calibration->arena };
	struct route modelled, printed;
	size_t i;

	if (!calibration_route(&bare, &log->at, &modelled))
		return;
	printed = modelled;
	printed.system.printed = &log->printed;
	for (i = 0; i < log->choices.count; i++) {
		const struct nccl_said *said = &log->choices.items[i];
		struct choice choice = { .log = log, .said = said };
		struct nccl_choice by_tables =
			nccl_choose(&printed.system, &printed.graphs, said->op->op, said->bytes);
		choice.modelled =
			nccl_choose(&modelled.system, &modelled.graphs, said->op->op, said->bytes);
		choice.same = agrees(&choice.modelled, said);
		choice.same_by_tables = agrees(&by_tables, said);
		choices->same += choice.same;
		choices->same_by_tables += choice.same_by_tables;
		vec_push(calibration->arena, &choices->list, choice);
	}
}

void choices_init(struct choices *choices, const struct calibration *calibration)
{
	size_t i, first;

	memset(choices, 0, sizeof(*choices));
	for (i = 0; i < calibration->logs.count; i++) {
		first = choices->list.count;
		add_log(choices, calibration, calibration->logs.items[i]);
		if (choices->list.count > first)
			qsort(choices->list.items + first, choices->list.count - first,
			      sizeof(*choices->list.items), by_size);
	}
}
