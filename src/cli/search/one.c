#include "cli/search/one.h"

#include "base/die.h"
#include "base/outward.h"
#include "base/text.h"
#include "cli/meter.h"
#include "cli/search/lost.h"
#include "search/excluded.h"
#include "search/site.h"
#include "version.h"

#include <string.h>

/* The config as it is. */
static struct job *read_own(const struct invocation *invocation,
			    const struct sites_request *request)
{
	struct findings *findings = arena_new(invocation->arena, struct findings);
	struct job *job = arena_new(invocation->arena, struct job);
	const char *error;

	findings_init(findings, invocation->arena);
	error = job_read(job, invocation->arena, request->path, request->overrides, findings);
	if (error)
		die("search: %s", error);
	return job;
}

/* Its standard input can be read once. */
static struct job *keep_text(const struct invocation *invocation, struct sites_request *request,
			     const struct job *read)
{
	struct overrides *overrides = overrides_copy(invocation->arena, request->overrides);

	overrides->text = read->document.source->text;
	request->overrides = overrides;
	return read_own(invocation, request);
}

/* The config as it is, or as what is left of its machines would have it. */
static struct job *open_own(const struct invocation *invocation, struct search_request *request,
			    struct search *search, struct sites_request *sites)
{
	struct job *own = read_own(invocation, sites);

	if (!sites->overrides->text && sites->path && !strcmp(sites->path, "-"))
		own = keep_text(invocation, sites, own);
	if (!request->lost.count || !own->readable)
		return own;
	search_lose(invocation, &request->lost, own, search, sites);
	return read_own(invocation, sites);
}

static void say_unpriced(const struct invocation *invocation, const struct job *yours)
{
	const struct setting *device = &yours->settings.items[FIELD_CLUSTER_GPU];

	if (!invocation->quiet)
		outward_say("search: yours has no place: --price does not say what its device "
			    "costs (--price %s=PRICE,...)",
			    setting_known(device) ? device->text : "NAME");
}

/* As if it were a site of its own: it may have other ranks, and other tokens in a step. */
static void judge_yours(const struct invocation *invocation, const struct search_request *request,
			struct search *search, const struct sites_request *sites, struct job *yours)
{
	const struct site *first = search->space.sites.items[0];
	struct site site = *first;

	search->yours = yours;
	if (!yours->world || !yours->model)
		return;
	if (!search_request_price(request, search, &site, yours)) {
		say_unpriced(invocation, yours);
		return;
	}
	site.world = yours->world;
	site.batch = site_batch(yours);
	if (site.batch < 1)
		return;
	site.scale = site_tokens(first) /
		     ((double)site.batch * (double)setting_int(&yours->settings, FIELD_SEQ_LEN, 1));
	search->current = outcome_of_job(&search->space, &search->aim, &site, yours);
	search_exclude(search, sites);
}

/* Whether what is varied asks for other batches of the optimizer. */
static bool changes_batch(const struct sites_request *sites)
{
	size_t i;

	for (i = 0; i < sites->varied.count; i++)
		if (sites->varied.items[i].field == FIELD_GLOBAL_BATCH_SIZE ||
		    sites->varied.items[i].field == FIELD_GRADIENT_ACCUMULATION)
			return true;
	return false;
}

static void decide(const struct search_request *request, struct search *search,
		   struct passage *passage)
{
	const char *trouble;

	passage->jobs = search_jobs(request, search);
	search_shard(search->arena, request, passage);
	trouble = search_decide(search, passage);
	if (trouble)
		die("search: %s", trouble);
}

void search_open(struct one *one, const struct invocation *invocation,
		 struct search_request *request)
{
	struct arena *arena = invocation->arena;
	struct search *search = one->search = arena_new(arena, struct search);
	struct sites_request sites = { 0 };
	struct findings *findings = arena_new(arena, struct findings);
	struct job *yours;
	const char *trouble;
	bool file;

	search->arena = search->space.arena = arena;
	search->parplan = VERSION;
	findings_init(findings, arena);
	search_request_read(invocation, request, search, &sites);
	file = !sites.overrides->text;
	search->own = one->own = open_own(invocation, request, search, &sites);
	yours = one->own->readable ? sites_complete(arena, &sites, one->own) : one->own;
	if (!sites.kept && yours->readable && !changes_batch(&sites))
		sites.kept = site_batch(yours);
	sites_read(&search->space, &sites, findings, &trouble);
	one->broken = !one->own->readable ? one->own
		      : findings_count(findings, SEVERITY_ERROR)
			      ? &search->space.sites.items[0]->job
			      : NULL;
	if (one->broken)
		return;
	if (trouble)
		die("search: %s", trouble);
	search_refuse_nodes(invocation, &search->space);
	search_request_prices(request, search);
	config_warn(invocation, one->own);
	search->yours = one->own;
	if (file && !request->lost.count) /* else nobody has such a config */
		judge_yours(invocation, request, search, &sites, yours);
}

void search_conclude(struct one *one, const struct invocation *invocation,
		     const struct search_request *request)
{
	double seconds = 0;

	one->passage.progress = meter_layouts;
	one->passage.context = invocation->meter;
	if (request->time_limit &&
	    (!text_to_double(request->time_limit, &seconds) || !(seconds > 0)))
		die("search: --time-limit takes seconds, not '%s'", request->time_limit);
	if (!request->parts)
		search_watch(one->search, seconds);
	search_prepare(one->search);
	if (request->shard && search_must_stop(one->search))
		die("search: it was stopped while it was prepared, which is the same for all "
		    "parts: this is no part of them. Give it more seconds");
	if (request->parts)
		parts_add(request->parts, one->search, one->own);
	else
		decide(request, one->search, &one->passage);
	search_finish(one->search);
}

void search_result(struct one *one)
{
	one->result = arena_new(one->search->arena, struct result);
	result_make(one->result, one->search);
}
