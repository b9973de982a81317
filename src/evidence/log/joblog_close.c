#include "evidence/hang/places.h"
#include "evidence/log/hit_hosts.h"
#include "evidence/log/line.h"

#include <string.h>

static int compare(const struct log_hit *a, const struct log_hit *b, bool timed)
{
	const enum end_kind a_kind = phrase_kind(a->phrase), b_kind = phrase_kind(b->phrase);

	if (a_kind != b_kind)
		return a_kind < b_kind ? -1 : 1;
	if (timed && (a->time < b->time || a->time > b->time))
		return a->time < b->time ? -1 : 1;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static void sort_hits(struct joblog *log)
{
	struct log_hit **hits = log->hits.items, *hit;
	bool timed = log->files.count > 1;
	size_t i, at;

	for (i = 0; i < log->hits.count; i++)
		timed = timed && hits[i]->time >= 0;
	for (i = 1; i < log->hits.count; i++) {
		hit = hits[i];
		for (at = i; at > 0 && compare(hits[at - 1], hit, timed) > 0; at--)
			hits[at] = hits[at - 1];
		hits[at] = hit;
	}
}

/* Another text of the same thing: told once, in the words that tell more. A rank may print both, so
 * their counts do not add up. */
static void merge(struct joblog *log, struct log_hit *into, const struct log_hit *hit)
{
	size_t i;

	if (hit->phrase->weight > into->phrase->weight) {
		into->phrase = hit->phrase;
		into->printed = hit->printed;
		into->values.items = hit->values.items;
		into->values.count = hit->values.count;
		into->values.capacity = hit->values.capacity;
	}
	if (hit->count > into->count)
		into->count = hit->count;
	rank_set_join(log->arena, &into->ranks, &hit->ranks);
	for (i = 0; i < hit->hosts.count; i++)
		hit_host(log->arena, into, hit->hosts.items[i], strlen(hit->hosts.items[i]));
	if (into->count < into->ranks.count)
		into->count = into->ranks.count;
}

/* Who printed a cause of its own: where others wait, it is the one that they wait for. */
static void name_the_dead(struct joblog *log)
{
	size_t i;
	int64_t rank;

	for (i = 0; i < log->hits.count; i++) {
		const struct log_hit *hit = log->hits.items[i];
		for (rank = 0; rank < 8 * (int64_t)hit->ranks.capacity; rank++) {
			const struct hang_named named = {
				.rank = rank,
				.fate = HANG_DIED,
				.how = hit->phrase->owners.items[0].id->summary,
				.sequence = -1,
				.time = hit->time
			};
			if (!phrase_follows(hit->phrase) && rank_set_has(&hit->ranks, rank))
				hang_facts_name(&log->capture->hang, named);
		}
	}
}

static void place_files(struct joblog *log)
{
	struct rank_file *files = arena_array(log->arena, log->files.count, sizeof(*files));
	enum log_mark mark;
	size_t i;

	for (i = 0; i < log->files.count; i++) {
		files[i].path = log->files.items[i].path;
		files[i].rank = log_path_rank(files[i].path, &mark);
		if (mark != LOG_MARK_TASK)
			files[i].rank = -1;
	}
	hang_places_of_files(&log->capture->hang, files, log->files.count);
}

void joblog_close(struct joblog *log)
{
	struct log_hit **hits = log->hits.items;
	size_t i, at, kept = 0;

	sort_hits(log);
	for (i = 0; i < log->hits.count; i++) {
		for (at = 0; at < kept; at++)
			if (hits[at]->phrase->owners.items[0].id ==
			    hits[i]->phrase->owners.items[0].id)
				break;
		if (at < kept)
			merge(log, hits[at], hits[i]);
		else
			hits[kept++] = hits[i];
	}
	log->hits.count = kept;
	name_the_dead(log);
	place_files(log);
}
