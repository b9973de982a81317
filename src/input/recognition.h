#ifndef INPUT_RECOGNITION_H
#define INPUT_RECOGNITION_H

#include "base/finding.h"
#include "input/document.h"

struct shell_script;

/*
 * Sets the dialect of a document: the one that --dialect names, else the one that is surest of its
 * tree, the first of equals. None at all, and another that is nearly as sure, are findings that say
 * what was considered.
 */
void recognise(struct document *document, struct findings *findings);

/* "the programs it starts are 'python', 'pip' and 3 more", of a script. */
const char *recognition_programs(struct arena *arena, const struct shell_script *script);

/* The dialect that is surest of a tree, or NULL; *rival, unless it is NULL: one nearly as sure. */
const struct dialect *recognise_surest(const struct document *document,
				       const struct dialect **rival);

extern const struct rule_id rule_several_dialects;

#endif
