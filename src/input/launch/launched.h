#ifndef INPUT_LAUNCH_LAUNCHED_H
#define INPUT_LAUNCH_LAUNCHED_H

#include "input/setting.h"

/* Ranks that the launch: block or line starts, and the setting that fixes them; 0 and NULL when
 * it does not say. */
int64_t world_launched(const struct settings *settings, const struct setting **from);

#endif
