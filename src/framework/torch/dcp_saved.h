#ifndef FRAMEWORK_TORCH_DCP_SAVED_H
#define FRAMEWORK_TORCH_DCP_SAVED_H

#include "framework/state_dict.h"
#include "framework/torch/dcp.h"
#include "plan/saved.h"

/*
 * Fills `saved` with what the metadata of a checkpoint lists. Tensors and entries that `dict` names
 * for a parameter of the model are found under that parameter; the others are there as well, under
 * names that nobody asks for.
 */
void saved_of_metadata(struct saved *saved, const struct dcp_metadata *metadata,
		       const struct model *model, const struct state_dict *dict);

/* Sets the names in `dict` to those by which a script's own checkpoint has the model's tensors. */
void state_dict_find(struct state_dict *dict, struct arena *arena, const struct model *model,
		     const struct dcp_metadata *metadata);

#endif
