#include "wings/transformers/precision.h"

#include "base/text.h"
#include "framework/version.h"
#include "input/axis.h"
#include "input/keys.h"
#include "input/launch/launch.h"
#include "input/node.h"

#include <string.h>

/* Fills the version that a framework is pinned at; false where it is not, or names none. */
static bool pinned(const struct document *document, const char *framework, struct version *version)
{
	size_t i;

	for (i = 0; i < document->pins.count; i++) {
		const struct pin *pin = &document->pins.items[i];
		if (!strcmp(pin->framework, framework) && pin->version &&
		    version_parse(document->arena, "", pin->version, version))
			return true;
	}
	return false;
}

bool trainer_pinned_below(const struct document *document, const char *framework, int major,
			  int minor)
{
	struct version version;

	return pinned(document, framework, &version) && !version_reaches(&version, major, minor);
}

bool trainer_pinned_from(const struct document *document, const char *framework, int major,
			 int minor)
{
	struct version version;

	return pinned(document, framework, &version) && version_reaches(&version, major, minor);
}

/* transformers is read as of v4.57.0, unless a version is pinned. */
static bool is_fifth(const struct document *document)
{
	size_t i;

	for (i = 0; i < document->pins.count; i++)
		if (!strcmp(document->pins.items[i].framework, "transformers") &&
		    document->pins.items[i].version)
			return !trainer_pinned_below(document, "transformers", 5, 0);
	return false;
}

/* A word of the command that may hold any argument, or NULL. */
static const struct launch_word *open_word(const struct launch *launch)
{
	size_t i;

	for (i = 0; launch && i < launch->arguments.count; i++) {
		const struct launch_word *word = &launch->arguments.items[i];
		if (word->unresolved && word->text[0] == '$' &&
		    (!i || word[-1].text[0] != '-' || strchr(word[-1].text, '=')))
			return word;
	}
	return NULL;
}

/* ACCELERATE_MIXED_PRECISION (transformers@v4.57.6 training_args.py, __post_init__). */
static void put_started(const struct document *document, struct decoder *decoder)
{
	const struct launch *launch = document->launch;
	const struct setting *told =
		launch && launch->starter ? &launch->starter->items[FIELD_PARAM_DTYPE] : NULL;

	if (told && setting_given(told) && setting_known(told))
		decoder->settings->items[FIELD_PARAM_DTYPE] = *told;
}

/* `dtype`, or what it was called before 4.56. */
static const struct node *dtype_of(const struct node *root)
{
	const struct node *node = node_member(root, "dtype");

	if (!node)
		node = node_member(root, "torch_dtype");
	return node && node->kind == NODE_SCALAR && node->type != SCALAR_NULL ? node : NULL;
}

/*
 * from_pretrained loads fp32 unless it is told (transformers@v4.57.6 modeling_utils.py,
 * _get_dtype), and from 5 on what the checkpoint has (v5.0.0: dtype = "auto").
 */
static const char *loaded_of(const struct document *document, const struct node *dtype,
			     const char *loaded)
{
	if (dtype)
		return dtype->unresolved ? "auto" : dtype->text;
	return loaded ? loaded : is_fifth(document) ? "auto" : "float32";
}

const char *trainer_loaded(const struct document *document, const struct node *root,
			   const char *loaded)
{
	const char *type = loaded_of(document, dtype_of(root), loaded);

	return words_have("bfloat16|float16|float32", type) ? type : NULL;
}

static void put_type(struct decoder *decoder, enum field_id id, const char *type,
		     const struct node *dtype)
{
	struct setting *setting = settings_put_text(decoder->settings, id, type,
						    dtype ? ORIGIN_DERIVED : ORIGIN_DEFAULT);

	setting->note = dtype ? dtype->key : "the type that models are loaded in";
	if (dtype)
		setting->span = dtype->span;
}

/* training_args.py: torch.backends.cuda.matmul.allow_tf32, which is of fp32 products alone. */
static void put_tf32(struct decoder *decoder, const struct node *root)
{
	const struct node *said = node_member(root, "tf32");

	if (said && keys_true(root, "tf32") &&
	    !strcmp(setting_text(decoder->settings, FIELD_PARAM_DTYPE, ""), "float32"))
		settings_put_text(decoder->settings, FIELD_MATMUL_DTYPE, "tf32", ORIGIN_DERIVED)
			->span = said->span;
}

void trainer_stores_bf16(struct decoder *decoder, const char *whose)
{
	struct settings *settings = decoder->settings;

	if (settings_of(settings, FIELD_PARAM_DTYPE)->unresolved ||
	    setting_given(settings_of(settings, FIELD_MASTER_DTYPE)) ||
	    *setting_text(settings, FIELD_ENGINE, "") ||
	    strcmp(setting_text(settings, FIELD_PARAM_DTYPE, "bfloat16"), "bfloat16") != 0)
		return;
	settings_put_text(settings, FIELD_MASTER_DTYPE, "bfloat16", ORIGIN_DEFAULT)->note = whose;
}

/* Neither bf16 nor fp16: all is in the type of the model. */
static void put_unmixed(struct decoder *decoder, const char *type, const struct node *dtype,
			struct span span)
{
	if (!words_have("bfloat16|float16|float32", type)) {
		axis_leave_open(decoder->settings, FIELD_PARAM_DTYPE, "the checkpoint's own type",
				dtype ? dtype->span : span);
		return;
	}
	put_type(decoder, FIELD_PARAM_DTYPE, type, dtype);
	if (!strcmp(type, "bfloat16") &&
	    strcmp(setting_text(decoder->settings, FIELD_ENGINE, ""), "deepspeed") != 0)
		put_type(decoder, FIELD_MASTER_DTYPE, type, dtype);
}

/*
 * Mixed precision computes with copies of what is stored, which FSDP makes fp32 first
 * (huggingface/accelerate@16cb6eb8 accelerator.py, prepare_model; utils/fsdp_utils.py,
 * fsdp2_prepare_model), and DeepSpeed's engine of its own type.
 */
static void put_stored(struct decoder *decoder, const char *type, const struct node *dtype)
{
	if (dtype && !strcmp(type, "bfloat16") &&
	    !*setting_text(decoder->settings, FIELD_ENGINE, ""))
		put_type(decoder, FIELD_MASTER_DTYPE, type, dtype);
}

void trainer_precision(struct document *document, struct decoder *decoder, const struct node *root,
		       const char *loaded)
{
	const struct setting *mixed = settings_of(decoder->settings, FIELD_PARAM_DTYPE);
	const struct node *dtype = dtype_of(root);
	const char *type = loaded_of(document, dtype, loaded);
	const struct launch_word *word = open_word(document->launch);

	if (!setting_known(mixed) && !mixed->unresolved)
		put_started(document, decoder);
	if (mixed->unresolved)
		return;
	if (setting_known(mixed))
		put_stored(decoder, type, dtype);
	else if (word)
		axis_leave_open(decoder->settings, FIELD_PARAM_DTYPE, word->unresolved, word->span);
	else
		put_unmixed(decoder, type, dtype, root->span);
	put_tf32(decoder, root);
}
