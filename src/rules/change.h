#ifndef RULES_CHANGE_H
#define RULES_CHANGE_H

#include "rules/changes.h"

/* Parts of changes_of: each adds to the list what it finds. */

/* Settings whose values differ, where somebody chose one of them. */
void change_settings(struct changes *changes, const struct job *before, const struct job *after);

/* Findings that are new, gone or of another severity or text. */
void change_findings(struct changes *changes, const struct job *before, const struct job *after);

/* Adds a change; texts must be in changes->arena. Returns it until the next is added. */
struct change *change_add(struct changes *changes, enum change_kind kind, const char *subject,
			  const char *before, const char *after);

/* True when both are one document under two versions. */
bool change_within(const struct job *before, const struct job *after);

#endif
