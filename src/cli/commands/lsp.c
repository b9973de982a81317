#include "base/die.h"
#include "base/path.h"
#include "cli/command.h"
#include "lsp/server.h"
#include "version.h"

#include <unistd.h>

struct request {
	struct config_request config;
};

static const struct opt options[] = {
	CONFIG_OPTIONS(struct request),
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0 },
};

static int run(struct invocation *invocation, void *memory)
{
	const struct config_request *request = &((const struct request *)memory)->config;
	struct overrides *overrides = arena_new(invocation->arena, struct overrides);
	const struct lsp_options given = {
		.overrides = overrides,
		.settings = request->settings ? path_absolute(invocation->arena, request->settings)
					      : NULL,
		.no_settings = request->no_settings,
		.sandbox = invocation->sandbox,
	};

	if (isatty(STDIN_FILENO))
		die("lsp: talks to an editor, not to a terminal (docs/editors.md says how one "
		    "starts it)");
	config_overrides(invocation, request, overrides);
	if (overrides->launcher)
		overrides->launcher = path_absolute(invocation->arena, overrides->launcher);
	return lsp_serve(invocation->arena, &given, VERSION);
}

const struct command command_lsp = {
	.name = "lsp",
	.summary = "the language server, which editors start",
	.operands = "",
	.details =
		"Speaks the Language Server Protocol over stdin and stdout: findings as one "
		"types,\n"
		"quick fixes, what a key does and where its value comes from, completion of keys\n"
		"and values, definitions over includes and parents, what -1 comes to and the\n"
		"groups that a degree makes, the outline. docs/editors.md has the lines for\n"
		"Neovim and VS Code. Options hold for every file that is opened.\n\n"
		"Each look at a file is made in a process of its own, which may read the file's\n"
		"repository alone; when one crashes or takes more than 20 s, the server says so\n"
		"and goes on.\n\n"
		"Exit status: 0 after shutdown and exit; 1 when the editor went without; 2 where\n"
		"what it is told is not the protocol.",
	.examples = "  parplan lsp --world 16 < /dev/null",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
	.roams = true,
};
