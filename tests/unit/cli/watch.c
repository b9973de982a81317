#include "cli/watch.h"

#include "base/io.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *put(struct arena *arena, const char *folder, const char *name, const char *text)
{
	const char *path = arena_printf(arena, "%s/%s", folder, name);

	assert_null(io_write(arena, path, text, strlen(text)));
	return path;
}

/* A file that stays, changes, goes and comes, with inotify and without. */
static void one_file(bool notify)
{
	char folder[] = "/tmp/watch-XXXXXX";
	struct watch watch;
	struct arena arena;
	const char *path;

	assert_non_null(mkdtemp(folder));
	arena_init(&arena);
	watch_init(&watch, &arena, notify);
	path = put(&arena, folder, "a.yaml", "world: 8\n");
	watch_add(&watch, path);
	assert_false(watch_wait(&watch, 1));
	put(&arena, folder, "a.yaml", "world: 9\n"); /* written beside it and renamed */
	watch_add(&watch, path);		     /* known already: does not hide the change */
	assert_true(watch_wait(&watch, 5000));
	assert_false(watch_wait(&watch, 1));
	put(&arena, folder, "b.yaml", "world: 9\n"); /* another file of the folder */
	assert_false(watch_wait(&watch, 1));
	unlink(path);
	assert_true(watch_wait(&watch, 5000));
	put(&arena, folder, "a.yaml", "world: 9\n");
	assert_true(watch_wait(&watch, 5000));
	watch_release(&watch);
	unlink(path);
	unlink(arena_printf(&arena, "%s/b.yaml", folder));
	rmdir(folder);
	arena_release(&arena);
}

static void notified(void **state)
{
	(void)state;
	one_file(true);
}

static void polled(void **state)
{
	(void)state;
	one_file(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(notified),
		cmocka_unit_test(polled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
