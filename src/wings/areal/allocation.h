#ifndef WINGS_AREAL_ALLOCATION_H
#define WINGS_AREAL_ALLOCATION_H

#include "input/field.h"

/*
 * AReaL's notation of who trains on how many ranks (areal/api/alloc_mode.py, ALLOCATION_GRAMMAR):
 * "fsdp:d4t2c1", "megatron:(attn:d4p4t2|ffn:d2p4e4)", with a name "fsdp[actor]:d4", and several of
 * them joined by '+' or '|', of which those with sglang or vllm generate.
 */

/* Puts the degrees and the engine of what trains; where the text leaves them open, or only
 * generates, they are unknown. */
void allocation_put(struct decoder *decoder, const struct node *text);

/* The ranks of what trains, or 0: not known. */
int64_t allocation_ranks(const struct settings *settings);

#endif
