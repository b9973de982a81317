#include "cli/topic.h"

#include <string.h>

static const struct topic_entry comments[] = {
	{ "# parplan: ignore=RULE[,RULE...]",
	  "Silences those rules on this line, or on the next when it stands alone." },
	{ "# parplan: expect KEY=VALUE",
	  "Expects this of the plan, as a line below expect: would; for files that have no such "
	  "block." },
	{ NULL, NULL },
};

static const struct topic_entry environment[] = {
	{ "NO_COLOR", "Not empty: no colour, unless --color=always." },
	{ "FORCE_COLOR", "Not empty and not 0: colour even where the output is not a terminal." },
	{ "TERM", "dumb: no colour and no progress." },
	{ "COLUMNS", "Width of text output, of a pipe, too; else that of the terminal. Without "
		     "either nothing is wrapped." },
	{ "GITHUB_STEP_SUMMARY",
	  "A file to which check --format github appends its report in Markdown." },
	{ NULL, NULL },
};

static const struct topic_entry exit_status[] = {
	{ "0", "Nothing to complain about, or only findings below --fail-on." },
	{ "1",
	  "Findings at or above --fail-on (by default errors), or with --strict a file that is "
	  "not judged in full; sim: the job does not fit; diff: something differs; why, as grep "
	  "has it: no text is known." },
	{ "2", "The job could not be done: unknown command or option, a file that cannot be read, "
	       "output that cannot be written." },
	{ "130", "Ctrl-C, as of any program; the only end of check --watch." },
	{ NULL, NULL },
};

static const struct topic_entry files[] = {
	{ ".parplan.yaml",
	  "The project's settings: the nearest one in the config's folder or above, up to the "
	  "folder that holds .git. framework, a list of NAME@VERSION; cluster, as in a config; "
	  "world, a number; both may map patterns of paths to their values. rules, a map from "
	  "rules "
	  "to off, note, warning or error; ignore, a list of rules; exclude, patterns of paths; "
	  "baseline, a file; fail-on; strict, true or false. Options win over the config, and the "
	  "config over it. --config names another file, --no-config none." },
	{ "requirements.txt, pyproject.toml, uv.lock",
	  "Beside a framework's own config: exact versions of torch and the framework, when "
	  "nothing else names them." },
	{ "-", "The standard input, in place of a file." },
	{ NULL, NULL },
};

static const struct topic_entry versions[] = {
	{ "torchtitan@v0.2.0", "A tag." },
	{ "torchtitan@d7cabfb6c", "A commit, seven digits or more; with ^ the one before it." },
	{ "torchtitan@2024-11-01", "What main was on that day." },
	{ "torchtitan@latest", "The newest commit known (parplan explain torchtitan lists them)." },
	{ "torchtitan@v0.1.0..HEAD", "For diff: every change between two versions." },
	{ "torch@2.9", "A release of PyTorch; torch@2.11.0.dev20251221 is a nightly." },
	{ NULL, NULL },
};

const struct topic topics[] = {
	{ "exit-status", "exit status",
	  "Whatever is wrong inside a file, syntax errors included, is a finding, never status 2; "
	  "but diff cannot compare a file that it cannot read as a config.",
	  exit_status },
	{ "versions", "versions",
	  "They are given to --framework, or as framework: in a config or .parplan.yaml. By "
	  "default it is the newest that knows every key of the file.",
	  versions },
	{ "comments", "comments in a config", NULL, comments },
	{ "files", "files", NULL, files },
	{ "environment", "environment", NULL, environment },
	{ NULL, NULL, NULL, NULL },
};

const struct topic *topic_find(const char *name)
{
	const struct topic *topic;

	for (topic = topics; topic->name; topic++)
		if (!strcmp(topic->name, name))
			return topic;
	return NULL;
}
