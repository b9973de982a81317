#ifndef SEARCH_SITES_H
#define SEARCH_SITES_H

#include "search/search.h"

/* A setting outside the axes, with the values that are tried of it. */
struct varied {
	const char *option; /* "--vary" */
	enum field_id field;
	VEC(const char *) values;
};

/* Where to search: what the command line says beside the config. */
struct sites_request {
	const char *path; /* of the config; NULL: the one that the launch line names, or none */
	const struct overrides *overrides;
	VEC(int64_t) worlds; /* none: as many ranks as the config has */
	VEC(struct varied) varied;
	int64_t batch; /* sequences per step that are asked for; 0: `kept` */
	int64_t kept;  /* those of the config, which nothing else changes; 0: not known */
};

/*
 * Reads the config once for each number of ranks and each choice of what is varied, and fills the
 * space with what there is to decide. `trouble` says what is wrong, or is NULL. `findings` gets
 * those of the first site.
 */
void sites_read(struct space *space, const struct sites_request *request, struct findings *findings,
		const char **trouble);

/*
 * The config with what it does not say of the machine as the first site has it: ranks, a device, a
 * batch; and of other settings those without which no forecast is made. `own`, the config as it
 * is, where that leaves nothing open or cannot be read.
 */
struct job *sites_complete(struct arena *arena, const struct sites_request *request,
			   struct job *own);

#endif
