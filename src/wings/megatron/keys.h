#ifndef WINGS_MEGATRON_KEYS_H
#define WINGS_MEGATRON_KEYS_H

#include "input/field.h"
#include "input/node.h"

#include <stddef.h>

struct document;
struct vocabulary;

/*
 * The arguments of Megatron-LM (NVIDIA/Megatron-LM@d98e8a64 megatron/training/arguments.py), which
 * many frameworks take over: as keys with underscores or dashes in a map, or as flags.
 */

/* Where a framework that takes Megatron's arguments differs from Megatron-LM itself. */
struct megatron_habits {
	const char *whose; /* whose defaults they are, for notes: "Megatron-LM" */
	int64_t etp;	   /* default of expert_tensor_parallel_size; 0: as many as tp */
	bool grouped;	   /* num_query_groups counts without group_query_attention */
	bool positions;	   /* a learned table of positions unless another kind is asked for */
};

/* Megatron-LM's own: etp follows tp, key/value heads need the switch, positions are learned. */
extern const struct megatron_habits megatron_itself;

/*
 * Puts what the arguments in `map` set, and what follows from them: data parallel as what the world
 * leaves (replicated, or sharded under FSDP), etp, stages per rank, the model's sizes. Keys may be
 * tensor_model_parallel_size, tensor-model-parallel-size or --tensor-model-parallel-size; those of
 * the map that are no arguments, and nested maps, are left alone.
 */
void megatron_settle(struct decoder *decoder, const struct node *map,
		     const struct megatron_habits *habits);

/* Whether it is one of the programs whose arguments are Megatron's own: .../pretrain_gpt.py. */
bool megatron_is_trainer(const char *program);

/*
 * The type of parameters where no argument says one; `open`: what may do so all the same, with its
 * place, or NULL. For programs that change no default of Megatron-LM.
 */
void megatron_precision(struct decoder *decoder, const char *open, struct span span);

/* The flags of a script that hands Megatron-LM's own program no others; else NULL. */
const struct node *megatron_all_flags(const struct document *document, struct arena *arena);

/* The setting that an argument stands for as it is, or FIELD_COUNT. */
enum field_id megatron_field_of(const char *leaf);

/*
 * Adds the arguments below the map at `prefix` ("": the file): by their names, or as flags where
 * `dashes` is "--".
 */
void megatron_vocabulary(struct vocabulary *vocabulary, const char *prefix, const char *dashes);

/* Adds those by their names that are among `names` (NULL: all). */
void megatron_vocabulary_among(struct vocabulary *vocabulary, const char *prefix,
			       const char *const *names, size_t count);

/* A map of a front end, and the names of Megatron's that its class has: "a|b", as many lists as
 * there are. */
struct megatron_section {
	const char *map;
	const char *names[2];
};

/* TransformerConfig's degrees, and what else plans and forecasts read of it. */
extern const char megatron_degree_names[], megatron_transformer_names[];

/* Adds Megatron's keys where front ends have them. */
void megatron_vocabulary_in(struct vocabulary *vocabulary, const struct megatron_section *sections,
			    size_t count);

/* What arguments come to beside what their rows say; of a model of Megatron-LM's own, too. */
void megatron_settle_implied(struct decoder *decoder, const struct node *map);
void megatron_settle_itself(struct decoder *decoder, const struct node *map);

/* --window-size and --window-attn-skip-freq of a model of Megatron-LM's `own`; of others, and where
 * they are not understood, no forecast counts them. */
void megatron_settle_window(struct decoder *decoder, const struct node *map, bool own);

/* Puts a value that follows from what stands at `node`, as `note` says. */
void megatron_put_number(struct decoder *decoder, enum field_id id, int64_t value,
			 const struct node *node, const char *note);

/* Warns of flags in `map` that are nearly one that sets a degree or a batch: argparse refuses them.
 */
void megatron_misspelt(struct decoder *decoder, const struct node *map);

/* Reports words that argparse does not take for an argument. */
void megatron_judge_words(struct decoder *decoder, const struct node *map);

/*
 * Refuses flags in `map` that no version of Megatron-LM has had and that are nearly one of its own,
 * or that it has no longer, with the words of its parser; `program` is its script, or NULL.
 */
void megatron_refuse(struct decoder *decoder, const struct node *map, const char *program);

/* "--tensor-model-parallel-size" of "tensor_model_parallel_size". */
const char *megatron_dashed(struct arena *arena, const char *name);

/* The flag of an argument, or NULL: its parser has none. */
const char *megatron_flag(struct arena *arena, const char *name);

/*
 * Reports flags in `map` of which Megatron-LM takes only one, and those that change nothing alone;
 * `open`: the command has words that may be any further flag.
 */
void megatron_contradictions(struct decoder *decoder, const struct node *map, bool open);

/* The value of the argument, given with underscores, or NULL: any spelling of the key will do. */
const struct node *megatron_argument(const struct node *map, const char *name);

/* Whether the argument is on, whatever the conditions of a script come to. */
bool megatron_is_on(const struct node *map, const char *name);

/* True when the key is the argument: dashes in front do not count, '-' is '_'. */
bool megatron_names(const char *key, const char *name);

/* True when the key, in any spelling, is an argument that sets a degree of Megatron's. */
bool megatron_is_degree(const char *key);

/* A word of a command line. */
struct flag_word {
	const char *text; /* without the shell's quotes */
	struct span span;
	const char *unresolved; /* what nothing at hand says in it, as "$TP"; or NULL */
};

/*
 * Flags as a map: the keys are the flags as written ("--bf16"), the values true, one scalar, or a
 * list when several words follow; the last of two equal flags wins, as with argparse. Words that
 * belong to no flag are left out. A known switch takes no value but true or false.
 */
struct node *flags_map(struct arena *arena, const struct flag_word *words, size_t count);

/* The map with values as a command line gives them: text in quotes is a number all the same, and
 * blanks separate the values of one flag. */
struct node *flags_of_map(struct arena *arena, const struct node *map);

#endif
