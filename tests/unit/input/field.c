#include "unit/config.h"

#include "input/field.h"
#include "input/node.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* What one value of a key does: the finding, or "" and the value as text. */
struct value_case {
	const char *line;
	enum field_id field;
	const char *rule, *text;
	const char *edit; /* text of the first edit, or NULL */
};

static const struct value_case cases[] = {
	{ "parallelism: {tp: 8}", FIELD_TP, "", "8", NULL },
	{ "parallelism: {tp: \"8\"}", FIELD_TP, "quoted-number", NULL, "8" },
	{ "parallelism: {tp: 8.0}", FIELD_TP, "wrong-type", NULL, "8" },
	{ "parallelism: {tp: eight}", FIELD_TP, "wrong-type", NULL, NULL },
	{ "parallelism: {tp: [8]}", FIELD_TP, "wrong-type", NULL, "8" },
	{ "parallelism: {tp: null}", FIELD_TP, "", "1", NULL },
	{ "parallelism: {async_tp: true}", FIELD_ASYNC_TP, "", "true", NULL },
	{ "parallelism: {async_tp: 'True'}", FIELD_ASYNC_TP, "quoted-number", NULL, "true" },
	{ "parallelism: {async_tp: 1}", FIELD_ASYNC_TP, "wrong-type", NULL, NULL },
	{ "parallelism: {reshard_after_forward: never}", FIELD_RESHARD_AFTER_FORWARD, "", "never",
	  NULL },
	{ "parallelism: {reshard_after_forward: nevr}", FIELD_RESHARD_AFTER_FORWARD, "bad-word",
	  NULL, "never" },
	{ "parallelism: {reshard_after_forward: \"nevr\"}", FIELD_RESHARD_AFTER_FORWARD, "bad-word",
	  NULL, "\"never\"" },
	{ "parallelism: {reshard_after_forward: sometimes}", FIELD_RESHARD_AFTER_FORWARD,
	  "bad-word", NULL, NULL },
	{ "training: {cuda_graph: false}", FIELD_CUDA_GRAPH, "", "false", NULL },
	{ "training: {cuda_graph: attention}", FIELD_CUDA_GRAPH, "", "attention", NULL },
	{ "training: {activation_checkpoint: {option: 2}}", FIELD_AC_OPTION, "", "2", NULL },
	{ "training: {activation_checkpoint: full}", FIELD_AC_MODE, "", "full", NULL },
	{ "model: llama3-8b", FIELD_MODEL_PRESET, "", "llama3-8b", NULL },
	{ "model: {preset: llama3-70b, layers: 12}", FIELD_MODEL_LAYERS, "", "12", NULL },
	{ "cluster: dgx-h100", FIELD_CLUSTER_PRESET, "", "dgx-h100", NULL },
	{ "cluster: {fabric: infiniband}", FIELD_CLUSTER_FABRIC, "bad-word", NULL, NULL },
};

static void values(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct config config;
		const struct finding *finding;
		char text[256];
		snprintf(text, sizeof(text), "parplan: 1\n%s\n", cases[i].line);
		config_read(&config, text, ".yaml", NULL, "");
		finding = config.findings.list.count ? config.findings.list.items[0] : NULL;
		assert_string_equal(finding ? finding->rule->name : "", cases[i].rule);
		if (cases[i].text)
			assert_string_equal(config_setting(&config, cases[i].field)->text,
					    cases[i].text);
		else
			assert_false(setting_known(config_setting(&config, cases[i].field)));
		if (finding && cases[i].edit)
			assert_string_equal(finding->edits.items[0].text, cases[i].edit);
		else if (finding)
			assert_int_equal(finding->edits.count, 0);
		config_release(&config);
	}
}

static void words_of_a_table(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_true(words_have("a|bc|d", "bc"));
	assert_false(words_have("a|bc|d", "b"));
	assert_false(words_have(NULL, "b"));
	assert_string_equal(words_nearest(&arena, "always|never", "nver"), "never");
	assert_null(words_nearest(&arena, "always|never", "perhaps"));
	assert_string_equal(words_listed(&arena, "a|b|c"), "a, b or c");
	assert_string_equal(words_listed(&arena, "a"), "a");
	assert_string_equal(words_listed(&arena, "a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r"),
			    "a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q or r");
	arena_release(&arena);
}

static void lists_are_lists_or_comma_strings(void **state)
{
	struct config config;

	(void)state;
	config_read(&config, "parplan: 1\ntraining: {converters: [a, b]}\n", ".yaml", NULL, "");
	assert_true(setting_lists(&config.settings, FIELD_CONVERTERS, "b"));
	config_release(&config);
	config_read(&config, "parplan: 1\ntraining: {converters: 'a,b'}\n", ".yaml", NULL, "");
	assert_true(setting_lists(&config.settings, FIELD_CONVERTERS, "b"));
	assert_false(setting_lists(&config.settings, FIELD_CONVERTERS, "a,b"));
	config_release(&config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(words_of_a_table),
		cmocka_unit_test(lists_are_lists_or_comma_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
