#include "cli/search/sweep.h"

#include "base/die.h"
#include "base/text.h"
#include "cli/machine.h"
#include "cli/search/one.h"
#include "input/field.h"
#include "input/node.h"
#include "input/syntax/reader.h"
#include "report/report.h"
#include "report/search/search.h"
#include "report/search/sweep.h"
#include "search/candidate.h"

#include <string.h>

/* What one value of a dimension sets: a key, or several together. */
struct point {
	VEC(struct sweep_value) values;
};

struct dimension {
	VEC(struct point) points;
};

enum { COMBINATIONS_MOST = 10000 };

static const char file_key[] = "file";

struct sweep {
	struct arena *arena;
	const struct invocation *invocation;
	const struct search_request *request;
	VEC(struct dimension) dimensions;
	const struct point **chosen; /* one for each dimension */
	struct sweep_rows rows;
	bool json, empty; /* empty: some search proposes nothing */
	bool stopped;	  /* Ctrl-C: no further one is begun */
};

/* ---- what is varied ---- */

static _Noreturn void refuse(const struct node *node, const char *why)
{
	die("search: --sweep %s:%u:%u: %s", node->span.source->path, node->span.line,
	    node->span.column, why);
}

static void add_value(struct sweep *sweep, struct point *point, const char *key,
		      const struct node *node)
{
	struct sweep_value value = { key, node->text };

	if (node->kind != NODE_SCALAR || node->type == SCALAR_NULL)
		refuse(node, "a key has a value, a list of values, or a list of maps of values");
	vec_push(sweep->arena, &point->values, value);
}

static void add_point(struct sweep *sweep, struct dimension *dimension, const char *key,
		      const struct node *node)
{
	struct point point = { 0 };
	const struct node *member;

	if (node->kind != NODE_MAP)
		add_value(sweep, &point, key, node);
	else
		for (member = node->first; member; member = member->next)
			add_value(sweep, &point, member->key, member);
	vec_push(sweep->arena, &dimension->points, point);
}

static void add_dimension(struct sweep *sweep, const struct node *node)
{
	struct dimension dimension = { 0 };
	const struct node *item;

	if (node->kind != NODE_LIST)
		add_point(sweep, &dimension, node->key, node);
	else
		for (item = node->first; item; item = item->next)
			add_point(sweep, &dimension, node->key, item);
	if (!dimension.points.count)
		refuse(node, "a list of no values leaves nothing to search");
	vec_push(sweep->arena, &sweep->dimensions, dimension);
}

static void read_file(struct sweep *sweep, const char *path)
{
	const struct source *source;
	const struct node *root, *member;
	struct findings findings;

	if (!path)
		return;
	source = machine_numbers(sweep->arena, "search", path);
	findings_init(&findings, sweep->arena);
	root = yaml_read(sweep->arena, source, &findings);
	machine_complain("search", &findings);
	if (!root || root->kind != NODE_MAP || !root->first)
		die("search: --sweep %s: it is a map of keys and their values, as in gpus: [64, "
		    "128]",
		    path);
	for (member = root->first; member; member = member->next)
		add_dimension(sweep, member);
}

static void add_files(struct sweep *sweep)
{
	const struct operands *files = &sweep->invocation->operands;
	struct dimension dimension = { 0 };
	size_t i;

	for (i = 0; i < files->count; i++) {
		struct sweep_value value = { file_key, files->items[i] };
		struct point point = { 0 };
		vec_push(sweep->arena, &point.values, value);
		vec_push(sweep->arena, &dimension.points, point);
	}
	if (files->count > 1)
		vec_push(sweep->arena, &sweep->dimensions, dimension);
}

/* ---- one of them ---- */

static void push(struct arena *arena, struct texts *texts, const char *text)
{
	const struct texts before = *texts;

	texts->items = arena_array(arena, before.count + 1, sizeof(*texts->items));
	if (before.count)
		memcpy(texts->items, before.items, before.count * sizeof(*texts->items));
	texts->items[before.count] = text;
	texts->count = texts->capacity = before.count + 1;
}

static int64_t number_of(const struct sweep_value *value)
{
	int64_t number = 0;

	if (!text_to_int(value->value, &number) || number < 1)
		die("search: --sweep: %s takes a number, not '%s'", value->key, value->value);
	return number;
}

/* Whether the config is native, where `model` may be a word. */
static bool is_native(const struct invocation *invocation, const struct search_request *request)
{
	struct document *document = arena_new(invocation->arena, struct document);
	struct overrides *overrides = arena_new(invocation->arena, struct overrides);
	struct findings findings;

	findings_init(&findings, invocation->arena);
	config_overrides(invocation, &request->config, overrides);
	return invocation->operands.count &&
	       !document_read(document, invocation->arena, invocation->operands.items[0], overrides,
			      &findings) &&
	       document->dialect && document->dialect->holds_expect;
}

static void apply_model(const struct invocation *invocation, const char *name,
			struct search_request *request)
{
	struct arena *arena = invocation->arena;

	if (!invocation->operands.count && !invocation->operands.rest_count)
		request->model = name;
	else if (is_native(invocation, request))
		push(arena, &request->config.sets, arena_join(arena, "model=", name, ""));
	else
		push(arena, &request->varied,
		     arena_join(arena, field_of(FIELD_MODEL_PRESET)->key, "=", name));
}

/* As if the option had been given; what is no option is a setting. */
static void apply(struct invocation *invocation, const struct sweep_value *value,
		  struct search_request *request)
{
	struct arena *arena = invocation->arena;
	const bool has_file = invocation->operands.count || invocation->operands.rest_count;
	const char *key = value->key;

	if (key == file_key)
		invocation->operands.items[0] = value->value;
	else if (!strcmp(key, "gpus"))
		request->gpus = value->value;
	else if (!strcmp(key, "gpu"))
		request->gpu = value->value;
	else if (!strcmp(key, "global_batch"))
		request->batch = number_of(value);
	else if (!strcmp(key, "framework"))
		push(arena, &request->config.frameworks, value->value);
	else if (!strcmp(key, "model"))
		apply_model(invocation, value->value, request);
	else if (!strcmp(key, "seq_len") && !has_file)
		request->seq_len = number_of(value);
	else
		push(arena, &request->varied, arena_join(arena, key, "=", value->value));
}

static const char *error_of(struct arena *arena, const struct job *broken)
{
	size_t i;

	for (i = 0; i < broken->findings->list.count; i++)
		if (broken->findings->list.items[i]->severity == SEVERITY_ERROR)
			return arena_join(arena, "the config has errors: ",
					  broken->findings->list.items[i]->message, "");
	return "the config has errors";
}

/* Another model cannot stand in where a file says the sizes of its own. */
static void refuse_sizes(const struct sweep_row *row, const struct settings *settings)
{
	size_t i;
	int id;

	for (i = 0; i < row->values.count && strcmp(row->values.items[i].key, "model") != 0; i++)
		;
	for (id = 0; i < row->values.count && id < FIELD_COUNT; id = field_next(id))
		if (id != FIELD_MODEL_PRESET && text_starts(field_of(id)->key, "model.") &&
		    settings->items[id].origin == ORIGIN_GIVEN)
			die("search: --sweep: the config itself says %s: no other model can be put "
			    "in its place",
			    field_of(id)->key);
}

/* Keeps what is shown of it. */
static void take(struct sweep *sweep, const struct one *one, struct sweep_row *row)
{
	const struct proposal *best = one->result->proposals.items;
	struct candidate candidate;
	struct buf text;

	if (sweep->json) {
		buf_init(&text);
		report_search_json(one->search, one->result, &text);
		row->search = arena_strndup(sweep->arena, text.data, text.length - 1);
		buf_release(&text);
	}
	if (!one->result->proposals.count) {
		row->trouble = "no layout runs";
		return;
	}
	candidate = space_candidate(&one->search->space, best->outcome.number);
	row->best = best->outcome;
	row->layout = arena_join(
		sweep->arena, candidate_text(&one->search->space, &candidate, one->search->arena),
		one->result->proven ? "" : "; not all were decided: this is not proven", "");
}

static void search_at(struct sweep *sweep)
{
	struct invocation invocation = *sweep->invocation;
	struct search_request request = *sweep->request;
	const char *file = invocation.operands.count ? invocation.operands.items[0] : NULL;
	struct sweep_row row = { 0 };
	struct one one = { 0 };
	struct arena arena;
	size_t i, k;

	arena_init(&arena);
	invocation.arena = &arena;
	invocation.operands.items = &file;
	invocation.operands.count = invocation.operands.count ? 1 : 0;
	for (i = 0; i < sweep->dimensions.count; i++)
		for (k = 0; k < sweep->chosen[i]->values.count; k++) {
			apply(&invocation, &sweep->chosen[i]->values.items[k], &request);
			vec_push(sweep->arena, &row.values, sweep->chosen[i]->values.items[k]);
		}
	search_open(&one, &invocation, &request);
	if (one.broken) {
		row.trouble = error_of(sweep->arena, one.broken);
	} else {
		refuse_sizes(&row, &one.search->space.sites.items[0]->job.settings);
		search_conclude(&one, &invocation, &request);
		sweep->stopped |= one.passage.interrupted && !request.time_limit;
		search_result(&one);
		take(sweep, &one, &row);
	}
	sweep->empty |= row.trouble != NULL;
	vec_push(sweep->arena, &sweep->rows.list, row);
	arena_release(&arena);
}

static void search_from(struct sweep *sweep, size_t dimension)
{
	size_t i;

	if (dimension == sweep->dimensions.count) {
		search_at(sweep);
		return;
	}
	for (i = 0; i < sweep->dimensions.items[dimension].points.count && !sweep->stopped; i++) {
		sweep->chosen[dimension] = &sweep->dimensions.items[dimension].points.items[i];
		search_from(sweep, dimension + 1);
	}
}

/* ---- all of them ---- */

bool search_is_sweep(const struct invocation *invocation, const struct search_request *request)
{
	return request->sweep || (invocation->operands.count > 1 && !request->merge);
}

static void refuse_options(const struct search_request *request)
{
	const char *format = request->config.format;

	if (request->merge || request->shard || request->write ||
	    (format && !strcmp(format, "jsonl")))
		die("search: --merge, --shard, --write and --format jsonl are of one search: they "
		    "go with neither --sweep nor several FILEs");
}

int search_sweep(const struct invocation *invocation, const struct search_request *request)
{
	struct sweep sweep = { .arena = invocation->arena,
			       .invocation = invocation,
			       .request = request,
			       .json = request->config.format &&
				       !strcmp(request->config.format, "json") };
	size_t i, count = 1;

	refuse_options(request);
	add_files(&sweep);
	read_file(&sweep, request->sweep);
	for (i = 0; i < sweep.dimensions.count && count <= COMBINATIONS_MOST; i++)
		count *= sweep.dimensions.items[i].points.count;
	if (count > COMBINATIONS_MOST)
		die("search: --sweep: these are more than 10,000 searches");
	sweep.chosen = arena_array(sweep.arena, sweep.dimensions.count, sizeof(void *));
	search_from(&sweep, 0);
	if (sweep.json)
		report_sweep_json(&sweep.rows, invocation->out);
	else
		report_sweep_text(&sweep.rows, sweep.arena, invocation->out, invocation->color,
				  invocation->columns);
	return sweep.empty || sweep.stopped ? EXIT_FINDINGS : EXIT_CLEAN;
}
