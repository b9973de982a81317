#include "input/data_parallel.h"

#include "input/deepspeed_keys.h"
#include "input/keys.h"

static void rest(struct decoder *decoder, enum field_id open, enum field_id one, const char *note)
{
	const struct settings *settings = decoder->settings;

	if (!setting_given(&settings->items[open]))
		keys_default(decoder, open, -1, note);
	if (!setting_given(&settings->items[one]))
		keys_default(decoder, one, 1, note);
}

void data_parallel_shards(struct decoder *decoder, const char *note)
{
	rest(decoder, FIELD_DP_SHARD, FIELD_DP_REPLICATE, note);
}

void data_parallel_repeats(struct decoder *decoder, const char *note)
{
	rest(decoder, FIELD_DP_REPLICATE, FIELD_DP_SHARD, note);
}

/* The degree hangs on a file that is not there. */
static void leave_open(struct decoder *decoder, enum field_id id, const struct node *config)
{
	struct setting *setting = settings_of(decoder->settings, id);

	if (setting_given(setting))
		return;
	setting->unresolved = config->text;
	setting->invalid = true;
	setting->spelling = "the ZeRO stage";
	setting->span = config->span;
	setting->key_span = config->key_span;
}

void data_parallel_deepspeed(struct document *document, struct decoder *decoder,
			     const struct node *config)
{
	const struct node *map = config;

	if (config->kind == NODE_SCALAR) {
		field_put(decoder, FIELD_ZERO_CONFIG, config);
		map = document_load(document, NULL, config->text, decoder->findings);
	}
	settings_put_text(decoder->settings, FIELD_ENGINE, "deepspeed", ORIGIN_DEFAULT);
	if (map) {
		deepspeed_put(decoder, map);
		return;
	}
	leave_open(decoder, FIELD_DP_SHARD, config);
	leave_open(decoder, FIELD_DP_REPLICATE, config);
}
