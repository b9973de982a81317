#include "framework/job.h"
#include "wings/torchtitan/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

extern const struct framework framework_torchtitan;

struct bench {
	struct arena arena;
	struct findings findings;
	struct job job;
	struct plan *plan;
};

static void bench_init(struct bench *bench, const char *version, const char *model, int64_t world)
{
	const struct timeline_row *row = timeline_find(&timeline_torchtitan, version);
	struct version torchtitan = { .framework = "torchtitan", .label = version };

	memset(bench, 0, sizeof(*bench));
	arena_init(&bench->arena);
	findings_init(&bench->findings, &bench->arena);
	settings_init(&bench->job.settings);
	bench->job.arena = &bench->arena;
	bench->job.findings = &bench->findings;
	bench->job.world = world;
	torchtitan.when = row->when;
	vec_push(&bench->arena, &bench->job.versions.list, torchtitan);
	settings_put_text(&bench->job.settings, FIELD_MODEL_PRESET, model, ORIGIN_GIVEN);
}

static void put(struct bench *bench, enum field_id id, int64_t value)
{
	settings_put_int(&bench->job.settings, &bench->arena, id, value, ORIGIN_GIVEN);
}

static const struct plan *apply(struct bench *bench)
{
	struct job *job = &bench->job;

	job->framework = &framework_torchtitan;
	job->model = model_new(&bench->arena, &job->settings, job->framework->naming(job),
			       &bench->findings);
	assert_non_null(job->model);
	bench->plan = plan_new(&bench->arena, PLAN_APPLIED);
	bench->plan->world = job->world;
	job->framework->apply(job, bench->plan);
	return bench->plan;
}

static const struct sharded *find(const struct plan *plan, const char *fqn)
{
	size_t i;

	for (i = 0; i < plan->parameters.count; i++)
		if (!strcmp(plan->parameters.items[i].parameter->fqn, fqn))
			return &plan->parameters.items[i];
	fail_msg("no parameter %s", fqn);
	return NULL;
}

static const struct unit *find_unit(const struct plan *plan, const char *name)
{
	size_t i;

	for (i = 0; i < plan->units.count; i++)
		if (!strcmp(plan->units.items[i].name, name))
			return &plan->units.items[i];
	return NULL;
}

/* "dp_replicate:R fsdp:SS(0,2) tp:S(0)" */
static const char *placements(struct bench *bench, const char *fqn)
{
	const struct sharded *s = find(bench->plan, fqn);
	const char *text = "";
	int i;

	for (i = 0; i < s->dims; i++)
		text = arena_printf(&bench->arena, "%s%s%s:%s", text, *text ? " " : "",
				    s->dim[i].name,
				    placement_text(&bench->arena, s->dim[i].placement));
	return text;
}

/* Shards of real models, computed from the shapes by hand (torchtitan's own formulas). */
struct shard_case {
	const char *version, *model;
	int64_t dp_replicate, dp_shard, tp, ep, etp;
	const struct {
		const char *name;
		int64_t elements;
	} units[5];
	const char *fqn;
	int64_t shape[3]; /* of rank 0 */
};

static const struct shard_case shard_cases[] = {
	{ "v0.1.0",
	  "llama3-8b",
	  1,
	  16,
	  1,
	  1,
	  1,
	  { { "(root)", 65667328 }, { "layers.0", 13632000 }, { "layers.31", 13632000 } },
	  "layers.0.attention.wk.weight",
	  { 64, 4096 } },
	{ "v0.1.0",
	  "llama3-8b",
	  2,
	  8,
	  1,
	  1,
	  1,
	  { { "(root)", 131334656 }, { "layers.0", 27264000 } },
	  "tok_embeddings.weight",
	  { 16032, 4096 } },
	{ "v0.2.2",
	  "llama3-8b",
	  1,
	  4,
	  2,
	  1,
	  1,
	  { { "tok_embeddings", 65667072 },
	    { "layers.0", 27265024 },
	    { "[norm, output]", 65668096 } },
	  "layers.3.feed_forward.w2.weight",
	  { 1024, 7168 } },
	{ "v0.2.2",
	  "llama3-70b",
	  1,
	  32,
	  8,
	  1,
	  1,
	  { { "tok_embeddings", 4104192 },
	    { "layers.79", 3342848 },
	    { "[norm, output]", 4104448 } },
	  "output.weight",
	  { 501, 8192 } },
	{ "v0.2.2",
	  "deepseek_v3-16b",
	  1,
	  4,
	  2,
	  8,
	  1,
	  { { "tok_embeddings", 26214400 },
	    { "layers.0", 10273920 },
	    { "layers.1", 4064384 },
	    { "layers.1.moe.experts", 69206016 },
	    { "[norm, output]", 26214912 } },
	  "layers.3.moe.experts.w1",
	  { 8, 1408, 2048 } },
	{ "v0.2.2",
	  "deepseek_v3-671b",
	  1,
	  512,
	  1,
	  64,
	  1,
	  { { "tok_embeddings", 1813504 },
	    { "layers.0", 1145888 },
	    { "layers.3", 464928 },
	    { "layers.60.moe.experts", 22020096 },
	    { "[norm, output]", 1813518 } },
	  "layers.3.moe.experts.w2",
	  { 4, 896, 2048 } },
	{ "v0.2.2",
	  "qwen3-30b-a3b",
	  1,
	  8,
	  1,
	  8,
	  1,
	  { { "tok_embeddings", 38895616 },
	    { "layers.0", 2392608 },
	    { "layers.0.moe.experts", 75497472 },
	    { "[norm, output]", 38895872 } },
	  "layers.3.attention.q_norm.weight",
	  { 16 } },
	{ "v0.2.2",
	  "llama4-17bx16e",
	  1,
	  32,
	  8,
	  1,
	  1,
	  { { "tok_embeddings", 4044800 },
	    { "layers.0", 16471360 },
	    { "[norm, output]", 4044960 } },
	  "layers.3.moe.experts.w2",
	  { 1, 5120, 1024 } },
};

static void start(struct bench *bench, const struct shard_case *c)
{
	bench_init(bench, c->version, c->model, c->dp_replicate * c->dp_shard * c->tp);
	put(bench, FIELD_DP_REPLICATE, c->dp_replicate);
	put(bench, FIELD_DP_SHARD, c->dp_shard);
	put(bench, FIELD_TP, c->tp);
	put(bench, FIELD_EP, c->ep);
	put(bench, FIELD_ETP, c->etp);
	put(bench, FIELD_SEQ_LEN, 8192);
	put(bench, FIELD_LOCAL_BATCH_SIZE, 1);
}

static void check_units(const struct shard_case *c, const struct plan *plan)
{
	size_t i;

	for (i = 0; i < 5 && c->units[i].name; i++) {
		const struct unit *unit = find_unit(plan, c->units[i].name);
		if (!unit || unit->shard_elements != c->units[i].elements)
			fail_msg("%s %s: %s holds %lld", c->version, c->model, c->units[i].name,
				 unit ? (long long)unit->shard_elements : -1LL);
	}
}

static void shards_of_real_models(void **state)
{
	struct bench bench;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(shard_cases) / sizeof(*shard_cases); i++) {
		const struct shard_case *c = &shard_cases[i];
		const struct plan *plan;
		struct box box;
		int d;
		start(&bench, c);
		plan = apply(&bench);
		if (plan->error)
			fail_msg("%s %s: %s", c->version, c->model, plan->error->message);
		check_units(c, plan);
		box = plan_box(find(plan, c->fqn), 0);
		for (d = 0; d < box.dims; d++)
			assert_int_equal(box.shape[d], c->shape[d]);
		arena_release(&bench.arena);
	}
}

/* Every element of every parameter belongs to exactly one rank of each replica. */
static void boxes_tile_the_tensor(void **state)
{
	struct bench bench;
	const struct plan *plan;
	size_t i;

	(void)state;
	start(&bench, &shard_cases[2]);
	put(&bench, FIELD_MODEL_VOCAB, 1003);
	plan = apply(&bench);
	assert_null(plan->error);
	for (i = 0; i < plan->parameters.count; i++) {
		const struct sharded *s = &plan->parameters.items[i];
		const bool whole = s->dim[s->dims - 1].placement.kind == PLACE_REPLICATE;
		int64_t held = 0, rank;
		for (rank = 0; rank < plan->world; rank++) {
			struct box box = plan_box(s, rank);
			held += box_volume(&box);
		}
		assert_int_equal(held, parameter_volume(s->parameter) * (whole ? 2 : 1));
	}
	arena_release(&bench.arena);
}

static void placements_by_parallelism(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, "v0.2.2", "llama3-debugmodel", 16);
	put(&bench, FIELD_DP_REPLICATE, 2);
	put(&bench, FIELD_DP_SHARD, 4);
	put(&bench, FIELD_TP, 2);
	apply(&bench);
	assert_string_equal(placements(&bench, "layers.0.attention.wq.weight"),
			    "dp_replicate:R fsdp:SS(0,2) tp:S(0)");
	assert_string_equal(placements(&bench, "layers.0.attention.wo.weight"),
			    "dp_replicate:R fsdp:S(0) tp:S(1)");
	assert_string_equal(placements(&bench, "layers.0.ffn_norm.weight"),
			    "dp_replicate:R fsdp:S(0) tp:R");
	arena_release(&bench.arena);

	bench_init(&bench, "v0.2.2", "llama3-debugmodel", 8);
	put(&bench, FIELD_DP_REPLICATE, 8);
	put(&bench, FIELD_DP_SHARD, 1);
	apply(&bench);
	assert_string_equal(placements(&bench, "norm.weight"), "dp_replicate:R");
	assert_int_equal(bench.plan->units.count, 0);
	arena_release(&bench.arena);

	bench_init(&bench, "v0.2.2", "deepseek_v3-debugmodel", 8);
	put(&bench, FIELD_DP_SHARD, 4);
	put(&bench, FIELD_TP, 2);
	put(&bench, FIELD_EP, 2);
	put(&bench, FIELD_ETP, 2);
	apply(&bench);
	assert_string_equal(placements(&bench, "layers.1.moe.experts.w1"),
			    "efsdp:SS(0,2) ep:S(0) etp:S(1)");
	assert_string_equal(placements(&bench, "layers.1.moe.experts.w2"),
			    "efsdp:SS(0,2) ep:S(0) etp:S(2)");
	assert_string_equal(placements(&bench, "layers.1.attention.wkv_a.weight"),
			    "fsdp:S(0) tp:R");
	arena_release(&bench.arena);
}

/* v0.2.0 counts the replicas when it asks whether there are more ranks than experts. */
static void experts_dim_counts_replicas_in_v0_2_0(void **state)
{
	static const struct {
		const char *version, *placements;
	} cases[] = {
		{ "v0.2.0", "dp_replicate:R dp_shard_mod_ep:S(1) ep:S(0)" },
		{ "v0.2.2", "dp_replicate:R efsdp:SS(0,4) ep:S(0)" },
	};
	struct bench bench;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		bench_init(&bench, cases[i].version, "deepseek_v3-debugmodel", 16);
		put(&bench, FIELD_DP_REPLICATE, 2);
		put(&bench, FIELD_DP_SHARD, 8);
		put(&bench, FIELD_EP, 4);
		apply(&bench);
		assert_string_equal(placements(&bench, "layers.1.moe.experts.w1"),
				    cases[i].placements);
		arena_release(&bench.arena);
	}
}

static void pipeline_parts_have_units_of_their_own(void **state)
{
	struct bench bench;
	const struct plan *plan;

	(void)state;
	bench_init(&bench, "v0.2.2", "llama3-debugmodel", 8);
	put(&bench, FIELD_PP, 2);
	put(&bench, FIELD_DP_SHARD, 4);
	put(&bench, FIELD_LOCAL_BATCH_SIZE, 8);
	plan = apply(&bench);
	assert_null(plan->error);
	assert_int_equal(plan->stages.count, 2);
	assert_int_equal(find_unit(plan, "tok_embeddings")->stage, 0);
	assert_int_equal(find_unit(plan, "layers.3")->stage, 1);
	assert_false(find_unit(plan, "layers.3")->reshard_after_forward);
	assert_int_equal(find(plan, "output.weight")->stage, 1);
	assert_null(find_unit(plan, "(root)"));
	arena_release(&bench.arena);
}

static void units_of_head(void **state)
{
	struct bench bench;
	const struct plan *plan;

	(void)state;
	bench_init(&bench, "HEAD", "llama3-1b", 8);
	put(&bench, FIELD_DP_SHARD, 8);
	plan = apply(&bench);
	assert_null(plan->error);
	assert_int_equal(find_unit(plan, "[tok_embeddings, norm, lm_head]")->parameters, 2);
	assert_int_equal(find(plan, "layers.0.attention.qkv_linear.wqkv.weight")->dims, 1);
	arena_release(&bench.arena);
}

/* Until the ends became one unit, a tied matrix is sharded and gathered twice. */
static void tied_weights_are_gathered_twice(void **state)
{
	struct bench bench;
	const struct plan *plan;

	(void)state;
	bench_init(&bench, "v0.2.2", "qwen3-0.6b", 8);
	put(&bench, FIELD_DP_SHARD, 8);
	plan = apply(&bench);
	assert_null(plan->error);
	assert_int_equal(find_unit(plan, "tok_embeddings")->shard_elements, 151936 / 8 * 1024);
	assert_int_equal(find_unit(plan, "[norm, output]")->parameters, 2);
	assert_int_equal(find_unit(plan, "[norm, output]")->shard_elements,
			 151936 / 8 * 1024 + 1024 / 8);
	arena_release(&bench.arena);
}

/* Degrees and sizes no machine has end in an answer, not in an overflow. */
static void absurd_sizes(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, "v0.2.2", "llama3-debugmodel", 1 << 30);
	put(&bench, FIELD_PP, 1 << 30);
	put(&bench, FIELD_PP_FIRST_STAGE_LESS, INT64_MAX);
	put(&bench, FIELD_LOCAL_BATCH_SIZE, INT64_MAX);
	put(&bench, FIELD_GLOBAL_BATCH_SIZE, INT64_MAX);
	apply(&bench);
	assert_string_equal(bench.plan->error->message,
			    "Number of stages (1073741824) cannot be greater than effective "
			    "layers (1048583)");
	arena_release(&bench.arena);
}

/* What is raised, by version. */
struct refusal {
	const char *version, *model;
	int64_t world;
	enum field_id field[4];
	int64_t value[4];
	const char *type, *message;
};

static const struct refusal refusals[] = {
	{ "v0.2.2",
	  "llama3-debugmodel",
	  8,
	  { FIELD_TP, FIELD_SEQ_LEN },
	  { 2, 2050 },
	  "AssertionError",
	  "\n        Sequence length 2050 must be divisible by the product of TP degree\n"
	  "        (2) and 2 * CP degree (1).\n        " },
	{ "v0.1.0", "llama3-debugmodel", 8, { FIELD_TP, FIELD_SEQ_LEN }, { 2, 2050 }, NULL, NULL },
	{ "v0.2.2",
	  "qwen3-0.6b",
	  8,
	  { FIELD_PP },
	  { 2 },
	  "RuntimeError",
	  "Pipeline Parallel is enabled but qwen3 does not support pipelining" },
	{ "v0.2.2",
	  "deepseek_v3-16b",
	  8,
	  { FIELD_CP },
	  { 2 },
	  "NotImplementedError",
	  "Context Parallel only supports SDPA attention. Got attn_type='flex'. FlexAttention and "
	  "varlen attention are not supported with CP." },
	{ "v0.2.2",
	  "llama3-8b_varlen",
	  8,
	  { FIELD_CP },
	  { 2 },
	  "NotImplementedError",
	  "Context Parallel only supports SDPA and FlexAttention.Got attn_type='varlen'. Varlen "
	  "attention is not supported with CP." },
	{ "v0.2.2", "llama3-8b_flex", 8, { FIELD_CP }, { 2 }, NULL, NULL },
	{ "v0.1.0",
	  "llama3-8b_flex",
	  8,
	  { FIELD_CP },
	  { 2 },
	  "ValueError",
	  "FlexAttention is not compatible with CP yet. We are still working on this." },
	{ "HEAD",
	  "qwen3-30b-a3b",
	  8,
	  { FIELD_TP },
	  { 8 },
	  "ValueError",
	  "tensor_parallel_degree (8) must divide n_kv_heads (4)." },
	{ "v0.2.2", "qwen3-30b-a3b", 8, { FIELD_TP }, { 8 }, NULL, NULL },
	{ "HEAD",
	  "llama3-8b",
	  8,
	  { FIELD_PP },
	  { 2 },
	  "ValueError",
	  "CUDA graphs do not support pipeline parallelism yet. Set "
	  "--training.disable_cuda_graphs." },
	{ "v0.2.2",
	  "llama3-debugmodel",
	  8,
	  { FIELD_PP, FIELD_LOCAL_BATCH_SIZE, FIELD_PP_MICROBATCH_SIZE },
	  { 2, 8, 3 },
	  "ValueError",
	  "Batch size 8 must be divisible by microbatch_size 3. Update the config arguments for "
	  "either batch_size or pipeline_parallel_microbatch_size." },
	{ "v0.2.2",
	  "llama3-debugmodel",
	  8,
	  { FIELD_PP, FIELD_LOCAL_BATCH_SIZE },
	  { 4, 3 },
	  "ValueError",
	  "Number of microbatches (3) must be greater than or equal to the number of stages (4)." },
	{ "v0.2.2",
	  "llama3-debugmodel",
	  8,
	  { FIELD_LOCAL_BATCH_SIZE, FIELD_GLOBAL_BATCH_SIZE },
	  { 2, 24 },
	  "AssertionError",
	  "global batch size must be multiple of local batch size times data-parallel degree (24 % "
	  "(2 * 8) != 0)" },
	{ "v0.2.2",
	  "deepseek_v3-671b",
	  4096,
	  { FIELD_EP, FIELD_DP_SHARD, FIELD_MODEL_MOE_EXPERT_FFN },
	  { 8, 4096, 2056 },
	  "NotImplementedError",
	  "FSDP does not support uneven sharding on dim 1: torch.Size([32, 2056, 7168]) "
	  "(world size: 512)" },
};

static void refusals_by_version(void **state)
{
	struct bench bench;
	size_t i;
	int f;

	(void)state;
	for (i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		const struct refusal *c = &refusals[i];
		const struct plan_error *error;
		const struct plan *plan;
		bench_init(&bench, c->version, c->model, c->world);
		for (f = 0; f < 4; f++)
			if (c->value[f])
				put(&bench, c->field[f], c->value[f]);
		plan = apply(&bench);
		error = plan->error ? plan->error : plan->later;
		if (!c->type != !error)
			fail_msg("%s %s #%zu: %s", c->version, c->model, i,
				 error ? error->message : "nothing raised");
		if (error) {
			assert_string_equal(error->message, c->message);
			assert_string_equal(error->type, c->type);
			assert_true(error->because_count > 0);
		}
		arena_release(&bench.arena);
	}
}

/* torch 2.5 to 2.7 cannot cut unevenly what tensor parallel has cut. */
static void uneven_rows_before_torch_2_8(void **state)
{
	static const char *const labels[] = { "2.7.0", "2.8.0" };
	struct bench bench;
	const struct plan *plan;
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct version torch = { .framework = "torch", .label = labels[i] };
		bench_init(&bench, "v0.1.0", "llama3-8b", 8);
		put(&bench, FIELD_DP_SHARD, 4);
		put(&bench, FIELD_TP, 2);
		put(&bench, FIELD_MODEL_VOCAB, 128258);
		vec_push(&bench.arena, &bench.job.versions.list, torch);
		plan = apply(&bench);
		if (i == 0)
			assert_string_equal(plan->error->message,
					    "FSDP+TP sharding does not support uneven sharding "
					    "for now: tensor dim 0 has size 128258 which cannot "
					    "be evenly sharded into 8 shards.");
		else
			assert_null(plan->error);
		arena_release(&bench.arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shards_of_real_models),
		cmocka_unit_test(boxes_tile_the_tensor),
		cmocka_unit_test(placements_by_parallelism),
		cmocka_unit_test(experts_dim_counts_replicas_in_v0_2_0),
		cmocka_unit_test(pipeline_parts_have_units_of_their_own),
		cmocka_unit_test(units_of_head),
		cmocka_unit_test(tied_weights_are_gathered_twice),
		cmocka_unit_test(absurd_sizes),
		cmocka_unit_test(refusals_by_version),
		cmocka_unit_test(uneven_rows_before_torch_2_8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
