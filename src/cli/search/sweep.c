#include "cli/search/sweep.h"

#include "base/die.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/search/combine.h"
#include "cli/search/one.h"
#include "cli/search/write.h"
#include "input/field.h"
#include "report/report.h"
#include "report/search/search.h"
#include "search/candidate.h"
#include "version.h"

#include <string.h>

struct sweep {
	struct arena *arena;
	const struct invocation *invocation;
	const struct search_request *request;
	struct sweep_rows rows;
	struct search_files files;
	struct buf *part; /* what a part says; NULL: all is decided here */
	size_t regions;	  /* of all searches that were begun */
	bool json, empty; /* empty: some search proposes nothing */
	bool stopped;	  /* Ctrl-C: no further one is begun */
};

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
		push(arena, &request->swept,
		     arena_join(arena, field_of(FIELD_MODEL_PRESET)->key, "=", name));
}

/* An option that says the same as a key of the sweep would do nothing. */
static void refuse_both(const struct sweep_value *value, const struct search_request *request)
{
	const struct {
		const char *key, *option;
		bool given;
	} both[] = {
		{ "gpus", "--gpus", request->gpus != NULL },
		{ "gpu", "--gpu", request->gpu != NULL },
		{ "global_batch", "--global-batch", request->batch > 0 },
		{ "model", "--model", request->model != NULL },
		{ "seq_len", "--seq-len", request->seq_len > 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(both) / sizeof(both[0]); i++)
		if (both[i].given && !strcmp(both[i].key, value->key))
			die("search: --sweep gives %s, and so does %s: leave one of them out",
			    value->key, both[i].option);
}

/* As if the option had been given; what is no option is a setting. */
static void apply(struct invocation *invocation, const struct sweep_value *value,
		  struct search_request *request)
{
	struct arena *arena = invocation->arena;
	const bool has_file = invocation->operands.count || invocation->operands.rest_count;
	const char *key = value->key;

	refuse_both(value, request);
	if (value->file)
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
		push(arena, &request->swept, arena_join(arena, key, "=", value->value));
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

/* Keeps what is shown of it, and written. */
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
		row->trouble = one->result->decided ? "no layout runs"
						    : "no layout that runs was found in this time";
		return;
	}
	if (row->folder)
		search_files(sweep->arena, row->folder, one->search, one->result, one->own,
			     &sweep->files);
	candidate = space_candidate(&one->search->space, best->outcome.number);
	row->best = best->outcome;
	row->layout = arena_join(
		sweep->arena, candidate_text(&one->search->space, &candidate, one->search->arena),
		result_doubt(one->result), "");
}

/* Decides it, or a part of it; parts are cut through all searches as if they were one. */
static void conclude(struct sweep *sweep, struct one *one, const struct invocation *invocation,
		     const struct search_request *request, struct sweep_row *row)
{
	one->passage.before = sweep->regions;
	sweep->regions += one->search->space.regions.count;
	search_conclude(one, invocation, request);
	sweep->stopped |= one->passage.interrupted && !request->time_limit;
	if (sweep->part) {
		shard_write(one->search, &one->passage, one->own, sweep->part);
		return;
	}
	search_result(one);
	take(sweep, one, row);
}

/* One of them as it is begun. */
struct begun {
	struct invocation invocation;
	struct search_request request;
	const char *file;
	struct one one;
	struct arena arena;
};

static void begin_at(const struct sweep *sweep, struct sweep_row *row, struct begun *begun)
{
	size_t i;

	begun->invocation = *sweep->invocation;
	begun->request = *sweep->request;
	begun->file = begun->invocation.operands.count ? begun->invocation.operands.items[0] : NULL;
	memset(&begun->one, 0, sizeof(begun->one));
	arena_init(&begun->arena);
	begun->invocation.arena = &begun->arena;
	begun->invocation.operands.items = &begun->file;
	begun->invocation.operands.count = begun->invocation.operands.count ? 1 : 0;
	for (i = 0; i < row->values.count; i++)
		apply(&begun->invocation, &row->values.items[i], &begun->request);
	search_open(&begun->one, &begun->invocation, &begun->request);
	if (begun->one.broken)
		row->trouble = error_of(sweep->arena, begun->one.broken);
	else
		refuse_sizes(row, &begun->one.search->space.sites.items[0]->job.settings);
}

static void search_at(struct sweep *sweep, struct sweep_row *row)
{
	struct begun begun;

	begin_at(sweep, row, &begun);
	if (!row->trouble)
		conclude(sweep, &begun.one, &begun.invocation, &begun.request, row);
	if (row->trouble)
		row->folder = NULL;
	sweep->empty |= row->trouble != NULL;
	arena_release(&begun.arena);
}

/* What is wrong with the last of them is said before the first, which may take long. */
static void try_all(const struct sweep *sweep)
{
	struct invocation quiet = *sweep->invocation;
	struct sweep trial = *sweep;
	struct begun begun;
	size_t i;

	quiet.quiet = true;
	trial.invocation = &quiet;
	for (i = 0; i < sweep->rows.list.count; i++) {
		struct sweep_row row = sweep->rows.list.items[i];
		begin_at(&trial, &row, &begun);
		arena_release(&begun.arena);
	}
}

/* Ctrl-C leaves those that were begun. */
static void search_all(struct sweep *sweep)
{
	size_t i;

	if (!sweep->request->parts)
		try_all(sweep);
	for (i = 0; i < sweep->rows.list.count && !sweep->stopped; i++)
		search_at(sweep, &sweep->rows.list.items[i]);
	for (; i < sweep->rows.list.count; i++) {
		sweep->rows.list.items[i].trouble = "interrupted before it began";
		sweep->rows.list.items[i].folder = NULL;
	}
	if (sweep->request->parts)
		parts_end(sweep->request->parts);
}

/* ---- all of them ---- */

bool search_is_sweep(const struct invocation *invocation, const struct search_request *request)
{
	return request->sweep || invocation->operands.count > 1;
}

/* Before anything is searched: each has a folder of its own, and none of them is there. */
static void name_folders(struct sweep *sweep)
{
	const char *folder = sweep->request->write;
	size_t i;

	if (!folder)
		return;
	search_folder(folder, false);
	for (i = 0; i < sweep->rows.list.count; i++) {
		struct sweep_row *row = &sweep->rows.list.items[i];
		row->folder =
			path_join(sweep->arena, folder,
				  combine_name(row, i + 1, sweep->rows.list.count, sweep->arena));
		search_refuse(row->folder);
	}
}

static void write_all(const struct sweep *sweep)
{
	size_t i;

	for (i = 0; i < sweep->rows.list.count; i++)
		if (sweep->rows.list.items[i].folder)
			search_folder(sweep->rows.list.items[i].folder, true);
	search_write(sweep->invocation, &sweep->files);
}

static struct shard_sweep head_of(const struct sweep *sweep)
{
	struct passage passage = { 0 };

	search_shard(sweep->invocation->arena, sweep->request, &passage);
	return (struct shard_sweep) { VERSION,
				      combine_digest(&sweep->rows, sweep->arena),
				      passage.shards ? (int64_t)passage.shard : 1,
				      passage.shards ? (int64_t)passage.shards : 1,
				      (int64_t)sweep->invocation->operands.count,
				      (int64_t)sweep->rows.list.count };
}

static int write_part(struct sweep *sweep)
{
	const struct shard_sweep head = head_of(sweep);

	sweep->part = sweep->invocation->out;
	shard_sweep_write(&head, sweep->part);
	search_all(sweep);
	if (sweep->stopped)
		die("search: interrupted: a part of several searches is written whole or not at "
		    "all");
	return EXIT_CLEAN;
}

static int report_all(struct sweep *sweep)
{
	const struct invocation *invocation = sweep->invocation;

	name_folders(sweep);
	search_all(sweep);
	write_all(sweep);
	if (sweep->json)
		report_sweep_json(&sweep->rows, invocation->out);
	else
		report_sweep_text(&sweep->rows, sweep->arena, invocation->out, invocation->color,
				  invocation->columns);
	return sweep->empty || sweep->stopped ? EXIT_FINDINGS : EXIT_CLEAN;
}

int search_sweep(const struct invocation *invocation, const struct search_request *request)
{
	const char *format = request->config.format ? request->config.format : "text";
	struct sweep sweep = { .arena = invocation->arena,
			       .invocation = invocation,
			       .request = request,
			       .json = !strcmp(format, "json") };

	combine(invocation, request->sweep, &sweep.rows);
	if (request->parts) {
		const struct shard_sweep head = head_of(&sweep);
		parts_require(request->parts, sweep.arena, &head);
	}
	return strcmp(format, "jsonl") != 0 ? report_all(&sweep) : write_part(&sweep);
}
