#include "rules/change.h"

#include "base/map.h"

#include <string.h>

#define NONE ((size_t)-1)

/*
 * Findings of two jobs in pairs: first those that say the same, then what is left of each rule, in
 * order. Of one document under two versions the place counts, and what is quoted, but not the
 * words, in which versions may be named.
 */
struct pairing {
	struct arena *arena;
	const struct findings *before, *after;
	bool within;	 /* one document */
	size_t *partner; /* of each one before: its index after, or NONE */
	bool *taken;	 /* each one after */
};

/* Findings after by a key, each key's in their order. */
struct queues {
	struct map map;	   /* key to index in `first` */
	VEC(size_t) first; /* NONE: none is left */
	size_t *next;
};

static const char *key_of_words(const struct pairing *p, const struct finding *finding)
{
	const char *rule = finding->rule->name, *severity = severity_name(finding->severity);
	const char *quote = finding->quote ? finding->quote : "";

	if (!p->within)
		return arena_printf(p->arena, "%s\n%s\n%s", rule, severity, finding->message);
	if (!span_known(finding->span))
		return arena_printf(p->arena, "%s\n%s\n%s", rule, severity, quote);
	return arena_printf(p->arena, "%s\n%s\n%s:%u:%u\n%s", rule, severity,
			    finding->span.source->path, (unsigned int)finding->span.line,
			    (unsigned int)finding->span.column, quote);
}

static const char *key_of_rule(const struct pairing *p, const struct finding *finding)
{
	(void)p;
	return finding->rule->name;
}

/* The queues of all findings after that are not taken; filled from the end, so firsts come first.
 */
static void enqueue(const struct pairing *p, struct queues *queues,
		    const char *(*key)(const struct pairing *, const struct finding *))
{
	size_t i, *first;

	queues->map.arena = p->arena;
	queues->next = arena_array(p->arena, p->after->list.count, sizeof(*queues->next));
	for (i = p->after->list.count; i-- > 0;) {
		const char *name;
		int64_t at;
		if (p->taken[i])
			continue;
		name = key(p, p->after->list.items[i]);
		at = map_find(&queues->map, name);
		if (at < 0) {
			at = (int64_t)queues->first.count;
			map_add(&queues->map, name, (uint32_t)at);
			vec_push(p->arena, &queues->first, NONE);
		}
		first = queues->first.items;
		if (!first)
			continue;
		queues->next[i] = first[at];
		first[at] = i;
	}
}

/* Pairs what has equal keys. */
static void pair_up(struct pairing *p,
		    const char *(*key)(const struct pairing *, const struct finding *))
{
	struct queues queues = { 0 };
	size_t i, partner;
	int64_t at;

	enqueue(p, &queues, key);
	for (i = 0; i < p->before->list.count; i++) {
		if (p->partner[i] != NONE)
			continue;
		at = map_find(&queues.map, key(p, p->before->list.items[i]));
		if (at < 0 || !queues.first.items || queues.first.items[at] == NONE)
			continue;
		partner = queues.first.items[at];
		queues.first.items[at] = queues.next[partner];
		p->partner[i] = partner;
		p->taken[partner] = true;
	}
}

static const char *finding_text(struct arena *arena, const struct finding *finding)
{
	return finding ? arena_printf(arena, "%s: %s", severity_name(finding->severity),
				      finding->message)
		       : NULL;
}

static const char *quote_text(struct arena *arena, const struct finding *finding)
{
	return finding->quote ? arena_strdup(arena, finding->quote) : NULL;
}

/* Either may be NULL. */
static void put_change(struct changes *changes, const struct finding *before,
		       const struct finding *after)
{
	struct arena *arena = changes->arena;
	const struct finding *one = after ? after : before;
	struct change *change;

	if (!one)
		return;
	change = change_add(changes, CHANGE_FINDING, one->rule->name, finding_text(arena, before),
			    finding_text(arena, after));
	change->severity = one->severity;
	if (before) {
		change->before_span = before->span;
		change->before_quote = quote_text(arena, before);
	}
	if (after) {
		change->after_span = after->span;
		change->after_quote = quote_text(arena, after);
	}
}

/* A rule that finds the same of one document at another place says nothing new. */
static bool is_moved(const struct pairing *p, const struct finding *before,
		     const struct finding *after)
{
	const char *left = before->quote ? before->quote : "";

	return p->within && after && before->severity == after->severity &&
	       !strcmp(left, after->quote ? after->quote : "");
}

void change_findings(struct changes *changes, const struct job *before, const struct job *after)
{
	struct arena *arena = changes->arena;
	struct pairing p = { .arena = arena,
			     .before = before->findings,
			     .after = after->findings,
			     .within = change_within(before, after) };
	size_t count = p.before->list.count, i;
	bool *same = arena_array(arena, count, sizeof(*same));

	p.partner = arena_array(arena, count, sizeof(*p.partner));
	p.taken = arena_array(arena, p.after->list.count, sizeof(*p.taken));
	for (i = 0; i < count; i++)
		p.partner[i] = NONE;
	pair_up(&p, key_of_words);
	for (i = 0; i < count; i++)
		same[i] = p.partner[i] != NONE;
	pair_up(&p, key_of_rule);
	for (i = 0; i < count; i++) {
		const struct finding *a = p.before->list.items[i];
		const struct finding *b =
			p.partner[i] == NONE ? NULL : p.after->list.items[p.partner[i]];
		if (same[i] || is_moved(&p, a, b))
			changes->same_findings++;
		else
			put_change(changes, a, b);
	}
	for (i = 0; i < p.after->list.count; i++)
		if (!p.taken[i])
			put_change(changes, NULL, p.after->list.items[i]);
}
