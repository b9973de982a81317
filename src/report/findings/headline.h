#ifndef REPORT_FINDINGS_HEADLINE_H
#define REPORT_FINDINGS_HEADLINE_H

#include "report/findings/spot.h"
#include "report/plain.h"

/* "train.yaml:9:32": control characters of a path are written as \n or \x1b, so that it is one
 * line. */
void headline_place(const struct spot *place, struct buf *out);

/* "train.yaml:9:32: error: message [rule]" and a line break: a finding as compilers write theirs.
 */
void headline_write(const struct checked *file, const struct finding *finding, struct buf *out);

/* The finding in several lines: its headline without the place, then a line for each remark. */
void headline_details(const struct checked *file, const struct finding *finding, struct buf *out);

#endif
