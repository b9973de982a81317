#include "base/json.h"
#include "report/plan/words.h"
#include "report/plan/error.h"
#include "report/plan/held.h"
#include "report/plan/view.h"
#include "report/report.h"
#include "report/version_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What every part of the report needs. */
struct writer {
	struct json_writer json;
	const struct job *job;
	const struct plan *plan;
	const struct plan_view *view;
};

static void names(struct json_writer *json, const char *key, const char *const *list, int count)
{
	int i;

	json_array(json, key);
	for (i = 0; i < count; i++)
		json_string(json, NULL, list[i]);
	json_array_end(json);
}

static void layout_member(struct json_writer *json, const char *key, const struct layout *layout)
{
	json_object(json, key);
	json_ints(json, "sizes", layout->size, layout->modes);
	json_ints(json, "strides", layout->stride, layout->modes);
	json_object_end(json);
}

/* Every group with its members; null when there are too many ranks or they do not tile the world.
 */
static void groups_member(struct writer *w, const char *key, const struct layout *layout)
{
	struct layout starts;
	int64_t groups, size, g, i;

	if (w->plan->unmodelled || !plan_view_lists(w->view, w->plan) ||
	    !layout_complement(layout, w->plan->world, &starts)) {
		json_null(&w->json, key);
		return;
	}
	json_array(&w->json, key);
	groups = layout->modes ? layout_size(&starts) : 0;
	size = layout_size(layout);
	for (g = 0; g < groups; g++) {
		int64_t base = layout_offset(&starts, g);
		json_array(&w->json, NULL);
		for (i = 0; i < size; i++)
			json_int(&w->json, NULL, base + layout_offset(layout, i));
		json_array_end(&w->json);
	}
	json_array_end(&w->json);
}

/* ---- what the config says ---- */

/* A default is not said by the file, but one of -1 says that the world decides. */
static bool is_declared(const struct setting *setting)
{
	return setting_known(setting) &&
	       (setting->origin != ORIGIN_DEFAULT || setting->integer == -1);
}

static void declared(struct writer *w)
{
	const struct degree_row *row;

	json_object(&w->json, "declared");
	for (row = degree_rows; row->name; row++) {
		const struct setting *setting = &w->job->settings.items[row->field];
		if (is_declared(setting))
			json_int(&w->json, row->name, setting->integer);
		else if (row->always)
			json_null(&w->json, row->name);
	}
	json_object_end(&w->json);
}

static void degrees(struct writer *w)
{
	const struct degree_row *row;

	if (!w->plan->world) {
		json_null(&w->json, "degrees");
		return;
	}
	json_object(&w->json, "degrees");
	for (row = degree_rows; row->name; row++)
		if (setting_unresolved(&w->job->settings, row->field) ||
		    degree_shown(w->job, w->plan, row) < 0) {
			if (row->always)
				json_null(&w->json, row->name);
		} else if (degree_shown(w->job, w->plan, row)) {
			json_int(&w->json, row->name, degree_shown(w->job, w->plan, row));
		}
	json_object_end(&w->json);
}

static void frameworks_used(struct writer *w)
{
	const struct versions *versions = &w->job->versions;
	size_t i;

	json_array(&w->json, "framework");
	for (i = 0; i < versions->list.count; i++) {
		const struct version *version = &versions->list.items[i];
		json_object(&w->json, NULL);
		json_string(&w->json, "name", version->framework);
		json_string(&w->json, "version", version->label);
		if (version->epoch && *version->epoch)
			json_string(&w->json, "epoch", version->epoch);
		json_string(&w->json, "origin", version_origin(version->origin));
		if (version->origin == VERSION_INFERRED) {
			json_string(&w->json, "oldest", version->oldest);
			json_string(&w->json, "newest", version->newest);
		}
		json_object_end(&w->json);
	}
	json_array_end(&w->json);
}

/* ---- meshes ---- */

static void log_lines(struct writer *w)
{
	size_t i;

	json_array(&w->json, "log");
	for (i = 0; i < w->plan->log.count; i++)
		json_string(&w->json, NULL, w->plan->log.items[i]);
	json_array_end(&w->json);
}

static void view_member(struct json_writer *json, const char *key, const struct view *view)
{
	json_object(json, key);
	names(json, "names", view->names, view->axes);
	json_ints(json, "sizes", view->sizes, view->axes);
	json_object_end(json);
}

static void views(struct writer *w)
{
	size_t i;

	json_object(&w->json, "views");
	for (i = 0; i < w->plan->views.count; i++)
		view_member(&w->json, w->plan->views.items[i].name, &w->plan->views.items[i]);
	json_object_end(&w->json);
}

static void mesh_member(struct writer *w, const struct mesh *mesh)
{
	struct json_writer *json = &w->json;
	int64_t size = layout_size(&mesh->layout);

	json_object(json, mesh->name);
	json_int(json, "size", size);
	json_bool(json, "exists", mesh->exists);
	json_string(json, "backend", mesh->backend);
	json_bool(json, "flattened", mesh->flattened);
	names(json, "from", mesh->from, mesh->from_count);
	if (mesh->view)
		json_string(json, "view", mesh->view);
	layout_member(json, "layout", &mesh->layout);
	json_int(json, "count", size ? w->plan->world / size : 0);
	groups_member(w, "groups", &mesh->layout);
	json_object_end(json);
}

/* The groups of a communicator of the ends of each group of a mesh. */
static void end_groups(struct writer *w, const struct ends *ends, const struct layout *layout)
{
	struct layout starts;
	int64_t g;

	if (!plan_view_lists(w->view, w->plan) ||
	    !layout_complement(layout, w->plan->world, &starts)) {
		json_null(&w->json, "groups");
		return;
	}
	json_array(&w->json, "groups");
	for (g = 0; g < layout_size(&starts); g++) {
		const int64_t base = layout_offset(&starts, g);
		json_array(&w->json, NULL);
		json_int(&w->json, NULL, base);
		if (ends->last)
			json_int(&w->json, NULL,
				 base + layout_offset(layout, layout_size(layout) - 1));
		json_array_end(&w->json);
	}
	json_array_end(&w->json);
}

static void ends_members(struct writer *w)
{
	size_t i;

	if (!w->plan->ends.count)
		return;
	json_object(&w->json, "ends");
	for (i = 0; i < w->plan->ends.count; i++) {
		const struct ends *ends = &w->plan->ends.items[i];
		json_object(&w->json, ends->name);
		json_string(&w->json, "of", ends->of);
		json_bool(&w->json, "last", ends->last);
		end_groups(w, ends, &plan_mesh(w->plan, ends->of)->layout);
		json_object_end(&w->json);
	}
	json_object_end(&w->json);
}

static void meshes(struct writer *w)
{
	size_t i;

	json_object(&w->json, "meshes");
	for (i = 0; i < w->plan->meshes.count; i++) {
		const struct mesh *mesh = &w->plan->meshes.items[i];
		if (!w->view->mesh || !strcmp(w->view->mesh, mesh->name))
			mesh_member(w, mesh);
	}
	json_object_end(&w->json);
}

/* ---- who shares parameters ---- */

/* The expression handed to fully_shard: a list of axes, or storage axes with named dims. */
static void mesh_expression(struct json_writer *json, const struct sharding *sharding)
{
	if (!sharding->named_dims) {
		names(json, "mesh", sharding->mesh, sharding->mesh_count);
		return;
	}
	json_object(json, "mesh");
	names(json, "storage", sharding->mesh, sharding->mesh_count);
	names(json, "shard", sharding->shard_dims, sharding->shard_count);
	json_string(json, "replicate", sharding->replicate_dim);
	json_object_end(json);
}

static void sharing_members(struct writer *w, const struct sharding *sharding)
{
	mesh_expression(&w->json, sharding);
	layout_member(&w->json, "shard", &sharding->shard);
	layout_member(&w->json, "replicate", &sharding->replicate);
	groups_member(w, "shard_groups", &sharding->shard);
	groups_member(w, "replicate_groups", &sharding->replicate);
}

static void data_parallel(struct writer *w)
{
	struct json_writer *json = &w->json;
	const struct plan *applied = w->job->applied;

	json_object(json, "data_parallel");
	json_string(json, "requested",
		    w->plan->requested == STRATEGY_UNKNOWN ? NULL
							   : strategy_name(w->plan->requested));
	json_string(json, "applied",
		    applied && applied->world && !applied->unmodelled &&
				    (!applied->error || applied->meshes.count)
			    ? strategy_name(applied->dense.strategy)
			    : NULL);
	sharing_members(w, &w->plan->dense);
	if (w->plan->has_expert) {
		json_object(json, "expert");
		sharing_members(w, &w->plan->expert);
		json_object_end(json);
	}
	json_object_end(json);
}

/* ---- units, parameters, stages ---- */

static void units(struct writer *w)
{
	struct json_writer *json = &w->json;
	size_t i;

	json_array(json, "units");
	for (i = 0; i < w->plan->units.count; i++) {
		const struct unit *unit = &w->plan->units.items[i];
		json_object(json, NULL);
		json_string(json, "name", unit->name);
		json_int(json, "parameters", unit->parameters);
		json_int(json, "shard_elements", unit->shard_elements);
		json_int(json, "shards", layout_size(&unit->shard));
		json_int(json, "stage", unit->stage);
		json_bool(json, "expert", unit->expert);
		json_bool(json, "reshard_after_forward", unit->reshard_after_forward);
		if (unit->kept_over)
			json_int(json, "kept_over", unit->kept_over);
		json_object_end(json);
	}
	json_array_end(json);
}

static void local_part(struct writer *w, const struct sharded *sharded, int64_t rank,
		       enum held held)
{
	struct box box;

	if (!plan_rank_has_stage(w->plan, rank, sharded->stage))
		return;
	box = plan_part(w->plan, sharded, rank, held);
	json_object(&w->json, NULL);
	json_int(&w->json, "rank", rank);
	json_ints(&w->json, "shape", box.shape, box.dims);
	json_ints(&w->json, "offset", box.offset, box.dims);
	json_object_end(&w->json);
}

static void local_parts(struct writer *w, const struct sharded *sharded, enum held held)
{
	const struct rank_list *ranks = &w->view->ranks;
	size_t i;
	int64_t rank;

	json_array(&w->json, "local");
	if (!ranks->ranges.count && w->plan->world)
		local_part(w, sharded, 0, held);
	for (i = 0; i < ranks->ranges.count; i++)
		for (rank = ranks->ranges.items[i].first; rank <= ranks->ranges.items[i].last;
		     rank++)
			local_part(w, sharded, rank, held);
	json_array_end(&w->json);
}

/* "R", "S(0)", "SS(0,2)", "P", "F", written without going through an arena. */
static void placement_item(struct json_writer *json, const struct held_dim *dim)
{
	const struct placement *placement = &dim->placement;
	char text[48] = "F";

	if (!dim->flat && placement->kind == PLACE_SHARD)
		snprintf(text, sizeof(text), "S(%d)", placement->dim);
	else if (!dim->flat && placement->kind == PLACE_STRIDED_SHARD)
		snprintf(text, sizeof(text), "SS(%d,%" PRId64 ")", placement->dim,
			 placement->factor);
	else if (!dim->flat)
		*text = placement->kind == PLACE_PARTIAL ? 'P' : 'R';
	json_string(json, NULL, text);
}

/* How that is cut, and the parts of the chosen ranks. */
static void held_members(struct writer *w, const struct sharded *sharded, enum held held)
{
	const struct held_dims dims = plan_held(w->plan, sharded, held);
	struct json_writer *json = &w->json;
	int i;

	json_array(json, "mesh");
	for (i = 0; i < dims.count; i++)
		json_string(json, NULL, dims.item[i].name);
	json_array_end(json);
	json_array(json, "placements");
	for (i = 0; i < dims.count; i++)
		placement_item(json, &dims.item[i]);
	json_array_end(json);
	local_parts(w, sharded, held);
}

/* Gradient and optimizer state are told where they are cut otherwise than the parameter. */
static void held_otherwise(struct writer *w, const char *key, const struct sharded *sharded,
			   enum held held)
{
	const struct parameter *parameter = sharded->parameter;

	if (plan_is_run(w->plan, parameter, held) ==
	    plan_is_run(w->plan, parameter, HELD_PARAMETER))
		return;
	json_object(&w->json, key);
	held_members(w, sharded, held);
	json_object_end(&w->json);
}

static void parameter_item(struct writer *w, const struct sharded *sharded)
{
	struct json_writer *json = &w->json;

	json_object(json, NULL);
	json_string(json, "fqn", sharded->parameter->fqn);
	json_ints(json, "shape", sharded->parameter->shape, sharded->parameter->dims);
	json_int(json, "stage", sharded->stage);
	if (sharded->copy)
		json_bool(json, "copy", true);
	held_members(w, sharded, HELD_PARAMETER);
	held_otherwise(w, "gradient", sharded, HELD_GRADIENT);
	held_otherwise(w, "optimizer", sharded, HELD_OPTIMIZER);
	json_object_end(json);
}

static void parameters(struct writer *w)
{
	size_t i;

	json_array(&w->json, "parameters");
	for (i = 0; i < w->plan->parameters.count; i++) {
		const struct sharded *sharded = &w->plan->parameters.items[i];
		if (!w->view->param || pattern_finds(w->view->param, sharded->parameter->fqn))
			parameter_item(w, sharded);
	}
	json_array_end(&w->json);
}

static void stage_ranks(struct writer *w, const struct stage *stage)
{
	int64_t rank;

	if (!plan_view_lists(w->view, w->plan)) {
		json_null(&w->json, "ranks");
		return;
	}
	json_array(&w->json, "ranks");
	for (rank = 0; rank < w->plan->world; rank++)
		if (plan_rank_has_stage(w->plan, rank, stage->index))
			json_int(&w->json, NULL, rank);
	json_array_end(&w->json);
}

static void stages(struct writer *w)
{
	struct json_writer *json = &w->json;
	size_t i, j;

	json_array(json, "stages");
	for (i = 0; i < w->plan->stages.count; i++) {
		const struct stage *stage = &w->plan->stages.items[i];
		json_object(json, NULL);
		json_int(json, "index", stage->index);
		json_int(json, "pp_rank", stage->pp_rank);
		stage_ranks(w, stage);
		json_array(json, "modules");
		for (j = 0; j < stage->modules.count; j++)
			json_string(json, NULL, stage->modules.items[j]);
		json_array_end(json);
		json_object_end(json);
	}
	json_array_end(json);
	if (w->plan->stages_assumed)
		json_bool(json, "stages_assumed", true);
}

/* ---- how far it gets ---- */

static void note_member(struct writer *w)
{
	static const char unknown[] =
		"the world size is not known: give --world N, or world: N in the file";
	const char *note = plan_remark(w->job), *doubt = w->view->doubt;

	if (doubt)
		note = arena_join(w->job->arena, plan_doubt, doubt, ".");
	if (note && !w->plan->world)
		note = arena_printf(w->job->arena, "%s %s", note, unknown);
	else if (!note)
		note = w->plan->world ? w->plan->assumed : unknown;
	json_string(&w->json, "note", note);
}

void report_plan_json(const struct job *job, const struct plan_view *view, struct buf *out)
{
	struct writer w = { .job = job, .plan = job_plan(job), .view = view };
	struct json_writer *json = &w.json;

	json_begin(json, out);
	json_object(json, NULL);
	json_string(json, "schema", "parplan.plan/1");
	if (view->path)
		json_string(json, "path", view->path);
	json_string(json, "dialect", job->document.dialect ? job->document.dialect->name : NULL);
	if (w.plan->world)
		json_int(json, "world_size", w.plan->world);
	else
		json_null(json, "world_size");
	declared(&w);
	frameworks_used(&w);
	degrees(&w);
	log_lines(&w);
	view_member(json, "root", &w.plan->root);
	views(&w);
	meshes(&w);
	ends_members(&w);
	data_parallel(&w);
	units(&w);
	parameters(&w);
	stages(&w);
	plan_error_member(&w.json, "error", w.plan->error);
	plan_error_member(&w.json, "stops", plan_view_error(view, w.plan));
	note_member(&w);
	json_object_end(json);
	buf_char(out, '\n');
}
