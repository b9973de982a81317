#include "input/settings/rope_base.h"

#include "input/node.h"

void rope_base_put(struct decoder *decoder, const struct node *node)
{
	struct node whole;

	if (!node || node->kind != NODE_SCALAR || node->unresolved ||
	    (node->type != SCALAR_INT && node->type != SCALAR_FLOAT))
		return;
	whole = *node;
	if (node->type == SCALAR_FLOAT) {
		if (node->number < 1 || node->number > 1e15)
			return;
		whole.type = SCALAR_INT;
		whole.integer = (int64_t)node->number;
	}
	field_put(decoder, FIELD_MODEL_ROPE_BASE, &whole);
}
