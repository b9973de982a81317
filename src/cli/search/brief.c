#include "cli/search/brief.h"

#include "cli/meter.h"
#include "search/candidate.h"
#include "search/result.h"
#include "search/site.h"
#include "search/sites.h"
#include "search/workers.h"

#include <unistd.h>

enum { TOP = 10 };

static const char *decide(const struct invocation *invocation, struct search *search)
{
	const long cores = sysconf(_SC_NPROCESSORS_ONLN);
	struct passage passage = { .jobs = cores > 1 ? (size_t)cores : 1,
				   .progress = meter_layouts,
				   .context = invocation->meter };
	const char *trouble;

	search_watch(search, 0);
	search_prepare(search);
	trouble = search_decide(search, &passage);
	if (!trouble)
		search_finish(search);
	return trouble;
}

static void put_found(const struct search *search, const struct result *result,
		      struct subject *subject)
{
	struct found *found =
		arena_array(search->arena, result->proposals.count + 1, sizeof(*found));
	size_t i;

	for (i = 0; i < result->proposals.count; i++) {
		const struct proposal *proposal = &result->proposals.items[i];
		const struct candidate candidate =
			space_candidate(&search->space, proposal->outcome.number);
		found[i] = (struct found) {
			.time = proposal->outcome.time,
			.memory = proposal->outcome.memory,
			.front = proposal->front,
			.name = candidate_text(&search->space, &candidate, search->arena),
		};
		subject->capacity = proposal->outcome.capacity;
	}
	subject->found_count = result->proposals.count;
	if (subject->found_count && search->current.time > 0)
		found[subject->found_count++] = (struct found) { .time = search->current.time,
								 .memory = search->current.memory,
								 .own = true,
								 .name = "the config as it is" };
	subject->found = found;
}

const char *search_brief(const struct invocation *invocation, const char *path,
			 const struct overrides *overrides, struct subject *subject)
{
	struct arena *arena = invocation->arena;
	struct search *search = arena_new(arena, struct search);
	struct sites_request request = { .path = path, .overrides = overrides };
	struct result *result = arena_new(arena, struct result);
	struct findings *findings = arena_new(arena, struct findings);
	struct job *own = arena_new(arena, struct job);
	const char *trouble;

	search->arena = search->space.arena = arena;
	search->aim.risk = 0.1;
	search->top = TOP;
	findings_init(findings, arena);
	trouble = job_read(own, arena, path, overrides, findings);
	if (!trouble)
		sites_read(&search->space, &request, findings, &trouble);
	if (!trouble && findings_count(findings, SEVERITY_ERROR))
		trouble = "the config has errors (parplan check tells them)";
	if (trouble)
		return trouble;
	search->own = search->yours = own;
	search->current =
		outcome_of_job(&search->space, &search->aim, search->space.sites.items[0], own);
	trouble = decide(invocation, search);
	if (trouble)
		return trouble;
	result_make(result, search);
	put_found(search, result, subject);
	return NULL;
}
