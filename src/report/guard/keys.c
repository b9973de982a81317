#include "report/guard/guard.h"

#include <inttypes.h>
#include <string.h>

/* The settings behind the meshes of frameworks, by their names; what flattens several has several.
 */
static const struct {
	const char *mesh;
	enum field_id fields[3];
	int count;
} rows[] = {
	{ "pp", { FIELD_PP }, 1 },
	{ "dp_replicate", { FIELD_DP_REPLICATE }, 1 },
	{ "dp_shard", { FIELD_DP_SHARD }, 1 },
	{ "cp", { FIELD_CP }, 1 },
	{ "tp", { FIELD_TP }, 1 },
	{ "ep", { FIELD_EP }, 1 },
	{ "etp", { FIELD_ETP }, 1 },
	{ "dp", { FIELD_DP, FIELD_DP_REPLICATE, FIELD_DP_SHARD }, 3 },
	{ "batch", { FIELD_DP_REPLICATE, FIELD_DP_SHARD }, 2 },
	{ "dp_cp", { FIELD_DP_REPLICATE, FIELD_DP_SHARD, FIELD_CP }, 3 },
	{ "loss", { FIELD_DP_REPLICATE, FIELD_DP_SHARD, FIELD_CP }, 3 },
	{ "dp_shard_cp", { FIELD_DP_SHARD, FIELD_CP }, 2 },
	{ "fsdp", { FIELD_DP_SHARD, FIELD_CP }, 2 },
	{ "dp_shard_in_ep", { FIELD_DP_SHARD, FIELD_EP }, 2 },
	{ "dp_shard_mod_ep", { FIELD_DP_SHARD, FIELD_EP }, 2 },
	{ "efsdp", { FIELD_DP_SHARD, FIELD_EP }, 2 },
};

/* Degrees of 1 change nothing and are left out. */
static bool matters(const struct setting *setting)
{
	return setting_known(setting) && setting->integer != 1;
}

static void put_setting(struct json_writer *json, const struct job *job,
			const struct setting *setting)
{
	const char *key = setting->spelling ? setting->spelling : field_of(setting->field)->key;

	json_string(json, NULL,
		    arena_printf(job->arena, "%s: %" PRId64 "%s", key, setting->integer,
				 setting_given(setting) ? "" : ", not given"));
}

/* A mesh of the `mesh:` block of a native config. */
static void put_custom(struct json_writer *json, const struct job *job, const char *name)
{
	const struct mesh *mesh = plan_mesh(job->applied, name);

	if (!mesh)
		return;
	json_string(json, NULL,
		    arena_printf(job->arena, "mesh.%s.%s: %" PRId64,
				 mesh->flattened ? "flatten" : "root", name,
				 layout_size(&mesh->layout)));
}

static void put_mesh(struct json_writer *json, const struct job *job, const char *name,
		     bool put[FIELD_COUNT])
{
	size_t i;
	int j;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (j = 0; !strcmp(rows[i].mesh, name) && j < rows[i].count; j++) {
			enum field_id field = rows[i].fields[j];
			if (!put[field] && matters(&job->settings.items[field]))
				put_setting(json, job, &job->settings.items[field]);
			put[field] = true;
		}
}

void guard_keys(struct json_writer *json, const struct job *job, const char *const *meshes,
		int count)
{
	bool put[FIELD_COUNT] = { false };
	int i;

	json_array(json, "keys");
	for (i = 0; i < count; i++)
		if (setting_known(&job->settings.items[FIELD_MESH]))
			put_custom(json, job, meshes[i]);
		else
			put_mesh(json, job, meshes[i], put);
	json_array_end(json);
}
