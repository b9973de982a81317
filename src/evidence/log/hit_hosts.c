#include "evidence/log/hit_hosts.h"

#include <ctype.h>
#include <string.h>

/* Hosts of one text that are kept: a list of more is of no use. */
enum { HOSTS_MOST = 32 };

void hit_host(struct arena *arena, struct log_hit *hit, const char *host, size_t length)
{
	size_t i;

	if (!host || !length || hit->hosts.count == HOSTS_MOST)
		return;
	for (i = 0; i < hit->hosts.count; i++)
		if (strlen(hit->hosts.items[i]) == length &&
		    !memcmp(hit->hosts.items[i], host, length))
			return;
	vec_push(arena, &hit->hosts, arena_strndup(arena, host, length));
}

/* The word behind a match, where the text ends in a host. */
static void last_host(struct arena *arena, struct log_hit *hit, const struct log_window *window,
		      const struct phrase_match *match)
{
	const char *at = window->text + window->origin[match->end - 1] + 1;
	const char *const end = window->text + window->length;
	size_t length = 0;

	if (!hit->phrase->tail || strcmp(hit->phrase->tail, "host") != 0)
		return;
	while (at < end && *at == ' ')
		at++;
	while (at + length < end &&
	       (isalnum((unsigned char)at[length]) || strchr("._-", at[length])))
		length++;
	hit_host(arena, hit, at, length);
}

/* The value that a text calls a host. */
void hit_named_hosts(struct arena *arena, struct log_hit *hit, const struct log_window *window,
		     const struct phrase_match *match)
{
	const char *host;
	size_t i;

	for (i = 1; i < hit->phrase->count; i++) {
		if (!hit->phrase->pieces[i].name ||
		    strcmp(hit->phrase->pieces[i].name, "host") != 0)
			continue;
		host = log_window_part(arena, window, match->from[i], match->to[i]);
		hit_host(arena, hit, host, strcspn(host, " ,"));
	}
	last_host(arena, hit, window, match);
}
