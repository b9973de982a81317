#include "framework/torch/custom_state.h"

#include "input/node.h"

#include <string.h>

/* The ranks that the axes named by `means.KEY` join; nothing when it is not said. */
static bool meant(struct script *s, const char *key, struct layout *layout)
{
	const struct node *means = node_member(s->block, "means");
	struct names names;
	int i;

	memset(layout, 0, sizeof(*layout));
	if (!means || !custom_names(s, means, key, &names))
		return false;
	for (i = 0; i < names.count; i++) {
		const struct mesh *mesh = plan_mesh(s->plan, names.items[i]);
		if (!mesh || layout->modes + mesh->layout.modes > LAYOUT_MODES) {
			finding_add(s->job->findings, &rule_unknown_key, names.nodes[i]->span,
				    "mesh.means.%s names '%s', which is no axis of mesh.root and "
				    "no entry of "
				    "mesh.flatten",
				    key, names.items[i]);
			return false;
		}
		*layout = layout_join(*layout, mesh->layout);
	}
	return true;
}

static void put_degree(struct script *s, enum field_id field, const struct layout *layout)
{
	struct setting *setting = settings_of(&s->job->settings, field);

	if (setting_given(setting))
		return;
	setting = settings_put_int(&s->job->settings, s->job->arena, field,
				   layout->modes ? layout_size(layout) : 1, ORIGIN_DERIVED);
	setting->note = "mesh.means";
	setting_from(setting, settings_of(&s->job->settings, FIELD_MESH));
}

static enum strategy strategy_of(const struct layout *replicate, const struct layout *shard)
{
	if (layout_size(shard) > 1)
		return layout_size(replicate) > 1 ? STRATEGY_HSDP : STRATEGY_FSDP;
	return layout_size(replicate) > 1 ? STRATEGY_DDP : STRATEGY_NONE;
}

static void fill_degrees(struct script *s, struct degrees *degrees)
{
	const struct {
		const char *key;
		enum field_id field;
		int64_t *degree;
	} axes[] = {
		{ "context", FIELD_CP, &degrees->cp },
		{ "tensor", FIELD_TP, &degrees->tp },
		{ "pipeline", FIELD_PP, &degrees->pp },
		{ "expert", FIELD_EP, &degrees->ep },
	};
	struct layout layout;
	size_t i;

	for (i = 0; i < sizeof(axes) / sizeof(axes[0]); i++) {
		if (!meant(s, axes[i].key, &layout) && axes[i].field == FIELD_TP && s->tensor)
			layout = *device_mesh_layout(s->tensor, 0);
		put_degree(s, axes[i].field, &layout);
		*axes[i].degree = layout_size(&layout);
	}
}

/*
 * The intended plan: what `means` says of data parallelism; where it says nothing, what is applied
 * is what was meant.
 */
void custom_intend(struct script *s)
{
	struct plan *intended = s->job->intended;
	struct layout replicate, shard;
	const struct node *means = node_member(s->block, "means");
	bool said = node_member(means, "replicate") || node_member(means, "shard");

	memset(&intended->meshes, 0, sizeof(intended->meshes));
	intended->has_expert = false;
	if (said) {
		meant(s, "replicate", &replicate);
		meant(s, "shard", &shard);
	} else {
		replicate = s->plan->dense.replicate;
		shard = s->plan->dense.shard;
	}
	intended->dense.replicate = replicate;
	intended->dense.shard = shard;
	intended->dense.strategy = intended->requested = strategy_of(&replicate, &shard);
	s->plan->requested = intended->requested;
	put_degree(s, FIELD_DP_REPLICATE, &replicate);
	put_degree(s, FIELD_DP_SHARD, &shard);
	fill_degrees(s, &intended->degrees);
	intended->degrees.dp_replicate = layout_size(&replicate);
	intended->degrees.dp_shard = layout_size(&shard);
	s->plan->degrees = intended->degrees;
}
