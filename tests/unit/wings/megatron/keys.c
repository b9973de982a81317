#include "wings/megatron/keys.h"
#include "wings/megatron/megatron.h"

#include "unit/arena.h"
#include "unit/input/reading.h"

/* One command line, words between blanks, as a map and as settings. */
struct flags {
	struct arena arena;
	struct findings findings;
	struct settings settings;
	struct node *map;
};

static void flags_begin(struct flags *flags, const char *line, const struct megatron_habits *habits)
{
	struct flag_word words[32] = { 0 };
	struct decoder decoder = { &flags->arena, &flags->settings, &flags->findings };
	size_t count = 0;

	arena_init(&flags->arena);
	findings_init(&flags->findings, &flags->arena);
	settings_init(&flags->settings);
	for (; *line && count < 32; line += line[strspn(line, " ")] ? strspn(line, " ") : 0) {
		const size_t length = strcspn(line, " ");
		words[count].text = arena_strndup(&flags->arena, line, length);
		if (*line == '$' || memchr(line, '$', length))
			words[count].unresolved = words[count].text;
		count++;
		line += length;
	}
	flags->map = flags_map(&flags->arena, words, count);
	megatron_settle(&decoder, flags->map, habits);
}

static int64_t number(struct flags *flags, enum field_id id)
{
	return setting_int(&flags->settings, id, -99);
}

static const char *word(struct flags *flags, enum field_id id)
{
	return setting_text(&flags->settings, id, "-");
}

static void flags_become_a_map(void **state)
{
	static const struct {
		const char *line, *tree;
	} cases[] = {
		{ "", "{}" },
		{ "--tensor-model-parallel-size 8", "{--tensor-model-parallel-size: 8}" },
		{ "--tensor-model-parallel-size=8 --bf16",
		  "{--tensor-model-parallel-size: 8, --bf16: true}" },
		{ "--bf16 stray --seq-length 4096", "{--bf16: true, --seq-length: 4096}" },
		{ "--kv-channels 128 $VP $SP --fp16", "{--kv-channels: 128, --fp16: true}" },
		{ "--data-path 0.3 $A 0.7 b", "{--data-path: [0.3f, ?$A, 0.7f, 'b']}" },
		{ "--data-path 0.3 a 0.7 b --fp16",
		  "{--data-path: [0.3f, 'a', 0.7f, 'b'], --fp16: true}" },
		{ "--lr 1e-4 --lr 2e-4", "{--lr: 0.0002f}" },
		{ "--context-parallel-size 010", "{--context-parallel-size: 10}" },
		{ "--no-load-optim x --min -5", "{--no-load-optim: true, --min: -5}" },
		{ "--sequence-parallel true", "{--sequence-parallel: true}" },
		{ "a b -- c", "{}" },
	};
	struct flags flags;
	struct buf out;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		flags_begin(&flags, cases[i].line, &megatron_itself);
		buf_init(&out);
		show_node(&out, flags.map);
		assert_string_equal(out.data, cases[i].tree);
		buf_release(&out);
		arena_release(&flags.arena);
	}
}

static void etp_is_tp_or_the_habit(void **state)
{
	const struct megatron_habits one = { .whose = "another", .etp = 1 };
	struct flags flags;

	(void)state;
	flags_begin(&flags, "--tensor-model-parallel-size 4", &megatron_itself);
	assert_int_equal(number(&flags, FIELD_ETP), 4);
	arena_release(&flags.arena);
	flags_begin(&flags, "--tensor-model-parallel-size 4", &one);
	assert_int_equal(number(&flags, FIELD_ETP), 1);
	arena_release(&flags.arena);
	flags_begin(&flags, "--tensor-model-parallel-size 4 --expert-tensor-parallel-size 2", &one);
	assert_int_equal(number(&flags, FIELD_ETP), 2);
	arena_release(&flags.arena);
	flags_begin(&flags, "--tensor-model-parallel-size $TP", &megatron_itself);
	assert_true(setting_unresolved(&flags.settings, FIELD_TP));
	assert_true(setting_unresolved(&flags.settings, FIELD_ETP));
	arena_release(&flags.arena);
}

static void data_parallel_is_what_is_left(void **state)
{
	static const struct {
		const char *line;
		int64_t replicate, shard, stage;
	} cases[] = {
		{ "--bf16", -1, 1, -99 },
		{ "--use-distributed-optimizer", -1, 1, -99 },
		{ "--use-torch-fsdp2", 1, -1, -99 },
		{ "--use-megatron-fsdp", -1, 1, 0 },
		{ "--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads", -1, 1, 2 },
		{ "--use-custom-fsdp --data-parallel-sharding-strategy optim_grads_params", 1, -1,
		  3 },
		{ "--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params "
		  "--num-distributed-optimizer-instances 2",
		  2, -1, 3 },
		{ "--data-parallel-sharding-strategy optim_grads_params", -1, 1, -99 },
	};
	struct flags flags;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		flags_begin(&flags, cases[i].line, &megatron_itself);
		assert_int_equal(number(&flags, FIELD_DP_REPLICATE), cases[i].replicate);
		assert_int_equal(number(&flags, FIELD_DP_SHARD), cases[i].shard);
		assert_int_equal(number(&flags, FIELD_ZERO_STAGE), cases[i].stage);
		arena_release(&flags.arena);
	}
}

static void stages_follow_from_layers(void **state)
{
	struct flags flags;

	(void)state;
	flags_begin(&flags,
		    "--num-layers 32 --pipeline-model-parallel-size 4 "
		    "--num-layers-per-virtual-pipeline-stage 2",
		    &megatron_itself);
	assert_int_equal(megatron_virtual_stages(&flags.settings, 4), 4);
	arena_release(&flags.arena);
	flags_begin(&flags,
		    "--num-layers 30 --pipeline-model-parallel-size 4 "
		    "--num-layers-per-virtual-pipeline-stage 2 "
		    "--account-for-embedding-in-pipeline-split "
		    "--account-for-loss-in-pipeline-split",
		    &megatron_itself);
	assert_int_equal(megatron_virtual_stages(&flags.settings, 4), 4);
	arena_release(&flags.arena);
}

static void models_are_as_megatron_builds_them(void **state)
{
	struct flags flags;

	(void)state;
	flags_begin(&flags,
		    "--num-layers 2 --hidden-size 4096 --num-attention-heads 32 --swiglu "
		    "--num-query-groups 8 --max-position-embeddings 8192 "
		    "--tokenizer-type GPT2BPETokenizer --tensor-model-parallel-size 8",
		    &megatron_itself);
	assert_int_equal(number(&flags, FIELD_MODEL_FFN), 10880); /* 10922 / 64 * 64 */
	assert_int_equal(number(&flags, FIELD_MODEL_KV_HEADS), -99);
	assert_int_equal(number(&flags, FIELD_MODEL_VOCAB), 51200);
	assert_int_equal(number(&flags, FIELD_MODEL_LEARNED_POS_EMB), 8192);
	arena_release(&flags.arena);
	flags_begin(&flags,
		    "--num-layers 61 --hidden-size 7168 --num-attention-heads 128 "
		    "--group-query-attention --num-query-groups 8 --num-experts 256 "
		    "--moe-layer-freq ([0]*3+[1]*58) --position-embedding-type rope "
		    "--max-position-embeddings 4096",
		    &megatron_itself);
	assert_int_equal(number(&flags, FIELD_MODEL_KV_HEADS), 8);
	assert_int_equal(number(&flags, FIELD_MODEL_FFN), 28672);
	assert_int_equal(number(&flags, FIELD_MODEL_MOE_EXPERT_FFN), 28672);
	assert_int_equal(number(&flags, FIELD_MODEL_MOE_TOPK), 2);
	assert_int_equal(number(&flags, FIELD_MODEL_MOE_DENSE_LAYERS), 3);
	assert_int_equal(number(&flags, FIELD_MODEL_LEARNED_POS_EMB), -99);
	arena_release(&flags.arena);
	flags_begin(&flags, "--num-layers 88 --hybrid-layer-pattern MEM*E", &megatron_itself);
	assert_int_equal(number(&flags, FIELD_MODEL_LAYERS), -99);
	arena_release(&flags.arena);
}

static void numbers_have_the_right_format(void **state)
{
	static const struct {
		const char *line, *param, *matmul, *method;
	} cases[] = {
		{ "--bf16 --fp8-format hybrid", "bfloat16", "fp8", "-" },
		{ "--fp16 --fp8-recipe mxfp8", "float16", "-", "-" },
		{ "--bf16 --fp8-format e4m3 --fp8-recipe mxfp8", "bfloat16", "mxfp8", "-" },
		{ "--cp-comm-type a2a --fp4-format e2m1", "-", "nvfp4", "ulysses" },
		{ "--cp-comm-type p2p p2p", "-", "-", "ring" },
	};
	struct flags flags;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		flags_begin(&flags, cases[i].line, &megatron_itself);
		assert_string_equal(word(&flags, FIELD_PARAM_DTYPE), cases[i].param);
		assert_string_equal(word(&flags, FIELD_MATMUL_DTYPE), cases[i].matmul);
		assert_string_equal(word(&flags, FIELD_CP_METHOD), cases[i].method);
		assert_int_equal(flags.findings.list.count, 0);
		arena_release(&flags.arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_become_a_map),
		cmocka_unit_test(etp_is_tp_or_the_habit),
		cmocka_unit_test(data_parallel_is_what_is_left),
		cmocka_unit_test(stages_follow_from_layers),
		cmocka_unit_test(models_are_as_megatron_builds_them),
		cmocka_unit_test(numbers_have_the_right_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
