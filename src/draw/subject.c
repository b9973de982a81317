#include "draw/subject.h"

#include "base/text.h"
#include "draw/axes.h"
#include "draw/carried.h"
#include "rules/judge.h"
#include "rules/rule.h"
#include "rules/traffic.h"
#include "sim/forecast.h"

#include <inttypes.h>
#include <string.h>

/* What joins the GPUs of a node, by how the device's name begins. */
static const struct {
	const char *gpu, *link;
} inside[] = {
	{ "mi", "Infinity Fabric" },
	{ "l4", "PCIe" },
	{ "t4", "PCIe" },
	{ "rtx", "PCIe" },
};

static const struct {
	const char *fabric, *words;
} between[] = {
	{ "ib", "InfiniBand" }, { "roce", "RoCE" },	      { "efa", "EFA" },
	{ "opa", "Omni-Path" }, { "slingshot", "Slingshot" },
};

static const char *inside_words(const struct settings *settings)
{
	const char *gpu = setting_text(settings, FIELD_CLUSTER_GPU, "");
	size_t i;

	if (text_ends(gpu, "pcie"))
		return "PCIe";
	for (i = 0; i < sizeof(inside) / sizeof(*inside); i++)
		if (text_starts(gpu, inside[i].gpu))
			return inside[i].link;
	return "NVLink";
}

static const char *between_words(const struct settings *settings)
{
	const char *fabric = setting_text(settings, FIELD_CLUSTER_FABRIC, "");
	size_t i;

	for (i = 0; i < sizeof(between) / sizeof(*between); i++)
		if (!strcmp(fabric, between[i].fabric))
			return between[i].words;
	return NULL;
}

/* The framework and torch; other companions are in `parplan plan`. */
static const char *versions_words(const struct job *job)
{
	const char *words = "";
	size_t i;

	for (i = 0; i < job->versions.list.count; i++) {
		const struct version *version = &job->versions.list.items[i];
		if (version->origin == VERSION_COMPANION &&
		    strcmp(version->framework, "torch") != 0)
			continue;
		words = arena_printf(job->arena, "%s%s%s %s", words, *words ? ", " : "",
				     version->framework, version->label);
	}
	return words;
}

/* The first remedy of an error that says what was requested and what is applied, else of any error.
 */
static const char *fix_of(const struct job *job)
{
	const char *fix = NULL;
	size_t i;

	for (i = 0; i < job->findings->list.count; i++) {
		const struct finding *finding = job->findings->list.items[i];
		const char *remedy = finding->fix ? finding->fix : finding->rule->remedy;
		if (finding->severity != SEVERITY_ERROR)
			continue;
		if (finding->requested)
			return remedy;
		fix = fix ? fix : remedy;
	}
	return fix;
}

/* The first error of a file that could not be read. */
static const char *unreadable(const struct job *job, const char *path)
{
	size_t i;

	for (i = 0; i < job->findings->list.count; i++) {
		const struct finding *finding = job->findings->list.items[i];
		if (finding->severity == SEVERITY_ERROR)
			return arena_printf(job->arena, "%s:%u: %s", path,
					    (unsigned int)finding->span.line, finding->message);
	}
	return arena_printf(job->arena, "%s: nothing in it can be drawn", path);
}

const char *subject_trouble(const struct job *job, const char *path)
{
	if (!job->readable)
		return unreadable(job, path);
	if (job->document.no_job)
		return arena_printf(job->arena, "%s is no training job: %s", path,
				    text_on_line(job->arena, job->document.no_job));
	if (!job->world)
		return arena_printf(job->arena,
				    "%s: the number of ranks is not known: give --world N, or "
				    "cluster.nodes and cluster.gpus_per_node",
				    path);
	if (job->world > 1 && !axes_of(job->intended).count && !axes_of(job->applied).count)
		return arena_printf(job->arena,
				    "%s: its degrees do not make a mesh of %" PRId64
				    " ranks; parplan check says why",
				    path, job->world);
	return NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!strcmp(path, "-"))
		return "stdin";
	return slash && slash[1] ? slash + 1 : path;
}

struct subject subject_of_job(struct arena *arena, struct job *job, const char *path)
{
	const struct settings *settings = &job->settings;

	return (struct subject) {
		.arena = arena,
		.name = base_name(path),
		.versions = versions_words(job),
		.requested = job->intended,
		.applied = job->framework ? job->applied : NULL,
		.cluster = cluster_of(job->topology, job->world),
		.rank_order = setting_text(settings, FIELD_CLUSTER_RANK_ORDER, NULL),
		.inside = inside_words(settings),
		.between = between_words(settings),
		.rows = job->differences.list.count ? traffic_rows(job) : NULL,
		.fix = fix_of(job),
	};
}

/* The account of a plan, and its forecast where there is one. */
static struct cost cost_of(struct arena *arena, struct job *job, const struct plan *plan)
{
	struct traffics *traffics = arena_new(arena, struct traffics);
	struct forecast *forecast;
	struct cost cost = { traffics, NULL };

	if (plan && plan == job->applied)
		cost.forecast = judge_raised(job) ? NULL : forecast_of(job);
	else if (plan) {
		forecast = arena_new(arena, struct forecast);
		cost.forecast = forecast_read(forecast, job, plan, NULL) ? NULL : forecast;
	}
	*traffics = cost.forecast ? cost.forecast->traffic : forecast_traffic(job, plan);
	return cost;
}

void subject_forecast(struct subject *subject, struct job *job)
{
	const struct plan *applied = subject->applied;
	bool drawn = applied && !applied->error && !applied->unmodelled;

	subject->costs[0] = cost_of(subject->arena, job, job_asked(job));
	subject->costs[1] = cost_of(subject->arena, job, job->applied);
	subject->forecast = subject->costs[1].forecast;
	subject->carried =
		carried_of(subject->arena, subject->costs[drawn].traffic, &subject->carried_count);
}
