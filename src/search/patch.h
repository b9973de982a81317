#ifndef SEARCH_PATCH_H
#define SEARCH_PATCH_H

#include "input/document.h"

/*
 * A config with one value put in another's place: nothing else of its text changes, so comments
 * and order stay. A key that is not there is added to the map where it belongs, or to a new one. In
 * a map of flags ("--bf16") null and false take the flag's line away: no parser takes such words.
 */

/*
 * The text of `source` with `value` at the dotted path, as a string where its key takes `text`;
 * NULL where it cannot be put there.
 */
const char *patch_text(struct arena *arena, const struct source *source, const char *path,
		       const char *value, bool text);

/* Whether the document is data that can be patched, rather than a script. */
bool patch_can(const struct document *document);

#endif
