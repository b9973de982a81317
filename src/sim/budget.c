#include "sim/budget.h"

#include "sim/forecast.h"

#include <math.h>

static void put_interruptions(struct budget *budget)
{
	const struct budget_request *asked = &budget->asked;
	double cycle, lost;

	budget->useful = 1;
	if (asked->mtbf <= 0)
		return;
	budget->interval = sqrt(2 * asked->checkpoint * asked->mtbf);
	cycle = budget->interval + asked->checkpoint;
	lost = (cycle / 2 + asked->restart) / asked->mtbf;
	budget->useful = fmax(budget->interval / cycle * (1 - lost), 0);
}

struct budget budget_of(const struct forecast *forecast, const struct budget_request *asked)
{
	const double world = (double)forecast->work.world;
	const double step = forecast->tokens * world * forecast->step.total; /* tokens */
	struct budget budget = { .asked = *asked };

	put_interruptions(&budget);
	budget.steps = ceil(asked->tokens / step);
	budget.seconds = budget.steps * forecast->step.total / budget.useful;
	budget.low = budget.steps * forecast->low / budget.useful;
	budget.high = budget.steps * forecast->high / budget.useful;
	budget.device_hours = budget.seconds / 3600 * world;
	budget.cost = budget.device_hours * asked->price;
	return budget;
}
