#ifndef SIM_FORECAST_H
#define SIM_FORECAST_H

#include "sim/budget.h"
#include "sim/risk.h"
#include "sim/rollout.h"
#include "sim/step.h"
#include "sim/traffic.h"

/* What one step of a job is expected to cost, and how far off that may be. */
struct forecast {
	struct profile profile;
	struct workload work;
	struct run run; /* the simulated step */
	struct step step;
	struct memory memory;
	struct rollout rollout;	     /* the engine that generates on the same cards */
	struct traffics traffic;     /* its collectives, in the job's arena */
	double low, high;	     /* seconds: four measurements of five lie between */
	double tokens;		     /* per second and device */
	double flops;		     /* of the model, per second and device */
	double mfu;		     /* of the dense bf16 peak; 0 where that is not known */
	const struct budget *budget; /* of a whole training; NULL: none was asked for */
};

enum fits { FITS_YES, FITS_TIGHT, FITS_NO };

/*
 * Forecasts a plan of the job, its applied one or what job_asked makes; `numbers` (may be NULL) is
 * a user's profile file laid over the presets, whose faults become findings of the job. NULL, or a
 * sentence naming what is missing.
 */
const char *forecast_read(struct forecast *forecast, const struct job *job, const struct plan *plan,
			  const struct source *numbers);

/*
 * The same of a job that ran on `gpu` (may be NULL), where its config names no device. The profile
 * is filled as soon as the device is known, whatever else is missing; before that, it has no gpu.
 */
const char *forecast_read_on(struct forecast *forecast, const struct job *job,
			     const struct plan *plan, const struct source *numbers,
			     const char *gpu);

/* The profile and the workload alone, of which the functions below make the rest. */
const char *forecast_begin(struct forecast *forecast, const struct job *job,
			   const struct plan *plan, const struct source *numbers);

/* Makes it again, in the arena, for a profile or a workload that has been changed. */
void forecast_run(struct forecast *forecast, struct arena *arena);

/* The same without an account of its traffic. */
void forecast_step(struct forecast *forecast, struct arena *arena);

/* And with the stages_cost of its workload, which somebody has made. */
void forecast_step_on(struct forecast *forecast, struct arena *arena, const struct stages *stages);

/*
 * The forecast of a job's applied plan by the presets' numbers: made when somebody first asks, and
 * kept with the job. NULL: something is missing, which job->unforecast names.
 */
const struct forecast *forecast_of(struct job *job);

/* Whether other ranks share or repeat parameters under the applied plan than under the plan as
 * asked. False where either is not there. */
bool forecast_shares_otherwise(struct job *job);

/* The same, or it computes in another type, so that a step costs something else. */
bool forecast_differs(struct job *job);

/* The account of traffic under a plan of the job, with times where the device is known. */
struct traffics forecast_traffic(const struct job *job, const struct plan *plan);

/* Whether the device's memory suffices: yes where it runs out in fewer than one case of ten. */
enum fits forecast_fits(const struct forecast *forecast);

/* Whether it is as good as certain, 99 % or more, that memory does not suffice: however long the
 * sequences are where the config leaves that open, and with all counted that it asks for. */
bool forecast_runs_out(const struct forecast *forecast);

/* "yes", "tight", "no". */
const char *fits_name(enum fits fits);

#endif
