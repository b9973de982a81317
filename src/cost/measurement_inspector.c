#include "cost/measurement_reader.h"

#include "base/text.h"
#include "input/syntax/reader.h"

#include <string.h>

/*
 * What NCCL Inspector dumps (plugins/profiler/inspector of NVIDIA/nccl, formats v4.0 to 5): one
 * JSON object a line and collective, with "header" (communicator, rank), and "coll_perf" (sequence
 * number, bytes, microseconds). Bytes are a rank's own part for all-gather and reduce-scatter.
 */
/* The bandwidth that a line has must be that of its bytes and time, as far as it is written out. */
static bool consistent(const struct node *perf, double bytes, double time)
{
	const double rate = member_number(perf, "coll_algobw_gbs"), own = bytes / time / 1e3;

	return rate <= 0 || (own < 1.02 * rate + .01 && rate < 1.02 * own + .01);
}

/* Which communicator of how many ranks made the call, and what it was. */
static struct measurement table_of(const struct intake *intake, const struct node *header,
				   const struct node *perf)
{
	const char *name = member_text(perf, "coll");
	struct measurement table = {
		.source = intake->path,
		.op = collective_find(name ? name : ""),
		.ranks = member_count(header, "n_ranks"),
		.nodes = member_count(header, "nnodes"),
		.nccl = intake->hints->nccl,
		.timed = TIMED_LOG,
	};

	if (!table.nodes)
		table.nodes = intake->hints->nodes ? intake->hints->nodes : 1;
	measurement_hint(&table, intake->hints);
	return table;
}

static void take_call(struct intake *intake, const struct node *header, const struct node *perf)
{
	const struct measurement table = table_of(intake, header, perf);
	const char *id = member_text(header, "id");
	struct sampled_call call = { member_number(perf, "coll_msg_size_bytes"),
				     member_number(perf, "coll_exec_time_us"), 0 };

	if (table.op && (table.op->op == NCCL_ALL_GATHER || table.op->op == NCCL_REDUCE_SCATTER))
		call.bytes *= (double)table.ranks;
	if (!table.ranks || call.bytes <= 0 || call.time <= 0 ||
	    !consistent(perf, call.bytes, call.time)) {
		intake_unreadable(intake);
		return;
	}
	if (!table.op || table.ranks < 2 || table.ranks % table.nodes) {
		intake_left_out(intake, table.op ? "of one rank, or of nodes that differ"
						 : "collectives that are not modelled");
		return;
	}
	call.call = call_hash((uint64_t)member_number(perf, "coll_sn"), id ? id : "");
	intake->source->rows++;
	measurement_sample(intake->arena, intake->into, &table, call);
}

struct inspecting {
	bool no_gpu; /* it was said already */
};

static void *open_inspector(struct intake *intake)
{
	return arena_new(intake->arena, struct inspecting);
}

/* Reads a line in memory of its own: there may be millions of them. */
static void read_object(struct intake *intake, const char *text, size_t length)
{
	struct arena arena;
	struct findings findings;
	const struct node *root;

	arena_init(&arena);
	findings_init(&findings, &arena);
	root = json_read(&arena,
			 source_new(&arena, "", arena_strndup(&arena, text, length), length),
			 &findings);
	if (!root || !node_member(root, "header"))
		intake_unreadable(intake);
	else if (node_member(root, "coll_perf"))
		take_call(intake, node_member(root, "header"), node_member(root, "coll_perf"));
	else
		intake_left_out(intake, "sends and receives, which wait for their partner");
	arena_release(&arena);
}

static bool read_line(struct intake *intake, void *state, const char *text, size_t length)
{
	struct inspecting *inspecting = state;

	while (length && (*text == ' ' || *text == '\t'))
		text++, length--;
	if (!length || *text != '{' || !text_mentions(text, length, "\"header\""))
		return false;
	if (!intake->hints->gpu) {
		if (!inspecting->no_gpu)
			intake_complain(intake,
					"does not name the device; say it with --gpu (as in "
					"--gpu h100-sxm)");
		inspecting->no_gpu = true;
		return true;
	}
	read_object(intake, text, length);
	return true;
}

static void close_inspector(struct intake *intake, void *state)
{
	(void)intake;
	(void)state;
}

const struct measurement_reader measurement_inspector = {
	.kind = "NCCL Inspector",
	.open = open_inspector,
	.line = read_line,
	.close = close_inspector,
};
