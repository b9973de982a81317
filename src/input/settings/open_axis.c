#include "input/settings/open_axis.h"

#include "base/number.h"
#include "input/keys.h"
#include "input/launch/launch.h"
#include "input/launch/form.h"

/* Ranks that the file says, or 0 when somebody else does, too. */
static int64_t world_of(const struct document *document, const struct settings *settings)
{
	int64_t nodes = setting_int(settings, FIELD_CLUSTER_NODES, 0);
	int64_t devices = setting_int(settings, FIELD_CLUSTER_GPUS_PER_NODE, 0);

	if (document->overrides->world)
		return document->overrides->world;
	if (document->shell && document->launch && document->launch->world)
		return document->launch->world;
	if (document->launch && !document->shell)
		return 0;
	if (nodes > 0 && devices > 0)
		return multiply(nodes, devices);
	return setting_int(settings, FIELD_LAUNCH_PROCESSES, 0);
}

/* The product of the other degrees; 0 when one of them is not known. */
static int64_t others_of(const struct settings *settings, enum field_id closed)
{
	const enum field_id fields[] = { FIELD_TP, FIELD_CP, FIELD_SP, FIELD_PP, closed };
	int64_t product = 1;
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (settings->items[fields[i]].invalid)
			return 0;
		product = multiply(product, setting_int(settings, fields[i], 1));
	}
	return product;
}

void open_axis_fill(const struct document *document, struct decoder *decoder)
{
	const struct settings *settings = decoder->settings;
	bool shards;
	enum field_id open;
	int64_t world = world_of(document, settings), others;

	launch_open_axes(document, decoder->settings);
	shards = setting_int(settings, FIELD_DP_SHARD, 1) == -1;
	open = shards ? FIELD_DP_SHARD : FIELD_DP_REPLICATE;
	others = others_of(settings, shards ? FIELD_DP_REPLICATE : FIELD_DP_SHARD);

	if (setting_int(settings, open, 1) != -1 || others < 1 || world < 1 || world % others)
		return;
	keys_derive(decoder, open, world / others,
		    settings_of(decoder->settings, FIELD_CLUSTER_NODES),
		    "what the other degrees leave of the world");
}
