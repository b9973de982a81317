#include "wings/torchtune/components.h"

#include "base/text.h"
#include "input/keys.h"

#include <string.h>

static const struct component {
	const char *package, *name;
} components[] = {
#define COMPONENT(package, name) { package, name },
#define RECIPE_KEY(name)
#include "wings/torchtune/components.def"
#undef COMPONENT
#undef RECIPE_KEY
	/* torch.optim (v2.9) */
	{ "torch.optim", "Adadelta" },
	{ "torch.optim", "Adafactor" },
	{ "torch.optim", "Adagrad" },
	{ "torch.optim", "Adam" },
	{ "torch.optim", "AdamW" },
	{ "torch.optim", "Adamax" },
	{ "torch.optim", "ASGD" },
	{ "torch.optim", "LBFGS" },
	{ "torch.optim", "Muon" },
	{ "torch.optim", "NAdam" },
	{ "torch.optim", "RAdam" },
	{ "torch.optim", "RMSprop" },
	{ "torch.optim", "Rprop" },
	{ "torch.optim", "SGD" },
	{ "torch.optim", "SparseAdam" },
	{ "torch.optim", "Optimizer" },
	/* the modules that they lie in */
	{ "torch.optim", "adadelta" },
	{ "torch.optim", "adagrad" },
	{ "torch.optim", "adam" },
	{ "torch.optim", "adamax" },
	{ "torch.optim", "adamw" },
	{ "torch.optim", "asgd" },
	{ "torch.optim", "lbfgs" },
	{ "torch.optim", "lr_scheduler" },
	{ "torch.optim", "nadam" },
	{ "torch.optim", "optimizer" },
	{ "torch.optim", "radam" },
	{ "torch.optim", "rmsprop" },
	{ "torch.optim", "rprop" },
	{ "torch.optim", "sgd" },
	{ "torch.optim", "sparse_adam" },
	{ "torch.optim", "swa_utils" },
};

static const char *const recipe_keys[] = {
	"checkpoint_dir", /* of many files, for ${checkpoint_dir} */
#define COMPONENT(package, name)
#define RECIPE_KEY(name) name,
#include "wings/torchtune/components.def"
#undef COMPONENT
#undef RECIPE_KEY
};

enum { COMPONENTS = sizeof(components) / sizeof(components[0]) };

/* The names of a package into names[COMPONENTS]; how many: none of what is no package. */
static size_t names_of(const char *package, const char **names)
{
	size_t i, count = 0;

	for (i = 0; i < COMPONENTS; i++)
		if (!strcmp(components[i].package, package))
			names[count++] = components[i].name;
	return count;
}

static bool has(const char *const *names, size_t count, const char *name)
{
	size_t i;

	for (i = 0; i < count && strcmp(names[i], name) != 0; i++)
		;
	return i < count;
}

static void report(struct decoder *decoder, const struct node *node, const char *package,
		   const char *part, const char *near)
{
	const size_t start = strlen(package) + 1;
	const char *quote = node->quoted && node->origin == NODE_FROM_FILE ? "\"" : "";
	struct finding *finding;

	finding = finding_add(decoder->findings, &rule_bad_word, node->span,
			      "there is no %.60s in %s", part, package);
	if (!near) {
		finding_cap(finding, SEVERITY_NOTE);
		finding_fix(decoder->findings, finding,
			    "use one that is there, unless the version that runs has it");
		return;
	}
	finding_actual(decoder->findings, finding, "torchtune raises an InstantiationError");
	finding_fix(decoder->findings, finding, "did you mean %s.%s?", package, near);
	finding_edit(decoder->findings, finding, node->span, "%s%s.%s%s%s", quote, package, near,
		     node->text + start + strlen(part), quote);
}

/*
 * Goes down the packages that a path names, as far as they are packages: what a module has is not
 * known. Where it begins is known.
 */
static void look_up(struct decoder *decoder, const struct node *node, const char *root)
{
	const char **names = arena_array(decoder->arena, COMPONENTS, sizeof(*names));
	const char *package = root, *at = node->text + strlen(root), *part;
	size_t count;

	while (*at == '.') {
		at++;
		part = arena_strndup(decoder->arena, at, strcspn(at, "."));
		at += strlen(part);
		count = names_of(package, names);
		if (!count || !*part || *part == '_') /* a module, or not theirs to name */
			return;
		if (!has(names, count, part)) {
			report(decoder, node, package, part, text_nearest(part, names, count));
			return;
		}
		package = arena_printf(decoder->arena, "%s.%s", package, part);
	}
}

static void judge(struct decoder *decoder, const struct node *node)
{
	static const char *const roots[] = { "torchtune", "torch.optim" };
	size_t i, length;

	for (i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		length = strlen(roots[i]);
		if (node->kind == NODE_SCALAR && !node->unresolved && !strpbrk(node->text, "${ ") &&
		    !strncmp(node->text, roots[i], length) && node->text[length] == '.')
			look_up(decoder, node, roots[i]);
	}
}

static void walk(struct decoder *decoder, const struct node *node)
{
	static const char *const key[] = { "_component_" };
	const struct node *child;

	if (node->kind == NODE_MAP)
		keys_near(decoder, node, key, 1, "torchtune", "builds nothing without _component_");
	for (child = node->kind == NODE_SCALAR ? NULL : node->first; child; child = child->next) {
		if (child->key && !strcmp(child->key, key[0]))
			judge(decoder, child);
		walk(decoder, child);
	}
}

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

void torchtune_components(struct decoder *decoder, const struct node *root)
{
	if (!decoder->findings)
		return;
	walk(decoder, root);
	near_arguments(decoder, root);
	keys_near(decoder, root, recipe_keys, sizeof(recipe_keys) / sizeof(recipe_keys[0]),
		  "torchtune", "stops without it, or silently takes its default");
}
