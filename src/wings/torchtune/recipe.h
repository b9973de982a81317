#ifndef WINGS_TORCHTUNE_RECIPE_H
#define WINGS_TORCHTUNE_RECIPE_H

#include "input/document.h"

/* What a recipe makes of keys: bits of what it reads. */
enum recipe_reading {
	RECIPE_MESH = 1, /* degrees of data and context parallelism; others share over all ranks */
	RECIPE_TENSOR = 2, /* that of tensor parallelism, with its plan */
	RECIPE_MODES = 4   /* ac_mode */
};

/*
 * The reading of the recipe that a document is for: the one that its launch line starts or the
 * comments above its first key name; else the one for fine-tuning of the model that `own`, which
 * has torchtune's keys, builds. Its name is put where `name` points to. Of a program that is none
 * of torchtune's recipes all is taken for read, and no name is put.
 */
int torchtune_recipe(const struct document *document, const struct node *own, const char **name);

/* What the builder's name says is trained: lora_llama3_8b, qlora_..., dora_...; NULL: all weights.
 */
const char *torchtune_tuner(const struct node *own);

/* What the comments above the first key say. */
bool torchtune_header_says(const struct document *document, const char *word);

#endif
