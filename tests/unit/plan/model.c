#include "plan/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/*
 * Totals and elements used per token of TorchTitan's flavours, computed upstream by
 * get_nparams_and_flops and published with the models.
 */
static const struct {
	const char *name;
	int64_t total, active;
} counts[] = {
	{ "llama3-debugmodel", 6163712, 6163712 },
	{ "llama3-8b", 8030261248, 8030261248 },
	{ "llama3-70b", 70553706496, 70553706496 },
	{ "llama3-405b", 405853388800, 405853388800 },
	{ "llama3-1b", 1235814400, 1235814400 },
	{ "llama3-3b", 3212749824, 3212749824 },
	{ "llama3-8b_flex", 8030261248, 8030261248 },
	{ "llama2-7b", 6738415616, 6738415616 },
	{ "llama2-13b", 13015864320, 13015864320 },
	{ "llama2-70b", 68976648192, 68976648192 },
	{ "qwen3-debugmodel", 31987968, 31987968 },
	{ "qwen3-0.6b", 596049920, 596049920 },
	{ "qwen3-1.7b", 1720574976, 1720574976 },
	{ "qwen3-4b", 4022468096, 4022468096 },
	{ "qwen3-8b", 8190735360, 8190735360 },
	{ "qwen3-14b", 14768307200, 14768307200 },
	{ "qwen3-32b", 32762123264, 32762123264 },
	{ "llama4-debugmodel", 15017216, 6759680 },
	{ "llama4-17bx16e", 107769861120, 17172894720 },
	{ "llama4-17bx128e", 400711848960, 17184691200 },
	{ "deepseek_v3-debugmodel", 33014016, 28098816 },
	{ "deepseek_v3-16b", 15706484224, 2661150208 },
	{ "deepseek_v3-236b", 235741434880, 21375800320 },
	{ "deepseek_v3-671b", 671026404352, 37552282624 },
	{ "qwen3-debugmodel_moe", 315758848, 51517696 },
	{ "qwen3-30b-a3b", 30532122624, 3353032704 },
	{ "qwen3-235b-a22b", 235093634560, 22190763520 },
	{ "gpt_oss-debugmodel", 183397920, 147912224 },
	{ "gpt_oss-20b", 20914757184, 4187440704 },
	{ "gpt_oss-120b", 116829156672, 5711982912 },
	/* of the checkpoints on the Hugging Face hub */
	{ "mistral-7b", 7241732096, 7241732096 },
	{ "mistral-7b-v0.3", 7248023552, 7248023552 },
	{ "mixtral-8x7b", 46702792704, 12879925248 },
	{ "mixtral-8x22b", 140630071296, 39161468928 },
	{ "qwen2.5-0.5b", 494032768, 494032768 },
	{ "qwen2.5-1.5b", 1543714304, 1543714304 },
	{ "qwen2.5-3b", 3085938688, 3085938688 },
	{ "qwen2.5-7b", 7615616512, 7615616512 },
	{ "qwen2.5-14b", 14770033664, 14770033664 },
	{ "qwen2.5-32b", 32763876352, 32763876352 },
	{ "qwen2.5-72b", 72706203648, 72706203648 },
	{ "r1_distill-qwen-1.5b", 1777088000, 1777088000 },
	{ "qwen1.5-moe-a2.7b", 14315784192, 2689173504 },
	{ "gemma-2b", 2506172416, 2506172416 },
	{ "gemma-7b", 8537680896, 8537680896 },
	{ "gemma2-2b", 2614341888, 2614341888 },
	{ "gemma2-9b", 9241705984, 9241705984 },
	{ "gemma2-27b", 27227128320, 27227128320 },
	{ "gemma3-1b", 999885952, 999885952 },
	{ "phi3-mini", 3821079552, 3821079552 },
	{ "phi4", 14659507200, 14659507200 },
	{ "phi4-mini", 3836021760, 3836021760 },
	{ "olmo2-7b", 7298617344, 7298617344 },
	{ "pythia-1b", 1011781632, 1011781632 },
	{ "pythia-6.9b", 6857302016, 6857302016 },
	{ "gpt_neox-20b", 20554567680, 20554567680 },
	{ "falcon-7b", 6921720704, 6921720704 },
	{ "falcon-40b", 41303293952, 41303293952 },
	{ "falcon-180b", 178557088768, 178557088768 },
	{ "mpt-7b", 6649286656, 6649286656 },
	{ "gpt2-124m", 124439808, 124439808 },
	{ "gpt2-xl", 1557611200, 1557611200 },
	{ "tinyllama-1.1b", 1100048384, 1100048384 },
	{ "smollm2-135m", 134515008, 134515008 },
	{ "smollm2-1.7b", 1711376384, 1711376384 },
	{ "smollm3-3b", 3075098624, 3075098624 },
	{ "granite3-8b", 8170848256, 8170848256 },
	{ "glm4-9b", 9399951360, 9399951360 },
	{ "starcoder2-3b", 3030371328, 3030371328 },
	{ "yi-34b", 34388917248, 34388917248 },
	{ "glm4-32b-0414", 32566081536, 32566081536 },
	{ "baichuan2-7b", 7505973248, 7505973248 },
	{ "internlm2-7b", 7737708544, 7737708544 },
	{ "chatglm3-6b", 6243584000, 6243584000 },
	{ "deepseek_moe-16b", 16375728128, 2828650496 },
	{ "olmoe-1b-7b", 6919161856, 1282017280 },
	{ "dbrx-132b", 131596523520, 36469708800 },
	{ "opt-1.3b", 1315758080, 1315758080 },
	{ "opt-30b", 29974540288, 29974540288 },
	{ "phi-2", 2779683840, 2779683840 },
	{ "stablelm-3b", 2795443200, 2795443200 },
	{ "starcoder-15b", 15517456384, 15517456384 },
	{ "command_r-35b", 34980831232, 34980831232 },
	{ "qwen1.5-0.5b", 463987712, 463987712 },
	{ "ministral-8b", 8019808256, 8019808256 },
};

struct bench {
	struct arena arena;
	struct settings settings;
	struct findings findings;
};

static void bench_init(struct bench *bench)
{
	arena_init(&bench->arena);
	settings_init(&bench->settings);
	findings_init(&bench->findings, &bench->arena);
}

static void put(struct bench *bench, enum field_id id, int64_t value)
{
	settings_put_int(&bench->settings, &bench->arena, id, value, ORIGIN_GIVEN);
}

static struct model *build(struct bench *bench, enum naming naming)
{
	return model_new(&bench->arena, &bench->settings, naming, &bench->findings);
}

static const struct parameter *find(const struct model *model, const char *fqn)
{
	size_t i;

	for (i = 0; i < model->parameters.count; i++)
		if (!strcmp(model->parameters.items[i].fqn, fqn))
			return &model->parameters.items[i];
	return NULL;
}

static void assert_shape(const struct model *model, const char *fqn, int64_t a, int64_t b,
			 int64_t c)
{
	const struct parameter *parameter = find(model, fqn);

	assert_non_null(parameter);
	assert_int_equal(parameter->dims, c ? 3 : b ? 2 : 1);
	assert_int_equal(parameter->shape[0], a);
	assert_int_equal(parameter->shape[1], b);
	assert_int_equal(parameter->shape[2], c);
}

static void counts_are_exact(void **state)
{
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		const struct model *model = model_of_preset(&arena, counts[i].name);
		assert_non_null(model);
		assert_string_equal(model->name, counts[i].name);
		if (model->total != counts[i].total || model->active != counts[i].active)
			fail_msg("%s: %lld, %lld", counts[i].name, (long long)model->total,
				 (long long)model->active);
	}
	arena_release(&arena);
}

/* The name within its block, or the whole one. */
static const char *name_within(const struct parameter *parameter)
{
	return parameter->layer < 0 ? parameter->fqn
				    : strchr(parameter->fqn + strlen("layers."), '.');
}

/* Each parameter is like the first of its name, shape and kind of block. */
static void assert_alike(const struct model *model)
{
	size_t i;

	for (i = 0; i < model->parameters.count; i++) {
		const struct parameter *one = &model->parameters.items[i], *first;
		assert_true(one->like <= i);
		first = &model->parameters.items[one->like];
		assert_true(first->like == one->like && first->expert == one->expert);
		assert_string_equal(name_within(one), name_within(first));
		assert_memory_equal(one->shape, first->shape, sizeof(one->shape));
		assert_true(one->layer < 0 ? one->like == i
					   : model_layer_has_experts(model, one->layer) ==
						     model_layer_has_experts(model, first->layer));
	}
}

static void every_preset_builds(void **state)
{
	struct arena arena;
	const struct model *model;
	const char *const *name;
	size_t count = 0;

	(void)state;
	arena_init(&arena);
	for (name = model_presets(&arena); *name; name++, count++) {
		model = model_of_preset(&arena, *name);
		if (!model)
			fail_msg("%s does not build", *name);
		assert_alike(model);
	}
	assert_true(count > 30);
	assert_null(model_of_preset(&arena, "llama3-9b"));
	arena_release(&arena);
}

static void names_by_generation(void **state)
{
	struct bench bench;
	struct model *model;

	(void)state;
	bench_init(&bench);
	settings_put_text(&bench.settings, FIELD_MODEL_PRESET, "Qwen3-30B-A3B", ORIGIN_GIVEN);
	model = build(&bench, NAMING_TITAN);
	assert_shape(model, "layers.3.attention.wk.weight", 512, 2048, 0);
	assert_shape(model, "layers.3.attention.q_norm.weight", 128, 0, 0);
	assert_shape(model, "layers.3.moe.experts.w2", 128, 2048, 768);
	assert_shape(model, "layers.3.moe.router.gate.weight", 128, 2048, 0);
	assert_true(find(model, "layers.3.moe.experts.w1")->expert);
	assert_shape(model, "output.weight", 151936, 2048, 0);
	model = build(&bench, NAMING_TITAN_HEAD);
	assert_shape(model, "layers.3.attention.qkv_linear.wqkv.weight", 5120, 2048, 0);
	assert_shape(model, "layers.3.moe.routed_experts.inner_experts.w2_EDF", 128, 2048, 768);
	assert_shape(model, "lm_head.weight", 151936, 2048, 0);
	assert_int_equal(model->total, 30532122624);
	model = build(&bench, NAMING_TITAN_V01);
	assert_shape(model, "layers.3.moe.experts.w1", 128, 2048, 768);
	assert_int_equal(bench.findings.list.count, 0);
	arena_release(&bench.arena);
}

static void settings_override_presets(void **state)
{
	struct bench bench;
	const struct model *model;
	const struct setting *kv;

	(void)state;
	bench_init(&bench);
	settings_put_text(&bench.settings, FIELD_MODEL_PRESET, "llama3-70b", ORIGIN_GIVEN);
	put(&bench, FIELD_MODEL_LAYERS, 12);
	model = build(&bench, NAMING_TITAN);
	assert_int_equal(model->layers, 12);
	assert_null(find(model, "layers.12.attention.wq.weight"));
	kv = settings_of(&bench.settings, FIELD_MODEL_KV_HEADS);
	assert_int_equal(kv->origin, ORIGIN_PRESET);
	assert_int_equal(kv->integer, 8);
	assert_string_equal(setting_where(&bench.arena, kv), "preset: llama3-70b");
	assert_int_equal(settings_of(&bench.settings, FIELD_MODEL_LAYERS)->origin, ORIGIN_GIVEN);
	arena_release(&bench.arena);
}

/* GPT-2 small: 124,439,808 parameters, counted by Hugging Face and nanoGPT alike. */
static void gpt2_by_its_sizes(void **state)
{
	struct bench bench;
	const struct model *model;

	(void)state;
	bench_init(&bench);
	settings_put_text(&bench.settings, FIELD_MODEL_ARCH, "gpt", ORIGIN_GIVEN);
	settings_put_bool(&bench.settings, FIELD_MODEL_TIED_EMBEDDINGS, true, ORIGIN_GIVEN);
	put(&bench, FIELD_MODEL_LAYERS, 12);
	put(&bench, FIELD_MODEL_HIDDEN, 768);
	put(&bench, FIELD_MODEL_HEADS, 12);
	put(&bench, FIELD_MODEL_VOCAB, 50257);
	put(&bench, FIELD_MODEL_LEARNED_POS_EMB, 1024);
	model = build(&bench, NAMING_TITAN);
	assert_non_null(model);
	assert_int_equal(model->total, 124439808);
	assert_string_equal(model->name, "inline");
	assert_int_equal(settings_of(&bench.settings, FIELD_MODEL_FFN)->origin, ORIGIN_DERIVED);
	arena_release(&bench.arena);
}

/* One more block like the last, a projection and three norms (arXiv:2412.19437, 2.2). */
static void prediction_layer(void **state)
{
	struct bench bench;
	const struct model *model;
	int64_t block = 0;
	size_t i;

	(void)state;
	bench_init(&bench);
	settings_put_text(&bench.settings, FIELD_MODEL_PRESET, "deepseek_v3-671b", ORIGIN_GIVEN);
	put(&bench, FIELD_MODEL_MTP, 1);
	model = build(&bench, NAMING_TITAN_HEAD);
	for (i = 0; i < model->parameters.count; i++)
		if (model->parameters.items[i].layer == 60)
			block += parameter_volume(&model->parameters.items[i]);
	assert_shape(model, "mtp.0.eh_proj.weight", 7168, 14336, 0);
	assert_int_equal(find(model, "mtp.0.attention.wo.weight")->layer, -1);
	assert_int_equal(model->total, INT64_C(671026404352) + block + INT64_C(7168) * (14336 + 3));
	arena_release(&bench.arena);
}

/* Blocks with a window: all but every sixth, second, fourth, or none. */
static void windows(void **state)
{
	static const struct {
		const char *name;
		int64_t window, windowed;
	} cases[] = { { "gemma3-27b", 1024, 52 }, { "gemma3-1b", 512, 22 },
		      { "gemma2-9b", 4096, 21 },  { "gpt_oss-120b", 128, 18 },
		      { "llama3-8b", 0, 0 },	  { "llama4-17bx16e_irope", 8192, 36 } };
	struct bench bench;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct model *model;
		bench_init(&bench);
		settings_put_text(&bench.settings, FIELD_MODEL_PRESET, cases[i].name, ORIGIN_GIVEN);
		model = build(&bench, NAMING_TITAN);
		assert_int_equal(model->window, cases[i].window);
		assert_int_equal(model->windowed, cases[i].windowed);
		arena_release(&bench.arena);
	}
	bench_init(&bench);
	settings_put_text(&bench.settings, FIELD_MODEL_PRESET, "gemma3-1b", ORIGIN_GIVEN);
	settings_put_text(&bench.settings, FIELD_MODEL_WINDOW_BLOCKS, "wfx", ORIGIN_GIVEN);
	assert_null(model_new(&bench.arena, &bench.settings, NAMING_TITAN, &bench.findings));
	assert_int_equal(bench.findings.list.count, 1);
	arena_release(&bench.arena);
}

static void layers_with_experts(void **state)
{
	struct arena arena;
	const struct model *model;

	(void)state;
	arena_init(&arena);
	model = model_of_preset(&arena, "llama4-17bx128e");
	assert_false(model_layer_has_experts(model, 0));
	assert_true(model_layer_has_experts(model, 1));
	model = model_of_preset(&arena, "deepseek_v3-671b");
	assert_false(model_layer_has_experts(model, 2));
	assert_true(model_layer_has_experts(model, 3));
	arena_release(&arena);
}

static const char *first_message(struct bench *bench)
{
	assert_null(build(bench, NAMING_TITAN));
	assert_int_equal(bench->findings.list.count, 1);
	return bench->findings.list.items[0]->message;
}

static void trouble_is_found(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench);
	assert_null(build(&bench, NAMING_TITAN));
	assert_int_equal(bench.findings.list.count, 0);
	settings_put_text(&bench.settings, FIELD_MODEL_PRESET, "lama3-8b", ORIGIN_GIVEN);
	assert_string_equal(first_message(&bench), "no model is called 'lama3-8b'");
	assert_string_equal(bench.findings.list.items[0]->fix, "did you mean 'llama3-8b'?");
	arena_release(&bench.arena);

	bench_init(&bench);
	put(&bench, FIELD_MODEL_LAYERS, 4);
	put(&bench, FIELD_MODEL_HIDDEN, 100);
	put(&bench, FIELD_MODEL_HEADS, 3);
	assert_string_equal(first_message(&bench),
			    "the model is not complete: model.head_dim, model.ffn, "
			    "model.vocab missing");
	arena_release(&bench.arena);

	bench_init(&bench);
	settings_put_text(&bench.settings, FIELD_MODEL_PRESET, "llama3-8b", ORIGIN_GIVEN);
	put(&bench, FIELD_MODEL_HEADS, 0);
	assert_string_equal(first_message(&bench),
			    "model.heads is 0; it must be between 1 and 268435456");
	arena_release(&bench.arena);

	bench_init(&bench);
	settings_put_text(&bench.settings, FIELD_MODEL_PRESET, "qwen3-30b-a3b", ORIGIN_GIVEN);
	put(&bench, FIELD_MODEL_MOE_TOPK, 129);
	assert_string_equal(first_message(&bench),
			    "model.moe.topk=129 experts per token, but there are only 128");
	arena_release(&bench.arena);

	bench_init(&bench);
	settings_put_text(&bench.settings, FIELD_MODEL_PRESET, "qwen3-30b-a3b", ORIGIN_GIVEN);
	put(&bench, FIELD_MODEL_MOE_EXPERTS, 1 << 28);
	put(&bench, FIELD_MODEL_HIDDEN, 1 << 28);
	assert_string_equal(first_message(&bench),
			    "the model would have more than 4e18 parameters");
	arena_release(&bench.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_exact),
		cmocka_unit_test(every_preset_builds),
		cmocka_unit_test(names_by_generation),
		cmocka_unit_test(settings_override_presets),
		cmocka_unit_test(gpt2_by_its_sizes),
		cmocka_unit_test(prediction_layer),
		cmocka_unit_test(windows),
		cmocka_unit_test(layers_with_experts),
		cmocka_unit_test(trouble_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
