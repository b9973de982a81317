#include "wings/torchtitan/rope.h"

#include <string.h>

/*
 * max_seq_len of the rotary embeddings (max_context_length from 73aed7f6c): torchtitan
 * models/NAME/__init__.py, the same from 28483d0eb to b5bcd76c6 but for qwen3, see 3e477ead0. A
 * family's first row that fits counts.
 */
static const struct {
	const char *family, *model; /* a preset, or NULL: all others */
	int64_t reach, longer;	    /* before and from 3e477ead0 on */
} reaches[] = {
	{ "llama3", NULL, 131072, 131072 },
	{ "llama4", "llama4-17bx16e", 10485760, 10485760 },
	{ "llama4", NULL, 1048576, 1048576 },
	{ "deepseek_v3", NULL, 16384, 16384 },
	{ "gpt_oss", NULL, 131072, 131072 },
	{ "qwen3", "qwen3-debugmodel", 4096, 4096 },
	{ "qwen3", "qwen3-debugmodel_moe", 4096, 4096 },
	{ "qwen3", "qwen3-30b-a3b", 262144, 40960 },
	{ "qwen3", NULL, 4096, 40960 },
};

int64_t rope_reach(const struct model *model, const struct titan *titan)
{
	size_t i;

	if (!model || !strcmp(model->name, "inline"))
		return 0;
	for (i = 0; i < sizeof(reaches) / sizeof(*reaches); i++)
		if (!strcmp(reaches[i].family, titan->family) &&
		    (!reaches[i].model || !strcmp(reaches[i].model, model->name)))
			return titan->traits[TRAIT_ROPE] < ROPE_LONGER ? reaches[i].reach
								       : reaches[i].longer;
	return 0;
}
