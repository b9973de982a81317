#include "search/sites.h"

#include "base/text.h"
#include "framework/checkpoint.h"
#include "input/field.h"
#include "rules/judge.h"
#include "search/candidate.h"
#include "search/choices.h"
#include "search/outcome.h"
#include "search/site.h"
#include "search/wording.h"

#include <inttypes.h>
#include <string.h>

struct reader {
	struct space *space;
	const struct sites_request *request;
	struct findings *findings;
	size_t *choice;		 /* of each varied setting */
	struct wording *wording; /* of the config as it is; NULL: it cannot be read */
	const char *trouble;
	bool complained; /* of a value, in `findings` */
};

static const char gpus[] = "--gpus", global_batch[] = "--global-batch";

static void option(struct arena *arena, struct overrides *overrides, const char *name,
		   enum field_id field, const char *value)
{
	struct option_text text = { name, arena_join(arena, field_of(field)->key, "=", value) };

	vec_push(arena, &overrides->options, text);
}

/* What is another at this site, in the config and in what is written of it. */
static void overlay(struct reader *reader, struct overrides *overrides, struct site *site,
		    const char *name, enum field_id field, const char *value)
{
	struct variation variation = { field, value };

	option(reader->space->arena, overrides, name, field, value);
	vec_push(reader->space->arena, &site->said, variation);
}

static void put_world(struct overrides *overrides, int64_t world)
{
	overrides->world = world;
	if (!overrides->world_by)
		overrides->world_by = gpus;
}

/* Whether ranks follow from nodes or from degrees, which are written; a launcher's do not. */
static bool follows_settings(const struct setting *ranks)
{
	const struct setting *from = ranks->parent_count ? ranks->parents[0] : NULL;

	return from && (from->field == FIELD_CLUSTER_NODES ||
			text_starts(field_of(from->field)->key, "parallelism."));
}

/* Devices of a node: what is varied of them wins over what the config has. */
static int64_t devices_of(const struct reader *reader, const struct settings *settings)
{
	int64_t devices = setting_int(settings, FIELD_CLUSTER_GPUS_PER_NODE, 0);
	size_t i;

	for (i = 0; i < reader->request->varied.count; i++) {
		const struct varied *varied = &reader->request->varied.items[i];
		if (varied->field == FIELD_CLUSTER_GPUS_PER_NODE)
			(void)text_to_int(varied->values.items[reader->choice[i]], &devices);
	}
	return devices;
}

/* A file of a launcher says how many processes it starts on all machines together, and on how many
 * machines: as many on each of another number. */
static void overlay_launch(struct reader *reader, struct overrides *overrides, struct site *site,
			   int64_t world, const struct settings *settings)
{
	struct arena *arena = reader->space->arena;
	const struct setting *processes = &settings->items[FIELD_LAUNCH_PROCESSES];
	const struct setting *machines = &settings->items[FIELD_LAUNCH_NODES];
	const int64_t own = setting_int(settings, FIELD_LAUNCH_PROCESSES, 0);
	const int64_t nodes = setting_int(settings, FIELD_LAUNCH_NODES, 1);
	const int64_t each = nodes > 0 && own % nodes == 0 ? own / nodes : 0;

	if (processes->origin != ORIGIN_GIVEN || own == world || own < 1)
		return;
	overlay(reader, overrides, site, gpus, FIELD_LAUNCH_PROCESSES,
		arena_printf(arena, "%" PRId64, world));
	if (machines->origin == ORIGIN_GIVEN && each && (world < each || world % each == 0))
		overlay(reader, overrides, site, gpus, FIELD_LAUNCH_NODES,
			arena_printf(arena, "%" PRId64, world > each ? world / each : 1));
}

/* A world of another size has another number of nodes. */
static void overlay_world(struct reader *reader, struct overrides *overrides, struct site *site,
			  int64_t world, const struct settings *settings)
{
	struct arena *arena = reader->space->arena;
	const struct setting *ranks = &settings->items[FIELD_WORLD];
	const int64_t each = devices_of(reader, settings);

	if (setting_known(ranks) && ranks->origin == ORIGIN_GIVEN) {
		overlay(reader, overrides, site, gpus, FIELD_WORLD,
			arena_printf(arena, "%" PRId64, world));
	} else {
		put_world(overrides, world);
		site->world_beside = !follows_settings(ranks);
		overlay_launch(reader, overrides, site, world, settings);
	}
	if (each < 1 || !setting_known(&settings->items[FIELD_CLUSTER_NODES]))
		return;
	if (world > each && world % each)
		reader->trouble =
			arena_printf(arena,
				     "--gpus %" PRId64 ": nodes of %" PRId64
				     " devices make no such number (--fix cluster.gpus_per_node=N)",
				     world, each);
	overlay(reader, overrides, site, gpus, FIELD_CLUSTER_NODES,
		arena_printf(arena, "%" PRId64, world > each ? world / each : 1));
	if (world < each) /* some devices of one */
		overlay(reader, overrides, site, gpus, FIELD_CLUSTER_GPUS_PER_NODE,
			arena_printf(arena, "%" PRId64, world));
}

/* A word speaks for itself, "h200", but for "true" and numbers: "compile true". */
static const char *varied_text(const struct reader *reader, const struct varied *varied,
			       size_t choice)
{
	const struct variation variation = { varied->field, varied->values.items[choice] };
	double number;

	return text_to_double(variation.value, &number) || words_have("true|false", variation.value)
		       ? variation_text(reader->space->arena, &variation)
		       : variation.value;
}

static const char *name_of(struct reader *reader, int64_t world)
{
	const struct sites_request *request = reader->request;
	struct arena *arena = reader->space->arena;
	const char *name =
		request->worlds.count > 1 ? arena_printf(arena, "%" PRId64 " GPUs", world) : "";
	size_t i;

	for (i = 0; i < request->varied.count; i++)
		if (request->varied.items[i].values.count > 1)
			name = arena_join(
				arena, name, *name ? ", " : "",
				varied_text(reader, &request->varied.items[i], reader->choice[i]));
	return name;
}

static struct job *read_silently(struct arena *arena, const struct sites_request *request,
				 const struct overrides *overrides, const char **trouble)
{
	struct job *job = arena_new(arena, struct job);
	struct findings *silent = arena_new(arena, struct findings);

	findings_init(silent, arena);
	*trouble = job_read(job, arena, request->path, overrides, silent);
	return job;
}

/* The settings of the config as it is, of which other worlds follow. */
static const struct settings *plain_settings(struct reader *reader)
{
	return &read_silently(reader->space->arena, reader->request, reader->request->overrides,
			      &reader->trouble)
			->settings;
}

/* Whether reading found errors. The first site's findings are the config's; of another only its
   errors count, which the values varied bring. */
static bool complained(struct reader *reader, const struct findings *findings)
{
	size_t i;

	if (!findings_count(findings, SEVERITY_ERROR))
		return false;
	for (i = 0; findings != reader->findings && i < findings->list.count; i++)
		if (findings->list.items[i]->severity == SEVERITY_ERROR)
			vec_push(reader->space->arena, &reader->findings->list,
				 findings->list.items[i]);
	return true;
}

/* Types of products are said of float8 alone where files have no other key for them: it is on, or
 * it is off and products are in the type of parameters. */
static struct variation spelt(const struct reader *reader, enum field_id field, const char *value)
{
	static const char *const plain[][2] = { { "bf16", "bfloat16" },
						{ "fp16", "float16" },
						{ "fp32", "float32" } };
	const struct wording *wording = reader->wording;
	const char *type;
	size_t i;

	if (field != FIELD_MATMUL_DTYPE || !wording ||
	    wording->job->document.dialect->holds_expect || wording_has_key(wording, field) ||
	    !wording_has_key(wording, FIELD_FLOAT8_ENABLED))
		return (struct variation) { field, value };
	if (!strcmp(value, "fp8"))
		return (struct variation) { FIELD_FLOAT8_ENABLED, "true" };
	type = setting_text(&wording->job->settings, FIELD_PARAM_DTYPE, "");
	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (!strcmp(value, plain[i][0]) && !strcmp(type, plain[i][1]))
			return (struct variation) { FIELD_FLOAT8_ENABLED, "false" };
	return (struct variation) { field, value };
}

static void overlay_varied(struct reader *reader, struct overrides *overrides, struct site *site)
{
	size_t i;

	for (i = 0; i < reader->request->varied.count; i++) {
		const struct varied *varied = &reader->request->varied.items[i];
		const struct variation as =
			spelt(reader, varied->field, varied->values.items[reader->choice[i]]);
		overlay(reader, overrides, site, varied->option, as.field, as.value);
	}
}

/* What check warns of whatever is searched: of the config with these options. */
static void note_warnings(struct reader *reader, const struct overrides *overrides)
{
	const char *trouble;
	struct job *job = read_silently(reader->space->arena, reader->request, overrides, &trouble);
	struct skips skips = { 0 };

	if (trouble || !job->readable)
		return;
	judge(&reader->space->levels, job, &skips);
	outcome_warned(reader->space, job);
}

/* What is neither of the machine nor of its work: a file that cannot say it trains otherwise. */
static bool is_of_file(enum field_id field)
{
	const char *key = field_of(field)->key;

	return text_starts(key, "training.") && field != FIELD_SEQ_LEN &&
	       field != FIELD_GLOBAL_BATCH_SIZE && field != FIELD_GRADIENT_ACCUMULATION;
}

/* Whether a file of a framework's own is to be written; one that leaves the length of a sequence to
 * the program around it, as a DeepSpeed JSON does, leaves it all else. */
static bool is_foreign(const struct wording *wording)
{
	return wording && wording->data && !wording->job->document.dialect->holds_expect &&
	       wording_has_key(wording, FIELD_SEQ_LEN);
}

/* What of a site is varied that its framework's own file cannot say, or NULL. */
static const char *unsaid(const struct reader *reader, const struct site *site)
{
	const struct wording *wording = reader->wording;
	const struct setting *setting;
	size_t i;

	for (i = 0; is_foreign(wording) && i < site->said.count; i++) {
		const struct variation *said = &site->said.items[i];
		setting = &wording->job->settings.items[said->field];
		if (is_of_file(said->field) && setting->origin == ORIGIN_UNSET &&
		    !wording_can(wording, said->field, said->value))
			return arena_printf(reader->space->arena,
					    "%s: files of %s have no word for it and would train "
					    "without it: leave --fix and --vary of it out",
					    variation_text(reader->space->arena, said),
					    wording->job->document.dialect->name);
	}
	return NULL;
}

/* "torchtitan v0.2.2" */
static const char *framework_called(const struct reader *reader, const struct job *job)
{
	const char *name = job->framework ? job->framework->name : NULL;
	const struct version *version = name ? versions_find(&job->versions, name) : NULL;

	if (!name)
		return "the config";
	return version ? arena_join(reader->space->arena, name, " ", version->label) : name;
}

/* What only a framework that has a key for it reads. */
static bool is_pipelines(enum field_id field)
{
	return text_starts(field_of(field)->key, "parallelism.pipeline.");
}

/* What is varied and cannot be: a way to share state or to cut a pipeline that nothing there reads,
 * or engines, whose layouts have other axes. NULL: nothing. */
static const char *unvaried(const struct reader *reader, const struct site *site)
{
	const struct job *job = &site->job;
	size_t i;

	for (i = 0; i < reader->request->varied.count; i++) {
		const enum field_id field = reader->request->varied.items[i].field;
		if (field == FIELD_ENGINE && reader->request->varied.items[i].values.count > 1)
			return "layouts of one engine have other axes than those of another: a "
			       "search of each, as a --sweep makes them, compares them";
		if ((field == FIELD_ZERO_STAGE && !site->does[HABIT_ENGINE]) ||
		    (field == FIELD_OPTIMIZER_DISTRIBUTED && !site->does[HABIT_MEGATRON]) ||
		    (is_pipelines(field) && reader->wording &&
		     !wording_has_key(reader->wording, field)))
			return arena_printf(reader->space->arena,
					    "%s has no %s: leave --fix and --vary of it out",
					    framework_called(reader, job), field_of(field)->key);
	}
	return unsaid(reader, site);
}

static void read_site(struct reader *reader, int64_t world)
{
	const struct sites_request *request = reader->request;
	struct arena *arena = reader->space->arena;
	struct site *site = arena_new(arena, struct site);
	struct overrides *overrides = overrides_copy(arena, request->overrides);
	struct findings *findings = reader->findings;

	if (world)
		overlay_world(reader, overrides, site, world, plain_settings(reader));
	overlay_varied(reader, overrides, site);
	if (reader->trouble)
		return;
	if (reader->space->sites.count) {
		findings = arena_new(arena, struct findings);
		findings_init(findings, arena);
	}
	reader->trouble = job_read(&site->job, arena, request->path, overrides, findings);
	site->batch = request->batch;
	site->name = name_of(reader, world);
	reader->complained = complained(reader, findings);
	if (!reader->trouble && !reader->complained && site->job.readable) {
		checkpoint_of_job(&site->job); /* its candidates share what it reads */
		reader->trouble = site_settle(site, request->kept);
	}
	if (!reader->trouble && site->wording)
		reader->trouble = unvaried(reader, site);
	note_warnings(reader, overrides);
	vec_push(arena, &reader->space->sites, site);
}

/* How the config as it is says what is varied. */
static void put_wording(struct reader *reader)
{
	struct arena *arena = reader->space->arena;
	const char *trouble;
	const struct job *job;

	if (!reader->request->varied.count)
		return;
	job = read_silently(arena, reader->request, reader->request->overrides, &trouble);
	if (trouble || !job->readable)
		return;
	reader->wording = arena_new(arena, struct wording);
	wording_begin(reader->wording, job, arena);
}

/* Steps of other sizes are compared by the token. */
static void scale(struct space *space)
{
	const struct site *first = space->sites.items[0];
	size_t i;

	for (i = 0; i < space->sites.count; i++)
		space->sites.items[i]->scale =
			site_tokens(first) / site_tokens(space->sites.items[i]);
}

static void vary(struct reader *reader, int64_t world, size_t from)
{
	size_t *choice = &reader->choice[from];

	if (from == reader->request->varied.count) {
		if (!reader->trouble && !reader->complained)
			read_site(reader, world);
		return;
	}
	for (*choice = 0; *choice < reader->request->varied.items[from].values.count; ++*choice)
		vary(reader, world, from + 1);
}

void sites_read(struct space *space, const struct sites_request *request, struct findings *findings,
		const char **trouble)
{
	struct reader reader = { .space = space, .request = request, .findings = findings };
	size_t i;

	reader.choice = arena_array(space->arena, request->varied.count + 1, sizeof(size_t));
	note_warnings(&reader, request->overrides);
	put_wording(&reader);
	if (!request->worlds.count)
		vary(&reader, 0, 0);
	for (i = 0; i < request->worlds.count && !reader.trouble && !reader.complained; i++)
		vary(&reader, request->worlds.items[i], 0);
	*trouble = reader.trouble;
	if (reader.trouble || reader.complained || !space->sites.items[0]->job.readable)
		return;
	scale(space);
	*trouble = choices_fill(space);
	if (*trouble)
		return;
	space_fill(space);
}

/* The config with its number of ranks, and the first values of what is varied and it does not say;
 * of all but one, `left` (SIZE_MAX: of all). */
static struct overrides *completed(struct arena *arena, const struct sites_request *request,
				   const struct job *own, size_t left)
{
	struct overrides *overrides = overrides_copy(arena, request->overrides);
	size_t i;

	if (!own->world && request->worlds.count)
		put_world(overrides, request->worlds.items[0]);
	for (i = 0; i < request->varied.count; i++) {
		const struct varied *varied = &request->varied.items[i];
		if (i != left && !setting_known(&own->settings.items[varied->field]))
			option(arena, overrides, varied->option, varied->field,
			       varied->values.items[0]);
	}
	return overrides;
}

/* Whether a setting that the config does not say is of the machine, or no forecast is made without
 * it: of another it has what its framework has by default. */
static bool is_open(struct arena *arena, const struct sites_request *request, const struct job *own,
		    size_t at)
{
	const enum field_id field = request->varied.items[at].field;
	const char *trouble;
	const struct job *job;

	if (text_starts(field_of(field)->key, "cluster."))
		return true;
	job = read_silently(arena, request, completed(arena, request, own, at), &trouble);
	return trouble || !job->readable || site_lacks(job) ||
	       (!request->batch && site_batch(job) < 1);
}

struct job *sites_complete(struct arena *arena, const struct sites_request *request,
			   struct job *own)
{
	struct sites_request open = *request;
	struct overrides *overrides;
	struct job *job = own;
	const char *trouble = NULL;
	size_t i;

	memset(&open.varied, 0, sizeof(open.varied));
	for (i = 0; i < request->varied.count; i++)
		if (is_open(arena, request, own, i))
			vec_push(arena, &open.varied, request->varied.items[i]);
	overrides = completed(arena, &open, own, SIZE_MAX);
	if (overrides->world != request->overrides->world ||
	    overrides->options.count > request->overrides->options.count)
		job = read_silently(arena, request, overrides, &trouble);
	if (!trouble && request->batch && site_batch(job) < 1) {
		option(arena, overrides, global_batch, FIELD_GLOBAL_BATCH_SIZE,
		       arena_printf(arena, "%" PRId64, request->batch));
		job = read_silently(arena, request, overrides, &trouble);
	}
	return trouble || !job->readable ? own : job;
}
