#ifndef FRAMEWORK_STATE_DICT_H
#define FRAMEWORK_STATE_DICT_H

#include "framework/job.h"

/*
 * What a job hands to torch.distributed.checkpoint: names, states and the order in which they are
 * planned.
 */
enum { OPTIMIZER_STATES = 2 };

struct state_dict {
	const char *model;		     /* before the name of a parameter: "model." or "" */
	const char *optimizer;		     /* before the name of its states: "optimizer.state." */
	int states;			     /* tensors of the parameter's size per parameter */
	const char *state[OPTIMIZER_STATES]; /* "exp_avg" */
	bool steps;			     /* a counter per parameter: one number, not sharded */
	const char *setting;  /* the first of its group that other optimizers have not: "betas" */
	int groups;	      /* entries of the parameter's group that are no tensors */
	bool optimizer_first; /* planned before the model */
	bool train_state;     /* a counter of steps for the whole job */
	int64_t element;      /* bytes of an element of parameters and states */
	const char *unknown;  /* the optimizer whose states are not known, or NULL */
};

struct state_dict state_dict_of(const struct job *job);

#endif
