#include "plan/model.h"

#include <string.h>

/*
 * Sources: torchtitan@73a0e6979d models/{llama3,llama4,deepseek_v3,qwen3,gpt_oss}/model/model.py;
 * b5bcd76c66 models/common/attention.py for the fused matrix. `gpt` is GPT-2, `llama` and
 * `deepseek` are the plain forms for models without a preset. The others are those of transformers:
 * huggingface/transformers src/transformers/models/NAME/modeling_NAME.py.
 */
static const struct family families[] = {
	{ .name = "llama2", .gated_mlp = true, .fused_qkv = true },
	{ .name = "llama3", .gated_mlp = true, .fused_qkv = true },
	{ .name = "llama4", .gated_mlp = true },
	{ .name = "deepseek_v3", .gated_mlp = true },
	{ .name = "qwen3", .gated_mlp = true, .qk_norm = true, .fused_qkv = true },
	{ .name = "gpt_oss", .gated_mlp = true, .attention_bias = true, .fused_experts = true },
	{ .name = "llama", .gated_mlp = true, .fused_qkv = true },
	{ .name = "deepseek", .gated_mlp = true },
	{ .name = "gpt", .linear_bias = true },
	{ .name = "qwen2", .gated_mlp = true, .qkv_bias = true, .fused_qkv = true },
	{ .name = "qwen2_moe",
	  .gated_mlp = true,
	  .qkv_bias = true,
	  .shared_gate = true,
	  .fused_qkv = true },
	{ .name = "gemma", .gated_mlp = true, .fp32_norm = true, .fused_qkv = true },
	{ .name = "gemma2",
	  .gated_mlp = true,
	  .sandwich = true,
	  .fp32_norm = true,
	  .fused_qkv = true },
	{ .name = "gemma3",
	  .gated_mlp = true,
	  .sandwich = true,
	  .fp32_norm = true,
	  .qk_norm = true,
	  .fused_qkv = true },
	{ .name = "glm4",
	  .gated_mlp = true,
	  .sandwich = true,
	  .qkv_bias = true,
	  .fused_qkv = true },
	{ .name = "glm4_moe",
	  .gated_mlp = true,
	  .qk_norm = true,
	  .qkv_bias = true,
	  .fused_qkv = true },
	{ .name = "olmo2",
	  .gated_mlp = true,
	  .wide_qk_norm = true,
	  .fp32_norm = true,
	  .fused_qkv = true },
	{ .name = "olmoe", .gated_mlp = true, .wide_qk_norm = true, .fused_qkv = true },
	{ .name = "falcon", .norm_bias = true, .fused_qkv = true },
	{ .name = "falcon7", .norm_bias = true, .one_norm = true, .fused_qkv = true },
	{ .name = "mpt", .fused_qkv = true },
	{ .name = "phi",
	  .linear_bias = true,
	  .one_norm = true,
	  .output_bias = true,
	  .fused_qkv = true },
	{ .name = "stablelm", .gated_mlp = true, .norm_bias = true, .fused_qkv = true },
	{ .name = "stablelm2",
	  .gated_mlp = true,
	  .norm_bias = true,
	  .qkv_bias = true,
	  .fused_qkv = true },
	{ .name = "cohere", .gated_mlp = true, .one_norm = true, .fused_qkv = true },
};

const struct family *family_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (!strcmp(families[i].name, name))
			return &families[i];
	return NULL;
}
