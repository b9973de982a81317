#include "cost/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/preset_file.h"

static void assert_same_text(const char *text, const char *expected)
{
	if (text && expected)
		assert_string_equal(text, expected);
	else
		assert_ptr_equal(text, expected);
}

/* What the file says, read as a user's profile is, laid over what `profile` holds. */
static void lay_file(struct profile *profile, const char *folder, const char *name)
{
	const struct preset_file file = preset_file(folder, name);
	static const char *const no_numbers[] = { "like", "generation", "names", "source" };
	struct profile own = { .arena = &arena };
	struct findings findings;
	size_t i, others = 0;

	if (file.like)
		lay_file(profile, folder, file.like);
	findings_init(&findings, &arena);
	profile_override(&own, file.source, &findings);
	for (i = 0; i < sizeof(no_numbers) / sizeof(*no_numbers); i++)
		others += node_member(file.root, no_numbers[i]) != NULL;
	assert_int_equal(findings.list.count, others);
	for (i = 0; i < FIGURE_COUNT; i++) {
		struct number number = own.numbers[i];
		if (number.basis == BASIS_NONE)
			continue;
		if (number.basis == BASIS_GIVEN)
			number.basis = BASIS_DATASHEET;
		if (number.source == file.source->path)
			number.source = preset_word(file.root, "source");
		profile->numbers[i] = number;
	}
	if (preset_word(file.root, "generation"))
		profile->generation = preset_word(file.root, "generation");
}

static void assert_same_numbers(const struct profile *profile, const struct profile *expected)
{
	int i;

	assert_same_text(profile->generation, expected->generation);
	for (i = 0; i < FIGURE_COUNT; i++) {
		const struct number *number = &profile->numbers[i], *other = &expected->numbers[i];
		if (number->value != other->value || number->basis != other->basis)
			fail_msg("%s: %s is %g, not %g",
				 profile->gpu ? profile->gpu : profile->fabric,
				 figure_of((enum figure_id)i)->key, number->value, other->value);
		assert_same_text(number->source, other->source);
	}
}

static void test_devices(void **state)
{
	const char *const *name;
	size_t count = 0;

	(void)state;
	for (name = profile_gpus(&arena); *name; name++, count++) {
		struct profile profile, expected = { .arena = &arena };
		lay_file(&expected, "costs", "constants");
		lay_file(&expected, "gpus", *name);
		lay_file(&expected, "generations", expected.generation);
		profile_init(&profile, &arena);
		assert_true(profile_gpu(&profile, *name));
		assert_string_equal(profile.gpu, *name);
		assert_same_numbers(&profile, &expected);
	}
	assert_int_equal(count, preset_files("src/presets/gpus/*.yaml"));
}

static void test_networks(void **state)
{
	const char *const *name;
	size_t count = 0;

	(void)state;
	for (name = profile_fabrics(&arena); *name; name++, count++) {
		struct profile profile, expected = { .arena = &arena };
		lay_file(&expected, "costs", "constants");
		lay_file(&expected, "fabrics", *name);
		profile_init(&profile, &arena);
		assert_true(profile_fabric(&profile, *name));
		assert_string_equal(profile.fabric, *name);
		assert_same_numbers(&profile, &expected);
	}
	assert_int_equal(count, preset_files("src/presets/fabrics/*.yaml"));
}

/* A device is found by its own name and by each other that its file lists. */
static void test_names(void **state)
{
	const char *const *preset;

	(void)state;
	for (preset = profile_gpus(&arena); *preset; preset++) {
		const struct preset_file file = preset_file("gpus", *preset);
		const struct node *names = node_member(file.root, "names"), *name;
		for (name = names ? names->first : NULL; name; name = name->next) {
			struct profile profile = { .arena = &arena };
			assert_true(profile_gpu(&profile, name->text));
			assert_string_equal(profile.gpu, *preset);
		}
	}
}

/* What people and drivers write is that device; a name that goes on otherwise is another. */
static void test_names_as_written(void **state)
{
	static const char *const cases[][2] = {
		{ "NVIDIA H100 80GB HBM3", "h100-sxm" },
		{ "H100-SXM5-80GB", "h100-sxm" },
		{ "H100 SXM", "h100-sxm" },
		{ "NVIDIA A100-SXM4-40GB", "a100-40g" },
		{ "AMD Instinct MI300X OAM", "mi300x" },
		{ "NVIDIA H200", "h200" },
		{ "NVIDIA B300 SXM6 AC", "b300" },
		{ "NVIDIA GH200 480GB", "gh200-96g" },
		{ "H1000", NULL },
		{ "H100-NVL", NULL },
		{ "B2000", NULL },
		{ "h20x", NULL },
		{ "A100-SXM-64GB", NULL },
		{ "NVIDIA A100-PCIE-40GB", "a100-pcie-40g" },
		{ "NVIDIA A100 80GB PCIe", "a100-pcie-80g" },
		{ "H100 80GB HBM3 MIG 1g.10gb", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile profile = { .arena = &arena };
		assert_int_equal(profile_gpu(&profile, cases[i][0]), cases[i][1] != NULL);
		if (cases[i][1])
			assert_string_equal(profile.gpu, cases[i][1]);
	}
	assert_string_equal(profile_gpu_nearest(&arena, "H200-NVL"), "h200");
	assert_string_equal(profile_gpu_nearest(&arena, "H1000"),
			    "h100-96g-hbm2e-500w or h100-pcie or h100-sxm");
}

static void test_no_such_preset(void **state)
{
	struct profile profile;

	(void)state;
	profile_init(&profile, &arena);
	assert_false(profile_gpu(&profile, "tpu-v5"));
	assert_false(profile_fabric(&profile, "constants"));
	assert_null(profile.fabric);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_devices),	       cmocka_unit_test(test_networks),
		cmocka_unit_test(test_names),	       cmocka_unit_test(test_names_as_written),
		cmocka_unit_test(test_no_such_preset),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
