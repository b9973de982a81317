#include "framework/conversion.h"

#include <inttypes.h>
#include <string.h>

/* Arguments of Megatron-LM (NVIDIA/Megatron-LM@d98e8a64 megatron/training/arguments.py), as an
 * array of the shell: `torchrun ... pretrain_gpt.py "${MEGATRON_ARGS[@]}"`. */

static const enum field_id elsewhere[] = { FIELD_COMPILE, FIELD_COUNT };

/* A switch is written when the word is "", and not when it is "-". */
static const struct target_row rows[] = {
	{ FIELD_SEQUENCE_PARALLEL, "sequence-parallel", "true=|false=-" },
	{ FIELD_PP_VIRTUAL_STAGES, "num-virtual-stages-per-pipeline-rank", NULL },
	{ FIELD_PP_LAYERS_PER_STAGE, "num-layers-per-virtual-pipeline-stage", NULL },
	{ FIELD_PP_MICROBATCH_GROUP, "microbatch-group-size-per-virtual-pipeline-stage", NULL },
	{ FIELD_PP_FIRST_STAGE_LAYERS, "decoder-first-pipeline-num-layers", NULL },
	{ FIELD_PP_LAST_STAGE_LAYERS, "decoder-last-pipeline-num-layers", NULL },
	{ FIELD_CP_METHOD, "cp-comm-type", "ring=p2p|ulysses=a2a" },
	{ FIELD_EXPERT_DISPATCHER, "moe-token-dispatcher-type",
	  "alltoall=alltoall|allgather=allgather|flex=flex|standard=alltoall|deepep=flex" },
	{ FIELD_OVERLAP_TP, "tp-comm-overlap", "true=|false=-" },
	{ FIELD_OVERLAP_GRAD_REDUCE, "overlap-grad-reduce", "true=|false=-" },
	{ FIELD_OVERLAP_PARAM_GATHER, "overlap-param-gather", "true=|false=-" },
	{ FIELD_SEQ_LEN, "seq-length", NULL },
	{ FIELD_STEPS, "train-iters", NULL },
	{ FIELD_PARAM_DTYPE, "", "bfloat16=bf16|float16=fp16|float32=-" },
	{ FIELD_AC_MODE, "recompute-granularity", "full=full|selective=selective|none=-" },
	{ FIELD_AC_METHOD, "recompute-method", "uniform=uniform|block=block|none=-" },
	{ FIELD_AC_LAYERS, "recompute-num-layers", NULL },
	{ FIELD_MAX_NORM, "clip-grad", NULL },
	{ FIELD_DETERMINISTIC, "deterministic-mode", "true=|false=-" },
	{ FIELD_OPTIMIZER_NAME, "optimizer", "adam=adam|adamw=adam|AdamW=adam|Adam=adam|sgd=sgd" },
	{ FIELD_OPTIMIZER_DISTRIBUTED, "use-distributed-optimizer", "true=|false=-" },
	{ FIELD_WEIGHT_SHARDS, "tensor-parallel-num-weight-shards", NULL },
	{ FIELD_EXPERT_WEIGHT_SHARDS, "expert-tensor-parallel-num-weight-shards", NULL },
	{ FIELD_EVAL_MICRO_BATCH_SIZE, "eval-micro-batch-size", NULL },
	{ FIELD_EVAL_GLOBAL_BATCH_SIZE, "eval-global-batch-size", NULL },
	{ FIELD_OPTIMIZER_INSTANCES, "num-distributed-optimizer-instances", NULL },
	{ FIELD_CHECKPOINT_FORMAT, "ckpt-format", NULL },
};

static void put(struct conversion *conversion, const char *key, const char *value, enum field_id id,
		struct buf *out)
{
	if (!strcmp(value, "-"))
		return;
	buf_printf(out, "  --%s%s%s", key, *key && *value ? " " : "", value);
	conversion_origin(conversion, id, out);
}

static void put_int(struct conversion *conversion, const char *key, int64_t value, enum field_id id,
		    struct buf *out)
{
	put(conversion, key, arena_printf(conversion->arena, "%" PRId64, value), id, out);
}

static void put_degrees(struct conversion *conversion, struct buf *out)
{
	static const struct {
		enum field_id field;
		const char *key;
	} degrees[] = {
		{ FIELD_TP, "tensor-model-parallel-size" },
		{ FIELD_PP, "pipeline-model-parallel-size" },
		{ FIELD_CP, "context-parallel-size" },
		{ FIELD_EP, "expert-model-parallel-size" },
		{ FIELD_ETP, "expert-tensor-parallel-size" },
	};
	size_t i;

	for (i = 0; i < sizeof(degrees) / sizeof(degrees[0]); i++) {
		int64_t degree = conversion_degree(conversion, degrees[i].field);
		if (!degree ||
		    (degrees[i].field == FIELD_ETP && conversion->job->intended->degrees.ep < 2))
			continue;
		if (degree > 1 || i < 2 || degrees[i].field == FIELD_ETP ||
		    setting_given(&conversion->said.items[degrees[i].field]))
			put_int(conversion, degrees[i].key, degree, degrees[i].field, out);
	}
}

/* Data parallel follows from the world; whether it shares parameters is Megatron-FSDP's. */
static void put_data_parallel(struct conversion *conversion, struct buf *out)
{
	const int64_t replicas = conversion_degree(conversion, FIELD_DP_REPLICATE);
	const int64_t shares = conversion_degree(conversion, FIELD_DP_SHARD);

	if (shares == 1 || !shares)
		return;
	put(conversion, "use-megatron-fsdp", "", FIELD_DP_SHARD, out);
	put(conversion, "data-parallel-sharding-strategy", "optim_grads_params", FIELD_DP_SHARD,
	    out);
	if (replicas > 1)
		put_int(conversion, "num-distributed-optimizer-instances", replicas,
			FIELD_DP_REPLICATE, out);
	else if (replicas < 0)
		conversion_lost(conversion, FIELD_DP_REPLICATE,
				"replicas are what is left of the world: give --world N");
	if (strcmp(setting_text(&conversion->said, FIELD_RESHARD_AFTER_FORWARD, ""), "never") != 0)
		conversion->taken[FIELD_RESHARD_AFTER_FORWARD] = true;	  /* it always does */
	put(conversion, "ckpt-format", "fsdp_dtensor", FIELD_COUNT, out); /* it takes no other */
	conversion->taken[FIELD_OPTIMIZER_INSTANCES] = true;
	conversion->taken[FIELD_CHECKPOINT_FORMAT] = true;
}

static void put_batch(struct conversion *conversion, struct buf *out)
{
	struct batch batch = conversion_batch(conversion);

	if (batch.micro > 0)
		put_int(conversion, "micro-batch-size", batch.micro, batch.micro_from, out);
	if (batch.step > 0)
		put_int(conversion, "global-batch-size", batch.step, batch.step_from, out);
	else if (batch.micro > 0)
		conversion_lost(conversion, FIELD_GLOBAL_BATCH_SIZE,
				"--global-batch-size follows from the world: give --world N");
}

static void put_size(struct conversion *conversion, const char *key, int64_t size, struct buf *out)
{
	if (size > 0)
		put_int(conversion, key, size, conversion_model_from(conversion), out);
}

/* Which blocks have the window: a number for each, 1 where one has. */
static void put_windows(struct conversion *conversion, const struct model *model, struct buf *out)
{
	const char *turns =
		setting_text(&conversion->job->settings, FIELD_MODEL_WINDOW_BLOCKS, "w");
	const enum field_id from = conversion_model_from(conversion);
	const size_t count = strlen(turns);
	const bool whole = model->layers % (int64_t)count == 0;
	const int64_t listed = whole ? (int64_t)count : model->layers;
	struct buf list;
	int64_t i;

	if (!model->windowed)
		return;
	put(conversion, "window-size",
	    arena_printf(conversion->arena, "%" PRId64 ",0", model->window - 1), from, out);
	if (model->windowed == model->layers)
		return;
	buf_init(&list);
	for (i = 0; i < listed; i++)
		buf_printf(&list, "%c%d", i ? ',' : '[', turns[(size_t)i % count] == 'w');
	buf_char(&list, ']');
	if (whole)
		buf_printf(&list, "*%" PRId64, model->layers / listed);
	put(conversion, "window-attn-skip-freq", arena_printf(conversion->arena, "'%s'", list.data),
	    from, out);
	buf_release(&list);
}

static void put_experts(struct conversion *conversion, const struct model *model, struct buf *out)
{
	if (!model->experts)
		return;
	put_size(conversion, "num-experts", model->experts, out);
	put_size(conversion, "moe-router-topk", model->topk, out);
	put_size(conversion, "moe-ffn-hidden-size", model->expert_ffn, out);
	put_size(conversion, "moe-shared-expert-intermediate-size", model->shared_ffn, out);
	if (model->dense_layers > 0)
		put(conversion, "moe-layer-freq",
		    arena_printf(conversion->arena, "'([0]*%" PRId64 "+[1]*%" PRId64 ")'",
				 model->dense_layers, model->layers - model->dense_layers),
		    conversion_model_from(conversion), out);
	else if (model->interleave > 1)
		put_size(conversion, "moe-layer-freq", model->interleave, out);
}

static void put_latent(struct conversion *conversion, const struct model *model, struct buf *out)
{
	put(conversion, "multi-latent-attention", "", conversion_model_from(conversion), out);
	put_size(conversion, "q-lora-rank", model->q_lora, out);
	put_size(conversion, "kv-lora-rank", model->kv_lora, out);
	put_size(conversion, "qk-head-dim", model->qk_nope, out);
	put_size(conversion, "qk-pos-emb-head-dim", model->qk_rope, out);
	put_size(conversion, "v-head-dim", model->v_dim, out);
}

static void put_attention(struct conversion *conversion, const struct model *model, struct buf *out)
{
	put_size(conversion, "num-attention-heads", model->heads, out);
	if (model->kv_lora) {
		put_latent(conversion, model, out);
		return;
	}
	put_size(conversion, "kv-channels", model->head_dim, out);
	if (model->kv_heads != model->heads) {
		put(conversion, "group-query-attention", "", conversion_model_from(conversion),
		    out);
		put_size(conversion, "num-query-groups", model->kv_heads, out);
	}
}

/* Megatron-LM drops a tenth unless it is told not to; of what has gated networks nothing was
 * dropped, where nobody says so. */
static void put_dropout(struct conversion *conversion, const struct model *model, struct buf *out)
{
	static const struct {
		enum field_id field;
		const char *key;
	} shares[] = {
		{ FIELD_MODEL_ATTENTION_DROPOUT, "attention-dropout" },
		{ FIELD_MODEL_HIDDEN_DROPOUT, "hidden-dropout" },
	};
	size_t i;

	for (i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		const struct setting *said = &conversion->job->settings.items[shares[i].field];

		conversion->taken[shares[i].field] = true;
		if (setting_known(said))
			put(conversion, shares[i].key, said->text, shares[i].field, out);
		else if (model->gated_mlp)
			put(conversion, shares[i].key, "0", conversion_model_from(conversion), out);
	}
}

/* Without a base it is 10000 (training/arguments.py). */
static void put_rope(struct conversion *conversion, struct buf *out)
{
	put(conversion, "position-embedding-type", "rope", conversion_model_from(conversion), out);
	put_size(conversion, "rotary-base",
		 setting_int(&conversion->job->settings, FIELD_MODEL_ROPE_BASE, 0), out);
}

static void put_model(struct conversion *conversion, struct buf *out)
{
	const struct model *model = conversion->job->model;

	if (!model)
		return;
	put_size(conversion, "num-layers", model->layers, out);
	put_size(conversion, "hidden-size", model->hidden, out);
	put_attention(conversion, model, out);
	put_size(conversion, "ffn-hidden-size", model->ffn, out);
	put_size(conversion, "vocab-size", model->vocab, out);
	if (model->gated_mlp)
		put(conversion, "swiglu", "", conversion_model_from(conversion), out);
	if (!model->tied_embeddings)
		put(conversion, "untie-embeddings-and-output-weights", "",
		    conversion_model_from(conversion), out);
	put_dropout(conversion, model, out);
	if (model->learned_positions)
		put_size(conversion, "max-position-embeddings", model->learned_positions, out);
	else
		put_rope(conversion, out);
	if (!model->traits->linear_bias && !model->traits->norm_bias)
		put(conversion, "normalization", "RMSNorm", conversion_model_from(conversion), out);
	if (!model->traits->linear_bias && !model->traits->attention_bias)
		put(conversion, "disable-bias-linear", "", conversion_model_from(conversion), out);
	if (model->traits->qkv_bias)
		put(conversion, "add-qkv-bias", "", conversion_model_from(conversion), out);
	if (model->qk_norm)
		put(conversion, "qk-layernorm", "", conversion_model_from(conversion), out);
	put_windows(conversion, model, out);
	put_experts(conversion, model, out);
}

/* Its one schedule, plain or interleaved, is that of 1F1B. */
static void take_schedule(struct conversion *conversion)
{
	const char *schedule = setting_text(&conversion->said, FIELD_PP_SCHEDULE, "1F1B");

	if (conversion->job->intended->degrees.pp < 2 || !strcmp(schedule, "1F1B") ||
	    !strcmp(schedule, "Interleaved1F1B"))
		conversion->taken[FIELD_PP_SCHEDULE] = true;
}

/* The modules that selective recomputation names, which no other mode reads. */
static void put_modules(struct conversion *conversion, struct buf *out)
{
	const struct settings *said = &conversion->said;
	const struct node *modules = said->items[FIELD_AC_MODULES].node, *word;
	struct buf words = { 0 };

	if (!setting_known(&said->items[FIELD_AC_MODULES]) || !modules ||
	    strcmp(setting_text(said, FIELD_AC_MODE, ""), "selective") != 0)
		return;
	for (word = modules->first; word; word = word->next)
		buf_printf(&words, "%s%s", words.length ? " " : "", word->text);
	if (words.length)
		put(conversion, "recompute-modules", arena_strdup(conversion->arena, words.data),
		    FIELD_AC_MODULES, out);
	buf_release(&words);
	conversion->taken[FIELD_AC_MODULES] = true;
}

/* What Megatron wants said beside others (arguments.py: validate_args). */
static void put_required(struct conversion *conversion, struct buf *out)
{
	const struct settings *said = &conversion->said;
	const struct model *model = conversion->job->model;
	const struct setting *seq = &said->items[FIELD_SEQ_LEN];

	if (conversion->job->intended->degrees.tp > 1 &&
	    setting_bool(said, FIELD_SEQUENCE_PARALLEL, true)) {
		conversion->taken[FIELD_SEQUENCE_PARALLEL] = true;
		put(conversion, "sequence-parallel", "", FIELD_SEQUENCE_PARALLEL, out);
	}
	if (!(model && model->learned_positions) && setting_known(seq))
		put(conversion, "max-position-embeddings", seq->text, FIELD_SEQ_LEN, out);
	if (setting_bool(said, FIELD_OVERLAP_PARAM_GATHER, false) &&
	    !conversion->taken[FIELD_OPTIMIZER_INSTANCES]) {
		conversion->taken[FIELD_OPTIMIZER_DISTRIBUTED] = true;
		put(conversion, "use-distributed-optimizer", "", FIELD_OVERLAP_PARAM_GATHER, out);
		if (!setting_known(&said->items[FIELD_OVERLAP_GRAD_REDUCE]))
			put(conversion, "overlap-grad-reduce", "", FIELD_OVERLAP_PARAM_GATHER, out);
	}
	put_modules(conversion, out);
	if (strcmp(setting_text(said, FIELD_AC_MODE, ""), "full") != 0)
		return;
	if (!setting_known(&said->items[FIELD_AC_METHOD]))
		put(conversion, "recompute-method", "uniform", FIELD_AC_MODE, out);
	if (!setting_known(&said->items[FIELD_AC_LAYERS]))
		put(conversion, "recompute-num-layers", "1", FIELD_AC_MODE, out);
}

static bool has_experts(const struct conversion *conversion)
{
	const struct model *model = conversion->job->model;

	return model ? model->experts > 0 : conversion->job->intended->degrees.ep > 1;
}

static void write(struct conversion *conversion, struct buf *out)
{
	conversion_head(conversion, "Arguments of Megatron-LM", out);
	buf_text(out, "MEGATRON_ARGS=(\n");
	put_degrees(conversion, out);
	put_data_parallel(conversion, out);
	put_model(conversion, out);
	put_batch(conversion, out);
	take_schedule(conversion);
	put_required(conversion, out);
	if (!has_experts(conversion))
		conversion->taken[FIELD_EXPERT_DISPATCHER] =
			true; /* there is nothing to dispatch */
	conversion_rows(conversion, rows, sizeof(rows) / sizeof(rows[0]), put, out);
	buf_text(out, ")\n");
}

const struct target target_megatron = {
	.name = "megatron",
	.summary = "arguments of Megatron-LM, as an array of the shell",
	.where = "the environment or the launch line",
	.elsewhere = elsewhere,
	.file = "converted.sh",
	.write = write,
};
