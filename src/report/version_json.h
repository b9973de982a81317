#ifndef REPORT_VERSION_JSON_H
#define REPORT_VERSION_JSON_H

#include "base/json.h"
#include "framework/version.h"

/* How a version was come by, in a word: "pinned". */
const char *version_origin(enum version_origin origin);

/* "framework": the versions that a config is judged by, and how each was come by. */
void versions_json(struct json_writer *json, const struct versions *versions);

#endif
