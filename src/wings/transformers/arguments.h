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

/* training_args.py, OptimizerNames and trainer_utils.py, of v4.57.6 to v5.24.0; adamw_hf up to 4.
 */
#define TRAINER_OPTIMIZERS                                                                         \
	"adamw_torch|adamw_torch_fused|adamw_torch_xla|adamw_torch_npu_fused|adamw_apex_fused|"    \
	"adafactor|adamw_anyprecision|adamw_torch_4bit|adamw_torch_8bit|ademamix|sgd|adagrad|"     \
	"adamw_bnb_8bit|adamw_8bit|ademamix_8bit|lion_8bit|lion_32bit|paged_adamw_32bit|"          \
	"paged_adamw_8bit|paged_ademamix_32bit|paged_ademamix_8bit|paged_lion_32bit|"              \
	"paged_lion_8bit|rmsprop|rmsprop_bnb|rmsprop_bnb_8bit|rmsprop_bnb_32bit|galore_adamw|"     \
	"galore_adamw_8bit|galore_adafactor|galore_adamw_layerwise|galore_adamw_8bit_layerwise|"   \
	"galore_adafactor_layerwise|lomo|adalomo|grokadamw|schedule_free_radam|"                   \
	"schedule_free_adamw|schedule_free_sgd|apollo_adamw|apollo_adamw_layerwise|stable_adamw|"  \
	"adamw_hf"
#define TRAINER_SCHEDULERS                                                                         \
	"linear|cosine|cosine_with_restarts|polynomial|constant|constant_with_warmup|"             \
	"inverse_sqrt|reduce_lr_on_plateau|cosine_with_min_lr|cosine_warmup_with_min_lr|"          \
	"warmup_stable_decay|greedy"

/* Puts what the map says; axes that somebody gave stay. */
void training_arguments_put(struct decoder *decoder, const struct node *root);

/* Judges the numbers of a map that the Trainer is handed, with what epochs are called there; the
 * map may be NULL. */
void training_arguments_numbers(struct decoder *decoder, const struct node *map,
				const char *epochs);

/* The setting that one of them stands for as it is, or FIELD_COUNT. */
enum field_id training_arguments_field_of(const char *leaf);

/* Where it stands in what the Trainer is told. */
#define TRAINER_EACH_BATCH "accelerator_config.gradient_accumulation_kwargs.sync_each_batch"

/* Whether the version that is pinned reads sync_each_batch; true of a document that is NULL. */
bool training_arguments_read_each(const struct document *document);

/* Forgets sync_each_batch, and reports it, where the version that is pinned does not read it. */
void training_arguments_each_batch(const struct document *document, struct decoder *decoder,
				   const struct node *root);

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
