#include "base/text.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "wings/megatron/keys.h"

#include <string.h>

/* Flags that Megatron-LM's parser refuses: it takes no beginnings of flags (allow_abbrev=False,
 * since cf595489, 2020-04-27), and stops at what it does not know. */

static const char *const known[] = {
#include "wings/megatron/flags.def"
	"moe-expert-parallel-size", /* Megatron-DeepSpeed@4efb479d's parser has it */
};

enum { KNOWN = sizeof(known) / sizeof(*known) };

/* Of the known those that have been arguments without a flag since: dcef9069 (2021-02-13). */
static const struct {
	const char *name, *now;
} withdrawn[] = {
	{ "virtual-pipeline-model-parallel-size", "num-virtual-stages-per-pipeline-rank" },
};

static bool is_known(const char *name)
{
	size_t i;

	for (i = 0; i < KNOWN; i++)
		if (!strcmp(known[i], name))
			return true;
	return false;
}

/* The flag in the place of one that is withdrawn, or NULL. */
static const char *instead_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(withdrawn) / sizeof(*withdrawn); i++)
		if (!strcmp(withdrawn[i].name, name))
			return withdrawn[i].now;
	return NULL;
}

/* The flag that is meant by one that the parser does not have; NULL: it has it, or nobody knows. */
static const char *meant_by(const char *name)
{
	enum { LETTERS = 2 };
	const char *near = instead_of(name);

	if (near || strlen(name) <= 2 * LETTERS || is_known(name))
		return near;
	near = text_nearest(name, known, KNOWN);
	return near && text_distance(name, near, LETTERS) <= LETTERS ? near : NULL;
}

const char *megatron_dashed(struct arena *arena, const char *name)
{
	return arena_join(arena, "--", text_dashed(arena, name), "");
}

const char *megatron_flag(struct arena *arena, const char *name)
{
	const char *flag = megatron_dashed(arena, name);

	return is_known(flag + 2) && !instead_of(flag + 2) ? flag : NULL;
}

static void refuse(struct decoder *decoder, const struct node *flag, const char *near,
		   const char *program)
{
	struct finding *finding;
	const char *slash = program ? strrchr(program, '/') : NULL;

	finding = finding_add(decoder->findings, &rule_unknown_flag, flag->key_span,
			      "Megatron-LM has no flag %.60s", flag->key);
	finding->speaker = "Megatron-LM";
	finding_quote(decoder->findings, finding, "%s%serror: unrecognized arguments: %s",
		      slash	? slash + 1
		      : program ? program
				: "",
		      program ? ": " : "", flag->key);
	finding_fix(decoder->findings, finding, "did you mean --%s?", near);
	keys_rename(decoder, finding, flag, near);
}

/* Arguments that argparse takes some words of (core_v0.6.0 to d98e8a64 training/arguments.py,
 * training/config and core/transformer/transformer_config.py); forks have more. */
static const struct key_choice choices[] = {
	{ "optimizer", "adam|sgd|muon|dist_muon|lion|soap|adaptive_muon", CHOICE_OPEN },
	{ "lr_decay_style", "constant|linear|cosine|inverse-square-root|WSD", CHOICE_OPEN },
	{ "lr_wsd_decay_style", "exponential|linear|cosine|minus_sqrt", CHOICE_OPEN },
	{ "weight_decay_incr_style", "constant|linear|cosine", CHOICE_OPEN },
	{ "transformer_impl", "local|transformer_engine|inference_optimized", CHOICE_OPEN },
	{ "position_embedding_type", "learned_absolute|rope|yarn|mrope|relative|none",
	  CHOICE_OPEN },
	{ "normalization", "LayerNorm|RMSNorm", CHOICE_OPEN },
	{ "ckpt_format", "torch|torch_dist|torch_dcp|fsdp_dtensor|zarr", CHOICE_OPEN },
	{ "attention_backend", "flash|fused|unfused|local|auto", CHOICE_OPEN },
	{ "distributed_backend", "nccl|gloo", CHOICE_OPEN },
	{ "dataloader_type", "single|cyclic|external", CHOICE_OPEN },
	{ "moe_token_dispatcher_type", "allgather|alltoall|flex|alltoall_seq", CHOICE_OPEN },
	{ "moe_flex_dispatcher_backend", "deepep|hybridep|ncclep", CHOICE_OPEN },
	{ "moe_router_load_balancing_type",
	  "aux_loss|seq_aux_loss|global_aux_loss|sinkhorn|quantile_balancing|none", CHOICE_OPEN },
	{ "fp8_recipe", "tensorwise|delayed|mxfp8|blockwise|custom", CHOICE_OPEN },
	{ "data_parallel_sharding_strategy", "no_shard|optim|optim_grads|optim_grads_params",
	  CHOICE_OPEN },
};

/* core/optimizer_param_scheduler.py asserts it of rates, and of the others torch's Adam does, for
 * which Apex's and Transformer Engine's say nothing. */
static const struct key_kind kinds[] = {
	{ "lr", KIND_NUMBER, "0..", "Megatron-LM raises an AssertionError" },
	{ "min_lr", KIND_NUMBER, "0..", "Megatron-LM raises an AssertionError" },
	{ "weight_decay", KIND_NUMBER, "0..", NULL },
	{ "adam_beta1", KIND_NUMBER, "0..1", NULL },
	{ "adam_beta2", KIND_NUMBER, "0..1", NULL },
	{ "adam_eps", KIND_NUMBER, "0..", NULL },
	{ "lr_warmup_iters", KIND_NUMBER, "0..", NULL },
	{ "attention_dropout", KIND_NUMBER, "0..1", "torch's dropout raises a ValueError" },
	{ "hidden_dropout", KIND_NUMBER, "0..1", "torch's dropout raises a ValueError" },
};

void megatron_judge_words(struct decoder *decoder, const struct node *map)
{
	size_t i;

	for (i = 0; i < sizeof(choices) / sizeof(*choices); i++)
		keys_choose_node(decoder, &choices[i], megatron_argument(map, choices[i].path));
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		keys_kinds_node(decoder, &kinds[i], megatron_argument(map, kinds[i].path));
}

void megatron_refuse(struct decoder *decoder, const struct node *map, const char *program)
{
	const struct node *flag;
	const char *meant;

	for (flag = map->first; decoder->findings && flag; flag = flag->next) {
		meant = text_starts(flag->key, "--") ? meant_by(flag->key + 2) : NULL;
		if (meant)
			refuse(decoder, flag, meant, program);
	}
}

/* Names of before 2021, which arguments.py still knows to refuse; the degree is put nonetheless. */
static void settle_old(struct decoder *decoder, const struct node *map)
{
	static const struct {
		const char *name, *now;
		enum field_id field;
	} old[] = {
		{ "model_parallel_size", "--tensor-model-parallel-size", FIELD_TP },
		{ "batch_size", "--micro-batch-size", FIELD_MICRO_BATCH_SIZE },
		{ "warmup", "--lr-warmup-fraction", FIELD_COUNT },
	};
	struct finding *finding;
	size_t i;

	for (i = 0; i < sizeof(old) / sizeof(old[0]); i++) {
		const struct node *node = megatron_argument(map, old[i].name);
		if (!node)
			continue;
		if (old[i].field != FIELD_COUNT)
			field_put(decoder, old[i].field, node);
		if (!decoder->findings)
			continue;
		finding = finding_add(decoder->findings, &rule_renamed_key, node->key_span,
				      "%s is %s since 2021", node->key, old[i].now);
		finding_cap(finding, SEVERITY_WARNING);
		finding_quote(decoder->findings, finding,
			      i ? "AssertionError: %s argument is no longer valid, use %s instead"
				: "AssertionError: %s is no longer valid, use %s instead",
			      node->key, old[i].now);
		finding->speaker = "Megatron-LM";
		finding_fix(decoder->findings, finding, "use %s", old[i].now);
		finding_edit(decoder->findings, finding, node->key_span, "%s", old[i].now);
	}
}

void megatron_misspelt(struct decoder *decoder, const struct node *map)
{
	static const struct key_row flags[] = {
		{ "--tensor-model-parallel-size", FIELD_TP, KEY_VALUE, NULL },
		{ "--pipeline-model-parallel-size", FIELD_PP, KEY_VALUE, NULL },
		{ "--context-parallel-size", FIELD_CP, KEY_VALUE, NULL },
		{ "--expert-model-parallel-size", FIELD_EP, KEY_VALUE, NULL },
		{ "--expert-tensor-parallel-size", FIELD_ETP, KEY_VALUE, NULL },
		{ "--micro-batch-size", FIELD_MICRO_BATCH_SIZE, KEY_VALUE, NULL },
		{ "--global-batch-size", FIELD_GLOBAL_BATCH_SIZE, KEY_VALUE, NULL },
	};

	keys_misspelt(decoder, map, flags, sizeof(flags) / sizeof(flags[0]), "Megatron-LM",
		      "stops with error: unrecognized arguments");
	settle_old(decoder, map);
}

/* ---- flags that do not go together ---- */

static void refuse_two_precisions(struct decoder *decoder, const struct node *map)
{
	struct finding *finding;

	if (!megatron_is_on(map, "fp16") || !megatron_is_on(map, "bf16"))
		return;
	finding = finding_add(decoder->findings, &rule_two_precisions,
			      megatron_argument(map, "fp16")->key_span,
			      "--fp16 and --bf16 are both on");
	finding_relate(decoder->findings, finding, megatron_argument(map, "bf16")->key_span,
		       "bf16");
	finding_quote(decoder->findings, finding, "AssertionError");
	finding->speaker = "Megatron-LM";
	finding_fix(decoder->findings, finding, "drop --fp16");
}

void megatron_contradictions(struct decoder *decoder, const struct node *map, bool open)
{
	const struct node *part = megatron_argument(map, "recompute_num_layers");
	struct finding *finding;

	if (!decoder->findings)
		return;
	refuse_two_precisions(decoder, map);
	if (!part)
		part = megatron_argument(map, "recompute_method");
	if (!part)
		part = megatron_argument(map, "recompute_modules");
	if (!part || part->unresolved || open || megatron_argument(map, "recompute_granularity") ||
	    megatron_argument(map, "recompute_activations"))
		return;
	finding = finding_add(decoder->findings, &rule_recompute_ignored, part->key_span,
			      "%s without --recompute-granularity recomputes nothing", part->key);
	finding_fix(decoder->findings, finding, "add --recompute-granularity %s",
		    megatron_names(part->key, "recompute_modules") ? "selective" : "full");
}
