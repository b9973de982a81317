#include "wings/nemo_automodel/keys.h"

#include "base/text.h"
#include "input/homes.h"
#include "input/keys.h"

#include <string.h>

/* Whose class has a key. */
enum {
	STEPS = 1 << 0,
	CHECKPOINT = 1 << 1,
	SCHEDULER = 1 << 2,
	FSDP2 = 1 << 3,
	FLAT = 1 << 4, /* Megatron-FSDP */
	DDP = 1 << 5,
	PIPELINE = 1 << 6,
	MOE = 1 << 7,
	PEFT = 1 << 8,
	DIFFUSION = 1 << 9
};

static const struct key_owned keys[] = {
#define KEY(name, whose, kind) { name, whose, TAKES_##kind },
#include "wings/nemo_automodel/keys.def"
#undef KEY
};

/* recipes/_typed_config.py and recipes/_dist_utils.py at 36044ad3: all of a section is handed to
 * its class. */
static const struct key_home homes[] = {
	{ "step_scheduler", "", STEPS },
	{ "checkpoint", "", CHECKPOINT },
};

#define TAKEN_BY(those, amount)                                                                    \
	{                                                                                          \
		.speaker = "Automodel",                                                            \
		.before = "__init__() got an unexpected keyword argument '", .between = "'",       \
		.after = "", .homes = those, .home_count = amount, .keys = keys,                   \
		.key_count = sizeof(keys) / sizeof(keys[0])                                        \
	}

static const struct key_homes sections = TAKEN_BY(homes, sizeof(homes) / sizeof(homes[0]));

static const struct key_home offered[] = {
	{ "distributed", "", FSDP2 | FLAT | DDP },
	{ "distributed.pipeline", "", PIPELINE },
	{ "distributed.moe", "", MOE },
	{ "lr_scheduler", "", SCHEDULER },
	{ "peft", "", PEFT },
};

/* One map, of a class that others of the file do not matter to. */
static void refuse_in(struct decoder *decoder, const struct node *root, const char *path,
		      unsigned whose)
{
	const struct key_home home = { path, "", whose };
	const struct key_homes one = TAKEN_BY(&home, 1);

	keys_at_home(decoder, root, &one);
}

/* From v0.3.0 on, whatever its _target_ is (_validate_strategy_kwargs). */
static void refuse_options(struct decoder *decoder, const struct node *root, const char *path,
			   unsigned whose)
{
	const struct key_home home = { path, "", whose };
	const struct key_homes one = {
		.speaker = "Automodel",
		.before = "Unknown options for strategy",
		.after = "",
		.unnamed = true,
		.homes = &home,
		.home_count = 1,
		.keys = keys,
		.key_count = sizeof(keys) / sizeof(keys[0]),
	};

	keys_at_home(decoder, root, &one);
}

static bool is_of(const struct node *map, const char *package, const char *name)
{
	const char *target = keys_text(map, "_target_", NULL);

	return !target || (text_starts(target, package) && text_ends(target, name));
}

static bool refuse_sizes(struct decoder *decoder, const struct node *root, const struct node *sizes,
			 const char *strategy)
{
	const bool flat = !strcmp(sizes->key, "distributed");
	const unsigned extra = flat ? 0 : DIFFUSION;
	const unsigned whose = !strcmp(strategy, "ddp")	    ? DDP
			       : !strcmp(strategy, "fsdp2") ? FSDP2
							    : FLAT;

	if (!is_of(sizes, "nemo_automodel.", ""))
		return false;
	if (node_member(sizes, "_target_"))
		refuse_in(decoder, root, sizes->key, whose | extra);
	else
		refuse_options(decoder, root, sizes->key, whose | extra);
	if (flat && keys_int(sizes, "pp_size", 1) > 1)
		refuse_in(decoder, root, "distributed.pipeline", PIPELINE);
	if (flat && keys_int(sizes, "ep_size", 1) > 1)
		refuse_in(decoder, root, "distributed.moe", MOE);
	return true;
}

bool nemo_automodel_refuse(struct decoder *decoder, const struct node *root,
			   const struct node *sizes, const char *strategy)
{
	keys_at_home(decoder, root, &sections);
	if (!node_find(root, "lr_scheduler.schedule")) /* recipes/multimodal reads its own */
		refuse_in(decoder, root, "lr_scheduler", SCHEDULER);
	if (is_of(node_member(root, "peft"), "nemo_automodel.", ".PeftConfig"))
		refuse_in(decoder, root, "peft", PEFT);
	return sizes && refuse_sizes(decoder, root, sizes, strategy);
}

void nemo_automodel_offer(struct vocabulary *vocabulary)
{
	const struct key_homes others = TAKEN_BY(offered, sizeof(offered) / sizeof(offered[0]));

	keys_offer(vocabulary, &sections);
	keys_offer(vocabulary, &others);
}
