#include "base/die.h"
#include "base/text.h"
#include "cli/command.h"
#include "framework/version.h"
#include "input/project.h"
#include "report/schema/schema.h"
#include "rules/expect.h"
#include "rules/project.h"

#include <string.h>

struct request {
	const char *framework;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "framework", "NAME@VERSION", NULL,
	  "the framework's files at this version: torchtitan@v0.2.0; without @, at any",
	  offsetof(struct request, framework) },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0 },
};

/* "parplan, .parplan.yaml, torchtitan, ...": what there is a schema of. */
static const char *names_of_all(struct arena *arena)
{
	const char *names = PROJECT_FILE;
	const struct dialect *const *row;

	for (row = dialects; *row; row++)
		if ((*row)->vocabulary)
			names = arena_join(arena, names, ", ", (*row)->name);
	return names;
}

_Noreturn static void refuse(struct arena *arena, const char *what, const char *name)
{
	VEC(const char *) names = { 0 };
	const struct dialect *const *row;
	const char *near;

	for (row = dialects; *row; row++)
		vec_push(arena, &names, (*row)->name);
	near = text_nearest(name, names.items, names.count);
	if (near && dialect_find(near)->vocabulary)
		die("schema: no files of a %s '%s'; did you mean '%s'?", what, name, near);
	die("schema: no files of a %s '%s'; there are %s", what, name, names_of_all(arena));
}

/* The dialect that a framework's files are in. */
static const struct dialect *dialect_of(struct arena *arena, const char *framework)
{
	const struct dialect *const *row;

	for (row = dialects; *row; row++)
		if ((*row)->vocabulary && (*row)->framework &&
		    !strcmp((*row)->framework, framework))
			return *row;
	refuse(arena, "framework", framework);
}

static const char *described(struct arena *arena, const struct dialect *dialect,
			     const char *version)
{
	const char *of = "";

	if (version)
		of = arena_printf(arena, ", as %s %s reads them", dialect->framework, version);
	else if (dialect->as_of)
		of = arena_printf(arena, ", as of %s %s", dialect->framework, dialect->as_of);
	return arena_join(arena, dialect->summary, of, "");
}

static void of_dialect(struct schema *schema, struct arena *arena, const struct dialect *dialect,
		       const char *pin)
{
	struct version version = { .low = 0, .when = MOMENT_LATEST };
	const char *text = pin;

	if (pin && !version_parse(arena, dialect->framework, pin, &version))
		die("schema: %s has no version '%s' that is known by its keys", dialect->framework,
		    pin);
	vocabulary_of(&schema->vocabulary, arena, dialect, pin ? version.when : 0, version.when,
		      NULL);
	if (dialect->holds_expect)
		expect_vocabulary(&schema->vocabulary);
	schema->title = dialect->name;
	schema->description = described(arena, dialect, text);
}

static void of_project(struct schema *schema, struct arena *arena)
{
	project_vocabulary(&schema->vocabulary, arena);
	project_rule_names(&schema->vocabulary);
	schema->title = PROJECT_FILE;
	schema->description = "what a repository settles for all its configs";
}

/* The dialect that the operand or --framework names; *version as it was given, or NULL. */
static const struct dialect *named(const struct invocation *invocation,
				   const struct request *request, const char **version)
{
	const char *name = invocation->operands.count ? invocation->operands.items[0] : NULL;
	const struct dialect *dialect;
	const char *at;

	*version = NULL;
	if (request->framework) {
		if (name)
			die("schema: takes a DIALECT or --framework, not both");
		at = strchr(request->framework, '@');
		*version = at ? at + 1 : NULL;
		return dialect_of(invocation->arena,
				  arena_strndup(invocation->arena, request->framework,
						strcspn(request->framework, "@")));
	}
	if (!name)
		return dialect_find("parplan");
	dialect = dialect_find(name);
	if (!dialect || !dialect->vocabulary)
		refuse(invocation->arena, "dialect", name);
	return dialect;
}

static int run(struct invocation *invocation, void *memory)
{
	const struct request *request = memory;
	const struct operands *operands = &invocation->operands;
	struct schema schema = { 0 };
	const struct dialect *dialect;
	const char *version;

	if (operands->count > 1)
		die("schema: takes one DIALECT, not %zu", operands->count);
	if (operands->count && !request->framework && !strcmp(operands->items[0], PROJECT_FILE)) {
		of_project(&schema, invocation->arena);
	} else {
		dialect = named(invocation, request, &version);
		of_dialect(&schema, invocation->arena, dialect, version);
	}
	report_schema(&schema, invocation->out);
	return EXIT_CLEAN;
}

const struct command command_schema = {
	.name = "schema",
	.summary = "the keys of a kind of config, as a JSON Schema for editors",
	.operands = "[DIALECT]",
	.details =
		"Prints a JSON Schema (draft 7) of the native config, of .parplan.yaml, or of a\n"
		"framework's own files (parplan explain --dialects lists them): keys, types,\n"
		"words, defaults, what each does, and which are gone by which day. It is made of\n"
		"the tables that check reads by, and accepts what check accepts. Of TorchTitan "
		"all\n"
		"keys are known, by version; of other frameworks those that a job depends on:\n"
		"others pass, but for names that are one slip away from a degree or a batch "
		"size.\n\n"
		"docs/editors.md says how taplo, yaml-language-server and VS Code take it.",
	.examples = "  parplan schema > parplan.schema.json\n"
		    "  parplan schema .parplan.yaml > /dev/null\n"
		    "  parplan schema deepspeed > /dev/null\n"
		    "  parplan schema --framework torchtitan@v0.2.0 > /dev/null",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
