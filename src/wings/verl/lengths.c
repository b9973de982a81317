#include "input/keys.h"
#include "input/node.h"
#include "wings/verl/keys.h"

void verl_put_padding(struct decoder *decoder, const struct node *root, const char *key)
{
	const struct setting *length = settings_of(decoder->settings, FIELD_SEQ_LEN);
	const struct node *removes = node_find(root, key);

	if (setting_known(length) && removes && !removes->unresolved && !keys_true(root, key))
		keys_default(decoder, FIELD_PAD_TO_MULTIPLE, length->integer,
			     "no padding is removed");
}
