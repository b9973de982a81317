#include "cost/measurement_reader.h"

#include "base/text.h"

#include <string.h>

/*
 * Tables as JSON: one object with the names of nccl-tests' columns in "rows", or what nccl-tests
 * -J writes ("config" beside "results", each with "out_of_place").
 */
static enum timing timing_of(const char *words)
{
	if (words && strstr(words, "cuda_event"))
		return TIMED_CUDA_EVENT;
	if (words && (strstr(words, "-z 1") || strstr(words, "host_isolated")))
		return TIMED_HOST_ISOLATED;
	return words && !strcmp(words, "log") ? TIMED_LOG : TIMED_HOST_QUEUED;
}

static struct measurement *table_of(struct arena *arena, const struct node *root, const char *path,
				    const struct measurement_hints *hints)
{
	struct measurement *table = arena_new(arena, struct measurement);

	table->source = member_text(root, "source_url") ? member_text(root, "source_url") : path;
	table->gpu = hints->gpu ? hints->gpu : member_text(root, "gpu");
	table->ranks = member_count(root, "n_ranks");
	table->nodes = member_count(root, "n_nodes");
	table->nccl =
		member_text(root, "nccl_version") ? member_text(root, "nccl_version") : hints->nccl;
	table->timed = timing_of(member_text(root, "timed") ? member_text(root, "timed")
							    : member_text(root, "env"));
	if (member_text(root, "collective"))
		table->op = collective_find(member_text(root, "collective"));
	if (member_text(root, "nic"))
		measurement_network(table, member_text(root, "nic"));
	return table;
}

static void put_rows(struct arena *arena, struct measurement *table, const struct node *rows)
{
	const struct node *row;

	for (row = rows && rows->kind == NODE_LIST ? rows->first : NULL; row; row = row->next)
		measurement_put(arena, table, member_number(row, "bytes"),
				member_number(row, "time_us_out"));
}

/* nccl-tests writes "time" below "out_of_place"; sizes are "size". */
static void put_results(struct arena *arena, struct measurement *table, const struct node *results)
{
	const struct node *row, *out;

	for (row = results && results->kind == NODE_LIST ? results->first : NULL; row;
	     row = row->next) {
		out = row->kind == NODE_MAP ? node_member(row, "out_of_place") : NULL;
		measurement_put(arena, table, member_number(row, "size"),
				member_number(out, "time"));
	}
}

/* The last part of the path of the program. */
static const char *program_of(const struct node *root)
{
	const struct node *args = node_member(root, "args");
	const char *path =
		args && args->kind == NODE_LIST && args->first && args->first->kind == NODE_SCALAR
			? args->first->text
			: member_text(root, "program");
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

/* -z 1 makes every call wait for the one before. */
static bool blocking(const struct node *args)
{
	const struct node *word = args && args->kind == NODE_LIST ? args->first : NULL;

	for (; word; word = word->next)
		if (word->kind == NODE_SCALAR &&
		    (!strcmp(word->text, "-z") || !strcmp(word->text, "--blocking")))
			return word->next && word->next->kind == NODE_SCALAR &&
			       strcmp(word->next->text, "0") != 0;
	return false;
}

static void of_nccl_tests(struct arena *arena, const struct node *root, struct measurement *table,
			  const struct measurement_hints *hints)
{
	const struct node *devices = node_member(root, "devices"), *device;
	const char *host = NULL;
	int64_t nodes = 0;

	if (program_of(root))
		table->op = collective_find(program_of(root));
	device = devices && devices->kind == NODE_LIST ? devices->first : NULL;
	for (; device; device = device->next) {
		const char *name = member_text(device, "device_info"),
			   *at = member_text(device, "hostname");
		table->ranks++;
		if (!table->gpu)
			table->gpu = name;
		if (at && (!host || strcmp(at, host) != 0)) {
			host = at;
			nodes++;
		}
	}
	table->nodes = hints->nodes ? hints->nodes : nodes ? nodes : 1;
	if (member_count(root, "nccl_version"))
		table->nccl = nccl_tests_version(arena, member_count(root, "nccl_version"));
	if (blocking(node_member(root, "args")))
		table->timed = TIMED_HOST_ISOLATED;
	put_results(arena, table, node_member(root, "results"));
}

/* "healthy": "yes" or true, or not said. */
static bool healthy(const struct node *root)
{
	const struct node *word = node_member(root, "healthy");

	if (!word || word->kind != NODE_SCALAR || word->type == SCALAR_NULL)
		return true;
	return word->type == SCALAR_BOOL ? word->boolean : !strcmp(word->text, "yes");
}

void measurement_of_run(struct intake *intake, const struct node *root)
{
	const struct measurement_hints *hints = intake->hints;
	struct measurement *table;

	if (root->kind != NODE_MAP)
		return;
	if (!healthy(root)) {
		intake->into->unhealthy++;
		return;
	}
	table = table_of(intake->arena, root, intake->path, hints);
	if (node_member(root, "results"))
		of_nccl_tests(intake->arena, root, table, hints);
	else
		put_rows(intake->arena, table, node_member(root, "rows"));
	measurement_hint(table, hints);
	if (!table->op || table->ranks <= 1 || !table->nodes || table->ranks % table->nodes)
		return;
	measurement_finish(intake->arena, table, intake->into);
	intake->source->rows += (int64_t)table->times.count;
}

static bool claims(const char *head)
{
	head += strspn(head, " \t\r\n");
	return *head == '{' && !strstr(head, "\"coll_perf\"") && !strstr(head, "\"p2p_perf\"");
}

static void read_tables(struct intake *intake, struct text_stream *stream)
{
	const struct node *root = intake_tree(intake, stream);

	if (root)
		measurement_of_run(intake, root);
}

const struct measurement_reader measurement_json = {
	.kind = "table as JSON",
	.claims = claims,
	.read = read_tables,
};
