#ifndef WINGS_TRANSFORMERS_DATA_PARALLEL_H
#define WINGS_TRANSFORMERS_DATA_PARALLEL_H

#include "input/document.h"
#include "input/field.h"

/*
 * Data parallelism as the trainers around Hugging Face's accelerate have it: what the other axes
 * leave of the world is shared (FSDP, ZeRO-3) or repeated (DDP, ZeRO up to 2). Settings that
 * somebody gave stay.
 */

/* Parameters are shared by the rest of the world; `note` says who does it. */
void data_parallel_shards(struct decoder *decoder, const char *note);

/* Every rank of the rest of the world has the parameters whole. */
void data_parallel_repeats(struct decoder *decoder, const char *note);

/* The same where nobody but a launcher would say otherwise: without one it is not known. */
void data_parallel_by_launcher(struct document *document, struct decoder *decoder,
			       const char *note);

/* As the file or the flags of accelerate launch say, which starts the script; false: it does not.
 */
bool data_parallel_started(struct document *document, struct decoder *decoder);

/*
 * As FSDP1's strategy says, which training.sharding_mode has: SHARD_GRAD_OP keeps what a forward
 * pass gathered; HYBRID_SHARD without a mesh shares parameters within a machine and repeats them by
 * each, when the number of machines is known; NO_SHARD repeats them. False: all of the rest share.
 */
bool data_parallel_strategy(struct decoder *decoder);

/*
 * By DeepSpeed, as its config says: a map, or the path of a JSON file. When there is no such file,
 * and its name is none of those that axolotl, LLaMA-Factory and open-instruct ship, the stage, and
 * with it who holds what, is not known.
 */
void data_parallel_deepspeed(struct document *document, struct decoder *decoder,
			     const struct node *config);

#endif
