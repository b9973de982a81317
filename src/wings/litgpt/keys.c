#include "wings/litgpt/keys.h"

#include "input/homes.h"

/* Who takes a key: a script's function, or a class of one of its arguments. */
enum { SCRIPT = 1 << 0, TRAIN = 1 << 1, EVAL = 1 << 2, LOG = 1 << 3, MODEL = 1 << 4 };

static const struct key_owned keys[] = {
#define KEY(name, whose, kind) { name, whose, TAKES_##kind },
#include "wings/litgpt/keys.def"
#undef KEY
};

static const struct key_home homes[] = {
	{ "", "", SCRIPT }, { "train", "", TRAIN },	   { "eval", "", EVAL },
	{ "log", "", LOG }, { "model_config", "", MODEL },
};

/* jsonargparse 4.37 to 4.41, as litgpt asks for: "Subcommand 'pretrain' does not accept nested key
 * 'train.x'". */
static const struct key_homes all = {
	.speaker = "litgpt",
	.before = "",
	.after = "does not accept nested key",
	.unnamed = true,
	.homes = homes,
	.home_count = sizeof(homes) / sizeof(homes[0]),
	.keys = keys,
	.key_count = sizeof(keys) / sizeof(keys[0]),
};

void litgpt_refuse(struct decoder *decoder, const struct node *root)
{
	keys_at_home(decoder, root, &all);
}

void litgpt_offer(struct vocabulary *vocabulary)
{
	keys_offer(vocabulary, &all);
}
