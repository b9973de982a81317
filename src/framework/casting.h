#ifndef FRAMEWORK_CASTING_H
#define FRAMEWORK_CASTING_H

#include "framework/wing.h"

/* Who makes 16 bits of parameters that are stored in 32, for a job that asks to compute in 16. */
enum casting {
	CASTING_PARAMETERS, /* fully_shard or an engine, before a module runs */
	CASTING_PRODUCTS,   /* torch.autocast, for its products */
	CASTING_NOTHING	    /* nobody: it computes in the type that they are stored in */
};

/* In a framework's version, for a plan; an intended one computes in what is asked for. */
enum casting casting_of(const struct wing *wing, const struct version *version,
			const struct plan *plan);

/* The type that a job's applied plan computes in, where it asks for another, *asked; else NULL. */
const char *casting_lost(const struct job *job, const char **asked);

#endif
