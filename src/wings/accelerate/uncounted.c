#include "wings/accelerate/uncounted.h"

#include "input/field.h"
#include "input/keys.h"
#include "input/node.h"
#include "input/settings/uncounted.h"

#include <string.h>
#include <strings.h>

#define ROWS(name) name, sizeof(name) / sizeof((name)[0])

/* Of the script's own products, whatever the back end (accelerator.py). */
static const struct key_row product_row = { "mixed_precision", FIELD_MATMUL_DTYPE, KEY_VALUE,
					    "no=|false=|bf16=|fp16=|fp8=fp8" };

/* deepspeed_config where parameters alone wait; utils/dataclasses.py, MegatronLMPlugin. */
static const struct uncounted_row param_uncounted[] = {
	{ "offload_param_device", "parameters wait in host memory" },
};

static const struct uncounted_row megatron_uncounted[] = {
	{ "megatron_lm_use_custom_fsdp", "Megatron-FSDP shares parameters" },
	{ "megatron_lm_use_precision_aware_optimizer", "gradients have no copy for the optimizer" },
};

/* Parameters move at stage 3 only; what the optimizer keeps of them, too, is all. */
void accelerate_offload(struct decoder *decoder, const struct node *map, int64_t stage)
{
	static const char devices[] = "cpu|nvme";

	if (!map || stage < 3 || !words_have(devices, keys_text(map, "offload_param_device", "")))
		return;
	if (words_have(devices, keys_text(map, "offload_optimizer_device", "")))
		settings_put_bool(decoder->settings, FIELD_CPU_OFFLOAD, true, ORIGIN_DERIVED)
			->note = "offload_param_device and offload_optimizer_device";
	else
		uncounted_put(decoder, map, NULL, ROWS(param_uncounted));
}

void accelerate_megatron(struct decoder *decoder, const struct node *map)
{
	uncounted_put(decoder, map, NULL, ROWS(megatron_uncounted));
}

/* The model is compiled as it is prepared, unless the back end is "no" (TorchDynamoPlugin). */
void accelerate_compute(struct decoder *decoder, const struct node *root)
{
	static const struct uncounted_row kernels[] = {
		{ "dynamo_config.dynamo_backend=eager|aot_eager", "kernels stay as they are" },
		{ "dynamo_backend=eager|aot_eager", "kernels stay as they are" },
	};
	const struct node *said = node_find(root, "dynamo_config.dynamo_backend");

	keys_put(decoder, root, &product_row, 1);
	said = said ? said : node_member(root, "dynamo_backend");
	if (!said || said->kind != NODE_SCALAR || said->unresolved)
		return;
	if (!strcasecmp(said->text, "inductor"))
		settings_put_bool(decoder->settings, FIELD_COMPILE, true, ORIGIN_DERIVED)->span =
			said->span;
	uncounted_put(decoder, root, NULL, ROWS(kernels));
}
