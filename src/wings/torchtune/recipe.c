#include "wings/torchtune/recipe.h"

#include "base/text.h"
#include "input/keys.h"
#include "input/launch/launch.h"

#include <ctype.h>
#include <string.h>

/* Those that run on several devices (pytorch/torchtune@bd2a0fc7 recipes/, recipes/dev/). */
static const struct recipe {
	const char *name;
	int reads;
} recipes[] = {
	{ "full_finetune_distributed", RECIPE_MESH | RECIPE_TENSOR | RECIPE_MODES },
	{ "qat_distributed", RECIPE_MESH | RECIPE_TENSOR | RECIPE_MODES },
	{ "lora_finetune_distributed", RECIPE_MESH },
	{ "full_dpo_distributed", 0 },
	{ "lora_dpo_distributed", 0 },
	{ "knowledge_distillation_distributed", 0 },
	{ "qat_lora_finetune_distributed", 0 },
	{ "early_exit_finetune_distributed", RECIPE_MODES },
	{ "lora_finetune_distributed_multi_dataset", 0 },
	{ "grpo_full_finetune_distributed", 0 },
	{ "async_grpo_full_finetune_distributed", 0 },
	{ "ppo_full_finetune_single_device", 0 },
};

static const struct recipe *recipe_called(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < sizeof(recipes) / sizeof(*recipes); i++)
		if (strlen(recipes[i].name) == length && !strncmp(recipes[i].name, name, length))
			return &recipes[i];
	return NULL;
}

static size_t word_length(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length && (isalnum((unsigned char)text[i]) || text[i] == '_'); i++)
		;
	return i;
}

/* The first recipe that the text names, or NULL. */
static const struct recipe *recipe_in(const char *text, size_t length)
{
	const struct recipe *recipe = NULL;
	size_t at, word;

	for (at = 0; at < length && !recipe; at += word + 1) {
		word = word_length(text + at, length - at);
		recipe = recipe_called(text + at, word);
	}
	return recipe;
}

/* How long the comments are that stand above the first key. */
static size_t header_length(const struct document *document)
{
	const char *text = document->source->text, *line = text;

	while (*line == '#' || *line == '\n')
		line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n');
	return (size_t)(line - text);
}

bool torchtune_header_says(const struct document *document, const char *word)
{
	return text_mentions(document->source->text, header_length(document), word);
}

const char *torchtune_tuner(const struct node *own)
{
	const char *name = keys_text(own, "model._component_", "");
	const char *dot = strrchr(name, '.');

	name = dot ? dot + 1 : name;
	if (strstr(name, "qlora_"))
		return "qlora";
	return strstr(name, "lora_") ? "lora" : strstr(name, "dora_") ? "dora" : NULL;
}

static const char *recipe_for(const struct node *own)
{
	return torchtune_tuner(own) ? "lora_finetune_distributed" : "full_finetune_distributed";
}

int torchtune_recipe(const struct document *document, const struct node *own, const char **name)
{
	const struct launch *launch = document->launch;
	const char *program = launch && launch->program ? launch->program : "";
	const struct recipe *recipe = recipe_in(program, strlen(program));

	if (!recipe && !document->shell)
		recipe = recipe_in(document->source->text, header_length(document));
	if (!recipe && *program)
		return RECIPE_MESH | RECIPE_TENSOR | RECIPE_MODES;
	if (!recipe)
		recipe = recipe_called(recipe_for(own), strlen(recipe_for(own)));
	if (name)
		*name = recipe->name;
	return recipe->reads;
}
