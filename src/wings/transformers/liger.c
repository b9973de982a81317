#include "wings/transformers/liger.h"

#include "base/preset.h"
#include "base/text.h"
#include "input/keys.h"
#include "input/node.h"

#include <string.h>

/* Of the families here those that MODEL_TYPE_TO_APPLY_LIGER_FN has a model_type of. */
static const char families[] =
	"llama|llama2|llama3|llama4|phi3|qwen2|qwen3|gemma|gemma2|gemma3|glm4|olmo2|"
	"gpt_oss|deepseek|deepseek_v3";

/* The family of a preset, or of a config.json; "": not known. */
static const char *family_of(const struct decoder *decoder)
{
	static const char head[] = "family: ";
	const char *preset = setting_text(decoder->settings, FIELD_MODEL_PRESET, "");
	const char *text = preset_text(arena_printf(decoder->arena, "models/%s.yaml", preset));
	const char *at = text ? strstr(text, head) : NULL;

	if (!at)
		return setting_text(decoder->settings, FIELD_MODEL_ARCH, "");
	at += strlen(head);
	return arena_strndup(decoder->arena, at, strcspn(at, "\n"));
}

bool liger_has(const struct decoder *decoder)
{
	const char *family = family_of(decoder);

	return !*family || words_have(families, family);
}

/* A kernel is there unless the config takes it away. */
static bool keeps(const struct node *config, const char *name)
{
	const struct node *node = node_member(config, name);

	return !node || keys_true(config, name);
}

static void put_layer(struct decoder *decoder, enum field_id id, const struct node *asked)
{
	struct setting *setting = settings_put_bool(decoder->settings, id, true, ORIGIN_DERIVED);

	setting->span = asked->span;
	setting->note = "Liger's kernels";
}

static void put_loss(struct decoder *decoder, const struct node *asked, const char *kind)
{
	struct setting *setting =
		settings_put_text(decoder->settings, FIELD_LOSS_KIND, kind, ORIGIN_DERIVED);

	setting->span = asked->span;
	setting->key_span = asked->key_span;
	setting->note = "Liger's kernels";
}

static void settle_loss(struct decoder *decoder, const struct node *asked,
			const struct node *config, enum liger_loss loss)
{
	const bool fused = loss == LIGER_FUSED && keeps(config, "fused_linear_cross_entropy");
	const bool plain = keys_true(config, "cross_entropy");

	setting_forget(decoder->settings, FIELD_LOSS_KIND);
	if (loss == LIGER_UNKNOWN)
		keys_leave_open(decoder, FIELD_LOSS_KIND, asked, "Liger's loss of this trainer");
	else if (fused || (plain && loss != LIGER_LAYERS))
		put_loss(decoder, asked, fused ? "fused" : "in_place");
}

void liger_settle(struct decoder *decoder, const struct node *root, const char *key,
		  enum liger_loss loss)
{
	const struct node *asked = node_find(root, key);
	const struct node *config = node_member(root, "liger_kernel_config");

	if (!asked || asked->unresolved || !keys_true(root, key))
		return;
	if (!liger_has(decoder)) {
		setting_forget(decoder->settings, FIELD_LOSS_KIND);
		return;
	}
	settle_loss(decoder, asked, config, loss);
	if (keeps(config, "rms_norm"))
		put_layer(decoder, FIELD_FUSED_NORMS, asked);
	if (keeps(config, "swiglu") && keeps(config, "geglu"))
		put_layer(decoder, FIELD_FUSED_GATE, asked);
}
