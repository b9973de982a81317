#ifndef CLI_SEARCH_WRITE_H
#define CLI_SEARCH_WRITE_H

#include "cli/command.h"
#include "search/result.h"

/* Files that are to be written when all searches are over. */
struct search_files {
	VEC(struct search_file) list;
	VEC(const char *) reminders; /* of what they do not say by themselves, by folder */
};

struct search_file {
	const char *path, *text;
	bool own; /* the config itself with values put in, rather than lines of ours */
};

/* Makes a folder; `fresh`: it must not be there yet. Dies where it cannot be made. */
void search_folder(const char *path, bool fresh);

/* Dies where something of that name is there. */
void search_refuse(const char *path);

/*
 * The best layouts as files of a folder: 01-NAME, 02-NAME, ... each the user's config with its
 * values in place. What the config cannot say is in 01-NAME.flags, one option a line.
 */
void search_files(struct arena *arena, const char *folder, const struct search *search,
		  const struct result *result, const struct job *own, struct search_files *files);

/*
 * Writes them, each whole or not at all; dies where one is there already, before any is written.
 * Says on stderr, unless that is to be quiet, what they do not say: that they name files beside the
 * config they are made of, or that nodes are lost.
 */
void search_write(const struct invocation *invocation, const struct search_files *files);

#endif
