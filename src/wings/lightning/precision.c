#include "wings/lightning/precision.h"

#include "base/text.h"
#include "input/keys.h"

/*
 * HalfPrecision, FSDPPrecision and TransformerEnginePrecision turn the module (convert_module of
 * half.py, fsdp.py, transformer_engine.py). Parameters in fp16 have no word of ours.
 */
void lightning_put_stored(struct decoder *decoder, const struct node *root)
{
	if (words_have("bf16-true|transformer-engine", keys_text(root, "precision", "")))
		keys_put_word(decoder, FIELD_MASTER_DTYPE, root, "precision", "bfloat16");
}
