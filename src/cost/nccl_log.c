#include "cost/nccl_log.h"

#include "cost/measurement_reader.h"

#include <string.h>

/*
 * nccl:
 *   - gpu: h100-sxm
 *     ranks: 8
 *     nodes: 1
 *     ring: [12, 30, 30]                       # channels, GB/s of each inside and outside
 *     all_reduce:                              # us and GB/s by LL, LL128 and Simple
 *       tree: [[15.2, 39.2], [31.5, 128.8], [64.4, 149]]
 */
static const struct collective *collective_of(enum nccl_op op)
{
	const struct collective *const *row;

	for (row = collectives; *row; row++)
		if ((*row)->op == op)
			return *row;
	return NULL;
}

bool nccl_log_has_tables(const struct nccl_log *log)
{
	int op;

	for (op = 0; op < NCCL_POINT_TO_POINT; op++)
		if (log->printed.known[op])
			return true;
	return log->printed.graphs.ring.channels > 0;
}

static void write_graph(struct buf *out, const char *key, const struct nccl_graph *graph)
{
	if (graph->channels)
		buf_printf(out, "    %s: [%d, %.9g, %.9g]\n", key, graph->channels, graph->inside,
			   graph->outside);
}

static bool any_way(const struct nccl_way ways[NCCL_PROTOCOLS])
{
	return ways[NCCL_LL].bandwidth > 0 || ways[NCCL_LL128].bandwidth > 0 ||
	       ways[NCCL_SIMPLE].bandwidth > 0;
}

static void write_ways(struct buf *out, const struct nccl_printed *printed, int op)
{
	int algorithm, protocol;

	buf_printf(out, "    %s:\n", collective_of((enum nccl_op)op)->name);
	for (algorithm = 0; algorithm < NCCL_ALGORITHMS; algorithm++) {
		if (!any_way(printed->ways[op][algorithm]))
			continue;
		buf_printf(out, "      %s: [", nccl_algorithm_name((enum nccl_algorithm)algorithm));
		for (protocol = 0; protocol < NCCL_PROTOCOLS; protocol++) {
			const struct nccl_way *way = &printed->ways[op][algorithm][protocol];
			buf_printf(out, "%s[%.9g, %.9g]", protocol ? ", " : "", way->latency,
				   way->bandwidth);
		}
		buf_text(out, "]\n");
	}
}

static void write_log(struct buf *out, const struct nccl_log *log)
{
	int op;

	measurement_write_place(out, &log->at);
	write_graph(out, "ring", &log->printed.graphs.ring);
	write_graph(out, "nvls", &log->printed.graphs.nvls);
	for (op = 0; op < NCCL_POINT_TO_POINT; op++)
		if (log->printed.known[op])
			write_ways(out, &log->printed, op);
}

void nccl_logs_write(const struct measurements *tables, struct buf *out)
{
	bool any = false;
	size_t i;

	for (i = 0; i < tables->logs.count; i++) {
		if (!nccl_log_has_tables(tables->logs.items[i]))
			continue;
		if (!any)
			buf_text(out, "nccl:\n");
		any = true;
		write_log(out, tables->logs.items[i]);
	}
}

/* The numbers of a list, as many as there are up to `most`. */
static int numbers_of(const struct node *list, double *numbers, int most)
{
	const struct node *item = list && list->kind == NODE_LIST ? list->first : NULL;
	int count = 0;

	for (; item && count < most; item = item->next)
		if (item->kind == NODE_SCALAR && item->number >= 0 && item->number < 1e9)
			numbers[count++] = item->number;
	return count;
}

static void read_graph(const struct node *row, const char *key, struct nccl_graph *graph)
{
	double numbers[3];

	if (numbers_of(node_member(row, key), numbers, 3) == 3 && numbers[0] <= 1024)
		*graph = (struct nccl_graph) { (int)numbers[0], numbers[1], numbers[2] };
}

static void read_ways(const struct node *map, struct nccl_way ways[][NCCL_PROTOCOLS])
{
	const struct node *member, *pair;
	double numbers[2];

	for (member = map->first; member; member = member->next) {
		int protocol = 0, algorithm = nccl_algorithm_find(member->key, strlen(member->key));
		if (algorithm < 0 || member->kind != NODE_LIST)
			continue;
		for (pair = member->first; pair && protocol < NCCL_PROTOCOLS; pair = pair->next)
			if (numbers_of(pair, numbers, 2) == 2)
				ways[algorithm][protocol++] =
					(struct nccl_way) { numbers[0], numbers[1] };
	}
}

static void read_log(struct arena *arena, const struct node *row, struct measurements *into,
		     struct findings *findings)
{
	struct nccl_log *log = arena_new(arena, struct nccl_log);
	int op;

	if (row->kind != NODE_MAP || !measurement_read_place(&log->at, row)) {
		finding_add(findings, &rule_measurement, row->span, "%s",
			    "what NCCL printed needs gpu, ranks (at least 2) and nodes that divide "
			    "them");
		return;
	}
	read_graph(row, "ring", &log->printed.graphs.ring);
	read_graph(row, "nvls", &log->printed.graphs.nvls);
	for (op = 0; op < NCCL_POINT_TO_POINT; op++) {
		const struct node *map = node_member(row, collective_of((enum nccl_op)op)->name);
		if (!map || map->kind != NODE_MAP)
			continue;
		log->printed.known[op] = true;
		read_ways(map, log->printed.ways[op]);
	}
	vec_push(arena, &into->logs, log);
}

void nccl_logs_of_profile(struct arena *arena, const struct node *root, struct measurements *into,
			  struct findings *findings)
{
	const struct node *list = node_member(root, "nccl"), *row;

	if (list && list->kind != NODE_LIST)
		finding_add(findings, &rule_measurement, list->span, "%s",
			    "nccl is a list of what NCCL printed");
	for (row = list && list->kind == NODE_LIST ? list->first : NULL; row; row = row->next)
		read_log(arena, row, into, findings);
}
