#include "input/launch/form.h"
#include "input/settings/hf_model.h"

/* As scripts of transformers' name it (transformers@v4.57.0 examples/pytorch/), and those of others
 * by habit; the latter may also mean what is no model of the hub. */
static const struct {
	const char *name;
	bool sure;
} flags[] = { { "model_name_or_path", true }, { "pretrained_model_name_or_path", true },
	      { "model_path", false },	      { "base_model", false },
	      { "model_name", false },	      { "model_id", false },
	      { "pretrain", false },	      { "model", false } };

void launch_put_model(struct decoder *decoder, struct document *document)
{
	const struct launch *launch = document->launch;
	struct node *name;
	size_t i;

	for (i = 0; launch && i < sizeof(flags) / sizeof(flags[0]); i++) {
		const struct launch_flag *flag = launch_find(launch, flags[i].name);
		if (!flag || !flag->value)
			continue;
		name = launch_scalar(document->arena, flag);
		name->key = flag->name;
		if (flags[i].sure)
			hf_model_put(decoder, document, name);
		if (flags[i].sure || hf_model_find(decoder, document, name))
			return;
	}
}
