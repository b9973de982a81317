#ifndef COST_PROFILE_H
#define COST_PROFILE_H

#include "base/arena.h"
#include "base/finding.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a device, a node and a network can do: one number per row of cost/figures.def, each
 * with where it is from. To add a device: src/presets/gpus/NAME.yaml; a network:
 * src/presets/fabrics/NAME.yaml; a number: a row in figures.def and its values there.
 */
enum figure_id {
#define FIGURE(id, key, unit, meaning) FIGURE_##id,
#include "cost/figures.def"
#undef FIGURE
	FIGURE_COUNT
};

struct figure_meaning {
	const char *key, *unit, *meaning;
};

const struct figure_meaning *figure_of(enum figure_id id);

/* How a number is known. */
enum basis {
	BASIS_NONE,	 /* it is not */
	BASIS_DATASHEET, /* the maker says so */
	BASIS_MEASURED,	 /* a benchmark or log that `source` names */
	BASIS_FITTED,	 /* fitted to measurements that `source` names */
	BASIS_ASSUMED,	 /* the like of another device or network */
	BASIS_GIVEN	 /* in the config or in the user's profile */
};

/* "datasheet", "measured", "fitted", "assumed", "given". */
const char *basis_name(enum basis basis);

struct number {
	double value;
	enum basis basis;
	const char *source;
};

struct profile {
	struct arena *arena;
	const char *gpu;	/* "h100-sxm": the preset's name */
	const char *generation; /* "volta", "ampere", "hopper", "blackwell", "cdna3", "cdna4" */
	const char *fabric;	/* "ib", or NULL */
	struct number numbers[FIGURE_COUNT];
};

/*
 * A profile with the constants of every machine, and no device. Never fails.
 */
void profile_init(struct profile *profile, struct arena *arena);

/*
 * Puts the numbers of a device; the name may be written as nvidia-smi or people write it
 * ("H100-SXM5-80GB", "NVIDIA H100 80GB HBM3", "a100-80g"). False when no preset has that name.
 */
bool profile_gpu(struct profile *profile, const char *name);

/* Puts the numbers of a network: "ib", "roce", "efa", ... False when there is no such preset. */
bool profile_fabric(struct profile *profile, const char *name);

/* Reads "8x400Gb" or "8 x 400 Gb/s" into adapters per node and GB/s each; false when it is not. */
bool profile_nic(struct profile *profile, const char *text);

/* Overrides numbers by a user's profile file; findings for what is no number or no key. */
void profile_override(struct profile *profile, const struct source *source,
		      struct findings *findings);

/* The value of a number; 0 when it is not known. */
double profile_get(const struct profile *profile, enum figure_id id);

/* The preset nearest to a name that is none, or NULL. */
const char *profile_gpu_nearest(struct arena *arena, const char *name);

/* Names of all device presets, sorted, ended by NULL. */
const char *const *profile_gpus(struct arena *arena);

/* The same of all network presets. */
const char *const *profile_fabrics(struct arena *arena);

#endif
