#ifndef CLI_SEARCH_PARTS_H
#define CLI_SEARCH_PARTS_H

#include "cli/command.h"
#include "search/shard.h"

/* What --shard has written, for --merge: each search takes its own from all of them. */
struct parts {
	VEC(struct part) list;
	bool many;	 /* of several searches */
	size_t searched; /* how many of them have taken theirs */
};

struct part {
	const char *path, *text;
	size_t length, at; /* at: what no search has taken yet */
};

/*
 * Reads the parts that follow the configs, and leaves these alone among the operands. How many
 * configs there are, a part of several searches says; else it is one, or none before a part.
 */
struct parts *parts_take(struct invocation *invocation);

/* Dies where one is no part of these searches; NULL: of one search. */
void parts_require(struct parts *parts, struct arena *arena, const struct shard_sweep *sweep);

/* Adds what they say of a search that is prepared; dies where that is another one. */
void parts_add(struct parts *parts, struct search *search, const struct job *own);

/* Dies where one of them says more than was asked for. */
void parts_end(const struct parts *parts);

#endif
