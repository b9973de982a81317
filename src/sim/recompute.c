#include "sim/recompute.h"

#include "base/text.h"
#include "input/setting.h"

#include <math.h>
#include <string.h>

/*
 * Megatron's methods (core/recompute.py at d98e8a64, checkpointed_forward):
 * `uniform` keeps the input of each so many layers and computes all of them again, `block` computes
 * the first so many layers of each (virtual) stage again and keeps all of the others.
 */
static void put_full(struct workload *work, const struct recompute_said *said)
{
	work->recompute = RECOMPUTE_FULL;
	if (!strcmp(said->method, "block")) {
		work->recompute = said->layers > 0 ? RECOMPUTE_LAYERS : RECOMPUTE_NONE;
		work->recompute_first = said->layers;
	} else if (!strcmp(said->method, "uniform") && said->layers > 0) {
		work->recompute_unit = said->layers;
	}
}

/* NVIDIA/Megatron-LM@d98e8a64 core/transformer/transformer_config.py, recompute_modules. Others it
 * knows are of blocks that nothing here models. */
static const char *const module_names[MODULES] = {
	[MODULE_CORE] = "core_attn",
	[MODULE_NORMS] = "layernorm",
	[MODULE_LATENT] = "mla_up_proj",
	[MODULE_MLP] = "mlp",
	[MODULE_MOE] = "moe",
	[MODULE_SHARED] = "shared_experts",
	[MODULE_GATES] = "moe_act",
};

static unsigned module_of(const struct node *word)
{
	unsigned module;

	for (module = 0; module < MODULES; module++)
		if (word->kind == NODE_SCALAR && !strcmp(word->text, module_names[module]))
			return 1u << module;
	return 0;
}

static unsigned modules_of(const struct node *said)
{
	const struct node *word;
	unsigned modules = 0;

	if (!said)
		return 1u << MODULE_CORE;
	for (word = said->first; word; word = word->next)
		modules |= module_of(word);
	return modules;
}

void recompute_put(struct workload *work, const struct recompute_said *said)
{
	const bool selective = !strcmp(said->mode, "selective");
	int64_t every;

	work->recompute = RECOMPUTE_NONE;
	work->recompute_every = work->recompute_unit = 1;
	work->recompute_first = 0;
	work->recompute_said = *said->mode != '\0';
	work->modules = 0;
	work->recompute_partly =
		selective && !said->modules && workload_does(work, HABIT_RECOMPUTES_MODULES);
	if (!*said->mode && workload_does(work, HABIT_RECOMPUTES_OPERATORS)) {
		work->recompute = RECOMPUTE_OPERATORS;
	} else if (!strcmp(said->mode, "full")) {
		put_full(work, said);
	} else if (selective && work->megatron &&
		   (!*said->option || !strcmp(said->option, "attention"))) {
		work->recompute = RECOMPUTE_MODULES;
		work->modules = modules_of(said->modules);
	} else if (selective && text_to_int(said->option, &every) && every > 0) {
		work->recompute = RECOMPUTE_LAYERS;
		work->recompute_every = every;
	} else if (selective) {
		work->recompute = RECOMPUTE_OPERATORS;
	}
}

const struct node *recompute_modules(const struct settings *settings)
{
	const struct setting *modules = &settings->items[FIELD_AC_MODULES];

	return setting_known(modules) ? modules->node : NULL;
}

void recompute_read(struct workload *work, const struct job *job)
{
	const struct settings *settings = &job->settings;
	const struct recompute_said said = { setting_text(settings, FIELD_AC_MODE, ""),
					     setting_text(settings, FIELD_AC_OPTION, ""),
					     setting_text(settings, FIELD_AC_METHOD, ""),
					     setting_int(settings, FIELD_AC_LAYERS, 1),
					     recompute_modules(settings) };

	recompute_put(work, &said);
	work->recompute_unknown = setting_unresolved(settings, FIELD_AC_MODE) ||
				  (work->recompute == RECOMPUTE_MODULES &&
				   setting_unresolved(settings, FIELD_AC_MODULES));
	work->host_stash = work->host_inputs = setting_bool(settings, FIELD_AC_OFFLOAD, false);
}

/* NVIDIA/Megatron-LM@d98e8a64 core/transformer/multi_token_prediction.py, _checkpointed_forward */
struct workload recompute_of_predictions(const struct workload *work)
{
	struct workload other = *work;

	if (work->recompute == RECOMPUTE_LAYERS && work->recompute_first > 0)
		other.recompute = RECOMPUTE_NONE;
	return other;
}

bool recompute_module(const struct workload *work, enum module module)
{
	return work->recompute == RECOMPUTE_MODULES && (work->modules & 1u << module) != 0;
}

double recompute_sends(const struct workload *work, bool experts)
{
	if (recompute_module(work, experts ? MODULE_MOE : MODULE_MLP)) /* of two halves one */
		return 0.5;
	return recompute_share(work);
}

double recompute_sends_experts(const struct workload *work)
{
	return recompute_module(work, MODULE_MOE) ? 1 : recompute_share(work);
}

static double stage_layers(const struct workload *work)
{
	return (double)work->model->layers / (double)(work->pp * work->virtual_stages);
}

bool recompute_by_stage(const struct workload *work)
{
	return work->recompute_first > 0 || work->recompute_unit > 1;
}

double recompute_share(const struct workload *work)
{
	if (work->recompute == RECOMPUTE_FULL)
		return 1;
	if (work->recompute != RECOMPUTE_LAYERS)
		return 0;
	if (work->recompute_first > 0)
		return fmin((double)work->recompute_first / stage_layers(work), 1);
	return 1 / (double)work->recompute_every;
}

double recompute_unit(const struct workload *work)
{
	return fmax(fmin((double)work->recompute_unit, stage_layers(work)), 1);
}
