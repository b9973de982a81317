#ifndef WINGS_TRANSFORMERS_PRECISION_H
#define WINGS_TRANSFORMERS_PRECISION_H

#include "input/document.h"
#include "input/field.h"

/*
 * Puts the types where no argument asks for mixed precision: those that the model is loaded in, as
 * `dtype` of the map says, else `loaded` (NULL: from_pretrained's). What accelerate launch was told
 * counts where the arguments say nothing. The engine and the arguments are settled before.
 */
void trainer_precision(struct document *document, struct decoder *decoder, const struct node *root,
		       const char *loaded);

/* That type, or NULL where it is the checkpoint's own, which is not known. */
const char *trainer_loaded(const struct document *document, const struct node *root,
			   const char *loaded);

/*
 * Of trainers that load a model in bf16 where that is computed with: it is what is stored, unless
 * FSDP makes fp32 of it first, or DeepSpeed's engine a copy. The engine is settled before.
 */
void trainer_stores_bf16(struct decoder *decoder, const char *whose);

/* Whether the framework of that name is pinned below that release. */
bool trainer_pinned_below(const struct document *document, const char *framework, int major,
			  int minor);

/* Whether it is pinned at that release or a later one. */
bool trainer_pinned_from(const struct document *document, const char *framework, int major,
			 int minor);

#endif
