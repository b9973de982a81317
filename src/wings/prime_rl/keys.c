#include "wings/prime_rl/keys.h"

#include "input/homes.h"

/* Whose class has a key. */
enum { RL = 1 << 0, SFT = 1 << 1, TRAINER = 1 << 2, MODEL = 1 << 3, DEPLOYMENT = 1 << 4 };

static const struct key_owned keys[] = {
#define KEY(name, whose, kind) { name, whose, TAKES_##kind },
#include "wings/prime_rl/keys.def"
#undef KEY
};

/* prime_rl/configs/rl.py; that of a trainer by itself is told from sft's by nothing. */
static const struct key_home rl_homes[] = {
	{ "", "", RL },
	{ "deployment", "", DEPLOYMENT },
	{ "trainer", "", TRAINER },
	{ "trainer.model", "", MODEL },
};

static const struct key_home sft_homes[] = {
	{ "", "", SFT | TRAINER },
	{ "deployment", "", DEPLOYMENT },
	{ "model", "", MODEL },
};

#define HOMES(those)                                                                               \
	{                                                                                          \
		.speaker = "prime-rl", .before = "", .after = "Extra inputs are not permitted",    \
		.unnamed = true, .homes = those, .home_count = sizeof(those) / sizeof((those)[0]), \
		.keys = keys, .key_count = sizeof(keys) / sizeof(keys[0])                          \
	}

static const struct key_homes of_rl = HOMES(rl_homes), of_sft = HOMES(sft_homes);

void prime_rl_refuse(struct decoder *decoder, const struct node *root, bool rl)
{
	keys_at_home(decoder, root, rl ? &of_rl : &of_sft);
}

void prime_rl_offer(struct vocabulary *vocabulary, bool rl)
{
	keys_offer(vocabulary, rl ? &of_rl : &of_sft);
}
