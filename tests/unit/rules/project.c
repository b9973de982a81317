#include "rules/project.h"

#include "judged.h"

/* A config of that text under a project's settings. */
static struct job *under(struct arena *arena, const char *settings, const char *text)
{
	struct project *project = arena_new(arena, struct project);
	struct overrides *overrides = arena_new(arena, struct overrides);
	struct findings *findings = arena_new(arena, struct findings);
	struct job *job = arena_new(arena, struct job);

	project_read(project, arena, PROJECT_FILE, settings, strlen(settings));
	project_judge(project);
	assert_int_equal(project->findings.list.count, 0);
	overrides->text = text;
	overrides->project = project;
	findings_init(findings, arena);
	assert_null(job_read(job, arena, "test.yaml", overrides, findings));
	return job;
}

static const char *label(const struct job *job, const char *framework)
{
	const struct version *version = versions_find(&job->versions, framework);

	return version ? version->label : "-";
}

static void settles_versions(void **state)
{
	static const char settings[] = "framework: [torchtitan@v0.2.0, torch@2.9]";
	static const struct {
		const char *text, *titan, *torch;
	} cases[] = {
		{ "parplan: 1\nworld: 8\n", "v0.2.0", "2.9.0" },
		{ "parplan: 1\nframework: {torchtitan: v0.1.0}\n", "v0.1.0", "2.9.0" },
		{ "parplan: 1\nframework: {torch: '2.8'}\n", "v0.2.0", "2.8.0" },
		/* another framework's config is none of TorchTitan's */
		{ "parplan: 1\nframework: {megatron: latest}\n", "-", "2.9.0" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct job *job = under(*state, settings, cases[i].text);
		assert_string_equal(label(job, "torchtitan"), cases[i].titan);
		assert_string_equal(label(job, "torch"), cases[i].torch);
	}
}

static void settles_the_cluster(void **state)
{
	static const char settings[] = "cluster: {gpus_per_node: 8, nodes: 2, gpu: h100-sxm}";
	const struct job *job = under(*state, settings, "parplan: 1\ncluster: {nodes: 4}\n");
	const struct setting *devices = &job->settings.items[FIELD_CLUSTER_GPUS_PER_NODE];

	assert_int_equal(devices->integer, 8);
	assert_int_equal(devices->origin, ORIGIN_PROJECT);
	assert_string_equal(devices->span.source->path, PROJECT_FILE);
	assert_int_equal(job->settings.items[FIELD_CLUSTER_NODES].origin, ORIGIN_GIVEN);
	assert_int_equal(job->world, 32);
}

/* The world and the devices of a node that a config gets from settings with patterns. */
static void settles_by_pattern(void **state)
{
	static const struct {
		const char *settings, *text;
		int64_t world, devices;
	} cases[] = {
		{ "world: 64", "parplan: 1\n", 64, 0 },
		{ "world: {'*.yaml': 32, 'other/': 8}", "parplan: 1\n", 32, 0 },
		{ "world: {'*': 32, 'test.*': 8}", "parplan: 1\n", 8, 0 },
		{ "world: {'*.toml': 32}", "parplan: 1\n", 0, 0 },
		/* what the config says itself */
		{ "world: 64", "parplan: 1\nworld: 16\n", 16, 0 },
		{ "world: 64", "parplan: 1\ncluster: {nodes: 2, gpus_per_node: 4}\n", 8, 4 },
		{ "world: 64\ncluster: {gpus_per_node: 8}", "parplan: 1\ncluster: {nodes: 2}\n", 16,
		  8 },
		{ "world: 64\ncluster: {nodes: 2, gpus_per_node: 8}", "parplan: 1\n", 64, 8 },
		{ "world: 64", "parplan: 1\nparallelism: {dp_shard: 4, tp: 2}\n", 64, 0 },
		{ "cluster: {gpus_per_node: 8, 'test.yaml': {gpus_per_node: 4}}", "parplan: 1\n", 0,
		  4 },
		{ "cluster: {gpus_per_node: 8, 'b/': {gpus_per_node: 4}}", "parplan: 1\n", 0, 8 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct job *job = under(*state, cases[i].settings, cases[i].text);
		const struct setting *devices = &job->settings.items[FIELD_CLUSTER_GPUS_PER_NODE];
		if (job->world != cases[i].world || devices->integer != cases[i].devices)
			fail_msg("%s: world %d, %d devices", cases[i].settings, (int)job->world,
				 (int)devices->integer);
	}
}

/* Bad values are found where they stand. */
static void finds_bad_values(void **state)
{
	static const struct {
		const char *settings;
		uint32_t line, column;
	} cases[] = {
		{ "world: many\n", 1, 8 },	     { "world: 0\n", 1, 8 },
		{ "world: {a: 8, b: -1}\n", 1, 18 }, { "world: [8]\n", 1, 8 },
		{ "world: {'': 8}\n", 1, 9 },	     { "fail-on: error\nstrict: 1\n", 2, 9 },
		{ "strict: maybe\n", 1, 9 },	     { "cluster: {'a/': {nodez: 8}}\n", 1, 18 },
		{ "cluster: {'a/': 8}\n", 1, 11 },   { "cluster: {nodes: {a: 8}}\n", 1, 18 },
	};
	struct project *project = arena_new(*state, struct project);
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		project_read(project, *state, PROJECT_FILE, cases[i].settings,
			     strlen(cases[i].settings));
		assert_int_equal(project->findings.list.count, 1);
		assert_int_equal(project->findings.list.items[0]->span.line, cases[i].line);
		if (project->findings.list.items[0]->span.column != cases[i].column)
			fail_msg("%s: column %u", cases[i].settings,
				 (unsigned int)project->findings.list.items[0]->span.column);
	}
}

static void knows_who_is_strict(void **state)
{
	struct project *project = arena_new(*state, struct project);

	project_read(project, *state, PROJECT_FILE, "strict: true", 12);
	assert_true(project_is_strict(project, false, NULL));
	assert_false(project_is_strict(project, false, "never"));
	assert_true(project_is_strict(project, true, "never"));
	assert_false(project_is_strict(NULL, false, NULL));
}

static void sets_levels_that_options_change(void **state)
{
	static const char text[] = "parplan: 1\nworld: 8\nparallelism: {dp_shard: 4, tp: 4}\n";
	static const char settings[] = "rules: {degrees-product: note}\n";
	struct job *job = under(*state, settings, text);
	const struct project *project = job->document.overrides->project;
	struct levels levels = { 0 };
	struct skips skips = { 0 };

	project_levels(project, *state, &levels);
	judge(&levels, job, &skips);
	assert_int_equal(findings_count(job->findings, SEVERITY_ERROR), 0);
	assert_true(findings_count(job->findings, SEVERITY_NOTE) > 0);
	assert_null(levels_add(&levels, *state, "degrees-product", LEVEL_ERROR));
	levels_apply(&levels, job, &skips);
	assert_int_equal(findings_count(job->findings, SEVERITY_ERROR), 1);
}

static void drops_rules(void **state)
{
	static const char text[] = "parplan: 1\nworld: 8\nparallelism: {dp_shard: 4, tp: 4}\n";
	static const char *const settings[] = { "rules: {degrees-product: off}", /* a boolean */
						"rules: {degrees-product: 'off'}",
						"ignore: degrees-product",
						"ignore: [degrees-product]" };
	size_t i;

	for (i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		struct job *job = under(*state, settings[i], text);
		struct levels levels = { 0 };
		struct skips skips = { 0 };
		project_levels(job->document.overrides->project, *state, &levels);
		judge(&levels, job, &skips);
		assert_int_equal(findings_count(job->findings, SEVERITY_ERROR), 0);
	}
}

/* What is wrong with a file of settings: where, and what to write instead. */
static void says_what_is_wrong(void **state)
{
	static const struct {
		const char *text;
		const char *rule; /* NULL: nothing */
		unsigned int line, column;
		const char *near; /* of the fix, or NULL */
	} cases[] = {
		{ "", NULL, 0, 0, NULL },
		{ "# nothing\n", NULL, 0, 0, NULL },
		{ "fail-on:\nrules: {}\nignore: []\n", NULL, 0, 0, NULL },
		{ "[1]", "wrong-type", 1, 1, NULL },
		{ "\nfail_on: error", "unknown-key", 2, 1, "fail-on" },
		{ "fail-on: warnings", "bad-word", 1, 10, "warning" },
		{ "fail-on: [error]", "wrong-type", 1, 10, NULL },
		{ "rules: {degree-product: off}", "unknown-key", 1, 9, "degrees-product" },
		{ "rules: {degrees-product: warn}", "bad-word", 1, 26, NULL },
		{ "rules: [degrees-product]", "wrong-type", 1, 8, NULL },
		{ "ignore: degrees-produkt", "unknown-key", 1, 9, "degrees-product" },
		{ "ignore: {a: b}", "wrong-type", 1, 9, NULL },
		{ "ignore: [[a]]", "wrong-type", 1, 10, NULL },
		{ "framework: torchtitan@v0.2.7", "unknown-version", 1, 12, "v0.2.0" },
		{ "framework: {torchtitam: v0.2.0}", "unknown-version", 1, 13, "torchtitan" },
		{ "framework: [{a: b}]", "wrong-type", 1, 13, NULL },
		{ "cluster: 8", "wrong-type", 1, 10, NULL },
		{ "cluster: {gpus_per_nod: 8}", "unknown-key", 1, 11, "gpus_per_node" },
		{ "cluster: {nodes: two}", "wrong-type", 1, 18, NULL },
		{ "cluster: {fabric: ibb}", "bad-word", 1, 19, "ib" },
		{ "exclude: {a: b}", "wrong-type", 1, 10, NULL },
		{ "exclude: ''", "wrong-type", 1, 10, NULL },
		{ "baseline: [a]", "wrong-type", 1, 11, NULL },
		{ "a: [", "syntax-error", 1, 5, NULL },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct project *project = arena_new(*state, struct project);
		const struct finding *finding;
		project_read(project, *state, PROJECT_FILE, cases[i].text, strlen(cases[i].text));
		project_judge(project);
		assert_int_equal(project->findings.list.count, cases[i].rule != NULL);
		if (!cases[i].rule)
			continue;
		finding = project->findings.list.items[0];
		assert_string_equal(finding->rule->name, cases[i].rule);
		assert_int_equal(finding->span.line, cases[i].line);
		assert_int_equal(finding->span.column, cases[i].column);
		if (cases[i].near)
			assert_non_null(strstr(finding->fix, cases[i].near));
	}
}

static void leaves_files_out(void **state)
{
	static const char text[] = "exclude: [old/, '*.gen.yaml']";
	struct project project;
	const struct project_word *by;

	project_read(&project, *state, "train/.parplan.yaml", text, strlen(text));
	assert_true(project_excludes(&project, *state, "train/old/a.yaml", &by));
	assert_string_equal(by->text, "old/");
	assert_true(project_excludes(&project, *state, "train/x/a.gen.yaml", &by));
	assert_false(project_excludes(&project, *state, "train/a.yaml", &by));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(settles_versions),	   TEST(settles_the_cluster),
		TEST(settles_by_pattern),  TEST(finds_bad_values),
		TEST(knows_who_is_strict), TEST(sets_levels_that_options_change),
		TEST(drops_rules),	   TEST(says_what_is_wrong),
		TEST(leaves_files_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
