#ifndef REPORT_FINDINGS_JSON_H
#define REPORT_FINDINGS_JSON_H

#include "base/finding.h"
#include "base/json.h"

/* A finding as an element of an array, as parplan.check/1 has it; `path`: the file without a span.
 */
void finding_json(struct json_writer *json, const char *path, const struct finding *finding);

#endif
