#include "wings/torchtune/components.h"

#include "input/components.h"
#include "input/keys.h"

static const struct component_row rows[] = {
#define COMPONENTS(module, releases, names) { module, releases, names },
#define RECIPE_KEY(name)
#include "wings/torchtune/components.def"
#undef COMPONENTS
#undef RECIPE_KEY
	/* torch.optim (v2.9), whose version is none of torchtune's */
	{ "torch.optim", ~0U,
	  "Adadelta|Adafactor|Adagrad|Adam|AdamW|Adamax|ASGD|LBFGS|Muon|NAdam|RAdam|RMSprop|Rprop|"
	  "SGD|SparseAdam|Optimizer" },
	/* the modules that they lie in */
	{ "torch.optim", ~0U,
	  "adadelta|adagrad|adam|adamax|adamw|asgd|lbfgs|lr_scheduler|nadam|optimizer|radam|"
	  "rmsprop|"
	  "rprop|sgd|sparse_adam|swa_utils" },
};

static const char *const roots[] = { "torchtune", "torch.optim", NULL };

static const char *const releases[] = { "v0.1.0", "v0.1.1", "v0.2.0", "v0.2.1", "v0.3.0", "v0.3.1",
					"v0.4.0", "v0.5.0", "v0.6.0", "v0.6.1", NULL };

static const struct component_table table = {
	.framework = "torchtune",
	.speaker = "torchtune",
	.key = "_component_",
	.roots = roots,
	.releases = releases,
	.raises = "raises an InstantiationError",
	.without = "builds nothing without _component_",
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
};

static const char *const recipe_keys[] = {
	"checkpoint_dir", /* of many files, for ${checkpoint_dir} */
#define COMPONENTS(module, releases, names)
#define RECIPE_KEY(name) name,
#include "wings/torchtune/components.def"
#undef COMPONENTS
#undef RECIPE_KEY
};

#define RAISES "raises a TypeError"
#define NEAR(map, names)                                                                           \
	{                                                                                          \
		map, names, sizeof(names) / sizeof((names)[0])                                     \
	}

/* What classes behind these maps take, where nearly all of them take the same. */
static void near_arguments(struct decoder *decoder, const struct node *root)
{
	static const char *const optimizer[] = {
		"weight_decay",	  "amsgrad", "maximize", "foreach",
		"differentiable", "fused",   "momentum", "nesterov"
	};
	static const char *const checkpointer[] = {
		"checkpoint_dir",	  "checkpoint_files",	"adapter_checkpoint",
		"recipe_checkpoint",	  "output_dir",		"model_type",
		"resume_from_checkpoint", "safe_serialization", "should_load_recipe_state",
		"keep_last_n_checkpoints"
	};
	static const char *const tokenizer[] = { "path", "merges_file", "max_seq_len",
						 "prompt_template", "truncation_type" };
	static const struct {
		const char *map;
		const char *const *names;
		size_t count;
	} maps[] = { NEAR("optimizer", optimizer), NEAR("checkpointer", checkpointer),
		     NEAR("tokenizer", tokenizer) };
	size_t i;

	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		keys_near(decoder, node_find(root, maps[i].map), maps[i].names, maps[i].count,
			  "torchtune", RAISES);
}

void torchtune_components(struct decoder *decoder, const struct document *document)
{
	if (!decoder->findings)
		return;
	components_judge(decoder, document, &table);
	near_arguments(decoder, document->root);
	keys_near(decoder, document->root, recipe_keys,
		  sizeof(recipe_keys) / sizeof(recipe_keys[0]), "torchtune",
		  "stops without it, or silently takes its default");
}
