#include "plan/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/preset_file.h"

/* The settings that a file gives, in those of `expected` that are open. */
static void lay_map(struct settings *expected, const struct node *map, const char *at)
{
	const struct node *member;

	for (member = map->first; member; member = member->next) {
		const char *key = arena_printf(&arena, "%s.%s", at, member->key);
		const enum field_id id = field_find(key);
		if (member->kind == NODE_MAP)
			lay_map(expected, member, key);
		else if (id == FIELD_COUNT || settings_of(expected, id)->origin != ORIGIN_UNSET)
			continue;
		else if (member->type == SCALAR_INT)
			settings_put_int(expected, &arena, id, member->integer, ORIGIN_PRESET);
		else if (member->type == SCALAR_BOOL)
			settings_put_bool(expected, id, member->boolean, ORIGIN_PRESET);
		else
			settings_put_text(expected, id, member->text, ORIGIN_PRESET);
	}
}

static void assert_as_file(const char *name)
{
	struct preset_file file = preset_file("models", name);
	struct settings settings, expected;
	const struct family *family;
	int i;

	settings_init(&settings);
	settings_init(&expected);
	lay_map(&expected, file.root, "model");
	while (file.like) {
		file = preset_file("models", file.like);
		lay_map(&expected, file.root, "model");
	}
	family = model_preset_apply(&arena, &settings, name);
	assert_non_null(family);
	assert_string_equal(family->name, preset_word(file.root, "family"));
	for (i = 0; i < FIELD_COUNT; i++) {
		const struct setting *setting = settings_of(&settings, (enum field_id)i);
		const struct setting *other = settings_of(&expected, (enum field_id)i);
		if (setting->origin != other->origin || setting->integer != other->integer ||
		    setting->boolean != other->boolean)
			fail_msg("%s: %s is not that of the file", name,
				 field_of((enum field_id)i)->key);
		if (other->text)
			assert_string_equal(setting->text, other->text);
	}
}

/* Each preset gives the settings that its file has, and there is one for each file. */
static void test_as_files(void **state)
{
	const char *const *name;
	size_t count = 0;

	(void)state;
	for (name = model_presets(&arena); *name; name++, count++)
		assert_as_file(*name);
	assert_int_equal(count, preset_files("src/presets/models/*.yaml"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_files),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
