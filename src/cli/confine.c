#define _XOPEN_SOURCE 700 /* realpath; NOLINT(bugprone-reserved-identifier) */
#include "cli/confine.h"

#include "base/bounds.h"
#include "base/path.h"
#include "base/sandbox.h"
#include "evidence/folder.h"
#include "input/project.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Where the C library's tmpfile makes what other programs are given to read. */
#define TEMPORARY "/tmp"

struct confining {
	struct arena *arena;
	struct sandbox sandbox;
	const char *folder; /* of the last file looked at, whose root is known */
	const char *root;
	bool named; /* some file was */
};

/* The repository of an absolute folder, else that of its project's settings, else itself. */
static const char *root_of(struct arena *arena, const char *folder)
{
	const char *root = bounds_repository(arena, folder), *settings;

	if (root)
		return root;
	settings = project_find(arena, path_join(arena, folder, PROJECT_FILE));
	return settings ? path_folder(arena, path_absolute(arena, settings)) : folder;
}

static void read_below(struct confining *confining, const char *path)
{
	const struct sandbox *sandbox = &confining->sandbox;
	size_t i;

	if (!path)
		return;
	for (i = 0; i < sandbox->reads.count; i++)
		if (!strcmp(sandbox->reads.items[i], path))
			return;
	vec_push(confining->arena, &confining->sandbox.reads, path);
}

static void read_folder(struct confining *confining, const char *folder)
{
	if (!confining->folder || strcmp(confining->folder, folder) != 0) {
		confining->folder = folder;
		confining->root = root_of(confining->arena, folder);
		read_below(confining, confining->root);
	}
}

/* A file that is named is read wherever links lead, and what it names in its repository. */
static void read_named(struct confining *confining, const char *path, const struct stat *status)
{
	const char *whole = path_absolute(confining->arena, path);
	const bool folder = S_ISDIR(status->st_mode);
	char *real = realpath(path, NULL);

	confining->named = true;
	read_folder(confining, folder ? whole : path_folder(confining->arena, whole));
	if (!folder)
		read_below(confining, bounds_of(confining->arena, path));
	if (!real || !path_within(confining->root, real))
		read_below(confining, whole);
	free(real);
}

static void look_at(struct confining *confining, const char *text)
{
	struct stat status;

	if (*text && strcmp(text, "-") != 0 && !stat(text, &status))
		read_named(confining, text, &status);
}

/* A word may be a file's name, or say one as NAME=FILE does, or in a map: {hosts: FILE}. */
static void look_into(struct confining *confining, const char *word)
{
	static const char between[] = "=,:{}[]\"' ";
	const char *value = strchr(word, '=');
	size_t length;

	look_at(confining, word);
	if (value)
		look_at(confining, value + 1);
	for (; word[strcspn(word, between)] || value; word += length) {
		value = NULL;
		word += strspn(word, between);
		length = strcspn(word, between);
		look_at(confining, arena_strndup(confining->arena, word, length));
	}
}

/* Where a file is made or replaced: its folder, links followed; of a device or a pipe, itself. */
static void write_to(struct confining *confining, const char *path)
{
	struct arena *arena = confining->arena;
	struct stat status;
	char *real = realpath(path, NULL);
	const char *place = path_folder(arena, real ? real : path_absolute(arena, path));

	if (real && !stat(real, &status) && !S_ISREG(status.st_mode))
		place = path;
	vec_push(arena, &confining->sandbox.writes, arena_strdup(arena, place));
	free(real);
}

static bool named(const struct opt *option, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(option->name, *names))
			return true;
	return false;
}

static void look_at_options(struct confining *confining, const struct opt *option,
			    const void *request)
{
	static const char *const outputs[] = { "output", "trace", "write-baseline", "write", NULL };
	static const char *const outside[] = { "allow-outside", NULL };
	const char *path;
	bool given;

	for (; option->kind != OPT_END; option++) {
		const void *at = (const char *)request + option->offset;
		if (option->kind == OPT_TEXT && named(option, outputs)) {
			memcpy(&path, at, sizeof(path));
			if (path && strcmp(path, "-") != 0)
				write_to(confining, path);
		} else if (option->kind == OPT_FLAG && named(option, outside)) {
			memcpy(&given, at, sizeof(given));
			if (given)
				read_below(confining, "/");
		}
	}
}

void confine(const struct invocation *invocation, const struct command *command,
	     const void *request, int argc, char **argv)
{
	struct confining confining = { .arena = invocation->arena };
	const char *digest = getenv("GITHUB_STEP_SUMMARY");
	bool here = invocation->operands.has_rest;
	int i;

	for (i = 0; i < argc; i++) {
		look_into(&confining, argv[i]);
		here = here || !strcmp(argv[i], "-");
	}
	look_at_options(&confining, command->options, request);
	if (command->roams)
		read_below(&confining, "/");
	if (here || !confining.named)
		read_folder(&confining, path_absolute(invocation->arena, "."));
	if (digest && *digest)
		write_to(&confining, digest);
	if (command->starts && command->starts(invocation, request)) {
		confining.sandbox.programs = true;
		vec_push(invocation->arena, &confining.sandbox.writes, TEMPORARY);
	}
	sandbox_enter(&confining.sandbox);
}

const char *confine_means(struct arena *arena)
{
	const struct sandbox_means means = sandbox_means();

	if (!means.landlock && !means.filter)
		return "none: neither Landlock nor seccomp in this kernel or build";
	if (!means.landlock)
		return "seccomp; no Landlock in this kernel, so that files are not bounded";
	return arena_printf(arena, "Landlock %d%s", means.landlock,
			    means.filter ? ", seccomp" : "; no seccomp on this machine");
}
