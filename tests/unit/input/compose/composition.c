#include "input/compose/composition.h"
#include "unit/input/reading.h"

struct fixture {
	struct reading reading;
	struct overrides overrides;
	struct document document;
};

/* A document of that text which lies in testdata/compose/. */
static void begin(struct fixture *f, const char *text)
{
	memset(f, 0, sizeof(*f));
	reading_begin(&f->reading, yaml_read, text, strlen(text));
	f->document.arena = &f->reading.arena;
	f->document.overrides = &f->overrides;
	f->document.root = f->reading.root;
	f->document.source =
		source_new(&f->reading.arena, "testdata/compose/x.yaml", text, strlen(text));
	assert_non_null(f->document.root);
}

static void check(struct fixture *f, const struct tree_case *expected)
{
	f->reading.root = f->document.root;
	assert_string_equal(reading_tree(&f->reading), expected->tree);
	assert_string_equal(reading_findings(&f->reading), expected->findings);
	reading_end(&f->reading);
}

static void parents(void **state)
{
	static const struct tree_case cases[] = {
		{ "tp: 1\n", "{tp: 1}", "" },
		{ "defaults: second.yaml\nseed: null\n", "{seed: null, policy: {pp: 2}}", "" },
		{ "defaults: parent.yaml\npolicy: {tp: 4, replaced: {c: 3}}\nreplaced: "
		  "{_override_: true, c: 1}\n",
		  "{policy: {tp: 4, replaced: {c: 3, a: 1, b: 2}, pp: 1, kept: {a: 1, b: 2}, "
		  "cp: 4}, replaced: {_override_: true, c: 1}, seed: 1}",
		  "" },
		{ "defaults: [grandparent.yaml, ./second.yaml]\n",
		  "{policy: {pp: 2, tp: 8, cp: 4}, seed: 2, replaced: {a: 1}}", "" },
		{ "defaults: [second.yaml, nowhere.yaml]\n",
		  "{defaults: ['second.yaml', 'nowhere.yaml'], policy: {pp: 2}, seed: 2}",
		  "1:25 note absent-parent" },
		{ "defaults: circle.yaml\n", "{seed: 3}", "1:11 error circular-reference" },
		{ "defaults: [[a], {b: c}]\n", "{}", "" },
	};
	struct fixture f;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		begin(&f, cases[i].text);
		compose_parents(&f.document, "defaults", NULL, &f.reading.findings);
		check(&f, &cases[i]);
	}
}

static void hydra(void **state)
{
	static const struct tree_case cases[] = {
		{ "seed: 4\n", "{seed: 4}", "" },
		{ "defaults: [base]\nseed: 4\n",
		  "{optim: {lr: 1}, trainer: {nodes: 1, devices: 8}, seed: 4, defaults: ['base']}",
		  "" },
		{ "defaults: [_self_, base]\nseed: 4\n",
		  "{defaults: ['_self_', 'base'], seed: 1, optim: {lr: 1}, trainer: {nodes: 1, "
		  "devices: 8}}",
		  "" },
		{ "defaults: [{model: small}, _self_]\nmodel: {layers: 3}\n",
		  "{model: {optim: {lr: 2}, layers: 3, hidden: 64}, defaults: [{model: 'small'}, "
		  "'_self_']}",
		  "" },
		{ "defaults: [{model: small}, {override model/optim: adam}]\n",
		  "{model: {optim: {lr: 1}, layers: 2, hidden: 64}, defaults: [{model: 'small'}, "
		  "{override model/optim: 'adam'}]}",
		  "" },
		{ "defaults: [model/optim@a.b: adam]\n",
		  "{a: {b: {lr: 1}}, defaults: [{model/optim@a.b: 'adam'}]}", "" },
		{ "defaults: [model/large]\n",
		  "{model: {layers: 80}, seed: 7, defaults: ['model/large']}", "" },
		{ "defaults: [{model: null}, {optional model: none}, {hydra/x: y}]\n",
		  "{defaults: [{model: null}, {optional model: 'none'}, {hydra/x: 'y'}]}", "" },
		{ "defaults: [{model: none}, {x: 1}]\n", "{defaults: [{model: 'none'}, {x: 1}]}",
		  "1:20 note absent-parent; 1:31 note absent-parent" },
		{ "defaults: [{size: small}, \"model/${size}\"]\n",
		  "{model: {optim: {lr: 2}, layers: 2, hidden: 64}, defaults: [{size: 'small'}, "
		  "'model/${size}']}",
		  "1:19 note absent-parent" },
	};
	struct fixture f;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		begin(&f, cases[i].text);
		compose_hydra(&f.document, &f.reading.findings);
		check(&f, &cases[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parents),
		cmocka_unit_test(hydra),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
