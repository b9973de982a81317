#ifndef PLAN_MODEL_PRESET_H
#define PLAN_MODEL_PRESET_H

#include "input/setting.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The settings of models as src/presets/models/NAME.yaml gives them; src/presets/table.awk makes
 * the table when parplan is built.
 */
struct preset_setting {
	enum field_id id;
	int64_t number; /* of an INT or BOOL */
	const char *text;
};

struct preset_model {
	const char *name;   /* NULL ends the table */
	const char *like;   /* the preset that it differs from, or NULL */
	const char *family; /* NULL: that of `like` */
	const struct preset_setting *settings;
	size_t count;
};

/* Sorted by name. */
extern const struct preset_model preset_models[];

#endif
