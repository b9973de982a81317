#include "input/compose/arithmetic.h"
#include "input/compose/composition.h"
#include "input/compose/interpolation.h"
#include "unit/input/reading.h"

struct fixture {
	struct reading reading;
	struct overrides overrides;
	struct document document;
};

/* A document of that text, with variables "A=1|B=2". */
static void begin(struct fixture *f, const char *text, const char *env)
{
	memset(f, 0, sizeof(*f));
	reading_begin(&f->reading, yaml_read, text, strlen(text));
	f->overrides.text = text;
	f->document.arena = &f->reading.arena;
	f->document.root = f->reading.root;
	f->document.overrides = &f->overrides;
	while (*env) {
		size_t length = strcspn(env, "|");
		vec_push(&f->reading.arena, &f->overrides.env,
			 arena_strndup(&f->reading.arena, env, length));
		env += length + (env[length] == '|');
	}
}

struct resolving {
	const char *text, *env, *tree, *findings;
};

static void omegaconf(void **state)
{
	static const struct resolving cases[] = {
		{ "a: {b: 8}\nc: ${a.b}\n", "", "{a: {b: 8}, c: 8}", "" },
		{ "a: [4, 2]\nb: ${a[1]}\nc: ${a.0}\n", "", "{a: [4, 2], b: 2, c: 4}", "" },
		{ "a: {b: 8, c: '${.b}', d: {e: '${..b}'}}\n", "", "{a: {b: 8, c: 8, d: {e: 8}}}",
		  "" },
		{ "a: 8\nb: tp${a}_pp${c}\nc: x\n", "", "{a: 8, b: 'tp8_ppx', c: 'x'}", "" },
		{ "a: ${b}\nb: ${c}\nc: true\n", "", "{a: true, b: true, c: true}", "" },
		{ "a: {k: 1, l: '${.k}'}\nb: ${a}\n", "", "{a: {k: 1, l: 1}, b: {k: 1, l: 1}}",
		  "" },
		{ "a: ${b.k}\nb: ${c}\nc: {k: 2}\n", "", "{a: 2, b: {k: 2}, c: {k: 2}}", "" },
		{ "a: {x: 3, y: 4}\nb: x\nc: ${a.${b}}\n", "", "{a: {x: 3, y: 4}, b: 'x', c: 3}",
		  "" },
		{ "a: ${b}\n", "", "{a: ?${b}}", "" },
		{ "a: ${b}\nc: ${a}\nd: run_${a}\n", "", "{a: ?${b}, c: ?${b}, d: ?${b}}", "" },
		{ "a: ${HEAD}\n", "", "{a: ?HEAD}", "" },
		{ "a: ${oc.env:TP}\n", "", "{a: ?$TP}", "" },
		{ "a: ${oc.env:TP}\n", "TP=4", "{a: 4}", "" },
		{ "a: ${oc.env:TP,2}\n", "", "{a: 2}", "" },
		{ "a: ${oc.env:TP, null}\n", "", "{a: null}", "" },
		{ "a: ${oc.env:TP,${b}}\nb: 3\n", "", "{a: 3, b: 3}", "" },
		{ "a: ${oc.decode:${oc.env:X}}\n", "X=1e-5", "{a: 1e-05f}", "" },
		{ "a: ${oc.select:b.c,7}\n", "", "{a: 7}", "" },
		{ "a: ${oc.select:b.c,7}\nb: {c: 1}\n", "", "{a: 1, b: {c: 1}}", "" },
		{ "a: ${oc.select:b}\n", "", "{a: null}", "" },
		{ "a: {b: '${oc.select:.c,null}'}\n", "", "{a: {b: null}}", "" },
		{ "a: ${oc.select:b,[]}\nc: ${oc.select:b,{}}\n", "", "{a: [], c: {}}", "" },
		{ "a: ${oc.select:b,\"x, y\"}\n", "", "{a: 'x, y'}", "" },
		{ "h: 96\nf: ${multiply:4, ${.h}}\n", "", "{h: 96, f: 384}", "" },
		{ "a: ${multiply:${multiply:2,3},4}\n", "", "{a: 24}", "" },
		{ "a: ${divide_ceil:7,2}\nb: ${divide_floor:7,2}\nc: ${div:8,2}\n", "",
		  "{a: 4, b: 3, c: 4}", "" },
		{ "a: 4\nb: ${eval:'${a} * (2 + 1)'}\n", "", "{a: 4, b: 12}", "" },
		{ "a: ${eval:'__import__(\"os\")'}\n", "", "{a: ?${eval:'__import__(\"os\")'}}",
		  "" },
		{ "a: ${now:%Y-%m}\n", "", "{a: ?${now:%Y-%m}}", "" },
		{ "a: ???\n", "", "{a: ????}", "" },
		{ "a: 1e-5\nb: '1e-5'\nc: 1e\n", "", "{a: 1e-05f, b: '1e-5', c: '1e'}", "" },
		{ "a: \\${b}\n", "", "{a: '\\${b}'}", "" },
		{ "a: ${b\n", "", "{a: ?${b}}", "" },
		{ "a: ${\n", "", "{a: ?${}}", "" },
		{ "a: ${oc.env:X\n", "", "{a: ?$X}", "" },
		{ "a: ${b}\nb: ${c}\nc: ${a}\n", "", "{a: ?${a}, b: ?${a}, c: ?${a}}",
		  "3:4 error circular-reference" },
		{ "a: ${a}\n", "", "{a: ?${a}}", "1:4 warning circular-reference" },
		{ "a: {b: '${a}'}\n", "", "{a: {b: ?${a}}}", "1:8 warning circular-reference" },
		{ "training.x: 1\nm: {tp: 2}\nn: ${training.m.tp}\n", "",
		  "{training.x: 1, m: {tp: 2}, n: 2}", "" },
	};
	struct fixture f;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		begin(&f, cases[i].text, cases[i].env);
		assert_non_null(f.document.root);
		interpolate_omegaconf(&f.document, f.document.root, "training",
				      &f.reading.findings);
		assert_string_equal(reading_findings(&f.reading), cases[i].findings);
		assert_string_equal(reading_tree(&f.reading), cases[i].tree);
		reading_end(&f.reading);
	}
}

static void environment(void **state)
{
	static const struct resolving cases[] = {
		{ "a: ${TP:1}\n", "", "{a: 1}", "" },
		{ "a: ${TP:1}\n", "TP=8", "{a: 8}", "" },
		{ "a: ${TP}\n", "", "{a: ?$TP}", "" },
		{ "a: ${M:llama}.yaml\n", "", "{a: 'llama.yaml'}", "" },
		{ "a: ${M:}\nb: ${}\nc: $M\n", "", "{a: '', b: '${}', c: '$M'}", "" },
		{ "a: ${X:null}\nb: ${X:true}\nc: ${X:1e-5}\n", "", "{a: null, b: true, c: 1e-05f}",
		  "" },
	};
	struct fixture f;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		begin(&f, cases[i].text, cases[i].env);
		interpolate_environment(&f.document, f.document.root);
		assert_string_equal(reading_tree(&f.reading), cases[i].tree);
		reading_end(&f.reading);
	}
}

/* Expressions that would fill memory, were they followed. */
static void bombs(void **state)
{
	struct fixture f;
	struct buf text;
	int i;

	(void)state;
	buf_init(&text);
	buf_text(&text, "t0: xxxxxxxx\nl0: [1, 2]\n");
	for (i = 1; i < 40; i++)
		buf_printf(&text, "t%d: ${t%d}${t%d}\nl%d: [\"${l%d}\", \"${l%d}\"]\n", i, i - 1,
			   i - 1, i, i - 1, i - 1);
	begin(&f, text.data, "");
	interpolate_omegaconf(&f.document, f.document.root, NULL, &f.reading.findings);
	assert_non_null(node_find(f.document.root, "t39")->unresolved);
	reading_end(&f.reading);
	buf_clear(&text);
	buf_text(&text, "a: '");
	buf_repeat(&text, '$', 1);
	for (i = 0; i < 2000; i++)
		buf_text(&text, "{mul:[${");
	buf_text(&text, "'\n");
	begin(&f, text.data, "");
	interpolate_omegaconf(&f.document, f.document.root, NULL, &f.reading.findings);
	assert_non_null(node_find(f.document.root, "a")->unresolved);
	reading_end(&f.reading);
	buf_release(&text);
}

static void expressions(void **state)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {
		{ "1 + 2 * 3", 7 },	   { "(1 + 2) * 3", 9 },   { "7 // 2", 3 },
		{ "-7 // 2", -4 },	   { "7 % 4", 3 },	   { "2 ** 3 ** 2", 512 },
		{ "-2 ** 2", -4 },	   { "7 / 2", 3.5 },	   { "int(7 / 2)", 3 },
		{ "max(1, 8, 2) - 1", 7 }, { "min(1.5, 2)", 1.5 }, { "1e3", 1000 },
		{ " 4096*2 ", 8192 },
	};
	static const char *const refused[] = {
		"",   "1 +",	  "1 / 0", "8 if x else 1",	      "(1",
		"1)", "2 ** 100", "0x10",  "9223372036854775807 + 1", "a",
		"1 2"
	};
	struct number value;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		assert_true(arithmetic_value(cases[i].text, &value));
		assert_true(value.real == cases[i].value);
	}
	for (i = 0; i < COUNT(refused); i++)
		assert_false(arithmetic_value(refused[i], &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(omegaconf),
		cmocka_unit_test(environment),
		cmocka_unit_test(bombs),
		cmocka_unit_test(expressions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
