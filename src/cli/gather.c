#include "cli/gather.h"

#include "base/die.h"

void gather_evidence(const struct invocation *invocation, const char *command,
		     const char *const *paths, size_t count, struct capture *capture)
{
	const char *error;
	size_t i;

	evidence_init(capture, invocation->arena);
	for (i = 0; i < count; i++) {
		error = evidence_read(capture, paths[i]);
		if (error)
			die("%s: %s: %s", command, paths[i], error);
	}
}
