#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void arena_gives_zeroed_aligned_memory(void **state)
{
	struct arena arena;
	size_t size;

	(void)state;
	arena_init(&arena);
	for (size = 0; size < 5000; size += 37) {
		unsigned char *block = arena_alloc(&arena, size);
		size_t i;
		assert_non_null(block);
		assert_int_equal((uintptr_t)block % _Alignof(max_align_t), 0);
		for (i = 0; i < size; i++)
			assert_int_equal(block[i], 0);
		memset(block, 0xAA, size);
	}
	assert_string_equal(arena_printf(&arena, "%s-%d", "rank", 37), "rank-37");
	assert_string_equal(arena_strndup(&arena, "dp_shard", 2), "dp");
	arena_release(&arena);
}

static void vec_grows(void **state)
{
	struct arena arena;
	VEC(int) numbers = { 0 };
	int i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < 1000; i++)
		vec_push(&arena, &numbers, i);
	assert_int_equal(numbers.count, 1000);
	for (i = 0; i < 1000; i++)
		assert_int_equal(numbers.items[i], i);
	arena_release(&arena);
}

static void map_keeps_the_first(void **state)
{
	struct arena arena;
	struct map map = { 0 };
	uint32_t i;

	(void)state;
	arena_init(&arena);
	map.arena = &arena;
	assert_int_equal(map_find(&map, "absent"), -1);
	for (i = 0; i < 500; i++)
		assert_true(map_add(&map, arena_printf(&arena, "layers.%u", i), i));
	assert_false(map_add(&map, "layers.7", 9));
	for (i = 0; i < 500; i++)
		assert_int_equal(map_find(&map, arena_printf(&arena, "layers.%u", i)), i);
	assert_int_equal(map_find(&map, "layers.500"), -1);
	arena_release(&arena);
}

static void buf_is_always_a_string(void **state)
{
	struct buf buf;
	int i;

	(void)state;
	buf_init(&buf);
	assert_string_equal(buf.data, "");
	buf_text(&buf, "tp");
	buf_char(&buf, '=');
	buf_printf(&buf, "%d", 8);
	buf_repeat(&buf, '.', 3);
	assert_string_equal(buf.data, "tp=8...");
	buf_clear(&buf);
	assert_string_equal(buf.data, "");
	for (i = 0; i < 3000; i++)
		buf_printf(&buf, "%04d", i);
	assert_int_equal(buf.length, 12000);
	assert_int_equal(strlen(buf.data), 12000);
	buf_release(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arena_gives_zeroed_aligned_memory),
		cmocka_unit_test(vec_grows),
		cmocka_unit_test(map_keeps_the_first),
		cmocka_unit_test(buf_is_always_a_string),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
