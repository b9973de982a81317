#include "cli/gather.h"

#include "base/die.h"
#include "base/outward.h"

/* Whether any of the files was of a known kind. */
static bool is_any_known(const struct capture *capture)
{
	size_t i;

	for (i = 0; i < capture->files.count; i++)
		if (capture->files.items[i].source)
			return true;
	return false;
}

/* A file that was read and is of no known kind is not the trouble of the others. */
static void set_aside(struct capture *capture, const char *path, const char *why)
{
	struct evidence_intake intake = { .capture = capture,
					  .file = (int32_t)capture->files.count - 1 };

	evidence_limit(&intake, "FILE_UNKNOWN", arena_join(capture->arena, path, " ", why));
}

bool gather_unpacks(const struct invocation *invocation, const void *request)
{
	size_t i;

	(void)request;
	for (i = 0; i < invocation->operands.count; i++)
		if (evidence_packed(invocation->operands.items[i]))
			return true;
	return false;
}

const char *gather_known(const struct invocation *invocation, const char *command,
			 const char *const *paths, size_t count, struct capture *capture)
{
	const char *error, *first = NULL, *of = NULL;
	size_t i, files;

	evidence_init(capture, invocation->arena);
	for (i = 0; i < count; i++) {
		files = capture->files.count;
		error = evidence_read(capture, paths[i]);
		if (!error)
			continue;
		if (capture->files.count == files)
			die("%s: %s: %s", command, paths[i], error);
		set_aside(capture, paths[i], error);
		of = first ? of : paths[i];
		first = first ? first : error;
	}
	if (capture->failed)
		die("%s: cannot read all of %s", command, capture->failed);
	return first && !is_any_known(capture) ? arena_join(capture->arena, of, ": ", first) : NULL;
}

int gather_status(const struct capture *capture, const char *command, int status)
{
	if (!capture->cut)
		return status;
	outward_say("%s: cannot read all of %s", command, capture->cut);
	return EXIT_TROUBLE;
}

void gather_evidence(const struct invocation *invocation, const char *command,
		     const char *const *paths, size_t count, struct capture *capture)
{
	const char *error = gather_known(invocation, command, paths, count, capture);

	if (error)
		die("%s: %s", command, error);
}
