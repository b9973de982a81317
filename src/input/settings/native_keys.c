#include "input/settings/native_keys.h"

#include "base/text.h"
#include "base/vec.h"
#include "input/vocabulary.h"

#include <string.h>

/* A map may be given as one value that stands for its main key: `model: llama3-8b`. */
struct shorthand {
	const char *section;
	enum field_id field;
};

static const struct shorthand shorthands[] = {
	{ "model", FIELD_MODEL_PRESET },
	{ "cluster", FIELD_CLUSTER_PRESET },
	{ "launch", FIELD_LAUNCH_LAUNCHER },
	{ "parallelism.pipeline", FIELD_PP_SCHEDULE },
	{ "training.activation_checkpoint", FIELD_AC_MODE },
	{ "training.float8", FIELD_FLOAT8_ENABLED },
	{ "training.optimizer", FIELD_OPTIMIZER_NAME },
	{ "fault_tolerance", FIELD_FT_ENABLED },
	{ "checkpoint", FIELD_CHECKPOINT_ENABLED },
};

/* Keys below maps that are kept as trees. "*": any name. */
static const char *const tree_keys[] = {
	"framework.*",
	"mesh.root.*",
	"mesh.flatten.*",
	"mesh.script",
	"mesh.fully_shard",
	"mesh.tensor_parallel",
	"mesh.context_parallel",
	"mesh.pipeline_parallel",
	"mesh.expert_parallel",
	"mesh.ddp",
	"mesh.means.replicate",
	"mesh.means.shard",
	"mesh.means.context",
	"mesh.means.tensor",
	"mesh.means.pipeline",
	"mesh.means.expert",
	"checkpoint.resume.dp",
	"checkpoint.resume.dp_replicate",
	"checkpoint.resume.dp_shard",
	"checkpoint.resume.cp",
	"checkpoint.resume.tp",
	"checkpoint.resume.pp",
	"checkpoint.resume.ep",
	"checkpoint.resume.etp",
	"checkpoint.resume.world",
	"checkpoint.resume.framework",
	"checkpoint.resume.path",
};

/* Maps, for suggestions. */
static const char *const sections[] = {
	"framework",
	"model",
	"model.moe",
	"model.mla",
	"cluster",
	"launch",
	"rollout",
	"parallelism",
	"parallelism.overlap",
	"parallelism.pipeline",
	"training",
	"training.activation_checkpoint",
	"training.float8",
	"training.optimizer",
	"fault_tolerance",
	"checkpoint",
	"checkpoint.resume",
	"mesh",
	"mesh.root",
	"mesh.flatten",
	"mesh.means",
	"expect",
};

const char *native_leaf(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

bool native_is_tree_key(const char *path)
{
	size_t i;

	for (i = 0; i < sizeof(tree_keys) / sizeof(tree_keys[0]); i++)
		if (text_matches(tree_keys[i], path))
			return true;
	return false;
}

bool native_is_section(const char *path)
{
	size_t i, length = strlen(path);
	int id;

	for (id = 0; id < FIELD_COUNT; id = field_next(id))
		if (!strncmp(field_of((enum field_id)id)->key, path, length) &&
		    field_of((enum field_id)id)->key[length] == '.')
			return true;
	for (i = 0; i < sizeof(tree_keys) / sizeof(tree_keys[0]); i++)
		if (!strncmp(tree_keys[i], path, length) && tree_keys[i][length] == '.')
			return true;
	return false;
}

enum field_id native_shorthand(const char *path)
{
	size_t i;

	for (i = 0; i < sizeof(shorthands) / sizeof(shorthands[0]); i++)
		if (!strcmp(shorthands[i].section, path))
			return shorthands[i].field;
	return FIELD_COUNT;
}

/* True for names that differ in underscores alone: top_k and topk. */
static bool same_name(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, "_");
		b += strspn(b, "_");
		if (*a != *b || !*a)
			return *a == *b;
	}
}

/* The section that has that name somewhere else: "parallelism.pipeline" of "pipeline"; or NULL. */
static const char *section_named(struct arena *arena, const char *name)
{
	const size_t length = strlen(name);
	const char *key, *at;
	int id;

	for (id = 0; id < FIELD_COUNT; id = field_next(id)) {
		key = field_of((enum field_id)id)->key;
		for (at = strchr(key, '.'); at && strchr(at + 1, '.'); at = strchr(at + 1, '.'))
			if (!strncmp(at + 1, name, length) && at[1 + length] == '.')
				return arena_strndup(arena, key, (size_t)(at + 1 - key) + length);
	}
	return NULL;
}

const char *native_nearest_key(struct arena *arena, const char *path)
{
	VEC(const char *) keys = { 0 };
	const char *near, *leaf = native_leaf(path);
	size_t i;
	int id;

	for (id = 0; id < FIELD_COUNT; id = field_next(id))
		vec_push(arena, &keys, field_of((enum field_id)id)->key);
	for (i = 0; i < sizeof(tree_keys) / sizeof(tree_keys[0]); i++)
		vec_push(arena, &keys, tree_keys[i]);
	for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		vec_push(arena, &keys, sections[i]);
	for (id = 0; id < FIELD_COUNT; id = field_next(id))
		if (same_name(native_leaf(field_of((enum field_id)id)->key), leaf))
			return field_of((enum field_id)id)->key;
	near = section_named(arena, leaf);
	if (near)
		return near;
	near = text_nearest(path, keys.items, keys.count);
	return near && !strchr(near, '*') ? near : NULL;
}

/* Maps that one value may stand for; the trees whose keys are known. */
static void add_sections(struct vocabulary *vocabulary)
{
	size_t i;

	for (i = 0; i < sizeof(shorthands) / sizeof(shorthands[0]); i++)
		vocabulary_add_field(vocabulary, shorthands[i].field, shorthands[i].section);
	vocabulary_names(vocabulary, "", tree_keys, sizeof(tree_keys) / sizeof(tree_keys[0]));
	for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (!text_matches("framework", sections[i]))
			vocabulary_close(vocabulary, sections[i]);
	vocabulary_close(vocabulary, "");
}

void native_vocabulary(struct vocabulary *vocabulary)
{
	static const struct vocabulary_key others[] = {
		{ "parplan", FIELD_COUNT, .typed = true, .type = FIELD_INT, .words = "1",
		  .help = "the version of this schema" },
		{ "framework", FIELD_COUNT, .help = "NAME: VERSION, or NAME@VERSION, or a list" },
		{ "defaults", FIELD_COUNT, .help = "the same keys, as the framework's defaults" },
	};
	size_t i;
	int id;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		vocabulary_add(vocabulary, &others[i]);
	for (id = 0; id < FIELD_COUNT; id = field_next(id))
		vocabulary_add_field(vocabulary, (enum field_id)id,
				     field_of((enum field_id)id)->key);
	add_sections(vocabulary);
}
