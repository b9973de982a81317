#ifndef COST_PROFILE_PRESET_H
#define COST_PROFILE_PRESET_H

#include "cost/profile.h"

#include <stddef.h>

/*
 * The numbers of devices, networks and kernels as src/presets/FOLDER/NAME.yaml gives them;
 * src/presets/table.awk makes the table when parplan is built.
 */
struct preset_number {
	enum figure_id id;
	struct number number; /* source NULL: that of the preset */
};

struct preset_profile {
	const char *folder; /* "costs", "fabrics", "generations", "gpus"; NULL ends the table */
	const char *name;
	const char *like; /* the preset of the same folder that it differs from, or NULL */
	const char *generation, *source;
	const char *const *names; /* others that people write, ended by NULL; or NULL */
	const struct preset_number *numbers;
	size_t count;
};

/* Sorted by folder and name. */
extern const struct preset_profile preset_profiles[];

#endif
