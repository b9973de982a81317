#include "framework/job.h"

#include "base/number.h"

#include <inttypes.h>
#include <string.h>

#define X(name) extern const struct framework framework_##name;
#include "frameworks.inc"
#undef X

const struct framework *const frameworks[] = {
#define X(name) &framework_##name,
#include "frameworks.inc"
#undef X
	NULL
};

const struct rule_id rule_world_out_of_range = {
	.name = "world-out-of-range",
	.code = "W001",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_RUN,
	.summary = "the number of ranks is not a number from 1 to 2^30",
	.explanation =
		"A job has at least one rank, and nothing larger than 1,073,741,824 ranks is "
		"looked at. Without a usable number nothing that depends on it is judged.",
	.remedy = "Give the number of ranks: nodes times devices per node.",
	.source = "parplan's own limit",
};

const struct rule_id rule_world_not_cluster = {
	.name = "world-not-cluster",
	.code = "W003",
	.severity = SEVERITY_WARNING,
	.evidence = EVIDENCE_READ,
	.summary = "world is not the number of devices of the cluster",
	.explanation =
		"world counts ranks, one per device, so it should be cluster.nodes times "
		"cluster.gpus_per_node. When a file gives both and they differ, one of them was "
		"left "
		"behind by an edit; world is the one that counts. More ranks than devices cannot "
		"communicate (NCCL: \"Duplicate GPU detected\"), fewer leave devices idle.",
	.remedy = "Delete world, or correct the cluster.",
	.source = "NVIDIA/nccl@v2.27.3 src/init.cc, Duplicate GPU detected",
};

/* Nobody said, but every degree is fixed: there is only one world they fit. */
static void derive_world(struct job *job)
{
	static const enum field_id factors[] = { FIELD_DP_REPLICATE, FIELD_CP, FIELD_TP, FIELD_PP };
	const struct settings *settings = &job->settings;
	bool total = setting_given(&settings->items[FIELD_DP]);
	const struct setting *shard = &settings->items[total ? FIELD_DP : FIELD_DP_SHARD];
	int64_t product = setting_given(shard) && setting_known(shard) ? shard->integer : 0;
	struct setting *world;
	size_t i;

	for (i = 0; i < sizeof(factors) / sizeof(factors[0]); i++)
		product = multiply(product, setting_int(settings, factors[i], 0));
	if (product < 1 || product > WORLD_MAX)
		return;
	world = settings_put_int(&job->settings, job->arena, FIELD_WORLD, product, ORIGIN_DERIVED);
	world->note = "the product of the degrees";
	setting_from(world, shard);
	for (i = 0; i < sizeof(factors) / sizeof(factors[0]); i++)
		if (setting_given(&settings->items[factors[i]]))
			setting_from(world, &settings->items[factors[i]]);
}

static void report_none(struct job *job, const struct setting *setting)
{
	finding_add(job->findings, &rule_world_out_of_range, setting->span,
		    "%s is %" PRId64 "; it must be 1 or more", field_of(setting->field)->key,
		    setting->integer);
}

/* The same file says how many ranks there are, and how many devices: they should agree. */
static void compare_with_cluster(struct job *job)
{
	const struct setting *nodes = settings_of(&job->settings, FIELD_CLUSTER_NODES);
	const struct setting *devices = settings_of(&job->settings, FIELD_CLUSTER_GPUS_PER_NODE);
	const struct setting *world = settings_of(&job->settings, FIELD_WORLD);
	int64_t product = 0;
	struct finding *finding;

	if (setting_known(nodes) && nodes->integer < 1)
		report_none(job, nodes);
	if (setting_known(devices) && devices->integer < 1)
		report_none(job, devices);
	if (world->origin == ORIGIN_GIVEN && setting_known(world) && setting_given(nodes) &&
	    setting_known(nodes) && setting_given(devices) && setting_known(devices))
		product = multiply(nodes->integer, devices->integer);
	if (product < 1 || product == world->integer)
		return;
	finding = finding_add(job->findings, &rule_world_not_cluster, world->span,
			      "world is %" PRId64 ", but the cluster has %" PRId64 " * %" PRId64
			      " = %" PRId64 " devices",
			      world->integer, nodes->integer, devices->integer, product);
	finding_relate(job->findings, finding, nodes->span, "nodes=%" PRId64, nodes->integer);
	finding_fix(job->findings, finding,
		    "write %" PRId64 " or delete the line; or correct the cluster", product);
}

/* --world wins over the file and the launch line, those over nodes times devices. */
static void find_world(struct job *job)
{
	struct settings *settings = &job->settings;
	const struct setting *nodes = settings_of(settings, FIELD_CLUSTER_NODES);
	const struct setting *devices = settings_of(settings, FIELD_CLUSTER_GPUS_PER_NODE);
	struct setting *world = settings_of(settings, FIELD_WORLD);
	const struct overrides *overrides = job->document.overrides;

	if (overrides && overrides->world) {
		struct setting *before = NULL;
		if (setting_known(world)) {
			before = arena_new(job->arena, struct setting);
			*before = *world;
		}
		world = settings_put_int(settings, job->arena, FIELD_WORLD, overrides->world,
					 ORIGIN_SET);
		world->note = "--world";
		world->overridden = before;
	} else if (!setting_known(world) && setting_known(nodes) && setting_known(devices) &&
		   nodes->integer > 0 && devices->integer > 0 &&
		   nodes->integer <= INT64_MAX / devices->integer) {
		world = settings_put_int(settings, job->arena, FIELD_WORLD,
					 nodes->integer * devices->integer, ORIGIN_DERIVED);
		world->span = nodes->span;
		world->note = "cluster.nodes * cluster.gpus_per_node";
		setting_from(world, nodes);
		setting_from(world, devices);
	}
	if (!setting_known(world))
		derive_world(job);
	compare_with_cluster(job);
	if (!setting_known(world))
		return;
	if (world->integer < 1 || world->integer > WORLD_MAX) {
		finding_add(job->findings, &rule_world_out_of_range, world->span,
			    "a world of %" PRId64 " ranks cannot be planned", world->integer);
		return;
	}
	job->world = world->integer;
	job->world_from = world;
}

static const struct framework *choose_framework(const struct job *job)
{
	const struct framework *const *row, *best = NULL;
	int claim, highest = 0;

	for (row = frameworks; *row; row++) {
		claim = (*row)->claims ? (*row)->claims(job) : 0;
		if (claim > highest) {
			highest = claim;
			best = *row;
		}
	}
	return best;
}

/* A framework nobody modelled: what the degrees mean is all there is to say. */
static void leave_unmodelled(const struct job *job, struct plan *plan)
{
	const char *framework = job->document.dialect->framework;

	if (!framework && job->versions.list.count)
		framework = job->versions.list.items[0].framework;
	plan->degrees = job->intended->degrees;
	plan->unmodelled = true;
	plan->unmodelled_why = arena_printf(
		job->arena, "What %s builds is not modelled: nothing beyond the degrees is known.",
		framework ? framework : "this framework");
}

/* Executes the job's config into a fresh plan. */
static void job_apply(struct job *job, struct plan *plan)
{
	plan->world = job->world;
	plan->requested = job->intended->requested;
	if (job->framework)
		job->framework->apply(job, plan);
	else
		leave_unmodelled(job, plan);
}

/* Builds with sanitizers also check what must hold of every plan; it costs too much elsewhere. */
static void check_plans(const struct job *job)
{
#ifdef __SANITIZE_ADDRESS__
	plan_check(job->intended);
	plan_check(job->applied);
#else
	(void)job;
#endif
}

/* The model by its numbers alone: no parameter, so nothing is placed. */
static struct model *outline(struct arena *arena, const struct model *model)
{
	struct model *copy;

	if (!model)
		return NULL;
	copy = arena_new(arena, struct model);
	*copy = *model;
	memset(&copy->parameters, 0, sizeof(copy->parameters));
	return copy;
}

static struct model *build_model(struct job *job)
{
	enum naming naming = NAMING_TITAN;

	if (job->framework && job->framework->naming)
		naming = job->framework->naming(job);
	return model_new(job->arena, &job->settings, naming, job->findings);
}

/* Everything after the document; `from`: in outline, with that job's model. */
static void derive(struct job *job, const struct job *from)
{
	struct document *document = &job->document;
	const char *framework = document->dialect->framework;
	const struct version *version;

	versions_resolve(&job->versions, document, job->findings);
	version = framework ? versions_find(&job->versions, framework) : NULL;
	settings_init(&job->settings);
	document->dialect->settle(document, version ? version->when : MOMENT_LATEST, &job->settings,
				  job->findings);
	find_world(job);
	job->framework = choose_framework(job);
	if (job->framework && job->framework->defaults)
		job->framework->defaults(job);
	job->model = from ? outline(job->arena, from->model) : build_model(job);
	job->intended = plan_intended(job->arena, &job->settings, job->world);
	job->applied = plan_new(job->arena, PLAN_APPLIED);
	job_apply(job, job->applied);
	check_plans(job);
	if (job->world && !job->applied->error && !job->applied->unmodelled)
		job->differences = plan_compare(job->arena, job->intended, job->applied);
}

const char *job_read(struct job *job, struct arena *arena, const char *path,
		     const struct overrides *overrides, struct findings *findings)
{
	const char *trouble;

	memset(job, 0, sizeof(*job));
	job->arena = arena;
	job->findings = findings;
	trouble = document_read(&job->document, arena, path, overrides, findings);
	if (trouble)
		return trouble;
	job->readable = job->document.root && job->document.dialect;
	if (job->readable)
		derive(job, NULL);
	return NULL;
}

void job_rederive(struct job *job, const struct job *from, struct pin pin,
		  struct findings *findings)
{
	size_t i;

	memset(job, 0, sizeof(*job));
	job->arena = from->arena;
	job->findings = findings;
	job->document = from->document;
	job->document.facts = NULL;
	job->readable = from->readable;
	memset(&job->document.pins, 0, sizeof(job->document.pins));
	for (i = 0; i < from->document.pins.count; i++)
		vec_push(job->arena, &job->document.pins, from->document.pins.items[i]);
	vec_push(job->arena, &job->document.pins, pin);
	if (job->readable)
		derive(job, from);
}
