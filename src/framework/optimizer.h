#ifndef FRAMEWORK_OPTIMIZER_H
#define FRAMEWORK_OPTIMIZER_H

#include "framework/job.h"

/*
 * What an optimizer keeps of each parameter from step to step, in bytes per element. A copy of the
 * parameters in fp32, which engines of mixed precision keep beside it, is not part of it.
 */
struct optimizer {
	bool known;	     /* what it keeps is; else it is taken for Adam */
	int states;	     /* tensors of the parameter's shape and type */
	double bytes;	     /* of all of them, where their type is not the parameter's; else 0 */
	double outside;	     /* of those of embeddings, where they differ; else 0 */
	bool paged;	     /* in managed memory: pages go to the host when the device is full */
	bool adam;	     /* torch.optim's Adam or AdamW */
	bool fused;	     /* one kernel updates it */
	bool in_backward;    /* each parameter is updated as soon as its gradient is there */
	const char *setting; /* the first of its group that other optimizers have not: "betas" */
};

/* That of the job; AdamW where the config names none. */
struct optimizer optimizer_of(const struct job *job);

/* Bytes kept of an element whose parameter has so many, on the average of a model. */
double optimizer_bytes(const struct optimizer *optimizer, const struct model *model,
		       double parameter);

#endif
