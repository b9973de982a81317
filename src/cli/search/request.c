#include "cli/search/request.h"

#include "base/die.h"
#include "base/text.h"
#include "cli/machine.h"
#include "input/field.h"
#include "input/project.h"
#include "plan/model.h"
#include "rules/project.h"
#include "search/shard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <float.h>
#include <string.h>
#include <unistd.h>

/* Words of a list, separated by commas. */
struct words {
	VEC(const char *) list;
};

static bool has_word(const struct words *words, const char *word)
{
	size_t i;

	for (i = 0; i < words->list.count; i++)
		if (!strcmp(words->list.items[i], word))
			return true;
	return false;
}

static void split(struct arena *arena, const char *text, struct words *words)
{
	while (*text) {
		const size_t length = strcspn(text, ",");
		const char *word = arena_strndup(arena, text, length);
		if (!has_word(words, word))
			vec_push(arena, &words->list, word);
		text += length + (text[length] == ',');
	}
}

/* ---- settings ---- */

static bool is_axis(enum field_id field)
{
	static const enum field_id axes[] = { FIELD_PP,
					      FIELD_TP,
					      FIELD_CP,
					      FIELD_SP,
					      FIELD_ULYSSES,
					      FIELD_DP,
					      FIELD_DP_REPLICATE,
					      FIELD_DP_SHARD,
					      FIELD_EP,
					      FIELD_ETP,
					      FIELD_SEQUENCE_PARALLEL,
					      FIELD_ASYNC_TP,
					      FIELD_OVERLAP_TP,
					      FIELD_PP_SCHEDULE,
					      FIELD_PP_VIRTUAL_STAGES,
					      FIELD_RESHARD_AFTER_FORWARD,
					      FIELD_MICRO_BATCH_SIZE,
					      FIELD_AC_MODE,
					      FIELD_AC_OPTION,
					      FIELD_AC_METHOD,
					      FIELD_AC_LAYERS };
	size_t i;

	for (i = 0; i < sizeof(axes) / sizeof(axes[0]); i++)
		if (axes[i] == field)
			return true;
	return false;
}

/* Whether a key ends in that name: "parallelism.pipeline.schedule" in "pipeline.schedule". */
static bool is_called(enum field_id field, const char *name)
{
	const char *key = field_of(field)->key;
	const size_t length = strlen(key), tail = strlen(name);

	return length > tail && key[length - tail - 1] == '.' && text_ends(key, name);
}

/* What has another name in the table of layouts, or an option of its own. */
static const char *called_otherwise(const char *name)
{
	static const struct {
		const char *name, *key;
	} others[] = {
		{ "mb", "micro_batch_size" },
		{ "microbatch", "micro_batch_size" },
		{ "recompute", "activation_checkpoint.mode and .option" },
		{ "recomputation", "activation_checkpoint.mode and .option" },
		{ "reshard", "reshard_after_forward" },
		{ "zero", "zero_stage" },
		{ "model", "model.preset" },
		{ "gpus", "--gpus" },
		{ "global_batch", "--global-batch" },
	};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(others[i].name, name))
			return others[i].key;
	return NULL;
}

/* What the name of no setting, or of several, is told. */
static void refuse_name(struct arena *arena, const char *option, const char *name, size_t count)
{
	VEC(const char *) names = { 0 };
	const char *near;
	int id;

	if (count)
		die("search: --%s: %zu settings are called '%s': give the whole key "
		    "(parplan explain --keys)",
		    option, count, name);
	for (id = 0; id < FIELD_COUNT; id = field_next(id)) {
		const char *key = field_of((enum field_id)id)->key, *dot = strrchr(key, '.');
		vec_push(arena, &names, dot ? dot + 1 : key);
	}
	near = called_otherwise(name);
	if (!near)
		near = text_nearest(name, names.items, names.count);
	die("search: --%s: no setting is called '%s'%s%s%s (parplan explain --keys)", option, name,
	    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* The field of a key: the native one, or its last parts; of several the axis of a search. */
static enum field_id field_named(struct arena *arena, const char *option, const char *key)
{
	enum field_id found = field_find(key);
	size_t others = 0;
	int id;

	if (found != FIELD_COUNT)
		return found;
	for (id = 0; id < FIELD_COUNT; id = field_next(id)) {
		if (!is_called((enum field_id)id, key))
			continue;
		if (is_axis((enum field_id)id))
			return (enum field_id)id;
		found = (enum field_id)id;
		others++;
	}
	if (others != 1)
		refuse_name(arena, option, key, others);
	return found;
}

/* Values of one setting stand in one place. */
static bool is_taken(const struct search *search, const struct sites_request *sites,
		     enum field_id field)
{
	const struct restrictions *restrictions = &search->space.restrictions;
	size_t i;

	for (i = 0; i < restrictions->list.count; i++)
		if (restrictions->list.items[i].field == field)
			return true;
	for (i = 0; i < sites->varied.count; i++)
		if (sites->varied.items[i].field == field)
			return true;
	return false;
}

static void take_varied(const struct invocation *invocation, const char *option, const char *text,
			struct search *search, struct sites_request *sites)
{
	struct arena *arena = invocation->arena;
	const char *equals = strchr(text, '=');
	enum field_id field;
	struct words words = { 0 };
	struct restriction restriction = { 0 };
	struct varied varied = { 0 };
	size_t i;

	if (!equals || equals == text || !equals[1])
		die("search: --%s takes KEY=VALUE, as in tp=8, not '%s'", option, text);
	field = field_named(arena, option, arena_strndup(arena, text, (size_t)(equals - text)));
	if (is_taken(search, sites, field))
		die("search: --%s: %s has its values already (give all of them at once: --%s "
		    "%s=1,2)",
		    option, field_of(field)->key, option, field_of(field)->key);
	split(arena, equals + 1, &words);
	restriction.field = varied.field = field;
	restriction.option = varied.option = arena_join(arena, "--", option, "");
	for (i = 0; i < words.list.count; i++) {
		vec_push(arena, &restriction.values, words.list.items[i]);
		vec_push(arena, &varied.values, words.list.items[i]);
	}
	if (is_axis(field))
		vec_push(arena, &search->space.restrictions.list, restriction);
	else
		vec_push(arena, &sites->varied, varied);
}

/* ---- numbers ---- */

static double share(const char *option, const char *text, double otherwise)
{
	struct buf number;
	double value = 0;
	bool percent, good;

	if (!text)
		return otherwise;
	percent = text_ends(text, "%");
	buf_init(&number);
	buf_bytes(&number, text, strlen(text) - percent);
	good = text_to_double(number.data, &value);
	buf_release(&number);
	if (percent)
		value /= 100;
	if (!good || !(value >= 0) || value > 1)
		die("search: --%s takes a share from 0 to 1, or a percentage, not '%s'", option,
		    text);
	return value;
}

static void read_worlds(const struct invocation *invocation, const char *text,
			struct sites_request *sites)
{
	struct words words = { 0 };
	int64_t number;
	size_t i;

	split(invocation->arena, text ? text : "", &words);
	if (text && !words.list.count)
		vec_push(invocation->arena, &words.list, text);
	for (i = 0; i < words.list.count; i++) {
		if (!text_to_int(words.list.items[i], &number) || number < 1 || number > WORLD_MAX)
			die("search: --gpus takes numbers of devices, as in 64,128, not '%s'",
			    text);
		vec_push(invocation->arena, &sites->worlds, number);
	}
}

static void read_aim(const struct invocation *invocation, const struct search_request *request,
		     struct aim *aim)
{
	static const char *const objectives[] = { "time", "tokens-per-gpu", "cost", "gpus" };
	size_t i;

	for (i = 0; request->objective && i < sizeof(objectives) / sizeof(objectives[0]); i++)
		if (!strcmp(request->objective, objectives[i]))
			aim->objective = (enum objective)i;
	aim->risk = share("risk", request->risk, 0.1);
	if (request->min_tokens &&
	    (!text_to_double(request->min_tokens, &aim->min_tokens) || !(aim->min_tokens > 0)))
		die("search: --min-tokens-per-s takes a number, not '%s'", request->min_tokens);
	if (aim->objective == OBJECTIVE_GPUS && !(aim->min_tokens > 0))
		die("search: the fewest GPUs for what? --objective gpus goes with "
		    "--min-tokens-per-s N");
	aim->numbers = machine_numbers(invocation->arena, "search", request->profile);
}

/* ---- a job without a file ---- */

static const char *file_of(const struct invocation *invocation,
			   const struct search_request *request, struct overrides *overrides,
			   const struct sites_request *sites)
{
	struct arena *arena = invocation->arena;
	const int64_t world = sites->worlds.count ? sites->worlds.items[0] : request->config.world;
	const int64_t each = world < 8 ? world : 8;
	const char *versions = "";
	const char *missing = !request->model	  ? "--model NAME"
			      : !world		  ? "--gpus N"
			      : !request->gpu	  ? "--gpu NAME"
			      : !request->seq_len ? "--seq-len N"
			      : !request->batch	  ? "--global-batch N"
						  : NULL;
	size_t i;

	if (missing)
		die("search: without a file, give the job: --model NAME --gpus N --gpu NAME "
		    "--seq-len N --global-batch N --framework NAME@VERSION; %s is missing",
		    missing);
	for (i = 0; i < overrides->pins.count; i++)
		versions = arena_printf(arena, "%s%s%s: \"%s\"", versions, i ? ", " : "",
					overrides->pins.items[i].framework,
					overrides->pins.items[i].version);
	memset(&overrides->pins, 0, sizeof(overrides->pins));
	return arena_printf(
		arena,
		"parplan: 1\nframework: {%s}\n"
		"cluster: {gpu: %.*s, nodes: %" PRId64 ", gpus_per_node: %" PRId64 "}\nmodel: %s\n"
		"training: {seq_len: %" PRId64 ", global_batch_size: %" PRId64 "}\n",
		versions, (int)strcspn(request->gpu, ","), request->gpu, (world + each - 1) / each,
		each, request->model, request->seq_len, request->batch);
}

void search_refuse_model(const struct invocation *invocation, const struct search_request *request)
{
	struct arena *arena = invocation->arena;
	const char *name = request->model, *near;

	if (!name || invocation->operands.count || invocation->operands.rest_count ||
	    model_of_preset(arena, text_lower(arena, name)))
		return;
	near = model_preset_near(arena, name);
	die("search: --model: no model is called '%s'%s%s%s (parplan presets; other sizes go "
	    "into a file)",
	    name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static void read_devices(const struct invocation *invocation, const char *text,
			 struct sites_request *sites)
{
	struct words words = { 0 };
	struct varied varied = { .option = "--gpu", .field = FIELD_CLUSTER_GPU };
	size_t i;

	split(invocation->arena, text ? text : "", &words);
	if (text && !words.list.count)
		die("search: --gpu takes names of devices, as in h100-sxm,h200 (parplan presets)");
	for (i = 0; i < words.list.count; i++)
		vec_push(invocation->arena, &varied.values, words.list.items[i]);
	if (words.list.count)
		vec_push(invocation->arena, &sites->varied, varied);
}

/* How many are shown, or how near the best. */
static void read_shown(const struct search_request *request, struct search *search)
{
	if (request->top && request->within)
		die("search: --top and --within exclude each other: so many, or all that are so "
		    "near the best");
	search->top = request->top ? (size_t)request->top : 10;
	search->within = share("within", request->within, 0);
	if (request->within && !(search->within > 0))
		search->within = DBL_MIN; /* none but those that are as good */
}

void search_request_read(const struct invocation *invocation, struct search_request *request,
			 struct search *search, struct sites_request *sites)
{
	struct overrides *overrides = arena_new(invocation->arena, struct overrides);
	const struct operands *operands = &invocation->operands;
	size_t i;

	config_hosts(invocation, &request->config, request->hosts);
	config_overrides(invocation, &request->config, overrides);
	read_worlds(invocation, request->gpus, sites);
	read_devices(invocation, request->gpu, sites);
	if (operands->count || operands->rest_count) {
		if (request->model || request->seq_len)
			die("search: --model and --seq-len describe a job without a file; beside "
			    "one: --set model.preset=NAME, --set training.seq_len=N");
		sites->path = operands->count ? operands->items[0] : NULL;
	} else {
		overrides->text = file_of(invocation, request, overrides, sites);
		sites->path = "plan.yaml";
	}
	overrides->project = config_project(invocation, &request->config,
					    overrides->text ? NULL : sites->path, overrides);
	if (overrides->project)
		project_levels(overrides->project, invocation->arena, &search->space.levels);
	sites->overrides = overrides;
	sites->batch = request->batch;
	for (i = 0; i < request->fixed.count; i++)
		take_varied(invocation, "fix", request->fixed.items[i], search, sites);
	for (i = 0; i < request->varied.count; i++)
		take_varied(invocation, "vary", request->varied.items[i], search, sites);
	for (i = 0; i < request->swept.count; i++)
		take_varied(invocation, "sweep", request->swept.items[i], search, sites);
	read_aim(invocation, request, &search->aim);
	search->priced = request->price != NULL;
	read_shown(request, search);
	search->exhaustive = request->exhaustive;
}

/* What an hour costs of a device of that name: of "h100-sxm=2.5,h200=3.2", or of all "2.5". 0: it
 * is not said. */
static double price_of(struct arena *arena, const char *list, const char *device)
{
	const size_t length = strlen(device);
	struct words words = { 0 };
	double price, found = 0;
	size_t i;

	split(arena, list, &words);
	for (i = 0; i < words.list.count; i++) {
		const char *word = words.list.items[i], *is = strchr(word, '=');
		if (!text_to_double(is ? is + 1 : word, &price) || !(price > 0) ||
		    (!is && words.list.count > 1))
			die("search: --price takes what a device costs for an hour, 2.5 or "
			    "h100-sxm=2.5,h200=3.2, not '%s'",
			    list);
		if (!is || ((size_t)(is - word) == length && !strncmp(word, device, length)))
			found = price;
	}
	return found;
}

bool search_request_price(const struct search_request *request, const struct search *search,
			  struct site *site, const struct job *job)
{
	const struct setting *device = &job->settings.items[FIELD_CLUSTER_GPU];
	const struct setting *first =
		&search->space.sites.items[0]->job.settings.items[FIELD_CLUSTER_GPU];
	const char *name = setting_known(device) ? device->text : "";

	site->price = 1;
	if (request->price)
		site->price = price_of(search->arena, request->price, name);
	else if (search->aim.objective == OBJECTIVE_COST && setting_known(first))
		site->price = !strcmp(first->text, name);
	return site->price > 0;
}

void search_request_prices(const struct search_request *request, struct search *search)
{
	size_t i;

	if (request->price && search->aim.objective != OBJECTIVE_COST)
		die("search: --price goes with --objective cost");
	for (i = 0; i < search->space.sites.count; i++) {
		struct site *site = search->space.sites.items[i];
		if (!search_request_price(request, search, site, &site->job))
			die("search: --objective cost compares devices by what they cost, and "
			    "--price does not say it of %s: --price %s=PRICE,...",
			    site->job.settings.items[FIELD_CLUSTER_GPU].text,
			    site->job.settings.items[FIELD_CLUSTER_GPU].text);
	}
}

/* Layouts for which one more process is worth its start. */
enum { LAYOUTS_PER_JOB = 16 };

size_t search_jobs(const struct search_request *request, const struct search *search)
{
	const long cores = sysconf(_SC_NPROCESSORS_ONLN);
	const size_t most = search->space.layouts.count / LAYOUTS_PER_JOB + 1;
	const size_t jobs = request->jobs ? (size_t)request->jobs : cores > 0 ? (size_t)cores : 1;

	return !request->jobs && jobs > most ? most : jobs;
}

/* A number that the environment holds, or -1. */
static int64_t from_environment(const char *name)
{
	const char *text = getenv(name);
	int64_t number;

	return text && text_to_int(text, &number) && number >= 0 ? number : -1;
}

/* What the environment says of a part, for a message. */
static const char *said(struct arena *arena, const char *const *names)
{
	const char *text = "";

	for (; *names; names++)
		text = arena_printf(arena, "%s%s%s=%s", text, *text ? ", " : "", *names,
				    getenv(*names) ? getenv(*names) : "(not set)");
	return text;
}

/* Slurm counts an array's tasks from what it is told, in steps, a Kubernetes Job from 0. */
static void automatic_shard(struct arena *arena, const char *of, struct passage *passage)
{
	static const char *const slurm[] = { "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN",
					     "SLURM_ARRAY_TASK_STEP", "SLURM_ARRAY_TASK_COUNT",
					     NULL };
	static const char *const kubernetes[] = { "JOB_COMPLETION_INDEX", NULL };
	const bool array = getenv(slurm[0]) != NULL;
	int64_t index = from_environment(kubernetes[0]) + 1, count = 0, step;

	if (array) {
		step = from_environment(slurm[2]);
		step = step > 0 ? step : 1;
		index = from_environment(slurm[0]) - from_environment(slurm[1]);
		index = index % step ? 0 : index / step + 1;
		count = from_environment(slurm[3]);
	}
	if (*of == '/' && !text_to_int(of + 1, &count))
		count = 0;
	if (index < 1 || count < index || count > SHARDS_MOST)
		die("search: --shard auto%s finds no part from 1 to N in %s: Slurm's job arrays "
		    "tell it, and of Kubernetes an Indexed Job with --shard auto/N",
		    of, said(arena, array ? slurm : kubernetes));
	passage->shard = (size_t)index;
	passage->shards = (size_t)count;
}

void search_shard(struct arena *arena, const struct search_request *request,
		  struct passage *passage)
{
	const char *text = request->shard, *slash;
	int64_t index, count;

	if (!text)
		return;
	if (text_starts(text, "auto")) {
		automatic_shard(arena, text + strlen("auto"), passage);
		return;
	}
	slash = strchr(text, '/');
	if (!slash || !text_to_int(slash + 1, &count) || count > SHARDS_MOST ||
	    !text_digits(&text, 9, &index) || text != slash || index < 1 || index > count)
		die("search: --shard takes I/N, from 1/N to N/N, not '%s'", request->shard);
	passage->shard = (size_t)index;
	passage->shards = (size_t)count;
}
