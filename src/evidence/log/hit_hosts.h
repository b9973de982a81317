#ifndef EVIDENCE_LOG_HIT_HOSTS_H
#define EVIDENCE_LOG_HIT_HOSTS_H

#include "evidence/log/joblog.h"
#include "evidence/log/window.h"

/* A host whose line it was (NULL: not said), kept once. */
void hit_host(struct arena *arena, struct log_hit *hit, const char *host, size_t length);

/* Those that the text itself names. */
void hit_named_hosts(struct arena *arena, struct log_hit *hit, const struct log_window *window,
		     const struct phrase_match *match);

#endif
