#ifndef FRAMEWORK_RESUME_H
#define FRAMEWORK_RESUME_H

#include "framework/checkpoint.h"

#include <stdbool.h>

/*
 * Whether a job can load a checkpoint, component by component, at the job's versions. One model
 * for the rules, for `parplan reshard` and for `expect: {checkpoint: compatible}`.
 */
enum component {
	COMPONENT_MODEL,
	COMPONENT_OPTIMIZER,
	COMPONENT_LR_SCHEDULER,
	COMPONENT_DATALOADER,
	COMPONENT_TRAIN_STATE,
	COMPONENT_RNG,
	COMPONENTS
};

/* Worse ones are greater. */
enum fate {
	FATE_UNKNOWN,  /* the training script decides */
	FATE_ABSENT,   /* no version stores it: it starts anew */
	FATE_EXCLUDED, /* the config leaves it out: it starts anew */
	FATE_OK,       /* loads as it was written */
	FATE_RESHARDS, /* loads, cut in other ways */
	FATE_LOSES,    /* loads and prints nothing, but some of it is dropped or wrong */
	FATE_FAILS     /* raises */
};

/* One thing that stands between a checkpoint and a job. */
struct obstacle {
	enum component component;
	enum fate fate;			/* LOSES or FAILS */
	const char *rule;		/* the rule that reports it */
	const char *what;		/* one sentence without full stop, with the numbers */
	const char *requested, *actual; /* or NULL */
	const char *error;		/* the exact text that is raised, or NULL */
	const char *speaker;		/* framework that raises it */
	const char *way;		/* how to get past it, or NULL */
	const char *lost;		/* what that costs, or what is lost in silence; or NULL */
	bool reported;			/* known from a thread alone */
	int because_count;
	enum field_id because[3]; /* settings of the new job */
};

struct resume {
	const struct checkpoint *checkpoint;
	enum fate fates[COMPONENTS];
	const char *notes[COMPONENTS];	/* a clause on a fate without obstacle, or NULL */
	bool optimizer_first;		/* its tensors are looked up before the model's */
	VEC(struct obstacle) obstacles; /* in the order of the components */
};

/* "model", "optimizer", "lr_scheduler", "dataloader", "train_state", "rng". */
const char *component_name(enum component component);

/* "reshards", "ok", "fails", "excluded", "loses", "not saved", "unknown". */
const char *fate_name(enum fate fate);

/*
 * Judges the checkpoint that checkpoint.resume names, or that resume_from gave; once per job, which
 * keeps the answer. NULL when nothing is to be resumed or the job's plan is not whole.
 */
const struct resume *resume_of(struct job *job);

/* Makes `checkpoint` the one the job resumes from, whatever its config says. */
void resume_from(struct job *job, const struct checkpoint *checkpoint);

/* The obstacle of a component that weighs most, the first of equals; NULL without one. */
const struct obstacle *resume_obstacle(const struct resume *resume, enum component component);

/* True when every component loads or is left out, as far as it is known. */
bool resume_loads(const struct resume *resume);

/* False when nothing is known even of the model. */
bool resume_judged(const struct resume *resume);

/*
 * True when the checkpoint that the job is to resume from can be loaded. Else *why says what
 * stands against it; also when no checkpoint is named or it could not be read.
 */
bool resume_compatible(struct job *job, const char **why);

/* For frameworks: adds an obstacle; fill in the rest of what is returned before the next one. */
struct obstacle *resume_add(struct job *job, struct resume *resume, enum component component,
			    enum fate fate, const char *rule, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/*
 * For frameworks: holds every tensor of a component (model or optimizer) against the checkpoint and
 * adds what is missing or has another size. `now` and `then` stand before the names of parameters
 * in the state dicts of the job and of the checkpoint ("model.", "optimizer.state." or ""). Silent
 * without a model.
 */
void resume_tensors(struct job *job, struct resume *resume, enum component component,
		    const char *now, const char *then);

/* For frameworks: the same for the optimizer's states, whose names begin with `prefix`. */
void resume_optimizer(struct job *job, struct resume *resume, const char *prefix);

/* The first entry of the optimizer that a job asks for: "optimizer.state.FQN.step". */
const char *resume_first_state(const struct job *job);

#endif
