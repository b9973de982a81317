#ifndef FRAMEWORK_WORLD_H
#define FRAMEWORK_WORLD_H

#include "framework/job.h"

/*
 * How many ranks there are, and who says so: --world wins over the file's `world` and the launch
 * line, those over the launch: block, that over the devices of the cluster; then the project's
 * settings; when nobody says anything and every degree is fixed, it is their product, and else the
 * slots of the hosts. Sets job->world and job->world_from.
 */
void world_find(struct job *job);

/* The sum of cluster.devices; 0 without the list. */
int64_t world_of_devices(const struct settings *settings);

#endif
