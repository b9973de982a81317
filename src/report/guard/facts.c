#include "base/json.h"
#include "report/guard/guard.h"

#include <string.h>

struct writer {
	struct json_writer json;
	const struct job *job;
	const struct plan *plan;
	bool lines; /* each fact on a line of its own */
};

static void break_line(struct writer *w)
{
	if (w->lines)
		buf_char(w->json.out, '\n');
}

static void layout_members(struct writer *w, const struct layout *layout)
{
	json_ints(&w->json, "sizes", layout->size, layout->modes);
	json_ints(&w->json, "strides", layout->stride, layout->modes);
}

static void layout_object(struct writer *w, const char *key, const struct layout *layout)
{
	json_object(&w->json, key);
	layout_members(w, layout);
	json_object_end(&w->json);
}

static void put_frameworks(struct writer *w)
{
	const struct versions *versions = &w->job->versions;
	size_t i;

	json_array(&w->json, "framework");
	for (i = 0; i < versions->list.count; i++) {
		json_object(&w->json, NULL);
		json_string(&w->json, "name", versions->list.items[i].framework);
		json_string(&w->json, "version", versions->list.items[i].label);
		json_object_end(&w->json);
	}
	json_array_end(&w->json);
}

/* Communicators of two ranks and more; what is not made for real is left out. */
static void put_meshes(struct writer *w)
{
	size_t i;

	json_array(&w->json, "meshes");
	for (i = 0; i < w->plan->meshes.count; i++) {
		const struct mesh *mesh = &w->plan->meshes.items[i];
		if (!mesh->exists || layout_size(&mesh->layout) < 2 ||
		    (mesh->backend && !strcmp(mesh->backend, "fake")))
			continue;
		break_line(w);
		json_object(&w->json, NULL);
		json_string(&w->json, "name", mesh->name);
		layout_members(w, &mesh->layout);
		guard_keys(&w->json, w->job, &mesh->name, 1);
		json_object_end(&w->json);
	}
	json_array_end(&w->json);
}

/* torchft's replicas are jobs of their own: nothing in this one can tell who they are. */
static void put_sharding(struct writer *w, const char *of, const struct sharding *sharding)
{
	const bool elsewhere = w->plan->dense.strategy == STRATEGY_HSDP_FT;
	int i;

	break_line(w);
	json_object(&w->json, NULL);
	json_string(&w->json, "of", of);
	json_array(&w->json, "mesh");
	for (i = 0; i < sharding->mesh_count; i++)
		json_string(&w->json, NULL, sharding->mesh[i]);
	json_array_end(&w->json);
	layout_object(w, "shard", &sharding->shard);
	if (elsewhere)
		json_null(&w->json, "replicate");
	else
		layout_object(w, "replicate", &sharding->replicate);
	guard_keys(&w->json, w->job, sharding->mesh, sharding->mesh_count);
	json_object_end(&w->json);
}

static void put_fully_shard(struct writer *w)
{
	json_array(&w->json, "fully_shard");
	if (w->plan->dense.strategy != STRATEGY_NONE)
		put_sharding(w, "parameters", &w->plan->dense);
	if (w->plan->dense.strategy != STRATEGY_NONE && w->plan->has_expert)
		put_sharding(w, "experts", &w->plan->expert);
	json_array_end(&w->json);
}

/* "moe.experts." of layers.3.moe.experts.w1: how an expert's weight is told by its name. */
static void put_experts(struct writer *w)
{
	const char *last = NULL;
	size_t i;

	json_array(&w->json, "experts");
	for (i = 0; i < w->plan->parameters.count; i++) {
		const struct parameter *parameter = w->plan->parameters.items[i].parameter;
		const char *from = parameter->fqn, *end = strrchr(from, '.');
		int dots;

		for (dots = 0; parameter->layer >= 0 && dots < 2 && strchr(from, '.'); dots++)
			from = strchr(from, '.') + 1;
		if (!parameter->expert || !end || end < from)
			continue;
		from = arena_strndup(w->job->arena, from, (size_t)(end - from) + 1);
		if (!last || strcmp(last, from) != 0)
			json_string(&w->json, NULL, from);
		last = from;
	}
	json_array_end(&w->json);
}

static void put_dims(struct writer *w, const struct sharded *s)
{
	const bool ddp = w->plan->dense.strategy == STRATEGY_DDP;
	int i;

	json_array(&w->json, "mesh");
	for (i = 0; i < s->dims; i++) {
		const struct mesh_dim *dim = &s->dim[i];
		const bool cuts = dim->placement.kind == PLACE_SHARD ||
				  dim->placement.kind == PLACE_STRIDED_SHARD;

		if (ddp && dim->layout == &w->plan->dense.replicate)
			continue;
		json_object(&w->json, NULL);
		json_string(&w->json, "name", dim->name);
		layout_members(w, dim->layout);
		if (cuts)
			json_int(&w->json, "cuts", dim->placement.dim);
		else
			json_null(&w->json, "cuts");
		json_object_end(&w->json);
	}
	json_array_end(&w->json);
}

static void put_sample(struct writer *w, const struct guard_sample *sample)
{
	const struct sharded *s = sample->sharded;
	const char *names[MESH_AXES];
	int64_t pp_rank = 0;
	int i;

	if ((size_t)s->stage < w->plan->stages.count)
		pp_rank = w->plan->stages.items[s->stage].pp_rank;
	for (i = 0; i < s->dims; i++)
		names[i] = s->dim[i].name;
	break_line(w);
	json_object(&w->json, NULL);
	json_string(&w->json, "fqn", s->parameter->fqn);
	json_string(&w->json, "kind", sample->kind);
	json_int(&w->json, "pp_rank", pp_rank);
	json_ints(&w->json, "shape", s->parameter->shape, s->parameter->dims);
	put_dims(w, s);
	json_bool(&w->json, "even", sample->even);
	guard_keys(&w->json, w->job, names, s->dims);
	json_object_end(&w->json);
}

static void put_samples(struct writer *w)
{
	struct guard_samples samples = guard_samples(w->job);
	size_t i;

	json_array(&w->json, "samples");
	for (i = 0; i < samples.list.count; i++)
		put_sample(w, &samples.list.items[i]);
	json_array_end(&w->json);
}

void report_guard_json(const struct job *job, struct buf *out, bool lines)
{
	struct writer w = { .job = job, .plan = job->applied, .lines = lines };
	const struct mesh *pp = plan_mesh(job->applied, "pp");

	json_begin(&w.json, out);
	json_object(&w.json, NULL);
	json_string(&w.json, "schema", "parplan.guard/1");
	json_string(&w.json, "config", job->document.source->path);
	json_int(&w.json, "world_size", w.plan->world);
	put_frameworks(&w);
	json_string(&w.json, "strategy", strategy_name(w.plan->dense.strategy));
	if (pp && layout_size(&pp->layout) > 1)
		layout_object(&w, "pp", &pp->layout);
	else
		json_null(&w.json, "pp");
	break_line(&w);
	put_meshes(&w);
	break_line(&w);
	put_fully_shard(&w);
	put_experts(&w);
	break_line(&w);
	put_samples(&w);
	json_object_end(&w.json);
}
