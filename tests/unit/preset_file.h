#ifndef TESTS_UNIT_PRESET_FILE_H
#define TESTS_UNIT_PRESET_FILE_H

#include "base/io.h"
#include "input/node.h"
#include "input/syntax/reader.h"
#include "unit/file_arena.h"

#include <glob.h>

/* A preset as its file has it, read by the reader of configs. */
struct preset_file {
	const struct source *source;
	const struct node *root;
	const char *like; /* or NULL */
};

static inline const char *preset_word(const struct node *root, const char *key)
{
	const struct node *node = node_member(root, key);

	return node ? node->text : NULL;
}

static inline struct preset_file preset_file(const char *folder, const char *name)
{
	const char *path = arena_printf(&arena, "src/presets/%s/%s.yaml", folder, name);
	struct io_text text = io_read(&arena, path, READER_BYTES);
	struct findings findings;
	struct preset_file file;

	assert_non_null(text.text);
	findings_init(&findings, &arena);
	file.source = source_new(&arena, path, text.text, text.length);
	file.root = yaml_read(&arena, file.source, &findings);
	assert_int_equal(findings.list.count, 0);
	assert_non_null(file.root);
	file.like = preset_word(file.root, "like");
	return file;
}

/* How many files a folder of presets has. */
static inline size_t preset_files(const char *pattern)
{
	glob_t found;
	size_t count;

	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	count = found.gl_pathc;
	globfree(&found);
	return count;
}

#endif
