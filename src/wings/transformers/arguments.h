#ifndef WINGS_TRANSFORMERS_ARGUMENTS_H
#define WINGS_TRANSFORMERS_ARGUMENTS_H

#include "input/document.h"
#include "input/field.h"

struct launch;

/*
 * The TrainingArguments of transformers (v4.57.0 training_args.py) as LLaMA-Factory, TRL,
 * open-instruct and others take them from YAML: batch, precision, and which engine shares the model
 * among the ranks: `deepspeed:`, `fsdp:`, else DistributedDataParallel.
 */

/* Puts what the map says; axes that somebody gave stay. */
void training_arguments_put(struct decoder *decoder, const struct node *root);

/* The setting that one of them stands for as it is, or FIELD_COUNT. */
enum field_id training_arguments_field_of(const char *leaf);

/* Puts the engine and who holds the parameters of what other axes leave of the world. */
void training_arguments_engine(struct document *document, struct decoder *decoder,
			       const struct node *root);

/*
 * Gives flags that are the beginning of one argument's name alone the whole name: argparse takes
 * them so, and HfArgumentParser leaves that on. Names that a script's own dataclasses add are not
 * known.
 */
void training_arguments_spell(struct launch *launch);

/* The argument that a flag of that name is, spelt whole, or NULL: none of those that are shortened.
 */
const char *training_argument_of(const char *flag);

/* What `fsdp_config` says where nobody says `fsdp`: which FSDP it would be. */
void training_arguments_fsdp(const struct document *document, struct decoder *decoder,
			     const struct node *root);

/* True when the map has keys of the Trainer: per_device_train_batch_size and the like. */
bool training_arguments_recognise(const struct node *root);

/* Adds the arguments below the map at `prefix` ("": the file). */
void training_arguments_vocabulary(struct vocabulary *vocabulary, const char *prefix);

#endif
