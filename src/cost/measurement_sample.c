#include "cost/measurement.h"

#include <stdlib.h>
#include <string.h>

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static struct sampled_calls *calls_like(struct arena *arena, struct measurements *into,
					const struct measurement *like)
{
	struct sampled_calls calls = { .table = NULL };
	size_t i;

	for (i = 0; i < into->sampled.count; i++) {
		const struct measurement *table = into->sampled.items[i].table;
		if (table->op == like->op && table->ranks == like->ranks &&
		    table->nodes == like->nodes && table->timed == like->timed &&
		    same(table->gpu, like->gpu))
			return &into->sampled.items[i];
	}
	calls.table = arena_new(arena, struct measurement);
	*calls.table = *like;
	vec_push(arena, &into->sampled, calls);
	return &into->sampled.items[i];
}

uint64_t call_hash(uint64_t number, const char *communicator)
{
	uint64_t hash = UINT64_C(14695981039346656037) ^ number;

	hash *= UINT64_C(1099511628211);
	for (; *communicator; communicator++)
		hash = (hash ^ (unsigned char)*communicator) * UINT64_C(1099511628211);
	return hash;
}

void measurement_sample(struct arena *arena, struct measurements *into,
			const struct measurement *like, struct sampled_call call)
{
	struct sampled_calls *calls = calls_like(arena, into, like);

	if (call.bytes > 0 && call.bytes < 1e18 && call.time > 0 && call.time < 1e12)
		vec_push(arena, &calls->calls, call);
}

static int by_call(const void *a, const void *b)
{
	const struct sampled_call *left = a, *right = b;

	if (left->bytes != right->bytes)
		return left->bytes < right->bytes ? -1 : 1;
	if (left->call != right->call)
		return left->call < right->call ? -1 : 1;
	return (left->time > right->time) - (left->time < right->time);
}

static int by_time(const void *a, const void *b)
{
	const struct sampled_call *left = a, *right = b;

	return (left->time > right->time) - (left->time < right->time);
}

/* Of sorted calls the first of each, which is its least; the new count. */
static size_t least_of_ranks(struct sampled_call *calls, size_t count)
{
	size_t i, kept = 0;

	for (i = 0; i < count; i++)
		if (!kept || calls[kept - 1].bytes != calls[i].bytes ||
		    calls[kept - 1].call != calls[i].call)
			calls[kept++] = calls[i];
	return kept;
}

static void close_table(struct arena *arena, struct sampled_calls *sampled,
			struct measurements *into)
{
	struct sampled_call *calls = sampled->calls.items;
	size_t count, i, end;

	if (!sampled->calls.count)
		return;
	qsort(calls, sampled->calls.count, sizeof(*calls), by_call);
	count = least_of_ranks(calls, sampled->calls.count);
	for (i = 0; i < count; i = end) {
		for (end = i; end < count && calls[end].bytes == calls[i].bytes; end++)
			;
		qsort(calls + i, end - i, sizeof(*calls), by_time);
		measurement_put(arena, sampled->table, calls[i].bytes,
				calls[i + (end - i - 1) / 10].time);
	}
	measurement_finish(arena, sampled->table, into);
}

void measurements_close(struct arena *arena, struct measurements *into)
{
	size_t i;

	for (i = 0; i < into->sampled.count; i++)
		close_table(arena, &into->sampled.items[i], into);
	into->sampled.count = 0;
}
