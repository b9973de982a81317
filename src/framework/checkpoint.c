#include "framework/checkpoint.h"

#include "base/bounds.h"
#include "base/number.h"
#include "base/text.h"
#include "framework/torch/dcp.h"

#include <inttypes.h>
#include <string.h>

static int64_t at_least_one(int64_t degree)
{
	return degree > 0 ? degree : 1;
}

struct degrees degrees_of_job(const struct job *job)
{
	const struct degrees *plan = &job->applied->degrees;
	struct degrees degrees = {
		.dp = at_least_one(plan->dp),
		.dp_replicate = at_least_one(plan->dp_replicate),
		.dp_shard = at_least_one(plan->dp_shard),
		.cp = at_least_one(plan->cp),
		.tp = at_least_one(plan->tp),
		.pp = at_least_one(plan->pp),
		.ep = at_least_one(plan->ep),
		.etp = at_least_one(plan->etp),
	};

	return degrees;
}

/* One axis "dp" up to db6b39acd, two from then on. */
static int64_t data_parallel(const struct degrees *degrees)
{
	int64_t both = multiply(degrees->dp_replicate, degrees->dp_shard);

	return both > degrees->dp ? both : degrees->dp;
}

int64_t loaders_of_job(const struct job *job)
{
	struct degrees degrees = degrees_of_job(job);
	int64_t replicas = 1;

	if (setting_bool(&job->settings, FIELD_FT_ENABLED, false))
		replicas = setting_int(&job->settings, FIELD_FT_GROUP_SIZE, 1);
	return multiply(data_parallel(&degrees), at_least_one(replicas));
}

/* Takes over what a config wrote, or says why it tells too little. */
static void adopt(struct checkpoint *checkpoint, const struct job *from)
{
	if (!from->readable)
		checkpoint->trouble = "it is no config that could be read";
	else if (!from->world)
		checkpoint->trouble = "its number of ranks is not known";
	else if (from->applied->error)
		checkpoint->trouble = "its job would not have started";
	if (checkpoint->trouble)
		return;
	checkpoint->source = CHECKPOINT_CONFIG;
	checkpoint->dated = true;
	checkpoint->from = from;
	checkpoint->degrees = degrees_of_job(from);
	checkpoint->loaders = loaders_of_job(from);
}

/* Names `dataloader.dp_rank_N` as many as there were loaders; a checkpoint without any has 0. */
static int64_t loaders_in(const struct dcp_metadata *metadata)
{
	static const char prefix[] = "dataloader.dp_rank_";
	int64_t most = -1, number;
	size_t i, entries = metadata->tensors.count + metadata->blobs.count;

	for (i = 0; i < entries; i++) {
		const char *fqn = i < metadata->tensors.count
					  ? metadata->tensors.items[i].fqn
					  : metadata->blobs.items[i - metadata->tensors.count].fqn;
		const char *digits = fqn + strlen(prefix);
		if (text_starts(fqn, prefix) && text_digits(&digits, 9, &number) && number > most)
			most = number;
	}
	return most + 1;
}

/* The metadata file that a path is or, as a folder, holds; NULL when it is neither. */
static const char *metadata_path(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/'), *inside;

	if (!strcmp(slash ? slash + 1 : path, ".metadata") || text_ends(path, ".metadata"))
		return path;
	inside = arena_join(arena, path, text_ends(path, "/") ? "" : "/", ".metadata");
	return io_exists(inside) ? inside : NULL;
}

enum { METADATA_BYTES = 1 << 30 };

static const char *read_metadata(struct checkpoint *checkpoint, struct arena *arena,
				 const char *path)
{
	struct dcp_metadata *metadata = arena_new(arena, struct dcp_metadata);
	struct io_text file = io_read(arena, path, METADATA_BYTES);
	const char *trouble;

	if (!file.text)
		return arena_printf(arena, "cannot read '%s': %s", path, file.error);
	trouble = dcp_metadata_read(metadata, arena, file.text, file.length);
	if (trouble)
		return arena_printf(arena, "'%s' is no checkpoint's metadata: %s", path, trouble);
	checkpoint->source = CHECKPOINT_METADATA;
	checkpoint->metadata = metadata;
	checkpoint->loaders = loaders_in(metadata);
	return NULL;
}

void checkpoint_read(struct checkpoint *checkpoint, struct arena *arena, const char *path,
		     const struct overrides *overrides, struct findings *findings)
{
	struct job *from = arena_new(arena, struct job);
	const char *trouble, *metadata = metadata_path(arena, path);

	memset(checkpoint, 0, sizeof(*checkpoint));
	checkpoint->name = path;
	checkpoint->loaders = -1;
	checkpoint->path = metadata ? metadata : path;
	if (metadata) {
		checkpoint->trouble = read_metadata(checkpoint, arena, metadata);
		return;
	}
	trouble = job_read(from, arena, path, overrides, findings);
	if (trouble)
		checkpoint->trouble = trouble;
	else
		adopt(checkpoint, from);
}

/* The path of another file, as seen from this config's folder. */
static const char *beside(const struct job *job, const char *path)
{
	const char *own = job->document.source->place, *slash = strrchr(own, '/');

	if (*path == '/' || !slash)
		return path;
	return arena_printf(job->arena, "%.*s%s", (int)(slash - own + 1), own, path);
}

static void read_path(struct checkpoint *checkpoint, const struct job *job, const char *path,
		      bool said)
{
	struct findings *findings = arena_new(job->arena, struct findings);

	findings_init(findings, job->arena);
	if (!said && !bounds_hold(job->document.bounds, beside(job, path))) {
		memset(checkpoint, 0, sizeof(*checkpoint));
		checkpoint->path = beside(job, path);
		checkpoint->loaders = -1;
		checkpoint->trouble = bounds_outside;
	} else {
		checkpoint_read(checkpoint, job->arena, beside(job, path), NULL, findings);
	}
	checkpoint->name = path;
}

/* A degree in the map of checkpoint.resume; 1 when it does not say. */
static int64_t listed_degree(const struct node *resume, const char *key)
{
	const struct node *member = node_member(resume, key);

	return member && member->kind == NODE_SCALAR && member->type == SCALAR_INT
		       ? at_least_one(member->integer)
		       : 1;
}

static struct degrees listed_degrees(const struct node *resume)
{
	struct degrees degrees = {
		.dp = listed_degree(resume, "dp"),
		.dp_replicate = listed_degree(resume, "dp_replicate"),
		.dp_shard = listed_degree(resume, "dp_shard"),
		.cp = listed_degree(resume, "cp"),
		.tp = listed_degree(resume, "tp"),
		.pp = listed_degree(resume, "pp"),
		.ep = listed_degree(resume, "ep"),
		.etp = listed_degree(resume, "etp"),
	};

	return degrees;
}

static void set_degree(struct arena *arena, struct overrides *overrides, const char *key,
		       int64_t value)
{
	vec_push(arena, &overrides->sets,
		 arena_printf(arena, "parallelism.%s=%" PRId64, key, value));
}

/* The versions the job is judged by; companions follow of themselves. */
static void pin_as_job(struct overrides *overrides, const struct job *job)
{
	size_t i;

	for (i = 0; i < job->versions.list.count; i++) {
		const struct version *version = &job->versions.list.items[i];
		struct pin pin = { .framework = version->framework, .origin = ORIGIN_DERIVED };
		pin.version = version->label;
		pin.span = version->span;
		if (version->origin != VERSION_COMPANION)
			vec_push(job->arena, &overrides->pins, pin);
	}
}

/* checkpoint.resume.framework: "torchtitan@v0.1.0", or a map as at the top level. */
static void pin_listed(struct arena *arena, struct overrides *overrides, const struct node *resume)
{
	const struct node *node = node_member(resume, "framework"), *child;
	struct pin pin = { .origin = ORIGIN_GIVEN };
	const char *at;

	if (node && node->kind == NODE_SCALAR && (at = strchr(node->text, '@'))) {
		pin.framework = arena_strndup(arena, node->text, (size_t)(at - node->text));
		pin.version = at + 1;
		pin.span = node->span;
		vec_push(arena, &overrides->pins, pin);
	}
	if (!node || node->kind != NODE_MAP)
		return;
	for (child = node->first; child; child = child->next) {
		pin.framework = child->key;
		pin.version = child->kind == NODE_SCALAR ? child->text : "";
		pin.span = child->span;
		vec_push(arena, &overrides->pins, pin);
	}
}

/* What is laid over the new config to have the one that wrote the checkpoint. */
static struct overrides *as_written(const struct job *job, const struct node *resume,
				    const struct degrees *degrees)
{
	struct overrides *overrides = arena_new(job->arena, struct overrides);
	const struct overrides *given = job->document.overrides;
	struct arena *arena = job->arena;
	size_t i;

	for (i = 0; i < given->sets.count; i++)
		vec_push(arena, &overrides->sets, given->sets.items[i]);
	for (i = 0; i < given->pins.count; i++)
		vec_push(arena, &overrides->pins, given->pins.items[i]);
	for (i = 0; i < given->words.count; i++)
		vec_push(arena, &overrides->words, given->words.items[i]);
	pin_as_job(overrides, job);
	pin_listed(arena, overrides, resume);
	if (node_member(resume, "dp"))
		set_degree(arena, overrides, "dp", degrees->dp);
	set_degree(arena, overrides, "dp_replicate", degrees->dp_replicate);
	if (!node_member(resume, "dp"))
		set_degree(arena, overrides, "dp_shard", degrees->dp_shard);
	set_degree(arena, overrides, "cp", degrees->cp);
	set_degree(arena, overrides, "tp", degrees->tp);
	set_degree(arena, overrides, "pp", degrees->pp);
	set_degree(arena, overrides, "ep", degrees->ep);
	if (node_member(resume, "etp"))
		set_degree(arena, overrides, "etp", degrees->etp);
	overrides->world = multiply(multiply(data_parallel(degrees), degrees->cp),
				    multiply(degrees->tp, degrees->pp));
	overrides->text = job->document.source->text;
	overrides->project = given->project;
	return overrides;
}

static void read_map(struct checkpoint *checkpoint, const struct job *job, const struct node *map)
{
	struct findings *findings = arena_new(job->arena, struct findings);
	struct job *from = arena_new(job->arena, struct job);
	struct degrees degrees = listed_degrees(map);

	findings_init(findings, job->arena);
	checkpoint->source = CHECKPOINT_DEGREES;
	checkpoint->name = "checkpoint.resume";
	checkpoint->degrees = degrees;
	checkpoint->dated = node_member(map, "framework") != NULL;
	checkpoint->loaders = data_parallel(&degrees);
	if (setting_bool(&job->settings, FIELD_FT_ENABLED, false))
		checkpoint->loaders =
			multiply(checkpoint->loaders,
				 at_least_one(setting_int(&job->settings, FIELD_FT_GROUP_SIZE, 1)));
	if (!job_read(from, job->arena, job->document.source->path, as_written(job, map, &degrees),
		      findings) &&
	    from->readable && from->world)
		checkpoint->from = from;
}

const struct checkpoint *checkpoint_of_other(const struct checkpoint *checkpoint)
{
	return checkpoint && checkpoint->source != CHECKPOINT_DEGREES ? checkpoint : NULL;
}

void checkpoint_of_job(struct job *job)
{
	const struct setting *resume = &job->settings.items[FIELD_CHECKPOINT_RESUME];
	const struct node *node = resume->node, *path = NULL;
	struct checkpoint *checkpoint;

	if (job->checkpoint || !setting_known(resume))
		return;
	checkpoint = arena_new(job->arena, struct checkpoint);
	job->checkpoint = checkpoint;
	checkpoint->loaders = -1;
	checkpoint->name = "checkpoint.resume";
	if (node && node->kind == NODE_MAP)
		path = node_member(node, "path");
	else if (node && node->kind == NODE_SCALAR)
		path = node;
	if (path && path->kind == NODE_SCALAR)
		read_path(checkpoint, job, path->text, resume->origin == ORIGIN_SET);
	else if (node && node->kind == NODE_MAP)
		read_map(checkpoint, job, node);
	else
		checkpoint->trouble = "it is neither a map of degrees nor a path";
	checkpoint->span = resume->span;
}
