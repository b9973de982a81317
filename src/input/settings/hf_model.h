#ifndef INPUT_SETTINGS_HF_MODEL_H
#define INPUT_SETTINGS_HF_MODEL_H

#include "input/document.h"
#include "input/field.h"

/*
 * The model of a job whose config names it as people who share models do. For dialects; in
 * settle(), after the keys of the table:
 *
 *	hf_model_put(&decoder, document, node_find(document->root, "base_model"));
 *
 * `name` is the node whose text names the model (NULL and null: nothing is put):
 *  - an id of the Hugging Face hub, "Qwen/Qwen2.5-7B-Instruct", or a name that litgpt or a builder
 *    that torchtune has for it, "torchtune.models.llama3_1.lora_llama3_1_8b": those listed under
 *    `ids:` in the presets, in any case. It becomes model.preset, at the node's place, with the
 *    node's key as its spelling.
 *  - a folder with a config.json in transformers' form, or such a file, beside the document, or
 *    where the script of a launch line may work. Its sizes become model.*, at their places in that
 *    file; of one that is no such file nothing is taken, whatever its folder is called.
 *  - another path whose last part is the name in one of those ids: "/data/Llama-3.1-8B/". The
 *    setting's note says so.
 * All others: a note with the ways out, unless --set says the sizes under native keys ("--set
 * model.preset=llama3-8b", which every dialect takes). Nothing of this is ever an error.
 */
void hf_model_put(struct decoder *decoder, struct document *document, const struct node *name);

/* The same without a note where neither a file nor an id is there; false: nothing was found. */
bool hf_model_find(struct decoder *decoder, struct document *document, const struct node *name);

/* The preset that lists the id, in any case; NULL when none does. */
const char *hf_model_preset(struct arena *arena, const char *id);

/* The first of the preset's ids that begins so, "torchtune.models."; NULL when none does. */
const char *hf_model_id(struct arena *arena, const char *preset, const char *prefix);

/*
 * Puts the sizes of a config.json in transformers' form, whose root that is, into the settings
 * below model. Returns NULL, or, after putting nothing, what it lacks, a phrase: "its model_type
 * 'mamba' is not modelled".
 */
const char *hf_config_put(struct decoder *decoder, const struct node *root);

extern const struct rule_id rule_unsized_model;

#endif
