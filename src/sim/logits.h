#ifndef SIM_LOGITS_H
#define SIM_LOGITS_H

#include "cost/profile.h"
#include "sim/layer.h"
#include "sim/workload.h"

/*
 * The output projection and the cross-entropy behind it: which logits are there when, and what the
 * products take. The words are those of training.loss.kind; a job that says none has the loss of
 * its framework, by habits.
 */

/* Bytes of a microbatch that the loss adds to what the last norm and the projection keep. */
struct logits {
	double kept; /* from the loss to its backward pass */
	double peak; /* at its most, before a gradient reaches the projection; at least `kept` */
	double gradient; /* while the projection goes backward, beside the gradient of its weight */
};

/* Puts what the settings of a job say of it into a workload whose framework is known. */
void logits_put(struct workload *work, const struct job *job);

struct logits logits_of(const struct workload *work);

/* Bytes of logits that a model hands to a loss outside of it, as it made them. */
double logits_returned(const struct workload *work);

/* Bytes at the most of a pass over a microbatch that has no backward one. */
double logits_apart(const struct workload *work);

/* Bytes of the gradient of the projection's weight, before it is reduced. */
double logits_weight_gradient(const struct workload *work);

/* Tokens whose logits are there at a time, where gradients are made with them. */
double logits_tokens(const struct workload *work);

/* Seconds of the projection and of its loss. */
struct pass logits_time(const struct profile *profile, const struct workload *work);

#endif
