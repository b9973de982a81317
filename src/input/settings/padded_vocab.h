#ifndef INPUT_SETTINGS_PADDED_VOCAB_H
#define INPUT_SETTINGS_PADDED_VOCAB_H

#include "input/field.h"

/*
 * A vocabulary of `size` tokens, padded so that each rank of tp has whole parts of so many: as
 * Megatron does when it makes the table, by the tp that it runs with. `named`: where the size is
 * from, or NULL.
 */
void padded_vocab_put(struct decoder *decoder, int64_t size, int64_t part, const struct node *named,
		      const char *note);

/* Pads such a vocabulary for the tp that the settings have now. False: it is as it was. */
bool padded_vocab_settle(struct settings *settings, struct arena *arena);

#endif
