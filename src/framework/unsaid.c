#include "framework/unsaid.h"

#include "base/number.h"
#include "base/text.h"
#include "input/axis.h"
#include "input/launch/launch.h"
#include "input/launch/form.h"

#include <string.h>

/* Somebody says who shares the model: an engine, meshes, or a degree, be it an open one. */
static bool is_said(const struct settings *settings)
{
	int i;

	if (setting_known(&settings->items[FIELD_ENGINE]) ||
	    setting_known(&settings->items[FIELD_MESH]))
		return true;
	for (i = AXIS_DP; i < AXES; i++) {
		const struct setting *axis = &settings->items[axes[i]];
		if (setting_given(axis) || axis->unresolved || axis->origin == ORIGIN_DERIVED)
			return true;
	}
	return false;
}

const char *unsaid_leave_open(const struct document *document, struct settings *settings)
{
	int i;

	launch_open_axes(document, settings);
	if (!document->dialect->starts || is_said(settings))
		return NULL;
	for (i = AXIS_DP; i < AXES; i++)
		axis_leave_open(settings, axes[i], "nothing here says",
				settings->items[axes[i]].span);
	if (document->launch && document->launch->program)
		return document->launch->program;
	return "the program";
}

static bool shares_within_machines(const struct settings *settings, struct arena *arena)
{
	const char *mode = text_lower(arena, setting_text(settings, FIELD_SHARDING_MODE, ""));

	return strstr(mode, "hybrid_shard") &&
	       !strcmp(setting_text(settings, FIELD_FSDP_VERSION, ""), "1") &&
	       settings->items[FIELD_DP_SHARD].origin == ORIGIN_DEFAULT &&
	       settings->items[FIELD_DP_SHARD].integer == -1 &&
	       settings->items[FIELD_DP_REPLICATE].origin == ORIGIN_DEFAULT &&
	       settings->items[FIELD_DP_REPLICATE].integer == 1;
}

void unsaid_machines(struct settings *settings, struct arena *arena, int64_t world)
{
	enum { USUAL = 8 }; /* devices of a machine, where nobody tells */
	static const char why[] =
		"the devices of a machine are not known: --set cluster.gpus_per_node=N";
	const int64_t machines = setting_int(settings, FIELD_CLUSTER_NODES, 0);
	const int64_t devices = setting_int(settings, FIELD_CLUSTER_GPUS_PER_NODE,
					    machines > 0 ? world / machines : 0);
	const struct setting *mode = settings_of(settings, FIELD_SHARDING_MODE);
	struct setting *shard;

	if (!shares_within_machines(settings, arena) || world <= (devices > 0 ? devices : USUAL) ||
	    (devices > 0 && world % devices))
		return; /* what does not divide is a rule's affair (hybrid-shard-group) */
	if (devices < 1) {
		axis_leave_open(settings, FIELD_DP_SHARD, why, mode->span);
		axis_leave_open(settings, FIELD_DP_REPLICATE, why, mode->span);
		return;
	}
	shard = settings_put_int(settings, arena, FIELD_DP_SHARD, devices, ORIGIN_DERIVED);
	shard->note = "the devices of a machine share";
	shard->span = mode->span;
	settings_put_int(settings, arena, FIELD_DP_REPLICATE, -1, ORIGIN_DERIVED)->note =
		"one replica on each machine";
}

void unsaid_close(struct settings *settings, struct arena *arena, int64_t world)
{
	static const enum field_id factors[] = { FIELD_TP, FIELD_PP,	       FIELD_CP,
						 FIELD_SP, FIELD_DP_REPLICATE, FIELD_DP_SHARD };
	int64_t product = 1;
	size_t i;

	for (i = 0; i < sizeof(factors) / sizeof(factors[0]); i++)
		if (setting_given(&settings->items[factors[i]]))
			product = multiply(product, setting_int(settings, factors[i], 1));
	if (world < 2 || product != world)
		return;
	for (i = 0; i < sizeof(factors) / sizeof(factors[0]); i++) {
		struct setting *factor = settings_of(settings, factors[i]);
		if (!factor->unresolved)
			continue;
		factor->invalid = false;
		factor->unresolved = NULL;
		settings_put_int(settings, arena, factors[i], 1, ORIGIN_DERIVED)->note =
			"the other degrees take all ranks";
	}
}
