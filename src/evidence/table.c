#include "evidence/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of an element; 0: not known. Types as torch names them. */
static int64_t dtype_bytes(const char *dtype)
{
	static const struct {
		const char *name;
		int64_t bytes;
	} types[] = {
		{ "float64", 8 },  { "int64", 8 },   { "float32", 4 }, { "int32", 4 },
		{ "bfloat16", 2 }, { "float16", 2 }, { "int16", 2 },   { "int8", 1 },
		{ "uint8", 1 },	   { "bool", 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(types[i].name, dtype))
			return types[i].bytes;
	return strncmp(dtype, "float8", 6) ? 0 : 1;
}

static double bytes_of(const struct group_flow *flow)
{
	int64_t elements = flow_elements(flow), size = dtype_bytes(flow->call.dtype);

	if (flow->call.bytes >= 0)
		return (double)flow->call.bytes;
	return elements >= 0 && size ? (double)elements * (double)size : -1;
}

/* Calls per step; of all the evidence where nothing marks steps. */
static double count_of(const struct observed *observed, const struct group_flow *flow,
		       bool *per_step)
{
	int32_t file = flow->call.witness.file;
	int64_t steps = 0;

	if (file >= 0 && (size_t)file < observed->capture->files.count)
		steps = observed->capture->files.items[file].steps;
	if (flow->steps.count)
		steps = (int64_t)flow->steps.count;
	*per_step = steps > 0;
	return (double)flow->call.count / (double)(steps > 0 ? steps : 1);
}

/* What nccl-tests multiplies bytes over time with. */
static double bus_factor(enum seen_op op, double size)
{
	double others = size > 1 ? (size - 1) / size : 0;

	switch (op) {
	case SEEN_ALL_REDUCE:
		return 2 * others;
	case SEEN_ALL_GATHER:
	case SEEN_REDUCE_SCATTER:
	case SEEN_ALL_TO_ALL:
		return others;
	default:
		return 1;
	}
}

/* What makes calls the same: exchanges of all sizes are. */
static const char *row_key(struct arena *arena, const struct group_flow *flow)
{
	const struct seen_call *call = &flow->call;

	if (call->op == SEEN_ALL_TO_ALL)
		return arena_printf(arena, "%d %d %s", (int)call->op, (int)flow->role, call->dtype);
	return arena_printf(arena, "%d %d %" PRId64 " %" PRId64 " %" PRId64 " %s", (int)call->op,
			    (int)flow->role, call->in, call->out, call->bytes, call->dtype);
}

static void add_time(struct seen_traffic *row, const struct group_flow *flow)
{
	const struct seen_call *call = &flow->call;

	if (call->shortest > 0 && (row->shortest <= 0 || call->shortest < row->shortest))
		row->shortest = call->shortest;
	row->spent += call->spent;
	row->timed += call->timed;
	row->mean = row->timed ? row->spent / (double)row->timed : 0;
}

/* Ranks make the same calls: the one with most counts. Exchanges of one rank are added up. */
static void join(struct seen_traffic *row, const struct group_flow *flow, double bytes,
		 double count)
{
	if (row->first->call.op == SEEN_ALL_TO_ALL && row->first->call.rank == flow->call.rank)
		row->count += count;
	else if (row->first->call.op != SEEN_ALL_TO_ALL && count > row->count)
		row->count = count;
	row->differs = row->differs || bytes != row->bytes;
	if (bytes > row->bytes)
		row->bytes = bytes;
	add_time(row, flow);
}

static void add_flow(const struct observed *observed, const struct group_flow *flow,
		     struct seen_table *table)
{
	struct seen_traffic row = { .first = flow, .bytes = bytes_of(flow) };
	double count = count_of(observed, flow, &row.per_step);
	const char *key = row_key(observed->arena, flow);
	const int64_t at = map_find(&table->index, key);
	struct seen_traffic *known = at >= 0 ? &table->rows.items[at] : NULL;

	if (known) {
		join(known, flow, row.bytes, count);
		return;
	}
	map_add(&table->index, key, (uint32_t)table->rows.count);
	row.count = count;
	add_time(&row, flow);
	vec_push(observed->arena, &table->rows, row);
}

/* The most bytes first; then as seen. */
static int by_bytes(const void *left, const void *right)
{
	const struct seen_traffic *a = left, *b = right;
	double x = a->bytes * a->count, y = b->bytes * b->count;

	if (x != y)
		return x < y ? 1 : -1;
	return (a->first > b->first) - (a->first < b->first);
}

/* Sizes before times before steps. */
static int worth_of(const struct observed *observed, const struct group_flow *flow)
{
	bool per_step;

	count_of(observed, flow, &per_step);
	return 4 * (bytes_of(flow) >= 0) + 2 * (flow->call.timed > 0) + per_step;
}

const struct evidence_source *table_source(const struct observed *observed, int32_t family)
{
	const struct evidence_source *best = NULL;
	int most = -1, worth;
	size_t i;

	for (i = 0; i < observed->families.flows.count; i++) {
		const struct group_flow *flow = &observed->families.flows.items[i];
		if (flow->family != family)
			continue;
		worth = worth_of(observed, flow);
		if (worth <= most)
			continue;
		most = worth;
		best = witness_source(observed->capture, flow->call.witness);
	}
	return best;
}

struct seen_table table_of(const struct observed *observed, int32_t family)
{
	const struct families *families = &observed->families;
	const struct evidence_source *source = table_source(observed, family);
	struct seen_table table = { .index = { .arena = observed->arena } };
	size_t i;

	for (i = 0; i < families->flows.count; i++)
		if (families->flows.items[i].family == family &&
		    witness_source(observed->capture, families->flows.items[i].call.witness) ==
			    source)
			add_flow(observed, &families->flows.items[i], &table);
	for (i = 0; i < table.rows.count; i++) {
		struct seen_traffic *row = &table.rows.items[i];
		if (row->shortest > 0 && row->bytes > 0 && !row->differs)
			row->bus = row->bytes / (1e3 * row->shortest) *
				   bus_factor(row->first->call.op,
					      (double)families->list.items[family].size);
	}
	if (table.rows.count)
		qsort(table.rows.items, table.rows.count, sizeof(*table.rows.items), by_bytes);
	return table;
}
