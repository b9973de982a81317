/*
 * What the C library fills in where MemorySanitizer does not see it: entries of a folder that is
 * walked (fts). Linked into builds with it alone, by --wrap.
 */
#define _DEFAULT_SOURCE
#include <fts.h>
#include <sanitizer/msan_interface.h>
#include <sys/stat.h>

typedef int order_fn(const FTSENT **left, const FTSENT **right);

FTS *__real_fts_open(char *const *paths, int options, order_fn *order);
FTS *__wrap_fts_open(char *const *paths, int options, order_fn *order);
FTSENT *__real_fts_read(FTS *fts);
FTSENT *__wrap_fts_read(FTS *fts);

static order_fn *wanted;

/* The path and the state of a file are there once an entry is handed out. */
static void fill(const FTSENT *entry)
{
	__msan_unpoison(entry, sizeof(*entry));
	__msan_unpoison_string(entry->fts_name);
}

static int by_wanted(const FTSENT **left, const FTSENT **right)
{
	__msan_unpoison(left, sizeof(*left));
	__msan_unpoison(right, sizeof(*right));
	fill(*left);
	fill(*right);
	return wanted(left, right);
}

FTS *__wrap_fts_open(char *const *paths, int options, order_fn *order)
{
	wanted = order;
	return __real_fts_open(paths, options, by_wanted);
}

FTSENT *__wrap_fts_read(FTS *fts)
{
	FTSENT *entry = __real_fts_read(fts);

	if (!entry)
		return NULL;
	fill(entry);
	fill(entry->fts_parent);
	__msan_unpoison_string(entry->fts_path);
	__msan_unpoison_string(entry->fts_accpath);
	if (entry->fts_statp)
		__msan_unpoison(entry->fts_statp, sizeof(*entry->fts_statp));
	return entry;
}
