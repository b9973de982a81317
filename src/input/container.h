#ifndef INPUT_CONTAINER_H
#define INPUT_CONTAINER_H

#include "input/launch.h"
#include "input/megatron_keys.h"
#include "input/workload.h"

/*
 * What a container runs: its command and arguments as words, each with its place in the manifest,
 * $(NAME) replaced by the container's own variables.
 */
struct container_command {
	VEC(struct flag_word) words;
};

/* The command that starts training; without words when the image or a script decides. */
struct container_command container_command_of(struct arena *arena, const struct workload *workload);

/* The same as a launch line; NULL without words. What no flag says is left to the controller. */
struct launch *container_launch(struct arena *arena, const struct source *source,
				const struct container_command *command);

#endif
