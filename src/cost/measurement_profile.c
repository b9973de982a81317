#include "cost/measurement.h"

#include <string.h>

/*
 * calibration:
 *   - {op: all_reduce, gpu: h100-sxm, ranks: 8, nodes: 1, nccl: "2.29.2", timed: host_queued,
 *      source: "...", times: [[512, 15.6], [1024, 15.7]]}
 */
static const char *text_at(const struct node *map, const char *key)
{
	const struct node *node = node_member(map, key);

	return node && node->kind == NODE_SCALAR && node->type != SCALAR_NULL ? node->text : NULL;
}

static double number_at(const struct node *map, const char *key)
{
	const struct node *node = node_member(map, key);

	return node && node->kind == NODE_SCALAR &&
			       (node->type == SCALAR_INT || node->type == SCALAR_FLOAT)
		       ? node->number
		       : 0;
}

static void complain(struct findings *findings, const struct node *node, const char *what)
{
	finding_add(findings, &rule_measurement, node->span, "%s", what);
}

static bool put_times(struct arena *arena, struct measurement *table, const struct node *times)
{
	const struct node *pair;

	for (pair = times && times->kind == NODE_LIST ? times->first : NULL; pair;
	     pair = pair->next)
		if (pair->kind == NODE_LIST && pair->first && pair->first->next &&
		    pair->first->kind == NODE_SCALAR && pair->first->next->kind == NODE_SCALAR)
			measurement_put(arena, table, pair->first->number,
					pair->first->next->number);
	return table->times.count;
}

static void read_row(struct arena *arena, const struct node *row, struct measurements *into,
		     struct findings *findings)
{
	struct measurement *table = arena_new(arena, struct measurement);
	const char *op, *timed;
	double ranks, nodes;
	int i;

	if (row->kind != NODE_MAP) {
		complain(findings, row,
			 "a calibration is a map with op, gpu, ranks, nodes and times");
		return;
	}
	op = text_at(row, "op");
	ranks = number_at(row, "ranks");
	nodes = number_at(row, "nodes");
	table->op = op ? collective_find(op) : NULL;
	table->gpu = text_at(row, "gpu");
	table->source = text_at(row, "source");
	table->fabric = text_at(row, "fabric");
	table->nccl = text_at(row, "nccl");
	table->nic_count = number_at(row, "nic_count");
	table->nic_bandwidth = number_at(row, "nic_bandwidth");
	table->pcie = text_at(row, "intra") && !strcmp(text_at(row, "intra"), "pcie");
	timed = text_at(row, "timed");
	for (i = TIMED_CUDA_EVENT; timed && i <= TIMED_LOG; i++)
		if (!strcmp(timed, timing_name((enum timing)i)))
			table->timed = (enum timing)i;
	if (!table->op || !table->gpu || ranks < 2 || ranks > 1 << 24 || nodes < 1 ||
	    nodes > ranks || (int64_t)ranks % (int64_t)nodes) {
		complain(findings, row,
			 "a calibration needs op, gpu, ranks (at least 2) and nodes that divide "
			 "them");
		return;
	}
	table->ranks = (int64_t)ranks;
	table->nodes = (int64_t)nodes;
	if (!put_times(arena, table, node_member(row, "times")))
		complain(findings, row, "a calibration needs times: [[bytes, microseconds], ...]");
	measurement_finish(arena, table, into);
}

void measurements_of_profile(struct arena *arena, const struct node *root,
			     struct measurements *into, struct findings *findings)
{
	const struct node *list =
		root && root->kind == NODE_MAP ? node_member(root, "calibration") : NULL;
	const struct node *row;

	if (list && list->kind != NODE_LIST)
		complain(findings, list, "calibration is a list of tables");
	for (row = list && list->kind == NODE_LIST ? list->first : NULL; row; row = row->next)
		read_row(arena, row, into, findings);
}

/* A text in double quotes. */
static void write_quoted(struct buf *out, const char *key, const char *text)
{
	buf_printf(out, "    %s: \"", key);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			buf_char(out, '\\');
		buf_char(out, (unsigned char)*text < ' ' ? ' ' : *text);
	}
	buf_text(out, "\"\n");
}

static void write_table(struct buf *out, const struct measurement *table)
{
	size_t i;

	buf_printf(out, "  - op: %s\n", table->op->name);
	write_quoted(out, "gpu", table->gpu);
	buf_printf(out, "    ranks: %lld\n    nodes: %lld\n", (long long)table->ranks,
		   (long long)table->nodes);
	if (table->pcie)
		buf_text(out, "    intra: pcie\n");
	if (table->fabric)
		write_quoted(out, "fabric", table->fabric);
	if (table->nic_count > 0)
		buf_printf(out, "    nic_count: %.9g\n    nic_bandwidth: %.9g\n", table->nic_count,
			   table->nic_bandwidth);
	if (table->nccl)
		write_quoted(out, "nccl", table->nccl);
	buf_printf(out, "    timed: %s\n", timing_name(table->timed));
	write_quoted(out, "source", table->source ? table->source : "");
	buf_text(out, "    times:");
	for (i = 0; i < table->times.count; i++)
		buf_printf(out, "%s[%.17g, %.9g]", i ? (i % 6 ? ", " : ",\n      ") : " [",
			   table->times.items[i].bytes, table->times.items[i].time);
	buf_text(out, "]\n");
}

void measurements_write(const struct measurements *tables, struct buf *out)
{
	size_t i;

	buf_text(out, "calibration:\n");
	for (i = 0; i < tables->list.count; i++)
		write_table(out, tables->list.items[i]);
}
