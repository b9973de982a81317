#include "draw/subject.h"

#include "evidence/observed/plan.h"
#include "evidence/observed/roles.h"
#include "evidence/table.h"

#include <string.h>

/* "2 reduce-scatters, 3 all-gathers": in so many calls, the most bytes first. */
static const char *calls_words(const struct subject *subject, const struct seen_table *table)
{
	const char *words = "";
	size_t i, k;

	for (i = 0; i < table->rows.count; i++) {
		const enum seen_op op = table->rows.items[i].first->call.op;
		double count = 0;
		for (k = 0; k < i && table->rows.items[k].first->call.op != op; k++)
			;
		if (k < i)
			continue;
		for (k = i; k < table->rows.count; k++)
			if (table->rows.items[k].first->call.op == op)
				count += table->rows.items[k].count;
		words = arena_printf(subject->arena, "%s%s%.4g %s%s", words, *words ? ", " : "",
				     count, seen_op_name(op), count == 1 ? "" : "s");
	}
	return words;
}

/* "as shard: ..."; control traffic alone: "control: ...". */
static const char *words_of(const struct subject *subject, const struct observed *observed,
			    const struct seen_table *table)
{
	const char *step = observed->steps ? "each step" : "in all";
	const char *role;

	if (!table->rows.count)
		return "nothing was seen";
	role = seen_role_name(table->rows.items[0].first->role);
	return arena_printf(subject->arena, "%s: %s, %s", role, calls_words(subject, table), step);
}

/*
 * What a rank receives for a call, as the account of traffic has it: a share of the larger side. Of
 * a pair the send counts.
 */
static double received(const struct seen_traffic *row, double ranks)
{
	const double others = ranks > 1 ? (ranks - 1) / ranks : 0;
	const double factor = row->first->call.op == SEEN_ALL_REDUCE ? 2 * others
			      : row->first->call.op == SEEN_SEND     ? 1
			      : row->first->call.op == SEEN_RECV     ? 0
								     : others;

	return row->bytes > 0 ? row->bytes * row->count * factor : 0;
}

static struct carried carried_by(const struct subject *subject, const struct observed *observed,
				 int32_t family)
{
	const struct seen_table table = table_of(observed, family);
	struct carried carried = { .name = observed_mesh_name(observed, family),
				   .layout = observed->families.list.items[family].layout,
				   .exposed = -1,
				   .seen = true };
	size_t i;

	for (i = 0; i < table.rows.count; i++) {
		const struct seen_traffic *row = &table.rows.items[i];
		carried.bytes += received(row, (double)observed->families.list.items[family].size);
		carried.seconds += 1e-6 * row->mean * row->count;
	}
	carried.calls = words_of(subject, observed, &table);
	return carried;
}

void subject_observe(struct subject *subject, const struct observed *observed)
{
	const struct capture *capture = observed->capture;
	const size_t count = observed->families.list.count;
	struct carried *carried = arena_array(subject->arena, count + 1, sizeof(*carried));
	size_t i;

	subject->requested = observed_plan(observed);
	subject->applied = NULL;
	for (i = 0; i < count; i++)
		if (observed->families.list.items[i].regular)
			carried[subject->carried_count++] =
				carried_by(subject, observed, (int32_t)i);
	subject->carried = carried;
	subject->versions = "as it ran";
	for (i = 0; i < capture->versions.count; i++)
		subject->versions = arena_join(subject->arena, subject->versions, ", ",
					       capture->versions.items[i]);
}

void subject_blame(struct subject *subject, const struct hang *hang)
{
	const size_t count = hang->culprits.count;
	struct blame *blames = arena_array(subject->arena, count + 1, sizeof(*blames));
	size_t i;

	for (i = 0; i < count; i++) {
		const struct culprit *culprit = &hang->culprits.items[i];
		blames[i] = (struct blame) { culprit->rank, culprit_class_name(culprit->class),
					     culprit->host, culprit->says };
	}
	subject->blames = blames;
	subject->blame_count = count;
}

void subject_compare(struct subject *subject, const struct observed *observed)
{
	subject->applied = observed_plan(observed);
	subject->ran = true;
	subject->rows = NULL;
	subject->costs[1] = (struct cost) { .forecast = NULL };
	subject->fix = NULL;
}
