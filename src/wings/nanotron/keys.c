#include "wings/nanotron/keys.h"

#include "base/text.h"
#include "input/homes.h"

#include <string.h>

/* Whose class has a key. */
enum {
	ROOT = 1 << 0,
	GENERAL = 1 << 1,
	PARALLELISM = 1 << 2,
	CHECKPOINTS = 1 << 3,
	MODEL = 1 << 4,
	ARCHITECTURE = 1 << 5,
	TOKENIZER = 1 << 6,
	TOKENS = 1 << 7,
	OPTIMIZER = 1 << 8,
	FACTORY = 1 << 9,
	SCHEDULER = 1 << 10,
	LOGGING = 1 << 11,
	PROFILER = 1 << 12,
	STAGE = 1 << 13,
	UPLOAD = 1 << 14,
	METRICS = 1 << 15
};

static const struct key_owned keys[] = {
#define KEY(name, whose, kind) { name, whose, TAKES_##kind },
#include "wings/nanotron/keys.def"
#undef KEY
};

/* config/config.py: dacite's strict mode names the key alone. */
static const struct key_home homes[] = {
	{ "", "", ROOT },
	{ "general", "", GENERAL },
	{ "parallelism", "", PARALLELISM },
	{ "checkpoints", "", CHECKPOINTS },
	{ "model", "", MODEL },
	{ "tokenizer", "", TOKENIZER },
	{ "tokens", "", TOKENS },
	{ "optimizer", "", OPTIMIZER },
	{ "optimizer.learning_rate_scheduler", "", SCHEDULER },
	{ "logging", "", LOGGING },
	{ "profiler", "", PROFILER },
	{ "data_stages[]", "", STAGE },
	{ "s3_upload", "", UPLOAD },
	{ "metrics_logging", "", METRICS },
};

static const struct key_homes all = {
	.speaker = "nanotron",
	.before = "dacite.exceptions.UnexpectedDataError: can not match \"",
	.between = "\" to any data class field",
	.after = "",
	.homes = homes,
	.home_count = sizeof(homes) / sizeof(homes[0]),
	.keys = keys,
	.key_count = sizeof(keys) / sizeof(keys[0]),
};

/* One of two classes, whichever takes all keys (optimizer_factory); dacite names neither. */
static const struct key_home either[] = {
	{ "optimizer.optimizer_factory", "optimizer.optimizer_factory", FACTORY },
};

static const struct key_homes unions = {
	.speaker = "nanotron",
	.before =
		"dacite.exceptions.UnionMatchError: can not match type \"dict\" to any type of \"",
	.after = "\" union",
	.unnamed = true,
	.homes = either,
	.home_count = 1,
	.keys = keys,
	.key_count = sizeof(keys) / sizeof(keys[0]),
};

/* What no class of a model takes is handed to Qwen2Config as it is (config.py, ModelArgs). */
static const struct key_home architectures[] = {
	{ "model.model_config", "Qwen2Config", ARCHITECTURE },
};

static const struct key_homes models = {
	.speaker = "nanotron",
	.before = "TypeError: ",
	.after = ".__init__() got an unexpected keyword argument",
	.unnamed = true,
	.homes = architectures,
	.home_count = 1,
	.keys = keys,
	.key_count = sizeof(keys) / sizeof(keys[0]),
};

static bool is_known(const char *name)
{
	size_t i;

	for (i = 0; i < all.key_count; i++)
		if (!strcmp(keys[i].name, name))
			return true;
	return false;
}

/* A class of the user's own, of a training script of his own: is_mamba_config. */
static bool is_foreign(const struct node *model)
{
	const struct node *node = model && model->kind == NODE_MAP ? model->first : NULL;

	for (; node; node = node->next)
		if (text_starts(node->key, "is_") && text_ends(node->key, "_config") &&
		    !is_known(node->key))
			return true;
	return false;
}

void nanotron_offer(struct vocabulary *vocabulary)
{
	keys_offer(vocabulary, &all);
	keys_offer(vocabulary, &unions);
	keys_offer_open(vocabulary, &models); /* is_foreign */
}

void nanotron_refuse(struct decoder *decoder, const struct node *root)
{
	keys_at_home(decoder, root, &all);
	keys_at_home(decoder, root, &unions);
	if (!is_foreign(node_find(root, "model.model_config")))
		keys_at_home(decoder, root, &models);
}
