#include "wings/transformers/preference.h"

#include "base/text.h"
#include "input/keys.h"
#include "input/launch/launch.h"
#include "input/node.h"

#include <ctype.h>
#include <string.h>

static void put_word(struct decoder *decoder, enum field_id id, const char *word,
		     const struct node *asked)
{
	struct setting *setting = settings_put_text(decoder->settings, id, word, ORIGIN_DERIVED);

	if (!asked)
		return;
	setting->span = asked->span;
	setting->key_span = asked->key_span;
	setting->note = asked->key;
}

/*
 * DeepSpeed shares the reference at ZeRO-3 and has it whole below (trl@f2cd5771 models/utils.py,
 * prepare_deepspeed). FSDP1 wraps its blocks; FSDP2 the model alone in trl (prepare_fsdp calls
 * fully_shard once), where others cut it as the trained one. Without either each rank has it.
 */
static const char *held_of(const struct settings *settings, const struct preference *preference)
{
	const char *engine = setting_text(settings, FIELD_ENGINE, "");
	const char *version = setting_text(settings, FIELD_FSDP_VERSION, "1");

	if (setting_unresolved(settings, FIELD_TUNER) || preference->other)
		return NULL;
	if (!words_have("|full|none", setting_text(settings, FIELD_TUNER, "")) ||
	    preference->dropped)
		return "none";
	if (!strcmp(engine, "deepspeed"))
		return !setting_known(&settings->items[FIELD_ZERO_STAGE]) ? NULL
		       : setting_int(settings, FIELD_ZERO_STAGE, 0) == 3  ? "blocks"
									  : "whole";
	if (!strcmp(engine, "fsdp") && !preference->unwrapped)
		return preference->at_once && !strcmp(version, "2") ? "model" : "blocks";
	return !*engine || !strcmp(engine, "fsdp") ? "whole" : NULL;
}

/* DeepSpeed's engine casts what it is handed to the type that it computes with. */
static const char *type_of(const struct settings *settings, const struct preference *preference)
{
	const char *computed = setting_text(settings, FIELD_PARAM_DTYPE, "");

	return !strcmp(setting_text(settings, FIELD_ENGINE, ""), "deepspeed") && *computed
		       ? computed
		       : preference->loaded;
}

void preference_put(struct decoder *decoder, const struct preference *preference)
{
	const struct node *asked = preference->asked;
	const char *held, *type;

	put_word(decoder, FIELD_OBJECTIVE, preference->objective, asked);
	setting_forget(decoder->settings, FIELD_LOSS_KIND);
	if (preference->whole)
		put_word(decoder, FIELD_LOSS_KIND, "whole", asked);
	if (!words_have("dpo|ipo|kto", preference->objective))
		return;
	held = held_of(decoder->settings, preference);
	type = type_of(decoder->settings, preference);
	if (held)
		put_word(decoder, FIELD_REFERENCE_HELD, held, asked);
	if (type)
		put_word(decoder, FIELD_REFERENCE_DTYPE, type, asked);
	if (preference->cached)
		settings_put_bool(decoder->settings, FIELD_REFERENCE_PRECOMPUTED, true,
				  ORIGIN_DERIVED);
}

/* Longer names come before those that are parts of them; `alone`: a name is no more than that. */
static const struct {
	const char *part, *objective;
	bool alone;
} scripts[] = {
	{ "online_dpo", "online_dpo", false },
	{ "dpo", "dpo", false },
	{ "kto", "kto", false },
	{ "orpo", "orpo", false },
	{ "cpo", "cpo", false },
	{ "simpo", "simpo", false },
	{ "reward_modeling", "rm", false },
	{ "reward", "rm", true },
	{ "prm", "prm", true },
	{ "bco", "bco", false },
	{ "ppo", "ppo", false },
	{ "grpo", "grpo", false },
	{ "rloo", "rloo", false },
	{ "gkd", "gkd", false },
	{ "nash_md", "nash_md", false },
	{ "distillation", "distillation", false },
	{ "xpo", "xpo", false },
	{ "tpo", "tpo", false },
};

/* Whether a part stands in a name with neither letter around it: "run_dpo_8b", not "adpost". */
static bool has_part(const char *name, const char *part, bool alone)
{
	const size_t length = strlen(part);
	const char *at;

	if (alone)
		return text_starts(name, part) && (!name[length] || name[length] == '.');
	for (at = strstr(name, part); at; at = strstr(at + 1, part))
		if ((at == name || !isalpha((unsigned char)at[-1])) &&
		    !isalpha((unsigned char)at[length]))
			return true;
	return false;
}

const char *preference_of_script(const char *name)
{
	const char *slash = strrchr(name, '/');
	size_t i;

	name = slash ? slash + 1 : name;
	if (text_starts(name, "trl.scripts."))
		name += strlen("trl.scripts.");
	for (i = 0; i < sizeof(scripts) / sizeof(*scripts); i++)
		if (has_part(name, scripts[i].part, scripts[i].alone))
			return scripts[i].objective;
	return NULL;
}

void preference_put_script(struct decoder *decoder, const struct document *document)
{
	const struct launch *launch = document->launch;
	const char *objective =
		launch && launch->program ? preference_of_script(launch->program) : NULL;

	if (objective)
		settings_put_text(decoder->settings, FIELD_OBJECTIVE, objective, ORIGIN_DERIVED)
			->span = launch->program_span;
}
