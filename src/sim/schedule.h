#ifndef SIM_SCHEDULE_H
#define SIM_SCHEDULE_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Pipeline schedules: in which order each pipeline rank computes. To add one: one file in
 * sim/schedules/ with `const struct schedule schedule_NAME`.
 */

enum action_kind {
	ACTION_FORWARD,	 /* F */
	ACTION_BACKWARD, /* B: whole, of inputs and weights */
	ACTION_INPUT,	 /* I: gradients of the inputs alone */
	ACTION_WEIGHT	 /* W: gradients of the weights, later */
};

/* One computation of one rank, as torch.distributed.pipelining writes it: 4F0 is stage 4, F, 0. */
struct action {
	enum action_kind kind;
	bool paired; /* computed together with the action after it (OVERLAP_F_B) */
	int32_t stage, microbatch;
};

struct actions {
	VEC(struct action) list;
};

struct pipeline_shape {
	int64_t ranks;	      /* pp */
	int64_t per_rank;     /* stages of each rank; all = ranks * per_rank */
	int64_t microbatches; /* per step */
	int64_t group;	      /* Megatron-LM's microbatches in a row of one stage; 0: as ranks */
};

struct schedule {
	const char *name;	    /* as torch.distributed.pipelining names it */
	const char *const *aliases; /* of other frameworks, ended by NULL; may be NULL */
	const char *summary;	    /* one line */
	bool vee;    /* stages go down the ranks and up again: r and 2 ranks - 1 - r */
	bool splits; /* computes gradients of inputs and weights apart */
	bool pairs;  /* computes a forward pass together with a backward one */
	bool hoards; /* all forward passes of a step come first: their activations pile up */
	/* NULL, or what this schedule wants of a shape, in a sentence. */
	const char *(*refuses)(const struct pipeline_shape *shape);
	/* Appends all computations of one rank, in order. */
	void (*order)(struct arena *arena, const struct pipeline_shape *shape, int64_t rank,
		      struct actions *actions);
};

/* All schedules, ended by NULL. */
extern const struct schedule *const schedules[];

/* By name or alias, whatever the case; NULL if it is none. */
const struct schedule *schedule_find(const char *name);

/* The rank that holds a stage. */
int64_t schedule_rank(const struct schedule *schedule, const struct pipeline_shape *shape,
		      int64_t stage);

/* The stage in slot 0 to per_rank - 1 of a rank, in the order in which a microbatch meets them. */
int64_t schedule_stage(const struct schedule *schedule, const struct pipeline_shape *shape,
		       int64_t rank, int64_t slot);

/* Passes of a step through all its stages beyond which nobody wants to hold them in memory. */
enum { SCHEDULE_PASSES_MOST = 1 << 24 };

/* Whether a shape, at least one of everything, has more of them. */
bool schedule_too_large(const struct pipeline_shape *shape);

/* What a shape lacks, in a sentence: of this schedule, or of any; NULL if `order` may be asked. */
const char *schedule_refusal(const struct schedule *schedule, const struct pipeline_shape *shape);

/* ---- for the files of schedules ---- */

/* Every condition of schedules that give one stage to each rank; a value of `refuses`. */
const char *schedule_refuses_several(const struct pipeline_shape *shape);

/* Appends one computation. */
void actions_add(struct arena *arena, struct actions *actions, enum action_kind kind, int64_t stage,
		 int64_t microbatch);

#endif
