#include "cost/measurement.h"

#include "base/text.h"

#include <string.h>

/*
 * Tables as JSON: one object with the names of nccl-tests' columns in "rows", or what nccl-tests
 * -J writes ("config" beside "results", each with "out_of_place").
 */
static const char *text_at(const struct node *map, const char *key)
{
	const struct node *node = map && map->kind == NODE_MAP ? node_member(map, key) : NULL;

	return node && node->kind == NODE_SCALAR && node->type != SCALAR_NULL && *node->text
		       ? node->text
		       : NULL;
}

static double number_at(const struct node *map, const char *key)
{
	const struct node *node = map && map->kind == NODE_MAP ? node_member(map, key) : NULL;

	return node && node->kind == NODE_SCALAR &&
			       (node->type == SCALAR_INT || node->type == SCALAR_FLOAT)
		       ? node->number
		       : 0;
}

static int64_t count_at(const struct node *map, const char *key)
{
	double number = number_at(map, key);

	return number >= 1 && number <= 1 << 24 ? (int64_t)number : 0;
}

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

	table->source = text_at(root, "source_url") ? text_at(root, "source_url") : path;
	table->gpu = hints->gpu ? hints->gpu : text_at(root, "gpu");
	table->ranks = count_at(root, "n_ranks");
	table->nodes = count_at(root, "n_nodes");
	table->nccl = text_at(root, "nccl_version") ? text_at(root, "nccl_version") : hints->nccl;
	table->timed =
		timing_of(text_at(root, "timed") ? text_at(root, "timed") : text_at(root, "env"));
	if (text_at(root, "collective"))
		table->op = collective_find(text_at(root, "collective"));
	if (text_at(root, "nic"))
		measurement_network(table, text_at(root, "nic"));
	return table;
}

static void put_rows(struct arena *arena, struct measurement *table, const struct node *rows)
{
	const struct node *row;

	for (row = rows && rows->kind == NODE_LIST ? rows->first : NULL; row; row = row->next)
		measurement_put(arena, table, number_at(row, "bytes"),
				number_at(row, "time_us_out"));
}

/* nccl-tests writes "time" below "out_of_place"; sizes are "size". */
static void put_results(struct arena *arena, struct measurement *table, const struct node *results)
{
	const struct node *row, *out;

	for (row = results && results->kind == NODE_LIST ? results->first : NULL; row;
	     row = row->next) {
		out = row->kind == NODE_MAP ? node_member(row, "out_of_place") : NULL;
		measurement_put(arena, table, number_at(row, "size"), number_at(out, "time"));
	}
}

/* The last part of the path of the program. */
static const char *program_of(const struct node *root)
{
	const struct node *args = node_member(root, "args");
	const char *path =
		args && args->kind == NODE_LIST && args->first && args->first->kind == NODE_SCALAR
			? args->first->text
			: text_at(root, "program");
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
		const char *name = text_at(device, "device_info"),
			   *at = text_at(device, "hostname");
		table->ranks++;
		if (!table->gpu)
			table->gpu = name;
		if (at && (!host || strcmp(at, host) != 0)) {
			host = at;
			nodes++;
		}
	}
	table->nodes = hints->nodes ? hints->nodes : nodes ? nodes : 1;
	if (count_at(root, "nccl_version"))
		table->nccl = nccl_tests_version(arena, count_at(root, "nccl_version"));
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

void measurement_json(struct arena *arena, const struct node *root, const char *path,
		      const struct measurement_hints *hints, struct measurements *into)
{
	struct measurement *table;

	if (root->kind != NODE_MAP)
		return;
	if (!healthy(root)) {
		into->unhealthy++;
		return;
	}
	table = table_of(arena, root, path, hints);
	if (node_member(root, "results"))
		of_nccl_tests(arena, root, table, hints);
	else
		put_rows(arena, table, node_member(root, "rows"));
	if (hints->fabric)
		table->fabric = hints->fabric;
	if (hints->nic_count > 0) {
		table->nic_count = hints->nic_count;
		table->nic_bandwidth = hints->nic_bandwidth;
	}
	if (table->op && table->ranks > 1 && table->nodes && table->ranks % table->nodes == 0)
		measurement_finish(arena, table, into);
}
