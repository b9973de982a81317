#ifndef INPUT_UNREAD_H
#define INPUT_UNREAD_H

#include "input/document.h"

/*
 * What --set gives and no setting comes of, though it is meant for one of ours: its name is near
 * one, or it lies in a map of ours that the file has not. Not what its dialect lists as a key, nor
 * what somebody has spoken of. Each is a finding. `settings` are those of the document, all read.
 */
void unread_sets(const struct document *document, moment_t when, const struct settings *settings,
		 struct findings *findings);

#endif
