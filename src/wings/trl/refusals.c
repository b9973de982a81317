#include "wings/trl/refusals.h"

#include "framework/wing.h"
#include "input/keys.h"
#include "input/node.h"
#include "wings/transformers/precision.h"

#include <string.h>

const struct rule_id rule_arguments_refused = {
	.name = "arguments-refused",
	.code = "S231",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_READ,
	.summary = "arguments that a trainer does not take together, or asks for",
	.explanation =
		"TRL's trainers ask in their constructors, after the model was loaded, whether "
		"what they are told goes together, and stop where it does not. verl asks for a "
		"size of micro-batches of all that compute, unless batches are dynamic, and that "
		"the actor and its log probabilities agree on that. That is a warning: what "
		"is read may be a part of what runs.",
	.remedy = "Leave out the one that the message names, or give what it asks for.",
	.source = "huggingface/trl v0.16.0 to v1.9.0 trainer/*_trainer.py and *_config.py; "
		  "verl-project/verl@1dda039b verl/utils/config.py, verl/workers/config/actor.py, "
		  "verl/workers/engine_workers.py",
};

enum {
	FEW,
	UNEVEN,
	NO_PASSES,
	KTO_BATCH,
	REF_PRECOMPUTED,
	REF_ADAPTER,
	REF_UNUSED,
	LIGER_PRECOMPUTED,
	NO_SMOOTHING,
	BATCH_FOUND,
	CHUNKED_LIGER,
	LENGTH_UNUSED,
};

#define CONFIG "GRPOConfig.__post_init__"

/* clang-format off */
static const struct exception raises[] = {
	/* the first of a rule whose braces have no other names is quoted */
	[FEW] = { { "TRL", "ValueError: GRPO requires at least 2 generations per prompt to calculate the advantages. You provided {few}, which is less than the minimum required." }, CONFIG, "generations-uneven", NULL },
	[UNEVEN] = { { "TRL", "ValueError: generation_batch_size ({gb}) must be divisible by num_generations ({ng})." }, CONFIG, "generations-uneven", NULL },
	[NO_PASSES] = { { "TRL", "ValueError: generation_batch_size ({ub}) must be divisible by the global batch size ({ps})." }, CONFIG, "generations-uneven", NULL },
	[KTO_BATCH] = { { "TRL", "ValueError: Actual (not effective) batch size must be > 1. KTO will not work properly because the KL term will be equivalent to the implied reward." }, "KTOTrainer.__init__", "kto-batch-of-one", NULL },
	[REF_PRECOMPUTED] = { { "TRL", "ValueError: You cannot use `sync_ref_model=True` together with `precompute_ref_log_probs=True`." }, "DPOTrainer.__init__", "arguments-refused", NULL },
	[REF_ADAPTER] = { { "TRL", "NotImplementedError: You passed `sync_ref_model=True` while using a PEFT model, which is currently not supported." }, "DPOTrainer.__init__", "arguments-refused", NULL },
	[REF_UNUSED] = { { "TRL", "ValueError: You passed `sync_ref_model=True` while `beta=0.0`, which means the reference model is not used during training." }, "GRPOTrainer.__init__", "arguments-refused", NULL },
	[LIGER_PRECOMPUTED] = { { "TRL", "does not support precomputing reference log probabilities. Either disable `precompute_ref_log_probs` or set `use_liger_kernel` to False." }, "DPOTrainer.__init__", "arguments-refused", NULL },
	[NO_SMOOTHING] = { { "TRL", "ValueError: Label smoothing must be greater than 0.0 when using 'exo_pair' loss." }, "DPOTrainer.__init__", "arguments-refused", NULL },
	[BATCH_FOUND] = { { "TRL", "ValueError: auto_find_batch_size is not supported by" }, CONFIG, "arguments-refused", NULL },
	[CHUNKED_LIGER] = { { "TRL", "ValueError: `loss_type='chunked_nll'` is not compatible with `use_liger_kernel=True`." }, "SFTTrainer.__init__", "arguments-refused", NULL },
	[LENGTH_UNUSED] = { { "TRL", "ValueError: When `padding_free=True` without packing, `max_length` is not enforced." }, "SFTTrainer.__init__", "arguments-refused", NULL },
};
/* clang-format on */

const struct exceptions exceptions_trl = { raises, sizeof(raises) / sizeof(*raises) };

/*
 * Losses of all releases from 0.12 to 1.16 (compute_loss and its like), some of which are in single
 * releases alone; several are a list for DPO from 0.20 on.
 */
static const struct {
	const char *trainer;
	struct key_choice loss;
} losses[] = {
	{ "dpo",
	  { "loss_type",
	    "sigmoid|hinge|ipo|exo_pair|nca_pair|robust|bco_pair|sppo_hard|aot|aot_pair|"
	    "aot_unpaired|apo_zero|apo_down|discopop|sft|sigmoid_norm",
	    CHOICE_CLOSED } },
	{ "kto", { "loss_type", "kto|apo_zero_unpaired", CHOICE_CLOSED } },
	{ "grpo", { "loss_type", "grpo|bnpo|dr_grpo|dapo|luspo|cispo|sapo|vespo", CHOICE_CLOSED } },
	{ "sft", { "loss_type", "nll|dft|chunked_nll", CHOICE_CLOSED } },
};

bool trl_loss_of_others(const struct node *root, const char *trainer)
{
	const struct node *said = node_member(root, "loss_type");
	bool others = false;
	size_t i;

	if (said && said->kind == NODE_LIST)
		said = said->first;
	for (i = 0; said && said->kind == NODE_SCALAR && i < sizeof(losses) / sizeof(*losses);
	     i++) {
		if (!words_have(losses[i].loss.words, said->text))
			continue;
		if (!strcmp(losses[i].trainer, trainer))
			return false;
		others = true;
	}
	return others;
}

/* A key and what it has to be: "true", a word, or "" where it is off, 0 or not there. */
struct told_key {
	const char *key, *value;
};

/* What a trainer refuses from a release on; the first key is blamed, one that is NULL asks nothing.
 */
static const struct refused {
	const char *trainer;
	struct told_key keys[2];
	int major, minor, row;
	const char *fix;
} refusals[] = {
#define SYNC_FIX "drop sync_ref_model"
	{ "dpo",
	  { { "sync_ref_model", "true" }, { "precompute_ref_log_probs", "true" } },
	  0,
	  29,
	  REF_PRECOMPUTED,
	  SYNC_FIX ", or precompute_ref_log_probs" },
	{ "kto",
	  { { "sync_ref_model", "true" }, { "precompute_ref_log_probs", "true" } },
	  1,
	  7,
	  REF_PRECOMPUTED,
	  SYNC_FIX ", or precompute_ref_log_probs" },
	{ "dpo",
	  { { "sync_ref_model", "true" }, { "use_peft", "true" } },
	  0,
	  29,
	  REF_ADAPTER,
	  SYNC_FIX ": adapters have no model beside them" },
	{ "kto",
	  { { "sync_ref_model", "true" }, { "use_peft", "true" } },
	  1,
	  7,
	  REF_ADAPTER,
	  SYNC_FIX ": adapters have no model beside them" },
	{ "grpo",
	  { { "sync_ref_model", "true" }, { "beta", "" } },
	  0,
	  28,
	  REF_UNUSED,
	  SYNC_FIX ", or give beta" },
	{ "dpo",
	  { { "use_liger_kernel", "true" }, { "precompute_ref_log_probs", "true" } },
	  0,
	  29,
	  LIGER_PRECOMPUTED,
	  "drop use_liger_kernel, or precompute_ref_log_probs" },
	{ "kto",
	  { { "use_liger_kernel", "true" }, { "precompute_ref_log_probs", "true" } },
	  1,
	  8,
	  LIGER_PRECOMPUTED,
	  "drop use_liger_kernel, or precompute_ref_log_probs" },
	{ "dpo",
	  { { "loss_type", "exo_pair" }, { "label_smoothing", "" } },
	  0,
	  29,
	  NO_SMOOTHING,
	  "give label_smoothing: 0.001" },
	{ "grpo",
	  { { "auto_find_batch_size", "true" } },
	  1,
	  9,
	  BATCH_FOUND,
	  "drop auto_find_batch_size, and lower per_device_train_batch_size" },
	{ "rloo",
	  { { "auto_find_batch_size", "true" } },
	  1,
	  9,
	  BATCH_FOUND,
	  "drop auto_find_batch_size, and lower per_device_train_batch_size" },
	{ "sft",
	  { { "loss_type", "chunked_nll" }, { "use_liger_kernel", "true" } },
	  1,
	  4,
	  CHUNKED_LIGER,
	  "drop use_liger_kernel, or loss_type" },
	{ "sft",
	  { { "padding_free", "true" }, { "packing", "" } },
	  1,
	  0,
	  LENGTH_UNUSED,
	  "write packing: true, or max_length: null where inputs are cut already" },
};

static bool is_off(const struct node *node)
{
	return !node || node->type == SCALAR_NULL ||
	       (node->type == SCALAR_BOOL && !node->boolean) ||
	       ((node->type == SCALAR_INT || node->type == SCALAR_FLOAT) && node->number == 0);
}

/* The value of a key that is what it has to be, or `root` where that is not to be there; or NULL.
 */
static const struct node *matches(const struct node *root, const struct told_key *told)
{
	const struct node *node = node_member(root, told->key);

	if (node && (node->kind != NODE_SCALAR || node->unresolved))
		return NULL;
	if (!*told->value)
		return !is_off(node) ? NULL : node ? node : root;
	if (!node)
		return NULL;
	if (!strcmp(told->value, "true"))
		return keys_true(root, told->key) ? node : NULL;
	return !strcmp(node->text, told->value) ? node : NULL;
}

/* From release 1.0 on a length that is null is none, with nothing to enforce. */
static bool is_excused(const struct refused *refusal, const struct node *root)
{
	const struct node *length = node_member(root, "max_length");

	return refusal->row == LENGTH_UNUSED && length && length->type == SCALAR_NULL;
}

static void report(struct decoder *decoder, const struct refused *refusal, const struct node *node,
		   const struct node *other, const struct node *root)
{
	const struct told_key *first = refusal->keys, *second = &refusal->keys[1];
	struct finding *finding;

	if (!second->key)
		finding = finding_add(decoder->findings, &rule_arguments_refused, node->key_span,
				      "TRL's %s refuses %s", refusal->trainer, node->key);
	else
		finding = finding_add(decoder->findings, &rule_arguments_refused, node->key_span,
				      "TRL's %s refuses %s%s%s %s %s", refusal->trainer, node->key,
				      strcmp(first->value, "true") ? " " : "",
				      strcmp(first->value, "true") ? first->value : "",
				      *second->value ? "beside" : "without", second->key);
	if (other && other != root)
		finding_relate(decoder->findings, finding, other->span, "%s", second->key);
	finding_quote(decoder->findings, finding, "%s", raises[refusal->row].says.text);
	finding->speaker = "TRL";
	finding_fix(decoder->findings, finding, "%s", refusal->fix);
}

void trl_refusals(struct document *document, struct decoder *decoder, const char *trainer)
{
	const struct node *root = document->root, *node, *other;
	size_t i;

	for (i = 0; trainer && i < sizeof(losses) / sizeof(*losses); i++)
		if (!strcmp(losses[i].trainer, trainer))
			keys_choose(decoder, root, &losses[i].loss, 1);

	for (i = 0; decoder->findings && trainer && i < sizeof(refusals) / sizeof(*refusals); i++) {
		const struct refused *refusal = &refusals[i];
		if (strcmp(refusal->trainer, trainer) != 0 ||
		    trainer_pinned_below(document, "trl", refusal->major, refusal->minor) ||
		    is_excused(refusal, root))
			continue;
		node = matches(root, &refusal->keys[0]);
		other = refusal->keys[1].key ? matches(root, &refusal->keys[1]) : root;
		if (node && other)
			report(decoder, refusal, node, other, root);
	}
}
