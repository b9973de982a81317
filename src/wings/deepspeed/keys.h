#ifndef WINGS_DEEPSPEED_KEYS_H
#define WINGS_DEEPSPEED_KEYS_H

#include "input/field.h"
#include "input/node.h"

struct job;
struct vocabulary;

/*
 * DeepSpeed's config (deepspeed@edaa7221 runtime/config.py), which stands by itself, in a file that
 * another config names, or as a map inside one. Callers put what their own keys say after it: the
 * later value wins. "auto", which the Trainer of transformers fills in, is as if it were not there.
 */

/*
 * Puts what the map says: ZeRO's stage and what follows from it, the batch numbers, tp, sp, types,
 * offload. Numbers that DeepSpeed computes from others (the third of the batch triple) stay open.
 */
void deepspeed_put(struct decoder *decoder, const struct node *config);

/* Reports an optimizer that is nearly one that the engine makes. */
void deepspeed_choose(struct decoder *decoder, const struct node *config);

/* The type of parameters where none is said: fp32, by `whose` default; open where the Trainer of
 * transformers fills in "auto". */
void deepspeed_precision(struct decoder *decoder, const struct node *config, const char *whose);

/* The setting that one of its keys stands for as it is, or FIELD_COUNT. */
enum field_id deepspeed_field_of(const char *leaf);

/*
 * Puts the data-parallel axes that follow from the stage in FIELD_ZERO_STAGE (none: DeepSpeed's
 * default 0), unless somebody gave them: at stage 3 all ranks left share the parameters, below it
 * they repeat them. `group` is the number of ranks of a MiCS group, which share where all others
 * repeat; below 1: none.
 */
void deepspeed_put_axes(struct decoder *decoder, int64_t group);

/* Puts them anew where the stage has become another one since. */
void deepspeed_follow_stage(struct job *job);

/*
 * Reports keys that the map has and DeepSpeed not: those of zero_optimization, which it refuses,
 * and misspelt ones beside, which it ignores.
 */
void deepspeed_check_keys(struct decoder *decoder, const struct node *config);

/* Adds DeepSpeed's keys below the map at `prefix` ("": the file). */
void deepspeed_vocabulary(struct vocabulary *vocabulary, const char *prefix);

#endif
