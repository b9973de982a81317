#include "base/text.h"
#include "input/compose/composition.h"
#include "input/document.h"
#include "input/compose/interpolation.h"
#include "input/keys.h"
#include "wings/megatron/keys.h"
#include "wings/torchtitan/keys.h"
#include "input/settings/open_axis.h"
#include "input/vocabulary.h"

#include <string.h>

/*
 * Primus' YAML (AMD-AGI/Primus@fd1eeabb): modules with a backend, presets by name and overrides in
 * that backend's own keys. The presets of backends lie in Primus' tree; those of models are not
 * looked for.
 */

/* Primus' third_party/torchtitan is TorchTitan@73a0e697. */
static const moment_t titan_moment = (moment_t)20260220 * 100;

/* The degrees by Megatron's names, which a file that is not there may set. */
static const struct key_row degree_rows[] = {
	{ "tensor_model_parallel_size", FIELD_TP, KEY_VALUE, NULL },
	{ "pipeline_model_parallel_size", FIELD_PP, KEY_VALUE, NULL },
	{ "context_parallel_size", FIELD_CP, KEY_VALUE, NULL },
	{ "expert_model_parallel_size", FIELD_EP, KEY_VALUE, NULL },
	{ "expert_tensor_parallel_size", FIELD_ETP, KEY_VALUE, NULL },
	{ "data_parallel_size", FIELD_DP_SHARD, KEY_VALUE, NULL },
	{ "data_parallel_size", FIELD_DP_REPLICATE, KEY_VALUE, NULL },
};

enum { DEGREE_ROWS = sizeof(degree_rows) / sizeof(degree_rows[0]) };

static bool names_files(const struct node *list)
{
	const struct node *first = list && list->kind == NODE_LIST ? list->first : NULL;

	return first && first->kind == NODE_SCALAR && text_ends(first->text, ".yaml");
}

static int primus_detect(const struct document *document)
{
	const struct node *root = document->root, *modules = node_member(root, "modules");

	if (modules && modules->kind == NODE_MAP &&
	    (node_member(root, "work_group") || node_member(root, "workspace") ||
	     node_member(root, "exp_name")))
		return 90;
	if (names_files(node_member(root, "extends")))
		return 80;
	return names_files(node_member(root, "includes")) ? 40 : 0;
}

static void primus_compose(struct document *document, struct findings *findings)
{
	compose_parents(document, "extends", interpolate_environment, findings);
	compose_parents(document, "includes", interpolate_environment, findings);
}

/* The module that trains: the first with a backend, else the first with overrides; or NULL. */
static const struct node *module_of(const struct node *root)
{
	const struct node *modules = node_member(root, "modules"), *child;

	if (!modules || modules->kind != NODE_MAP)
		return NULL;
	for (child = modules->first; child; child = child->next)
		if (node_member(child, "framework"))
			return child;
	for (child = modules->first; child; child = child->next)
		if (node_member(child, "overrides"))
			return child;
	return NULL;
}

/* Switches that some write as 0 and 1, which Python takes for what they are. */
static struct node *with_switches(struct arena *arena, const struct node *overrides)
{
	struct node *map = node_copy(arena, overrides);
	struct node *node = node_member(map, "sequence_parallel");

	map->key = overrides->key;
	map->parent = overrides->parent;
	if (node && node->kind == NODE_SCALAR && node->type == SCALAR_INT) {
		node->type = SCALAR_BOOL;
		node->boolean = node->integer != 0;
	}
	return map;
}

static void settle_megatron(struct decoder *decoder, const struct node *map)
{
	static const struct megatron_habits habits = { .whose = "Primus' presets for Megatron" };
	struct settings *settings = decoder->settings;

	megatron_settle(decoder, with_switches(decoder->arena, map), &habits);
	settings_put_text(settings, FIELD_ENGINE, "megatron", ORIGIN_DEFAULT)->note =
		"the module's framework";
	if (!setting_known(settings_of(settings, FIELD_SEQUENCE_PARALLEL)))
		settings_put_bool(settings, FIELD_SEQUENCE_PARALLEL, true, ORIGIN_DEFAULT)->note =
			"Primus' language_model.yaml";
}

static void settle_titan(struct decoder *decoder, const struct node *map)
{
	const struct key_row *rows;
	const size_t count = titan_rows(decoder->arena, titan_moment, &rows);

	keys_put(decoder, map, rows, count);
	settings_put_text(decoder->settings, FIELD_ENGINE, "torchtitan", ORIGIN_DEFAULT)->note =
		"the module's framework";
	settings_put_text(decoder->settings, FIELD_FSDP_VERSION, "2", ORIGIN_DEFAULT)->note =
		"TorchTitan";
}

/* NNODES and GPUS_PER_NODE (8) of the environment, where somebody says what they are. */
static void put_world(struct document *document, struct decoder *decoder)
{
	const char *nodes = document_env(document, "NNODES");
	const char *devices = document_env(document, "GPUS_PER_NODE");
	int64_t count = 8;

	if (devices && !text_to_int(devices, &count))
		return;
	if (nodes || devices)
		keys_default(decoder, FIELD_CLUSTER_GPUS_PER_NODE, count, "GPUS_PER_NODE");
	if (nodes && text_to_int(nodes, &count))
		keys_default(decoder, FIELD_CLUSTER_NODES, count, "NNODES");
}

static const char *backend_of(const struct node *module, const struct node *map)
{
	const struct node *child;

	for (child = map->first; !module && child; child = child->next)
		if (megatron_is_degree(child->key))
			return "megatron";
	return module ? keys_text(module, "framework", "") : "";
}

static void primus_settle(struct document *document, moment_t when, struct settings *settings,
			  struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct node *root = document->root, *module = module_of(root);
	const struct node *overrides = node_member(module, "overrides");
	const struct node *map = overrides && overrides->kind == NODE_MAP ? overrides : root;
	const char *backend = backend_of(module, map);

	(void)when;
	put_world(document, &decoder);
	if (keys_true(map, "lora.enabled"))
		keys_put_word(&decoder, FIELD_TUNER, map, "lora", "lora");
	keys_put_word(&decoder, FIELD_TUNER, map, "peft", "lora");
	if (text_starts(backend, "megatron"))
		settle_megatron(&decoder, map);
	else if (!strcmp(backend, "torchtitan"))
		settle_titan(&decoder, map);
	else if (!document->absent.count)
		leave_open(settings, degree_rows, DEGREE_ROWS, "its backend's preset decides");
	leave_to_absent(document, settings, degree_rows, DEGREE_ROWS);
	open_axis_fill(document, &decoder);
}

static void primus_vocabulary(struct vocabulary *vocabulary)
{
	const struct key_row *rows;
	const size_t count = titan_rows(vocabulary->arena, titan_moment, &rows);

	vocabulary->converts = true;
	megatron_vocabulary(vocabulary, "modules.*.overrides", "");
	vocabulary_rows(vocabulary, "modules.*.overrides", rows, count);
	megatron_vocabulary(vocabulary, "", "");
}

const struct dialect dialect_primus = {
	.name = "primus",
	.summary = "Primus' YAML: modules with Megatron or TorchTitan as backend",
	.signs = "'modules' with 'work_group', 'workspace' or 'exp_name', or 'extends'",
	.framework = "primus",
	.as_of = "fd1eeabb",
	.detect = primus_detect,
	.compose = primus_compose,
	.vocabulary = primus_vocabulary,
	.settle = primus_settle,
};
