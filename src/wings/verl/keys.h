#ifndef WINGS_VERL_KEYS_H
#define WINGS_VERL_KEYS_H

#include "input/document.h"
#include "input/field.h"
#include "input/launch/launch.h"

/*
 * verl's keys (verl-project/verl@1dda039b verl/trainer/config): the actor is trained by FSDP, whose
 * ranks Ulysses uses once more, or by Megatron, on all devices of the trainer's pool.
 */

/* Puts what the composed config sets: the trainer's devices, the actor's degrees, the rollout's. */
void verl_settle(struct document *document, struct settings *settings, struct findings *findings);

/* The keys of the trainer, the actor under either engine, and the rollout. */
void verl_vocabulary(struct vocabulary *vocabulary);

/*
 * True when the command starts one of verl's programs, with hydra's overrides behind it: `launch`
 * is the command taken apart.
 */
bool verl_is_launch(const struct launch *launch);

/*
 * Puts hydra's overrides (a.b.c=v, +a.b.c=v, ++a.b.c=v) below the document's tree, where --set has
 * put nothing, above the file that --config-name names if it lies there, and what that name says
 * about the engine.
 */
void verl_put_overrides(struct document *document, const struct shell_script *script,
			const struct shell_command *command, struct findings *findings);

/* Batches have the padding that they are made with, up to the greatest length, unless the key
 * removes it (verl/workers/actor/dp_actor.py; utils/dataset/sft_dataset.py). */
void verl_put_padding(struct decoder *decoder, const struct node *root, const char *key);

/* As many ranks as the launch or the trainer's pool has; 0: not known. */
int64_t verl_ranks(const struct document *document, const struct settings *settings);

/* Micro-batches take tokens, and no number of samples. */
bool verl_is_dynamic(const struct node *root);

/* Puts the lengths of sequences and the micro-batch, then, when the degrees are there, the samples
 * of an update and those that a dynamic micro-batch takes. */
void verl_steps(const struct document *document, struct decoder *decoder);
void verl_mini_batch(const struct document *document, struct decoder *decoder);
void verl_dynamic_batch(const struct document *document, struct decoder *decoder);

/* The micro-batch's key. */
void verl_offer_steps(struct vocabulary *vocabulary);

/* Judges the numbers and flags of which no setting is made, what optimizers are told, and keys that
 * are a letter or two off. */
void verl_numbers(struct decoder *decoder, const struct node *root);

/* Reports what verl refuses of a config that is whole, for which no plan ends. */
void verl_refusals(const struct document *document, struct decoder *decoder);

/* Keeps an override without '+'; `own`: of a program of verl's, with a config of verl's. */
void verl_keep_override(struct document *document, const char *path, struct span span, bool own);

/* Reports those whose key no version composes, or, of its own, not the release that is pinned:
 * hydra stops at them. */
void verl_judge_overrides(struct document *document, struct findings *findings);

/* Keys of a file, or added ones, that are a letter or two off. */
void verl_near(struct decoder *decoder, const struct node *root);

/* The keys of its last version, and those of earlier ones, which are no slips in the former. */
void verl_offer(struct vocabulary *vocabulary);

/* What the actor is asked for and no forecast counts. */
void verl_uncounted(struct decoder *decoder, const struct node *root, bool megatron);

/*
 * Puts what an engine other than FSDP's and Megatron's makes of its keys in the map at `path`:
 * TorchTitan's degrees; those of others, which no plan knows, are left open.
 */
void verl_engine(struct document *document, struct decoder *decoder, const char *engine,
		 const char *path);

/* The keys of TorchTitan's engine. */
void verl_offer_engines(struct vocabulary *vocabulary);

/*
 * Whether workers are engines alone (verl/workers/engine_workers.py): from v0.8.0 on, and before
 * where trainer.use_legacy_worker_impl, which later releases have not, is "disable".
 */
bool verl_by_engines(const struct document *document);

/*
 * Whether an actor under FSDP reduces gradients after the last micro-batch alone: from v0.9.0 on
 * (verl/workers/engine/fsdp/transformer_impl.py, _gradient_sync_context; verl@2423f801b).
 */
bool verl_reduces_last(const struct document *document);

/* Whether an override says that the whole config is one of verl's own and the command line. */
bool verl_is_whole(const struct document *document);

#endif
