#include "unit/config.h"

#include "input/node.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void whole_schema_is_read(void **state)
{
	static const char text[] =
		"parplan: 1\n"
		"framework: {torchtitan: v0.2.0, torch: 2.9.0}\n"
		"cluster: {gpu: h100-sxm, nodes: 2, gpus_per_node: 8, nic: 8x400Gb, fabric: ib}\n"
		"world: 16\n"
		"model: llama3-8b\n"
		"parallelism:\n"
		"  dp_replicate: 2\n"
		"  dp_shard: 8\n"
		"  pipeline: {schedule: 1F1B, microbatch_size: 1, layers_per_stage: null}\n"
		"training:\n"
		"  seq_len: 8192\n"
		"  activation_checkpoint: {mode: selective, option: op}\n"
		"  float8: {enabled: false, recipe: tensorwise, fsdp_all_gather: false}\n"
		"  optimizer: {name: adamw, implementation: fused, distributed: false}\n"
		"mesh:\n"
		"  root: {ddp: 2, fsdp: 2, abcd: 2}\n"
		"  flatten: {dp_cp: [fsdp, cp]}\n"
		"  fully_shard: [ddp, fsdp]\n"
		"  tensor_parallel: abcd\n"
		"  means: {replicate: ddp, shard: fsdp}\n"
		"fault_tolerance: {enabled: false, group_size: 1}\n"
		"checkpoint:\n"
		"  enabled: true\n"
		"  resume: {dp_replicate: 1, dp_shard: 8, tp: 1, pp: 1}\n"
		"  exclude_from_loading: []\n"
		"expect:\n"
		"  data_parallel: hsdp\n"
		"  groups: {dp_shard: within-node, tp: within-node}\n"
		"  max_memory_gib: 75\n"
		"  min_mfu: 0.35\n";
	struct config config;

	(void)state;
	config_read(&config, text, ".yaml", NULL, "");
	assert_string_equal(config.document.dialect->name, "parplan");
	assert_int_equal(config.findings.list.count, 0);
	assert_string_equal(versions_find(&config.versions, "torchtitan")->label, "v0.2.0");
	assert_string_equal(versions_find(&config.versions, "torch")->label, "2.9.0");
	assert_int_equal(config_setting(&config, FIELD_DP_REPLICATE)->integer, 2);
	assert_int_equal(config_setting(&config, FIELD_DP_REPLICATE)->span.line, 7);
	assert_int_equal(config_setting(&config, FIELD_WORLD)->integer, 16);
	assert_false(setting_known(config_setting(&config, FIELD_PP_LAYERS_PER_STAGE)));
	assert_non_null(node_member(config_setting(&config, FIELD_MESH)->node, "root"));
	/* What is left out is TorchTitan v0.2.0's default, and says so. */
	assert_string_equal(config_setting(&config, FIELD_LOCAL_BATCH_SIZE)->note,
			    "TorchTitan v0.2.0");
	assert_int_equal(config_setting(&config, FIELD_LOCAL_BATCH_SIZE)->integer, 8);
	config_release(&config);
}

struct unknown_case {
	const char *text, *message, *edit;
};

static const struct unknown_case unknown[] = {
	{ "paralelism: {tp: 2}", "unknown key paralelism", "parallelism" },
	{ "parallelism: {dp_shrad: 2}", "unknown key parallelism.dp_shrad", "dp_shard" },
	{ "parallelism: {tensor_parallel_degree: 2}",
	  "unknown key parallelism.tensor_parallel_degree: tensor_parallel_degree is torchtitan's "
	  "name; here it is parallelism.tp",
	  "tp" },
	{ "parallelism: {tensor_model_parallel_size: 2}",
	  "unknown key parallelism.tensor_model_parallel_size: tensor_model_parallel_size is "
	  "megatron's name; here it is parallelism.tp",
	  "tp" },
	{ "parallelism: {seq_len: 2}", "unknown key parallelism.seq_len", NULL },
	{ "tp: 2", "unknown key tp", NULL },
	{ "mesh: {root: {a: 2}, fuly_shard: a}", "unknown key mesh.fuly_shard", "fully_shard" },
	{ "mesh: {means: {shards: a}}", "unknown key mesh.means.shards", "shard" },
	{ "checkpoint: {resume: {tpp: 2}}", "unknown key checkpoint.resume.tpp", "tp" },
};

static void unknown_keys_name_the_nearest(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		struct config config;
		const struct finding *finding;
		char text[256];
		snprintf(text, sizeof(text), "parplan: 1\n%s\n", unknown[i].text);
		config_read(&config, text, ".yaml", NULL, "");
		finding = config_finding(&config, "unknown-key");
		assert_non_null(finding);
		assert_string_equal(finding->message, unknown[i].message);
		assert_int_equal(finding->severity, SEVERITY_ERROR);
		if (unknown[i].edit)
			assert_string_equal(finding->edits.items[0].text, unknown[i].edit);
		assert_int_equal(config.findings.list.count, 1);
		config_release(&config);
	}
}

static void key_in_another_section_is_suggested(void **state)
{
	struct config config;

	(void)state;
	config_read(&config, "parplan: 1\nparallelism: {seq_len: 2}\n", ".yaml", NULL, "");
	assert_string_equal(config_finding(&config, "unknown-key")->fix,
			    "did you mean training.seq_len?");
	config_release(&config);
}

static void schema_and_shapes(void **state)
{
	static const struct {
		const char *text, *rule;
	} cases[] = {
		{ "parplan: 2\n", "schema-version" },
		{ "parplan: one\n", "schema-version" },
		{ "parplan: 1\nparallelism: 3\n", "wrong-type" },
		{ "parplan: 1\ntraining: [1]\n", "wrong-type" },
		{ "parplan: 1\ncheckpoint: {resume: 3}\n", "wrong-type" },
		{ "parplan: 1\nmesh: 3\n", "wrong-type" },
		{ "parplan: 1\nexpect: []\n", "wrong-type" },
		{ "parplan: 1\nparallelism: {pipeline: {stages: 4}}\n", "wrong-type" },
		{ "parplan: 1\nparallelism: {overlap: true}\n", "wrong-type" },
		{ "parplan: 1\nframework: {torchtitan: v0.2.9}\n", "unknown-version" },
		{ "parplan: 1\nframework: {torchtitam: v0.2.0}\n", "unknown-version" },
		{ "parplan: 1\nframework: {torch: 3.1}\n", "unknown-version" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct config config;
		config_read(&config, cases[i].text, ".yaml", NULL, "");
		assert_non_null(config_finding(&config, cases[i].rule));
		config_release(&config);
	}
}

static void pins_of_every_form(void **state)
{
	static const struct {
		const char *text, *label;
	} cases[] = {
		{ "framework: torchtitan@v0.2.1", "v0.2.1" },
		{ "framework: {torchtitan: 0.2.1}", "v0.2.1" },
		{ "framework: [torchtitan@v0.2.1, torch@2.9]", "v0.2.1" },
		{ "framework: {torchtitan: d7cabfb6c}", "d7cabfb6c" },
		{ "framework: {torchtitan: main@2025-02}", "2025-02" },
		{ "framework: {torchtitan: latest}", "HEAD" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct config config;
		char text[256];
		snprintf(text, sizeof(text), "parplan: 1\n%s\n", cases[i].text);
		config_read(&config, text, ".yaml", NULL, "");
		assert_int_equal(config.findings.list.count, 0);
		assert_non_null(strstr(versions_find(&config.versions, "torchtitan")->label,
				       cases[i].label));
		config_release(&config);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_schema_is_read),
		cmocka_unit_test(unknown_keys_name_the_nearest),
		cmocka_unit_test(key_in_another_section_is_suggested),
		cmocka_unit_test(schema_and_shapes),
		cmocka_unit_test(pins_of_every_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
