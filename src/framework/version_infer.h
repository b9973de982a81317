#ifndef FRAMEWORK_VERSION_INFER_H
#define FRAMEWORK_VERSION_INFER_H

#include "framework/timeline.h"
#include "framework/version.h"

/*
 * The version that a document's keys fit best, where nobody names one: the newest of the releases
 * of a history that know most of them, else of its commits. False where keys do not tell, or there
 * is no history of commits.
 */
bool version_infer(struct document *document, const struct timeline *timeline,
		   struct version *version);

#endif
