#ifndef INPUT_COMMAND_H
#define INPUT_COMMAND_H

#include "input/document.h"

/*
 * Lays what the framework's command line sets over the tree, in the way that the dialect's row
 * names: words KEY=VALUE or flags --KEY VALUE. Keys given by --set stay.
 */
void command_apply(struct document *document);

#endif
