#ifndef SIM_RECOMPUTE_H
#define SIM_RECOMPUTE_H

#include "sim/workload.h"

/* What is said of activation checkpointing: "", and one layer, where nothing is. */
struct recompute_said {
	const char *mode, *option, *method;
	int64_t layers;
	const struct node *modules; /* a list of words; NULL: nothing */
};

/* Puts it into a workload whose software is known. */
void recompute_put(struct workload *work, const struct recompute_said *said);

/* The workload of layers that predict more tokens: of Megatron's methods `block` leaves them out.
 */
struct workload recompute_of_predictions(const struct workload *work);

/* The modules that settings name, or NULL. */
const struct node *recompute_modules(const struct settings *settings);

/* The same of what the settings of a job say, and where what is kept waits. */
void recompute_read(struct workload *work, const struct job *job);

/* Whether that module of blocks is computed again, but not all of them are. */
bool recompute_module(const struct workload *work, enum module module);

/* The share of what a block sends over tp, and to experts, in its forward pass that is sent again
 * in its backward one. */
double recompute_sends(const struct workload *work, bool experts);
double recompute_sends_experts(const struct workload *work);

/* Whether what is computed again depends on the layers of a stage. */
bool recompute_by_stage(const struct workload *work);

/* The share of blocks whose forward pass is run again as a whole. */
double recompute_share(const struct workload *work);

/* Blocks of which one input is kept, and which are all there while their gradients are made. */
double recompute_unit(const struct workload *work);

#endif
