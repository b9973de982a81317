#ifndef WINGS_TRANSFORMERS_PREFERENCE_H
#define WINGS_TRANSFORMERS_PREFERENCE_H

#include "input/document.h"
#include "input/field.h"

/*
 * What trainers around Hugging Face's accelerate train for, and the frozen model that most who
 * prefer answers have beside (training.objective, training.reference).
 */
struct preference {
	const char *objective;	  /* "dpo"; of those that have no reference the rest says nothing */
	const struct node *asked; /* what says so, or NULL */
	bool other;		  /* another model is the reference */
	const char *loaded;	  /* the type that it is loaded in; NULL: not known */
	bool at_once;		  /* FSDP2 has it as one unit */
	bool unwrapped;		  /* FSDP does not cut it */
	bool cached;		  /* its log-probabilities are computed before the first step */
	bool dropped;		  /* and then it goes */
	bool whole;		  /* the loss takes all logits at once; else that is left open */
};

/* Puts it. The tuner, the types and who shares the model are settled before. */
void preference_put(struct decoder *decoder, const struct preference *preference);

/* What the name of a script of trl's kind says ("examples/scripts/dpo.py", "orpo"), or NULL. */
const char *preference_of_script(const char *name);

/* Of a script that the launch line starts: what it trains for, and no more. */
void preference_put_script(struct decoder *decoder, const struct document *document);

#endif
