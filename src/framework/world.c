#include "framework/world.h"

#include "base/number.h"
#include "base/text.h"
#include "framework/job_topology.h"
#include "input/launch/launched.h"
#include "input/node.h"
#include "input/project.h"

#include <inttypes.h>
#include <string.h>

const struct rule_id rule_world_out_of_range = {
	.name = "world-out-of-range",
	.code = "W001",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_RUN,
	.summary = "the number of ranks is not a number from 1 to 2^30",
	.explanation =
		"A job has at least one rank, and parplan accepts at most 1,073,741,824. Without "
		"a usable number it checks nothing that depends on it.",
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
		"cluster.gpus_per_node. When a file gives both and they differ, an edit changed "
		"only one of them; parplan uses world. More ranks than devices cannot communicate "
		"(NCCL: \"Duplicate GPU detected\"), fewer leave devices idle.",
	.remedy = "Delete world, or correct the cluster.",
	.source = "NVIDIA/nccl@v2.27.3 src/init.cc, Duplicate GPU detected",
};

/* True for a degree that follows from a global batch. */
static bool follows_batch(const struct setting *degree)
{
	return degree->origin == ORIGIN_DERIVED && degree->parent_count &&
	       degree->parents[0]->field == FIELD_GLOBAL_BATCH_SIZE;
}

/*
 * Whether the batch fixes data parallelism, and nothing but sp is beside it: DeepSpeed takes the
 * ranks divided by sequence_parallel_size for those of data parallelism only where no other
 * library hands it groups (deepspeed@edaa7221 runtime/config.py, DeepSpeedConfig.__init__).
 */
static bool batch_fixes(const struct settings *settings)
{
	return setting_given(&settings->items[FIELD_SP]) &&
	       (follows_batch(&settings->items[FIELD_DP_REPLICATE]) ||
		follows_batch(&settings->items[FIELD_DP_SHARD]));
}

/* A degree, or 0: it is not known, or the rest of the world (-1). */
static int64_t fixed_size(const struct setting *degree)
{
	return setting_known(degree) && degree->integer > 0 ? degree->integer : 0;
}

/* Nobody said, but every degree is fixed: there is only one world they fit. */
static void derive_world(struct job *job)
{
	static const enum field_id factors[] = { FIELD_CP, FIELD_TP, FIELD_PP, FIELD_DP_REPLICATE };
	const struct settings *settings = &job->settings;
	bool total = setting_given(&settings->items[FIELD_DP]);
	const struct setting *shard = &settings->items[total ? FIELD_DP : FIELD_DP_SHARD];
	const size_t count = sizeof(factors) / sizeof(factors[0]) - total; /* it has replicas */
	bool fixed = setting_given(shard) ||
		     (!total && setting_given(&settings->items[FIELD_DP_REPLICATE])) ||
		     (!total && batch_fixes(settings));
	int64_t product = fixed ? fixed_size(shard) : 0;
	struct setting *world;
	size_t i;

	for (i = 0; i < count; i++)
		product = multiply(product, fixed_size(&settings->items[factors[i]]));
	product = multiply(product, setting_int(settings, FIELD_SP, 1));
	product = multiply(product, plan_gathering_ranks(settings, FIELD_WEIGHT_SHARDS,
							 setting_int(settings, FIELD_TP, 1)));
	if (product < 1 || product > WORLD_MAX)
		return;
	world = settings_put_int(&job->settings, job->arena, FIELD_WORLD, product, ORIGIN_DERIVED);
	world->note = "the product of the degrees";
	setting_from(world, shard);
	for (i = 0; i < count; i++)
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

int64_t world_of_devices(const struct settings *settings)
{
	const struct setting *list = &settings->items[FIELD_CLUSTER_DEVICES];
	const struct node *item;
	int64_t sum = 0;

	if (!setting_known(list) || !list->node || list->node->kind != NODE_LIST)
		return 0;
	for (item = list->node->first; item; item = item->next) {
		if (item->kind != NODE_SCALAR || item->type != SCALAR_INT || item->integer < 0 ||
		    item->integer > WORLD_MAX || sum > WORLD_MAX)
			return 0;
		sum += item->integer;
	}
	return sum;
}

static void derive_from(struct job *job, int64_t ranks, const struct setting *parent,
			const struct setting *other, const char *note)
{
	struct setting *world =
		settings_put_int(&job->settings, job->arena, FIELD_WORLD, ranks, ORIGIN_DERIVED);

	world->span = parent->span;
	world->note = note;
	setting_from(world, parent);
	if (other)
		setting_from(world, other);
}

/* What the file says besides `world`: the launcher, the devices of each node, nodes times devices.
 */
static void derive_from_file(struct job *job)
{
	struct settings *settings = &job->settings;
	const struct setting *nodes = settings_of(settings, FIELD_CLUSTER_NODES);
	const struct setting *devices = settings_of(settings, FIELD_CLUSTER_GPUS_PER_NODE);
	const struct setting *from;
	int64_t launched = world_launched(settings, &from), sum = world_of_devices(settings);

	if (launched > 0 && launched <= WORLD_MAX)
		derive_from(job, launched, from, NULL, "the launcher's processes");
	else if (sum)
		derive_from(job, sum, settings_of(settings, FIELD_CLUSTER_DEVICES), NULL,
			    "the sum of cluster.devices");
	else if (setting_known(nodes) && setting_known(devices) && nodes->integer > 0 &&
		 devices->integer > 0 && nodes->integer <= INT64_MAX / devices->integer)
		derive_from(job, nodes->integer * devices->integer, nodes, devices,
			    "cluster.nodes * cluster.gpus_per_node");
}

/* True where the config, or who calls, says something of the machines that tells a world. */
static bool says_itself(const struct settings *settings)
{
	static const enum field_id fields[] = { FIELD_CLUSTER_NODES, FIELD_CLUSTER_DEVICES,
						FIELD_CLUSTER_HOSTS };
	const struct setting *from;
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (setting_given(&settings->items[fields[i]]))
			return true;
	return world_launched(settings, &from) > 0;
}

/* The project's settings have the last word, and one by which no launch line is overruled. */
static bool take_project(struct job *job)
{
	const struct overrides *overrides = job->document.overrides;

	return overrides && !says_itself(&job->settings) &&
	       project_world(overrides->project, job->arena, job->document.source->place,
			     &job->settings);
}

static void override_world(struct job *job)
{
	struct setting *world = settings_of(&job->settings, FIELD_WORLD), *before = NULL;

	if (setting_known(world)) {
		before = arena_new(job->arena, struct setting);
		*before = *world;
	}
	world = settings_put_int(&job->settings, job->arena, FIELD_WORLD,
				 job->document.overrides->world, ORIGIN_SET);
	world->note = job->document.overrides->world_by;
	if (!world->note)
		world->note = "--world";
	world->overridden = before;
}

void world_find(struct job *job)
{
	struct setting *world = settings_of(&job->settings, FIELD_WORLD);

	if (job->document.overrides && job->document.overrides->world)
		override_world(job);
	else if (!setting_known(world) && !take_project(job))
		derive_from_file(job);
	if (!setting_known(world))
		derive_world(job);
	job_world_of_hosts(job);
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
