#ifndef WINGS_TRANSFORMERS_FSDP_H
#define WINGS_TRANSFORMERS_FSDP_H

#include "input/document.h"
#include "input/field.h"

/*
 * What the Trainer makes of `fsdp` and `fsdp_config` (training_args.py, _process_fsdp_args), which
 * releases of transformers read in different ways. The engine is put before.
 */
enum fsdp_reading {
	FSDP_OPEN,  /* no release is known: read as v4.57.0, and fsdp_config as later ones do */
	FSDP_FIRST, /* 4: fsdp's words are FSDP1's strategy, and there is no FSDP2 */
	FSDP_BOTH,  /* 5.0: fsdp_config has the version; FSDP2 keeps what it gathered unless told */
	FSDP_LOST,  /* 5.4: FSDP1's strategy goes where accelerate does not look */
	FSDP_SECOND /* 5.10: FSDP2 unless told, and it refuses strategies of FSDP1's */
};

/* The key of accelerate launch's file. */
#define ACCELERATE_REPLICAS "parallelism_config_dp_replicate_size"

/* By the release of transformers that is pinned. */
enum fsdp_reading fsdp_reading_of(const struct document *document);

/* Puts the version, where neither `fsdp_config` nor anybody else has it the default. */
void trainer_fsdp_version(struct decoder *decoder, const struct node *root,
			  enum fsdp_reading reading);

/*
 * Puts FSDP1's strategy and who shares the model by it, or when FSDP2 frees what it gathered;
 * reports what is lost and what is refused; `replicas` is the key that says how many there are with
 * FSDP2. True when the strategy says who shares: else all do.
 */
bool trainer_fsdp_strategy(struct decoder *decoder, const struct node *root,
			   enum fsdp_reading reading, const char *replicas);

/* Reports words of `fsdp` that the Trainer does not take without, or beside, another. */
void trainer_fsdp_words(struct decoder *decoder, const struct node *root,
			enum fsdp_reading reading);

/* Reports `fsdp` beside `deepspeed`. */
void trainer_fsdp_beside(struct decoder *decoder, const struct node *fsdp,
			 const struct node *deepspeed);

/* Reports an fsdp_config without `fsdp`, for which nobody else asks. */
void trainer_fsdp_missing(struct decoder *decoder, const struct node *config, bool started);

#endif
