#include "input/syntax/scalar.h"

#include "unit/input/reading.h"

/* Every answer was compared with PyYAML 6.0.3's safe loader. */
static const struct {
	const char *text, *value;
} cases[] = {
	{ "8", "8" },
	{ "+8", "8" },
	{ "-8", "-8" },
	{ "0", "0" },
	{ "1_000", "1000" },
	{ "1__0_", "10" },
	{ "_1", "'_1'" },
	{ "010", "8" },
	{ "-010", "-8" },
	{ "08", "'08'" },
	{ "0o17", "'0o17'" },
	{ "0x1F", "31" },
	{ "-0x_f", "-15" },
	{ "0xG", "'0xG'" },
	{ "0x", "'0x'" },
	{ "0x_", "'0x_'" },
	{ "0b101", "5" },
	{ "0b2", "'0b2'" },
	{ "0b_", "'0b_'" },
	{ "1:30", "90" },
	{ "-1:30", "-90" },
	{ "190:20:30", "685230" },
	{ "1:60", "'1:60'" },
	{ "01:30", "'01:30'" },
	{ "1:30.5", "90.5f" },
	{ "0:30.", "30f" },
	{ "99:59:59:59:59:59:59:59:59:59:59:59", "'99:59:59:59:59:59:59:59:59:59:59:59'" },
	{ "9223372036854775807", "9223372036854775807" },
	{ "9223372036854775808", "'9223372036854775808'" },
	{ "0xffffffffffffffff", "'0xffffffffffffffff'" },
	{ "1e-5", "'1e-5'" },
	{ "1e5", "'1e5'" },
	{ "1.0e5", "'1.0e5'" },
	{ "1.0e-5", "1e-05f" },
	{ "1.e+3", "1000f" },
	{ "1.5E-3", "0.0015f" },
	{ "3e-4", "'3e-4'" },
	{ "3.0e-4", "0.0003f" },
	{ ".5", "0.5f" },
	{ "-.5", "'-.5'" },
	{ "+.5", "'+.5'" },
	{ "._5", "'._5'" },
	{ ".5_0", "0.5f" },
	{ "5.", "5f" },
	{ "-5.", "-5f" },
	{ "1_0.5_0", "10.5f" },
	{ "685_230.15", "685230f" },
	{ ".inf", "inff" },
	{ "-.INF", "-inff" },
	{ ".iNF", "'.iNF'" },
	{ ".nan", "nanf" },
	{ "-.nan", "'-.nan'" },
	{ "nan", "'nan'" },
	{ ".", "'.'" },
	{ "-", "'-'" },
	{ "yes", "true" },
	{ "Yes", "true" },
	{ "yEs", "'yEs'" },
	{ "y", "'y'" },
	{ "n", "'n'" },
	{ "NO", "false" },
	{ "on", "true" },
	{ "off", "false" },
	{ "true", "true" },
	{ "False", "false" },
	{ "tRUE", "'tRUE'" },
	{ "", "null" },
	{ "~", "null" },
	{ "Null", "null" },
	{ "nULL", "'nULL'" },
	{ "none", "'none'" },
	{ "None", "'None'" },
	{ "2025-02-01", "'2025-02-01'" },
	{ "v0.2.0", "'v0.2.0'" },
	{ "2.9.0", "'2.9.0'" },
	{ "2.9", "2.9f" },
	{ "8x400Gb", "'8x400Gb'" },
	{ "1F1B", "'1F1B'" },
	{ "=", "'='" },
};

static void resolves_as_pyyaml(void **state)
{
	struct arena arena;
	struct buf out;
	size_t i;

	(void)state;
	arena_init(&arena);
	buf_init(&out);
	for (i = 0; i < COUNT(cases); i++) {
		struct node *node =
			node_scalar(&arena, SCALAR_STRING, cases[i].text, (struct span) { 0 });
		scalar_resolve(&arena, node);
		buf_clear(&out);
		show_node(&out, node);
		assert_string_equal(out.data, cases[i].value);
		assert_string_equal(node->text, cases[i].text);
	}
	buf_release(&out);
	arena_release(&arena);
}

static void integers_are_numbers_too(void **state)
{
	struct node node = { .kind = NODE_SCALAR, .text = "1_000" };
	struct arena arena;

	(void)state;
	arena_init(&arena);
	scalar_resolve(&arena, &node);
	assert_true(node.number == 1000.0);
	arena_release(&arena);
}

static void obeys_tags(void **state)
{
	static const struct {
		const char *text, *tag, *value; /* value NULL: refused */
	} tagged[] = {
		{ "8", "tag:yaml.org,2002:str", "'8'" },
		{ "8", "tag:yaml.org,2002:int", "8" },
		{ "8", "tag:yaml.org,2002:float", "8f" },
		{ "1e-5", "tag:yaml.org,2002:float", "1e-05f" },
		{ "no", "tag:yaml.org,2002:bool", "false" },
		{ "~", "tag:yaml.org,2002:null", "null" },
		{ "2025-02-01", "tag:yaml.org,2002:timestamp", "'2025-02-01'" },
		{ "many", "tag:yaml.org,2002:int", NULL },
		{ "many", "tag:yaml.org,2002:float", NULL },
		{ "8", "tag:yaml.org,2002:bool", NULL },
		{ "8", "tag:yaml.org,2002:map", NULL },
		{ "8", "tag:yaml.org,2002:python/name:os.system", NULL },
		{ "8", "!include", NULL },
	};
	struct arena arena;
	struct buf out;
	size_t i;

	(void)state;
	arena_init(&arena);
	buf_init(&out);
	for (i = 0; i < COUNT(tagged); i++) {
		struct node *node =
			node_scalar(&arena, SCALAR_STRING, tagged[i].text, (struct span) { 0 });
		assert_int_equal(scalar_resolve_as(&arena, node, tagged[i].tag),
				 tagged[i].value != NULL);
		buf_clear(&out);
		show_node(&out, node);
		if (tagged[i].value)
			assert_string_equal(out.data, tagged[i].value);
	}
	buf_release(&out);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(resolves_as_pyyaml),
		cmocka_unit_test(integers_are_numbers_too),
		cmocka_unit_test(obeys_tags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
