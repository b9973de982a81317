#ifndef REPORT_FINDINGS_DIGEST_H
#define REPORT_FINDINGS_DIGEST_H

#include "report/report.h"

/*
 * A report in Markdown as GitHub and GitLab show it: a table of the findings, errors first, then
 * what is to say about each. It stays below 65536 bytes, which a comment may have: what does not
 * fit is counted.
 */
struct digest *digest_new(const struct report *report);

void digest_add(struct digest *digest, const struct checked *file);

void digest_write(const struct digest *digest, struct buf *out);

#endif
