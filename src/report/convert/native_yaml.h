#ifndef REPORT_CONVERT_NATIVE_YAML_H
#define REPORT_CONVERT_NATIVE_YAML_H

#include "base/buf.h"
#include "framework/job.h"

/*
 * Writes the job as a native config: what its config, command line and options gave, the versions
 * it is judged by, each with a comment saying where it came from; what its reader takes of its own
 * accord below defaults:, and the framework's own keys below own:. Reading it again gives the same
 * plan.
 */
void report_native_yaml(const struct job *job, struct buf *out);

/*
 * The same with all that the dialect derives and takes as default: `said` is what job_said gives.
 */
void report_native_yaml_whole(const struct job *job, const struct settings *said, struct buf *out);

#endif
