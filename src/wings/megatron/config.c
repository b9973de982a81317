#include "input/document.h"
#include "input/keys.h"
#include "wings/megatron/keys.h"
#include "input/vocabulary.h"

#include <string.h>

/*
 * Megatron-LM's YAML (NVIDIA/Megatron-LM@d98e8a64): recipes of its tests and examples, whose
 * MODEL_ARGS are flags and values (ARGS: their names), and files for --yaml-cfg, whose sections
 * megatron/training/yaml_arguments.py flattens into one set of arguments.
 */

/* A recipe's arguments: flags below MODEL_ARGS, or their names below ARGS; or NULL. */
static struct node *args_of(const struct node *root)
{
	struct node *args = node_member(root, "MODEL_ARGS");
	const struct node *child;

	if (args)
		return args->kind == NODE_MAP ? args : NULL;
	args = node_member(root, "ARGS");
	for (child = args && args->kind == NODE_MAP ? args->first : NULL; child;
	     child = child->next)
		if (megatron_is_degree(child->key))
			return args;
	return NULL;
}

static bool is_yaml_cfg(const struct node *root)
{
	const struct node *parallel = node_member(root, "model_parallel");
	const struct node *language = node_member(root, "language_model");

	return parallel && parallel->kind == NODE_MAP && language && language->kind == NODE_MAP;
}

/* A recipe that leaves all arguments to its test. */
static bool is_bare(const struct node *root)
{
	const struct node *args = node_member(root, "MODEL_ARGS");

	return args && args->kind == NODE_SCALAR && args->type == SCALAR_NULL &&
	       node_member(root, "TEST_TYPE");
}

static int megatron_detect(const struct document *document)
{
	const struct node *root = document->root;

	return args_of(root) || is_yaml_cfg(root) || is_bare(root) ? 95 : 0;
}

/* Variables that the test's launcher fills in, taken from --env where they are given. */
static void resolve_scalar(struct document *document, struct node *node)
{
	const char *start = strstr(node->text, "${"), *end = start ? strchr(start, '}') : NULL;
	const char *value;

	if (!end || node->type != SCALAR_STRING)
		return;
	value = document_env(document,
			     arena_strndup(document->arena, start + 2, (size_t)(end - start - 2)));
	if (!value) {
		node->unresolved = node->text;
		return;
	}
	node->text = arena_printf(document->arena, "%.*s%s%s", (int)(start - node->text),
				  node->text, value, end + 1);
}

static void megatron_compose(struct document *document, struct findings *findings)
{
	struct node *args = args_of(document->root), *child;
	const struct node *mode = node_member(document->root, "MODE");

	(void)findings;
	if (mode && mode->kind == NODE_SCALAR && !strcmp(mode->text, "inference"))
		document->no_job = "MODE is inference, which trains nothing";
	for (child = args ? args->first : NULL; child; child = child->next)
		if (child->kind == NODE_SCALAR)
			resolve_scalar(document, child);
}

/* All sections' keys as one map; each keeps its place below its section. */
static struct node *flattened(struct arena *arena, struct node *root)
{
	struct node *map = node_container(arena, NODE_MAP, root->span), *copy;
	struct node *section, *child;

	for (section = root->first; section; section = section->next) {
		if (section->kind != NODE_MAP) {
			copy = node_copy(arena, section);
			node_append(map, copy);
			continue;
		}
		for (child = section->first; child; child = child->next) {
			copy = node_copy(arena, child);
			node_append(map, copy);
			copy->parent = section;
		}
	}
	return map;
}

/* yaml_arguments.py reads attributes of what the file holds: there are no defaults. */
static void find_misspelt(struct decoder *decoder, const struct node *root)
{
	static const struct key_row rows[] = {
		{ "model_parallel.tensor_model_parallel_size", FIELD_TP, KEY_VALUE, NULL },
		{ "model_parallel.pipeline_model_parallel_size", FIELD_PP, KEY_VALUE, NULL },
		{ "model_parallel.context_parallel_size", FIELD_CP, KEY_VALUE, NULL },
		{ "model_parallel.expert_model_parallel_size", FIELD_EP, KEY_VALUE, NULL },
		{ "micro_batch_size", FIELD_MICRO_BATCH_SIZE, KEY_VALUE, NULL },
		{ "global_batch_size", FIELD_GLOBAL_BATCH_SIZE, KEY_VALUE, NULL },
	};

	keys_misspelt(decoder, root, rows, sizeof(rows) / sizeof(rows[0]), "Megatron-LM",
		      "takes any key, and stops with an AttributeError where it wants the other");
}

static void megatron_dialect_settle(struct document *document, moment_t when,
				    struct settings *settings, struct findings *findings)
{
	const struct megatron_habits plain = { .whose = "Megatron-LM", .grouped = true };
	struct decoder decoder = { document->arena, settings, findings };
	struct node *root = document->root, *env = node_member(root, "ENV_VARS");
	const struct node *map;

	(void)when;
	if (env && env->kind == NODE_MAP)
		field_put(&decoder, FIELD_ENVIRONMENT, env);
	if (args_of(root)) {
		map = flags_of_map(document->arena, args_of(root));
		megatron_refuse(&decoder, map, NULL);
		megatron_judge_words(&decoder, map);
		megatron_misspelt(&decoder, map);
		megatron_contradictions(&decoder, map, false);
		megatron_settle(&decoder, map, &megatron_itself);
	} else {
		megatron_settle(&decoder, flattened(document->arena, root), &plain);
		find_misspelt(&decoder, root);
	}
	megatron_precision(&decoder, NULL, root->span);
}

static void megatron_file_vocabulary(struct vocabulary *vocabulary)
{
	vocabulary->converts = true;
	megatron_vocabulary(vocabulary, "MODEL_ARGS", "--");
	megatron_vocabulary(vocabulary, "model_parallel", "");
	megatron_vocabulary(vocabulary, "language_model", "");
	megatron_vocabulary(vocabulary, "", "");
}

const struct dialect dialect_megatron = {
	.name = "megatron",
	.summary = "Megatron-LM's YAML: recipes of flags, and files for --yaml-cfg",
	.signs = "'MODEL_ARGS' or 'ARGS', or 'model_parallel' and 'language_model'",
	.framework = "megatron",
	.as_of = "d98e8a64",
	.detect = megatron_detect,
	.compose = megatron_compose,
	.field_of = megatron_field_of,
	.vocabulary = megatron_file_vocabulary,
	.settle = megatron_dialect_settle,
};
