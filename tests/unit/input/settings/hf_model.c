#include "input/settings/hf_model.h"

#include "base/preset.h"
#include "input/syntax/reader.h"
#include "plan/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void ids_name_presets(void **state)
{
	static const struct {
		const char *id, *preset;
	} cases[] = {
		{ "meta-llama/Llama-3.1-8B", "llama3-8b" },
		{ "NousResearch/Meta-Llama-3-8B", "llama3-8b" },
		{ "meta-llama/llama-3.1-8b-instruct", "llama3-8b" },
		{ "Qwen/Qwen2.5-7B-Instruct", "qwen2.5-7b" },
		{ "Qwen/Qwen3-30B-A3B", "qwen3-30b-a3b" },
		{ "mistralai/Mixtral-8x7B-v0.1", "mixtral-8x7b" },
		{ "torchtune.models.llama3_1.llama3_1_8b", "llama3-8b" },
		{ "gpt2", "gpt2-124m" },
		{ "EleutherAI/pythia-1b-deduped", "pythia-1b" },
		{ "meta-llama/Llama-3.1-9B", NULL },
		{ "meta-llama/Llama-3.1-8", NULL },
		{ "Llama-3.1-8B-of-mine", NULL },
		{ "family: llama3", NULL },
		{ "", NULL },
	};
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *preset = hf_model_preset(&arena, cases[i].id);
		if (cases[i].preset)
			assert_string_equal(preset, cases[i].preset);
		else
			assert_null(preset);
	}
	arena_release(&arena);
}

/* No id, and no name without its organisation, stands for two presets. */
static void ids_are_unambiguous(void **state)
{
	const struct preset *preset, *other;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (preset = presets; preset->path; preset++) {
		const char *at = strstr(preset->text, "\nids:\n");
		while (at && (at = strstr(at, "\n  - "))) {
			size_t length = strcspn(at + 5, "\n");
			const char *id = arena_strndup(&arena, at + 5, length);
			const char *slash = strchr(id, '/');
			const char *name =
				arena_printf(&arena, slash ? "%s\n" : "- %s\n", slash ? slash : id);
			for (other = presets; other->path; other++)
				if (other != preset && !strncmp(other->path, "models/", 7) &&
				    strstr(other->text, name))
					fail_msg("%s: in %s and %s", id, preset->path, other->path);
			at += 5;
		}
	}
	arena_release(&arena);
}

/* Sizes as published in each model's config.json, and the number of its parameters. */
static const struct {
	const char *text;
	int64_t total;
} configs[] = {
	{ "{\"model_type\": \"llama\", \"hidden_size\": 4096, \"intermediate_size\": 14336, "
	  "\"num_attention_heads\": 32, \"num_hidden_layers\": 32, \"num_key_value_heads\": 8, "
	  "\"tie_word_embeddings\": false, \"vocab_size\": 128256}",
	  8030261248 },
	{ "{\"model_type\": \"qwen2\", \"hidden_size\": 896, \"intermediate_size\": 4864, "
	  "\"num_attention_heads\": 14, \"num_hidden_layers\": 24, \"num_key_value_heads\": 2, "
	  "\"tie_word_embeddings\": true, \"vocab_size\": 151936}",
	  494032768 },
	{ "{\"model_type\": \"qwen3_moe\", \"decoder_sparse_step\": 1, \"head_dim\": 128, "
	  "\"hidden_size\": 2048, \"intermediate_size\": 6144, \"moe_intermediate_size\": 768, "
	  "\"num_attention_heads\": 32, \"num_experts\": 128, \"num_experts_per_tok\": 8, "
	  "\"num_hidden_layers\": 48, \"num_key_value_heads\": 4, \"tie_word_embeddings\": "
	  "false, \"vocab_size\": 151936, \"mlp_only_layers\": []}",
	  30532122624 },
	{ "{\"model_type\": \"mixtral\", \"hidden_size\": 4096, \"intermediate_size\": 14336, "
	  "\"num_attention_heads\": 32, \"num_experts_per_tok\": 2, \"num_hidden_layers\": 32, "
	  "\"num_key_value_heads\": 8, \"num_local_experts\": 8, \"vocab_size\": 32000}",
	  46702792704 },
	{ "{\"model_type\": \"gemma2\", \"head_dim\": 256, \"hidden_size\": 3584, "
	  "\"intermediate_size\": 14336, \"num_attention_heads\": 16, \"num_hidden_layers\": 42, "
	  "\"num_key_value_heads\": 8, \"vocab_size\": 256000}",
	  9241705984 },
	{ "{\"model_type\": \"gemma3\", \"text_config\": {\"model_type\": \"gemma3_text\", "
	  "\"hidden_size\": 5376, \"head_dim\": 128, \"intermediate_size\": 21504, "
	  "\"num_attention_heads\": 32, \"num_hidden_layers\": 62, \"num_key_value_heads\": 16, "
	  "\"vocab_size\": 262208}}",
	  27009346304 },
	{ "{\"model_type\": \"deepseek_v3\", \"first_k_dense_replace\": 3, \"hidden_size\": 7168, "
	  "\"intermediate_size\": 18432, \"kv_lora_rank\": 512, \"moe_intermediate_size\": 2048, "
	  "\"n_routed_experts\": 256, \"n_shared_experts\": 1, \"num_attention_heads\": 128, "
	  "\"num_experts_per_tok\": 8, \"num_hidden_layers\": 61, \"num_key_value_heads\": 128, "
	  "\"q_lora_rank\": 1536, \"qk_nope_head_dim\": 128, \"qk_rope_head_dim\": 64, "
	  "\"v_head_dim\": 128, \"vocab_size\": 129280}",
	  671026404352 },
	{ "{\"model_type\": \"deepseek_v2\", \"first_k_dense_replace\": 1, \"hidden_size\": 2048, "
	  "\"intermediate_size\": 10944, \"kv_lora_rank\": 512, \"moe_intermediate_size\": 1408, "
	  "\"n_routed_experts\": 64, \"n_shared_experts\": 2, \"num_attention_heads\": 16, "
	  "\"num_experts_per_tok\": 6, \"num_hidden_layers\": 27, \"num_key_value_heads\": 16, "
	  "\"q_lora_rank\": null, \"qk_nope_head_dim\": 128, \"qk_rope_head_dim\": 64, "
	  "\"v_head_dim\": 128, \"vocab_size\": 102400}",
	  15706484224 },
	{ "{\"model_type\": \"gpt2\", \"n_embd\": 768, \"n_head\": 12, \"n_layer\": 12, "
	  "\"n_positions\": 1024, \"n_inner\": null, \"vocab_size\": 50257}",
	  124439808 },
	{ "{\"model_type\": \"gpt_neox\", \"hidden_size\": 2048, \"intermediate_size\": 8192, "
	  "\"num_attention_heads\": 8, \"num_hidden_layers\": 16, \"vocab_size\": 50304, "
	  "\"tie_word_embeddings\": false}",
	  1011781632 },
	{ "{\"model_type\": \"falcon\", \"hidden_size\": 4544, \"num_attention_heads\": 71, "
	  "\"num_hidden_layers\": 32, \"multi_query\": true, \"new_decoder_architecture\": false, "
	  "\"vocab_size\": 65024}",
	  6921720704 },
	{ "{\"model_type\": \"falcon\", \"hidden_size\": 8192, \"num_attention_heads\": 128, "
	  "\"num_hidden_layers\": 60, \"num_kv_heads\": 8, \"new_decoder_architecture\": true, "
	  "\"vocab_size\": 65024}",
	  41303293952 },
	{ "{\"model_type\": \"mpt\", \"d_model\": 4096, \"n_heads\": 32, \"n_layers\": 32, "
	  "\"vocab_size\": 50432}",
	  6649286656 },
	{ "{\"model_type\": \"olmo2\", \"hidden_size\": 4096, \"intermediate_size\": 11008, "
	  "\"num_attention_heads\": 32, \"num_hidden_layers\": 32, \"num_key_value_heads\": 32, "
	  "\"vocab_size\": 100352}",
	  7298617344 },
	{ "{\"model_type\": \"gpt_oss\", \"head_dim\": 64, \"hidden_size\": 2880, "
	  "\"intermediate_size\": 2880, \"num_attention_heads\": 64, \"num_experts_per_tok\": 4, "
	  "\"num_hidden_layers\": 24, \"num_key_value_heads\": 8, \"num_local_experts\": 32, "
	  "\"tie_word_embeddings\": false, \"vocab_size\": 201088}",
	  20914757184 },
	{ "{\"model_type\": \"qwen2_moe\", \"hidden_size\": 2048, \"intermediate_size\": 5632, "
	  "\"moe_intermediate_size\": 1408, \"num_attention_heads\": 16, \"num_experts\": 60, "
	  "\"num_experts_per_tok\": 4, \"num_hidden_layers\": 24, \"num_key_value_heads\": 16, "
	  "\"shared_expert_intermediate_size\": 5632, \"vocab_size\": 151936, "
	  "\"decoder_sparse_step\": 1}",
	  14315784192 },
	{ "{\"model_type\": \"glm4_moe\", \"attention_bias\": true, "
	  "\"first_k_dense_replace\": 1, \"head_dim\": 128, "
	  "\"hidden_size\": 4096, \"intermediate_size\": 10944, \"moe_intermediate_size\": 1408, "
	  "\"n_routed_experts\": 128, \"n_shared_experts\": 1, \"num_attention_heads\": 96, "
	  "\"num_experts_per_tok\": 8, \"num_hidden_layers\": 46, \"num_key_value_heads\": 8, "
	  "\"use_qk_norm\": false, \"vocab_size\": 151552}",
	  106852245504 },
};

/* What a config.json says, and the model of it, if any. */
struct read {
	struct arena arena;
	struct settings settings;
	struct findings findings;
	const struct source *source;
	const char *why; /* there is none */
	const struct model *model;
};

static void read_config(struct read *read, const char *text)
{
	struct decoder decoder = { &read->arena, &read->settings, &read->findings };

	arena_init(&read->arena);
	settings_init(&read->settings);
	findings_init(&read->findings, &read->arena);
	read->source = source_new(&read->arena, "config.json", text, strlen(text));
	read->why = hf_config_put(&decoder, json_read(&read->arena, read->source, &read->findings));
	read->model = model_new(&read->arena, &read->settings, NAMING_TITAN, &read->findings);
	assert_int_equal(read->findings.list.count, 0);
}

static void sizes_of_config_json(void **state)
{
	struct read read;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
		read_config(&read, configs[i].text);
		assert_null(read.why);
		assert_non_null(read.model);
		if (read.model->total != configs[i].total)
			fail_msg("%s: %lld", configs[i].text, (long long)read.model->total);
		assert_int_equal(read.settings.items[FIELD_MODEL_LAYERS].origin, ORIGIN_GIVEN);
		assert_ptr_equal(read.settings.items[FIELD_MODEL_LAYERS].span.source, read.source);
		arena_release(&read.arena);
	}
}

/* Windows as the classes of transformers 4.57.6 have them of the same words (layer_types,
 * sliding_window). */
static void windows_of_config_json(void **state)
{
	static const struct {
		const char *words;
		int64_t window, windowed;
	} cases[] = {
		{ "\"model_type\": \"gemma2\"", 4096, 6 },
		{ "\"model_type\": \"gemma3_text\", \"sliding_window\": 512", 512, 10 },
		{ "\"model_type\": \"gemma3_text\", \"sliding_window_pattern\": 3", 4096, 8 },
		{ "\"model_type\": \"cohere2\"", 4096, 9 },
		{ "\"model_type\": \"mistral\"", 4096, 12 },
		{ "\"model_type\": \"mistral\", \"sliding_window\": null", 0, 0 },
		{ "\"model_type\": \"phi3\", \"sliding_window\": 2047", 2047, 12 },
		{ "\"model_type\": \"phi3\"", 0, 0 },
		{ "\"model_type\": \"llama\"", 0, 0 },
		{ "\"model_type\": \"qwen2\", \"sliding_window\": 4096", 0, 0 },
		{ "\"model_type\": \"qwen2\", \"use_sliding_window\": true, \"sliding_window\": "
		  "64, "
		  "\"max_window_layers\": 9",
		  64, 3 },
		{ "\"model_type\": \"qwen3\", \"use_sliding_window\": true, \"sliding_window\": "
		  "64, "
		  "\"layer_types\": [\"full_attention\", \"sliding_attention\", "
		  "\"sliding_attention\"]",
		  64, 8 },
	};
	struct read read;
	char text[512];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text),
			 "{%s, \"hidden_size\": 64, \"intermediate_size\": 96, "
			 "\"num_attention_heads\": 4, \"num_hidden_layers\": 12, "
			 "\"vocab_size\": 128}",
			 cases[i].words);
		read_config(&read, text);
		assert_null(read.why);
		assert_non_null(read.model);
		if (read.model->window != cases[i].window ||
		    read.model->windowed != cases[i].windowed)
			fail_msg("%s: %lld of %lld", cases[i].words,
				 (long long)read.model->windowed, (long long)read.model->window);
		arena_release(&read.arena);
	}
}

static void silent_on_what_it_is_not(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "{}", "its config.json has no model_type" },
		{ "{\"model_type\": 3}", "its config.json has no model_type" },
		{ "{\"model_type\": \"mamba\"}", "its model_type 'mamba' is not modelled" },
		{ "{\"model_type\": \"llama\", \"num_hidden_layers\": 2}",
		  "its config.json has no hidden_size" },
		{ "{\"model_type\": \"llama\", \"num_hidden_layers\": 2, \"hidden_size\": 8, "
		  "\"num_attention_heads\": 2, \"vocab_size\": 9}",
		  "its config.json has no intermediate_size" },
	};
	struct read read;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		read_config(&read, cases[i].text);
		assert_string_equal(read.why, cases[i].why);
		assert_null(read.model);
		arena_release(&read.arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_name_presets),
		cmocka_unit_test(ids_are_unambiguous),
		cmocka_unit_test(sizes_of_config_json),
		cmocka_unit_test(windows_of_config_json),
		cmocka_unit_test(silent_on_what_it_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
