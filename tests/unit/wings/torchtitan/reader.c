#include "unit/config.h"

#include "wings/torchtitan/timeline.h"
#include "wings/torchtitan/keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A file of before 785c34c99, which moved all degrees to [parallelism]. */
static const char old_file[] = "[model]\n"
			       "name = \"llama3\"\n"
			       "flavor = \"8B\"\n"
			       "[training]\n"
			       "batch_size = 2\n"
			       "data_parallel_replicate_degree = 2\n"
			       "data_parallel_shard_degree = 8\n"
			       "tensor_parallel_degree = 1\n";

/* Days and moments of the table, in one scale. */
static int64_t moment_of(int day)
{
	return day > 99999999 ? day : (int64_t)day * 100;
}

static void keys_are_sorted_and_sound(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < titan_key_count; i++) {
		const struct titan_key *key = &titan_keys[i];
		if (i)
			assert_true(strcmp(titan_keys[i - 1].name, key->name) <= 0);
		assert_true(moment_of(key->since) < moment_of(key->until));
		if (key->field == FIELD_COUNT)
			continue;
		if (key->negated)
			assert_int_equal(key->type, FIELD_BOOL);
		else
			assert_int_equal(key->type, field_of(key->field)->type);
	}
}

/* The days of releases stand on two floors; they must agree. */
static void releases_have_their_tags(void **state)
{
	struct arena arena;
	int i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < timeline_torchtitan.count; i++)
		if (timeline_torchtitan.rows[i].tag &&
		    strcmp(timeline_torchtitan.rows[i].tag, "HEAD") != 0)
			assert_string_equal(titan_label(&arena, timeline_torchtitan.rows[i].when),
					    timeline_torchtitan.rows[i].tag);
	arena_release(&arena);
}

static void old_keys_do_nothing_in_v010(void **state)
{
	struct config config;
	const struct finding *finding;

	(void)state;
	config_read(&config, old_file, ".toml", "v0.1.0", "");
	assert_int_equal(config_setting(&config, FIELD_DP_REPLICATE)->integer, 1);
	assert_int_equal(config_setting(&config, FIELD_DP_REPLICATE)->origin, ORIGIN_DEFAULT);
	assert_int_equal(config_setting(&config, FIELD_DP_SHARD)->integer, -1);
	assert_int_equal(config_setting(&config, FIELD_LOCAL_BATCH_SIZE)->integer, 8);
	assert_string_equal(config_setting(&config, FIELD_MODEL_PRESET)->text, "llama3-8b");
	finding = config.findings.list.items[1];
	assert_string_equal(finding->rule->name, "renamed-key");
	assert_int_equal(finding->severity, SEVERITY_ERROR);
	assert_int_equal(finding->span.line, 6);
	assert_non_null(strstr(finding->consequence, "flat FSDP"));
	assert_string_equal(finding->edits.items[0].text, "");
	assert_string_equal(finding->edits.items[1].text,
			    "parallelism.data_parallel_replicate_degree = 2\n");
	/* tensor_parallel_degree = 1 is what takes effect anyway */
	assert_int_equal(config.findings.list.items[3]->severity, SEVERITY_WARNING);
	config_release(&config);
}

static void old_keys_stop_v020(void **state)
{
	struct config config;
	const struct finding *finding;

	(void)state;
	config_read(&config, old_file, ".toml", "v0.2.0", "");
	finding = config_finding(&config, "renamed-key");
	assert_int_equal(finding->severity, SEVERITY_ERROR);
	assert_string_equal(
		finding->quote,
		"ValueError: Invalid field names in <class "
		"'torchtitan.config.job_config.Training'> data: {'batch_size', "
		"'data_parallel_replicate_degree', 'data_parallel_shard_degree', "
		"'tensor_parallel_degree'}.\nPlease modify your "
		".toml config file or override these fields from the command line.\nRun `NGPU=1 "
		"./run_train.sh --help` to read all valid fields.");
	config_release(&config);
}

static void old_keys_are_fine_in_their_time(void **state)
{
	static const char *const versions[] = { "0f5bafa33", "785c34c99^", "2025-02", NULL };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		struct config config;
		config_read(&config, old_file, ".toml", versions[i], "");
		assert_int_equal(config.findings.list.count, 0);
		assert_int_equal(config_setting(&config, FIELD_DP_REPLICATE)->integer, 2);
		assert_int_equal(config_setting(&config, FIELD_LOCAL_BATCH_SIZE)->integer, 2);
		config_release(&config);
	}
}

struct key_case {
	const char *text, *version, *rule;
	enum severity severity;
	const char *fix; /* a part of it, or NULL */
};

static const struct key_case key_cases[] = {
	{ "[parallelism]\ndata_parallel_replica_degree = 2\n", "v0.1.0", "unknown-key",
	  SEVERITY_ERROR, "parallelism.data_parallel_replicate_degree" },
	{ "[parallelism]\ndata_parallel_replica_degree = 2\n", NULL, "unknown-key", SEVERITY_ERROR,
	  "parallelism.data_parallel_replicate_degree" },
	{ "[parallelism]\nx = 2\ntensor_parallel_degree = 2\n", "v0.1.0", "unknown-key",
	  SEVERITY_WARNING, NULL },
	{ "[parallelism]\nx = 2\ntensor_parallel_degree = 2\n", "v0.2.2", "unknown-key",
	  SEVERITY_ERROR, NULL },
	{ "[parallelism]\nx = 2\ntensor_parallel_degree = 2\n", NULL, "unknown-key",
	  SEVERITY_WARNING, NULL },
	{ "[job]\ncustom_config_module = \"m\"\n[parallelism]\nx = 2\n", "v0.2.2", "unknown-key",
	  SEVERITY_NOTE, NULL },
	{ "[training]\ntensor_parallel_degree = 2\n[parallelism]\nmodule_fqns_per_model_part = "
	  "[[\"a\"]]\n",
	  NULL, "renamed-key", SEVERITY_ERROR, "parallelism.tensor_parallel_degree" },
	{ "[training]\nseed = 1\nsteps = 2\nseq_len = 3\n", "v0.2.2", "renamed-key", SEVERITY_ERROR,
	  "debug.seed" },
	{ "[training]\nlocal_batch_size = \"2\"\nseq_len = 3\nsteps = 1\n", "v0.2.2",
	  "quoted-number", SEVERITY_ERROR, "without the quotes" },
	{ "[activation_checkpoint]\nselective_ac_option = 2\n[training]\nsteps = 1\nseq_len = 3\n",
	  "v0.2.2", "wrong-type", SEVERITY_ERROR, NULL },
	{ "[model]\nconverters = \"float8\"\n[training]\nsteps = 1\nseq_len = 3\n", "v0.1.0",
	  "wrong-type", SEVERITY_ERROR, NULL },
	{ "[parallelism]\nfsdp_reshard_after_forward = \"allways\"\n[training]\nsteps = 1\n",
	  "v0.2.2", "bad-word", SEVERITY_ERROR, "always" },
	{ "[model]\nname = \"llama3\"\n[training]\ndata_parallel_replicate_degree = 2\nsteps = 1\n",
	  "2f989b9f3", "renamed-key", SEVERITY_ERROR, NULL },
	{ "[training]\ndata_parallel_replicate_degree = 1\nsteps = 1\n", "2f989b9f3", "renamed-key",
	  SEVERITY_WARNING, NULL },
	{ "[parallelism]\nexpert_parallel_degree = 8\n", "v0.1.0", "renamed-key", SEVERITY_ERROR,
	  NULL },
	{ "[parallelism]\ntensor_parallel_degree = 2\n", "HEAD", "config-file-unsupported",
	  SEVERITY_ERROR, NULL },
};

static void keys_by_version(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(key_cases) / sizeof(key_cases[0]); i++) {
		const struct key_case *c = &key_cases[i];
		const struct finding *finding;
		struct config config;
		config_read(&config, c->text, ".toml", c->version, "");
		finding = config_finding(&config, c->rule);
		assert_non_null(finding);
		assert_int_equal(finding->severity, c->severity);
		if (c->fix)
			assert_non_null(strstr(finding->fix, c->fix));
		assert_int_equal(config.findings.list.count, 1);
		config_release(&config);
	}
}

struct flag_case {
	const char *version, *words;
	enum field_id field;
	const char *text; /* NULL: refused */
};

static const struct flag_case flag_cases[] = {
	{ "v0.1.0", "--parallelism.tensor_parallel_degree|2", FIELD_TP, "2" },
	{ "v0.1.0", "--parallelism.tensor-parallel-degree=2", FIELD_TP, "2" },
	{ "0f5bafa33", "--training.tensor-parallel-degree=2", FIELD_TP, NULL },
	{ "0f5bafa33", "--training.tensor_parallel_degree=2", FIELD_TP, "2" },
	{ "v0.1.0", "--training.tensor_parallel_degree=2", FIELD_TP, NULL },
	{ "0f5bafa33", "--training.tensor=2", FIELD_TP, "2" },
	{ "0f5bafa33", "--training.data_parallel=2", FIELD_TP, NULL },
	{ "v0.1.0", "--parallelism.tensor=2", FIELD_TP, NULL },
	{ "v0.1.0", "--training.compile", FIELD_COMPILE, "true" },
	{ "v0.1.0", "--training.no-compile", FIELD_COMPILE, "false" },
	{ "v0.1.0", "--training.compile|True", FIELD_COMPILE, NULL },
	{ "d7cabfb6c", "--training.enable_cpu_offload|True", FIELD_CPU_OFFLOAD, "true" },
	{ "v0.2.0", "--parallelism.disable_loss_parallel", FIELD_LOSS_PARALLEL, "false" },
	{ "v0.2.0", "--parallelism.no_disable_loss_parallel", FIELD_LOSS_PARALLEL, "true" },
	{ "v0.2.0", "--parallelism.tensor_parallel_degree|two", FIELD_TP, NULL },
	{ "v0.2.0", "--parallelism.tensor_parallel_degree", FIELD_TP, NULL },
	{ "v0.2.0", "--activation_checkpoint.mode=everything", FIELD_AC_MODE, NULL },
	{ "v0.2.0", "--activation_checkpoint.mode|'none'", FIELD_AC_MODE, "none" },
	{ "v0.2.0", "--module|llama3", FIELD_TP, NULL },
	{ "v0.2.0", "stray", FIELD_TP, NULL },
	{ "db6b39acd", "--experimental.pipeline_parallel_schedule|gpipe", FIELD_PP_SCHEDULE,
	  "GPipe" },
	{ "HEAD", "--module llama3 --config llama3_8b --parallelism.enable_sequence_parallel",
	  FIELD_SEQUENCE_PARALLEL, "true" },
	{ "HEAD", "--module llama3 --config llama3_8b", FIELD_MODEL_PRESET, "llama3-8b" },
	{ "HEAD", "--module qwen3 --config qwen3_0_6b", FIELD_MODEL_PRESET, "qwen3-0.6b" },
	{ "HEAD", "--module qwen3 --config qwen3_30b_a3b", FIELD_MODEL_PRESET, "qwen3-30b-a3b" },
	{ "HEAD", "--module llama3 --config llama3_debugmodel_float8", FIELD_MODEL_PRESET,
	  "llama3-debugmodel" },
	{ "HEAD", "--module graph_trainer.llama3 --config graph_trainer_llama3_8b",
	  FIELD_EXPERIMENT, "graph_trainer.llama3 graph_trainer_llama3_8b" },
	{ "HEAD", "--module llama3 --config llama3_8b --metrics.log_freq 3", FIELD_MODEL_PRESET,
	  "llama3-8b" },
	{ "HEAD", "--config llama3_8b", FIELD_TP, NULL },
};

static void flags_by_version(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(flag_cases) / sizeof(flag_cases[0]); i++) {
		const struct flag_case *c = &flag_cases[i];
		struct config config;
		const char *text = strcmp(c->version, "HEAD") ? "[model]\nname = \"llama3\"\n"
								"flavor = \"8B\"\n"
							      : NULL;
		config_read(&config, text, ".toml", c->version, c->words);
		if (!c->text) {
			assert_int_equal(config.findings.list.count, 1);
			assert_int_equal(config.findings.list.items[0]->severity, SEVERITY_ERROR);
		} else {
			assert_int_equal(config.findings.list.count, 0);
			assert_string_equal(config_setting(&config, c->field)->text, c->text);
		}
		config_release(&config);
	}
}

static void flags_remember_the_file(void **state)
{
	struct config config;
	const struct setting *tp;

	(void)state;
	config_read(&config, "[parallelism]\ntensor_parallel_degree = 2\n", ".toml", "v0.2.0",
		    "--parallelism.tensor_parallel_degree|4");
	tp = config_setting(&config, FIELD_TP);
	assert_int_equal(tp->integer, 4);
	assert_int_equal(tp->origin, ORIGIN_FLAG);
	assert_string_equal(tp->span.source->path, "<command line>");
	assert_int_equal(tp->overridden->integer, 2);
	assert_int_equal(tp->overridden->span.line, 2);
	/* The same document under a version that refuses the flag: the file's value is back. */
	config.document.dialect->settle(&config.document, 2025022801, &config.settings,
					&config.findings);
	assert_non_null(config_finding(&config, "unknown-flag"));
	assert_null(strstr(config_finding(&config, "unknown-flag")->message, "v0.2.0"));
	config_release(&config);
}

static void models(void **state)
{
	static const struct {
		const char *name, *flavor, *preset, *experiment;
	} cases[] = {
		{ "llama3", "8B", "llama3-8b", NULL },
		{ "llama3", "8B_flex", "llama3-8b_flex", NULL },
		{ "llama4", "17bx16e", "llama4-17bx16e", NULL },
		{ "deepseek_v3", "671B", "deepseek_v3-671b", NULL },
		{ "llama2", "7B", "llama2-7b", NULL },
		{ "simple_fsdp.llama3", "8B", NULL, "simple_fsdp.llama3" },
		{ "flux", "flux-dev", NULL, "flux" },
		{ "transformers_modeling_backend", "full", NULL, "transformers_modeling_backend" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct config config;
		char text[256];
		snprintf(text, sizeof(text), "[model]\nname = \"%s\"\nflavor = \"%s\"\n",
			 cases[i].name, cases[i].flavor);
		config_read(&config, text, ".toml", "v0.2.0", "");
		if (cases[i].preset)
			assert_string_equal(config_setting(&config, FIELD_MODEL_PRESET)->text,
					    cases[i].preset);
		else
			assert_false(setting_known(config_setting(&config, FIELD_MODEL_PRESET)));
		if (cases[i].experiment)
			assert_string_equal(config_setting(&config, FIELD_EXPERIMENT)->text,
					    cases[i].experiment);
		config_release(&config);
	}
}

static void defaults_are_of_the_version(void **state)
{
	struct config config;

	(void)state;
	config_read(&config, "[training]\nsteps = 1\n", ".toml", "v0.1.0", "");
	assert_false(setting_known(config_setting(&config, FIELD_EXPERT_OVERLAP)));
	assert_string_equal(config_setting(&config, FIELD_SEQ_LEN)->note, "TorchTitan v0.1.0");
	config_release(&config);
	config_read(&config, NULL, "", "HEAD", "--module llama3 --config llama3_8b");
	assert_string_equal(config_setting(&config, FIELD_AC_OPTION)->text, "op");
	assert_string_equal(config_setting(&config, FIELD_CUDA_GRAPH)->text, "true");
	assert_string_equal(config_setting(&config, FIELD_SPMD_BACKEND)->text, "spmd_types");
	config_release(&config);
}

static void float8_by_the_name_of_its_time(void **state)
{
	static const struct {
		const char *version, *name;
		bool enabled;
	} cases[] = {
		{ "v0.1.0", "float8", true },
		{ "v0.2.0", "float8", false },
		{ "v0.2.0", "quantize.linear.float8", true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct config config;
		char text[128];
		snprintf(text, sizeof(text), "[model]\nname = \"llama3\"\nconverters = [\"%s\"]\n",
			 cases[i].name);
		config_read(&config, text, ".toml", cases[i].version, "");
		assert_int_equal(config_setting(&config, FIELD_FLOAT8_ENABLED)->boolean,
				 cases[i].enabled);
		config_release(&config);
	}
}

static void launch_lines_say_the_world(void **state)
{
	struct config config;

	(void)state;
	config_read(&config, NULL, "", "HEAD",
		    "torchrun --nnodes 2 --nproc_per_node 8 -m torchtitan.train --module llama3 "
		    "--config llama3_8b --parallelism.tensor_parallel_degree 8");
	assert_int_equal(config.findings.list.count, 0);
	assert_int_equal(config_setting(&config, FIELD_WORLD)->integer, 16);
	assert_int_equal(config_setting(&config, FIELD_WORLD)->origin, ORIGIN_LAUNCH);
	assert_int_equal(config_setting(&config, FIELD_TP)->integer, 8);
	config_release(&config);
}

static void json_dumps_are_read(void **state)
{
	struct config config;

	(void)state;
	config_read(&config,
		    "{\"model_spec\": {\"name\": \"llama3\", \"flavor\": \"8B\"}, \"parallelism\": "
		    "{\"tensor_parallel_degree\": 4, \"spmd_backend\": \"spmd_types\"}, "
		    "\"training\": {\"max_context_length\": 4096}, \"optimizer\": {\"x\": 1}}",
		    ".json", NULL, "");
	assert_int_equal(config.findings.list.count, 0);
	assert_string_equal(versions_find(&config.versions, "torchtitan")->label, "HEAD");
	assert_int_equal(config_setting(&config, FIELD_TP)->integer, 4);
	assert_int_equal(config_setting(&config, FIELD_SEQ_LEN)->integer, 4096);
	assert_string_equal(config_setting(&config, FIELD_MODEL_PRESET)->text, "llama3-8b");
	config_release(&config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_sorted_and_sound),
		cmocka_unit_test(releases_have_their_tags),
		cmocka_unit_test(old_keys_do_nothing_in_v010),
		cmocka_unit_test(old_keys_stop_v020),
		cmocka_unit_test(old_keys_are_fine_in_their_time),
		cmocka_unit_test(keys_by_version),
		cmocka_unit_test(flags_by_version),
		cmocka_unit_test(flags_remember_the_file),
		cmocka_unit_test(models),
		cmocka_unit_test(defaults_are_of_the_version),
		cmocka_unit_test(float8_by_the_name_of_its_time),
		cmocka_unit_test(launch_lines_say_the_world),
		cmocka_unit_test(json_dumps_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
