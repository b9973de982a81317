#ifndef FRAMEWORK_JOB_TOPOLOGY_H
#define FRAMEWORK_JOB_TOPOLOGY_H

#include "framework/job.h"

/*
 * Reads the file that cluster.hosts names, once for a document, and settles cluster.gpus_per_node
 * by its slots when nobody gave it and they are all alike. A path in a config is looked for beside
 * the config, one on our command line in the working directory.
 */
void job_read_hosts(struct job *job, const struct job *from);

/* The path of that file, or NULL when the job names none. */
const char *job_hosts_path(const struct job *job);

/* The slots of the hosts as the world, when nothing else says it. */
void job_world_of_hosts(struct job *job);

/* Where the ranks sit, once the world is known. */
void job_place_ranks(struct job *job);

#endif
