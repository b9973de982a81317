#ifndef INPUT_COMMAND_H
#define INPUT_COMMAND_H

#include "input/document.h"

/*
 * Lays what the framework's command line sets over the tree, in the way that the dialect's row
 * names: words KEY=VALUE or flags --KEY VALUE. Keys given by --set stay.
 */
void command_apply(struct document *document);

/*
 * Lays the flags of the document's launch over another map, '_' for '-' in their names, as
 * command_apply does over the tree; `switches`: --no-KEY is false of KEY.
 */
void command_put_flags(struct document *document, struct node *root, bool switches);

/*
 * The words of that command line that give a key a value, "a.b=4", "--a.b 4", for a launch that has
 * others already; "no --a.b" where its flag is to go. NULL: no words do.
 */
const char *command_words(struct arena *arena, const struct dialect *dialect,
			  const struct launch *launch, const char *path, const char *value,
			  moment_t when);

#endif
