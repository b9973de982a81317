#ifndef WINGS_MEGATRON_MEGATRON_H
#define WINGS_MEGATRON_MEGATRON_H

#include "wings/megatron/exceptions.h"
#include "framework/grid.h"
#include "framework/job.h"
#include "framework/wing.h"

/*
 * Megatron-LM as of d98e8a64: what its arguments are checked for, in its order, and the groups of
 * megatron/core/parallel_state.py. Frameworks that drive Megatron Core skip the first half.
 */

/* Who reads the config before Megatron Core does. */
enum megatron_front {
	FRONT_ARGUMENTS, /* training/arguments.py */
	FRONT_YAML,	 /* training/yaml_arguments.py, for --yaml-cfg */
	FRONT_OTHER	 /* a framework of its own, whose checks are not these */
};

struct megatron {
	struct job *job;
	struct plan *plan;
	enum megatron_front front;
	bool own_file; /* a framework's own: what it does not say is not given, or its default */
	bool counts_batch;	/* core/num_microbatches_calculator.py cuts the global batch */
	moment_t when;		/* of Megatron-LM */
	struct degrees degrees; /* dp is what tp, cp and pp leave of the world; 0 without one */
	int64_t edp;		/* expert data parallel; 0 without a world */
	int64_t gtp, egtp;	/* ranks that gather weights before use; 1: GTP is off */
	int64_t instances;	/* of the distributed optimizer */
	int64_t layers;		/* 0: not said */
	int64_t virtual_stages; /* 1: not said */
	bool dp_last;		/* --use-tp-pp-dp-mapping: dp outermost */
	bool fsdp;		/* parameters are shared over dp and cp */
	bool fsdp2;		/* by --use-torch-fsdp2 */
	struct grid dense, expert;
};

/* True from that day on, as YYYYMMDD. */
bool megatron_since(const struct megatron *megatron, moment_t day);

/* Raises what Megatron raises before it builds groups; without a world what needs none. */
void megatron_validate_arguments(struct megatron *megatron);

/* Raises where ranks do not divide the batch of evaluation, which arguments.py asks for early. */
void megatron_validate_eval_batch(struct megatron *megatron);

/* Raises where ranks and microbatches do not divide the global batch. Needs a world. */
void megatron_validate_batch(struct megatron *megatron);

/* The groups, or what initialize_model_parallel raises. Needs a world. */
void megatron_build_groups(struct megatron *megatron);

/* Raises what the configs of Megatron Core raise when the model is built, and after that. */
void megatron_validate_config(struct megatron *megatron);

/* The part of the arguments that is about stages: who says how many, and how many there may be. */
void megatron_validate_pipeline(struct megatron *megatron);

/* A number as Python prints it, None where nobody gave it. */
const char *megatron_number_or_none(const struct megatron *megatron, enum field_id field);

/* parallelism.pipeline.layer_split where it is a layout in Megatron's words, else "". */
const char *megatron_layout(const struct settings *settings);

/* What a file of Megatron's own says for it, which has no word as "even"; NULL: nothing. */
const char *megatron_own_layout(const struct megatron *megatron);

/* Raises where the layout has letters that are none, or stages that pp does not divide. */
void megatron_validate_layout(struct megatron *megatron, const char *layout);

/* Raises where it does not place what the model has, or is not alone in placing it. */
void megatron_validate_placed(struct megatron *megatron);

/* Raises where layers do not divide over virtual stages. */
void megatron_validate_split(struct megatron *megatron);

/* Where the interleaved schedule raises. */

/* Raises what the interleaved schedule refuses in its first step; the plan stays whole. */
void megatron_validate_step(struct megatron *megatron);

/*
 * Stages on each rank of pp, by their number, by the layers of each or by the layout; 1 where
 * nothing is said, 0 where what is said cannot be counted.
 */
int64_t megatron_virtual_stages(const struct settings *settings, int64_t pp);

/* False where the schedule is another one or the microbatches of a step are not known. */
bool megatron_step_of(const struct job *job, int64_t pp, int64_t dp, struct interleaved_step *step);

/* Layers of each stage, in the order of the stages, or nothing where they are not known. */
void megatron_put_stages(struct megatron *megatron);

/* Ends the plan with what rules say of that know the model: without one no rule of its own does. */
void megatron_raise_of_model(struct megatron *megatron, struct told told);

/* Ends the plan with a row and its values: megatron_raise(m, MEGATRON(HEADS), VALUE(heads)). */
#define megatron_raise(megatron, ...) exception_raise((megatron)->plan, __VA_ARGS__)

/* Adds a setting to what was raised last. */
void megatron_blame(struct megatron *megatron, enum field_id field);

#endif
