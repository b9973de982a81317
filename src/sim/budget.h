#ifndef SIM_BUDGET_H
#define SIM_BUDGET_H

struct forecast;

/* What is asked of a whole training; 0: that is not asked. */
struct budget_request {
	double tokens;	   /* to train on */
	double price;	   /* of one device for an hour */
	double mtbf;	   /* seconds from one interruption of the job to the next, on average */
	double checkpoint; /* seconds that training stands still for a checkpoint */
	double restart;	   /* seconds from an interruption to the first step after it */
};

/* What a training on so many tokens takes. */
struct budget {
	struct budget_request asked;
	double steps;
	double seconds, low, high; /* low to high: as the step's interval */
	double interval; /* seconds of steps between checkpoints that loses least; 0: no mtbf */
	double useful;	 /* share of the time in which steps are made that last */
	double device_hours;
	double cost; /* in the price's currency; 0: no price */
};

/*
 * Steps of a forecast until the tokens are used up. With an mtbf, checkpoints are as far apart as
 * loses least time (Young 1974, Daly 2006: the root of twice checkpoint times mtbf), and each
 * interruption costs its restart and half of what lies between two checkpoints. `useful` is 0, and
 * the times are infinite, where interruptions come faster than that.
 */
struct budget budget_of(const struct forecast *forecast, const struct budget_request *asked);

#endif
