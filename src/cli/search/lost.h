#ifndef CLI_SEARCH_LOST_H
#define CLI_SEARCH_LOST_H

#include "cli/command.h"
#include "search/search.h"
#include "search/sites.h"

/*
 * --lost: searches on the nodes that are left of those that `whole`, the config as it is, has.
 * Spare lines of the file of hosts stand in for lost ones. Where fewer nodes are left than the
 * config has, smaller numbers are tried as well: the batch that stays as it is may not be cut over
 * all of them. Dies on a node that is none.
 */
void search_lose(const struct invocation *invocation, const struct texts *words,
		 const struct job *whole, struct search *search, struct sites_request *sites);

/* Dies where ranks do not sit on nodes that are alike, or a file of hosts is not used. */
void search_refuse_nodes(const struct invocation *invocation, const struct space *space);

#endif
