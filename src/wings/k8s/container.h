#ifndef WINGS_K8S_CONTAINER_H
#define WINGS_K8S_CONTAINER_H

#include "input/launch/launch.h"
#include "wings/megatron/keys.h"
#include "wings/k8s/workload.h"

struct document;

/*
 * What a container runs: its command and arguments as words, each with its place in the manifest,
 * $(NAME) replaced by the container's own variables; of a script behind `sh -c` the command that
 * trains.
 */
struct container_command {
	VEC(struct flag_word) words; /* none: the image or a script of its own decides */
	struct launch *launch;	     /* NULL without words */
};

/* What no flag says is left to the controller: there is no fact that only a launcher assumes. */
struct container_command container_command_of(const struct document *document,
					      const struct workload *workload);

#endif
