#ifndef FRAMEWORK_UNSAID_H
#define FRAMEWORK_UNSAID_H

#include "input/document.h"

/*
 * Launches of programs of which nobody knows what they do: a script or a manifest says how many
 * ranks there are and nothing of strategy and degrees. Those are unknown then, not one.
 */

/* Makes strategy and degrees unknown where the document is such a launch; what it starts
 * ("fit.py"), or NULL. */
const char *unsaid_leave_open(const struct document *document, struct settings *settings);

/*
 * FSDP1's HYBRID_SHARD without degrees shares within each machine: over its devices, once they are
 * known; else the degrees are not, where the ranks may be on several.
 */
void unsaid_machines(struct settings *settings, struct arena *arena, int64_t world);

/* Degrees that are not known are 1 where the known ones take all ranks. */
void unsaid_close(struct settings *settings, struct arena *arena, int64_t world);

#endif
