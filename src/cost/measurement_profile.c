#include "cost/measurement_reader.h"
#include "cost/nccl_log.h"

#include <string.h>

/*
 * calibration:
 *   - {op: all_reduce, gpu: h100-sxm, ranks: 8, nodes: 1, nccl: "2.29.2", timed: host_queued,
 *      source: "...", times: [[512, 15.6], [1024, 15.7]]}
 */
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

bool measurement_read_place(struct measurement *table, const struct node *row)
{
	const char *timed = member_text(row, "timed"), *intra = member_text(row, "intra");
	int i;

	table->gpu = member_text(row, "gpu");
	table->source = member_text(row, "source");
	table->fabric = member_text(row, "fabric");
	table->nccl = member_text(row, "nccl");
	table->nic_count = member_number(row, "nic_count");
	table->nic_bandwidth = member_number(row, "nic_bandwidth");
	table->pcie = intra && !strcmp(intra, "pcie");
	table->ranks = member_count(row, "ranks");
	table->nodes = member_count(row, "nodes");
	for (i = TIMED_CUDA_EVENT; timed && i <= TIMED_LOG; i++)
		if (!strcmp(timed, timing_name((enum timing)i)))
			table->timed = (enum timing)i;
	return table->gpu && table->ranks >= 2 && table->nodes && !(table->ranks % table->nodes);
}

static void read_row(struct arena *arena, const struct node *row, struct measurements *into,
		     struct findings *findings)
{
	struct measurement *table = arena_new(arena, struct measurement);
	const char *op;

	if (row->kind != NODE_MAP) {
		complain(findings, row,
			 "a calibration is a map with op, gpu, ranks, nodes and times");
		return;
	}
	op = member_text(row, "op");
	table->op = op ? collective_find(op) : NULL;
	if (!measurement_read_place(table, row) || !table->op) {
		complain(findings, row,
			 "a calibration needs op, gpu, ranks (at least 2) and nodes that divide "
			 "them");
		return;
	}
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
	nccl_logs_of_profile(arena, root, into, findings);
}

void measurement_quote(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			buf_char(out, '\\');
		buf_char(out, (unsigned char)*text < ' ' ? ' ' : *text);
	}
}

static void write_quoted(struct buf *out, const char *dash, const char *key, const char *text)
{
	buf_printf(out, "%s%s: \"", dash, key);
	measurement_quote(out, text);
	buf_text(out, "\"\n");
}

void measurement_write_place(struct buf *out, const struct measurement *table)
{
	const char *const dash = table->op ? "    " : "  - "; /* an op comes first */

	write_quoted(out, dash, "gpu", table->gpu);
	buf_printf(out, "    ranks: %lld\n    nodes: %lld\n", (long long)table->ranks,
		   (long long)table->nodes);
	if (table->pcie)
		buf_text(out, "    intra: pcie\n");
	if (table->fabric)
		write_quoted(out, "    ", "fabric", table->fabric);
	if (table->nic_count > 0)
		buf_printf(out, "    nic_count: %.9g\n    nic_bandwidth: %.9g\n", table->nic_count,
			   table->nic_bandwidth);
	if (table->nccl)
		write_quoted(out, "    ", "nccl", table->nccl);
	if (table->op)
		buf_printf(out, "    timed: %s\n", timing_name(table->timed));
	write_quoted(out, "    ", "source", table->source ? table->source : "");
}

static void write_table(struct buf *out, const struct measurement *table)
{
	size_t i;

	buf_printf(out, "  - op: %s\n", table->op->name);
	measurement_write_place(out, table);
	buf_text(out, "    times:");
	for (i = 0; i < table->times.count; i++)
		buf_printf(out, "%s[%.17g, %.9g]", i ? (i % 6 ? ", " : ",\n      ") : " [",
			   table->times.items[i].bytes, table->times.items[i].time);
	buf_text(out, "]\n");
}

void measurements_write(const struct measurements *tables, struct buf *out)
{
	size_t i;

	measured_figures_write(tables, out);
	nccl_logs_write(tables, out);
	if (tables->list.count)
		buf_text(out, "calibration:\n");
	for (i = 0; i < tables->list.count; i++)
		write_table(out, tables->list.items[i]);
}
