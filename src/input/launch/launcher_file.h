#ifndef INPUT_LAUNCH_LAUNCHER_FILE_H
#define INPUT_LAUNCH_LAUNCHER_FILE_H

#include "input/document.h"

struct launch;

/* Makes what settings say of machines and processes the facts of a launch. */
void launcher_facts(struct arena *arena, struct launch *launch, struct settings *settings);

/*
 * Reads the file that starts the job of another config (--launcher): a script or a manifest. What
 * it tells the launcher and the flags it gives become part of document->launch, below what stands
 * behind "--". Returns NULL, or a sentence when the file cannot be opened; all other trouble is in
 * `findings`.
 */
const char *launcher_file_read(struct document *document, const char *path,
			       struct findings *findings);

#endif
