#ifndef REPORT_NATIVE_YAML_H
#define REPORT_NATIVE_YAML_H

#include "base/buf.h"
#include "framework/job.h"

/*
 * Writes the job as a native config: what its config, command line and options gave, the versions
 * it is judged by, each with a comment saying where it came from. Defaults are left out: they are
 * those of the versions written. Reading it again gives the same plan.
 */
void report_native_yaml(const struct job *job, struct buf *out);

#endif
