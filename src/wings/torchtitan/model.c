#include "base/preset.h"
#include "base/text.h"
#include "input/launch/launch.h"
#include "input/node.h"
#include "wings/torchtitan/functions.h"
#include "wings/torchtitan/program.h"
#include "wings/torchtitan/reader.h"

#include <ctype.h>
#include <string.h>

/*
 * Which model a TorchTitan config trains: model.name and model.flavor, or from 9810191bb on the
 * registry function of --module and --config. Families without presets are experiments.
 */

/* Families of TorchTitan that have presets; other presets are of models it does not have. */
static const char *const families[] = { "llama2",      "llama3", "llama4", "deepseek_v2",
					"deepseek_v3", "qwen3",	 "gpt_oss" };

bool titan_has_family(const char *family)
{
	size_t i;

	for (i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (!strcmp(families[i], family))
			return true;
	return false;
}

static bool is_string(const struct node *node)
{
	return node && node->kind == NODE_SCALAR && node->type == SCALAR_STRING;
}

/* The string at `path`, else the default of that moment. */
static const char *text_at(const struct titan_reader *reader, const char *path,
			   const struct node **node)
{
	const struct titan_key *key = titan_key_at(path, reader->when);

	*node = node_find(reader->document->root, path);
	if (is_string(*node))
		return (*node)->text;
	*node = NULL;
	return key ? key->fallback : NULL;
}

/* True when `flavor` in the registry's spelling begins `function`: "0.6B" is 0_6b. */
static bool spells(const char *function, const char *flavor, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		char c = (char)tolower((unsigned char)flavor[i]);
		if (c == '.' || c == '-')
			c = '_';
		if (function[i] != c)
			return false;
	}
	return !function[length] || function[length] == '_';
}

/* The preset of a registry function: llama3_8b of module llama3 is llama3-8b. */
static const char *registry_preset(struct arena *arena, const char *module, const char *function)
{
	const char *prefix = arena_printf(arena, "models/%s-", module);
	const struct preset *preset;
	const char *best = NULL;
	size_t longest = 0;

	if (text_starts(function, module) && function[strlen(module)] == '_')
		function += strlen(module) + 1;
	for (preset = presets; preset->path; preset++) {
		const char *flavor = preset->path + strlen(prefix);
		size_t length;
		if (!text_starts(preset->path, prefix) || !text_ends(preset->path, ".yaml"))
			continue;
		length = strlen(flavor) - strlen(".yaml");
		if (length > longest && spells(function, flavor, length)) {
			longest = length;
			best = arena_printf(arena, "%s-%.*s", module, (int)length, flavor);
		}
	}
	return best;
}

static struct setting *put_text(struct titan_reader *reader, enum field_id field, const char *text,
				const struct node *node, const char *spelling)
{
	struct setting *setting =
		settings_put_text(reader->decoder.settings, field, text, ORIGIN_DEFAULT);

	setting->spelling = spelling;
	if (!node) {
		setting->note = arena_printf(reader->decoder.arena, "TorchTitan %s", reader->label);
		return setting;
	}
	setting->origin = node->origin == NODE_FROM_FLAG  ? ORIGIN_FLAG
			  : node->origin == NODE_FROM_SET ? ORIGIN_SET
							  : ORIGIN_GIVEN;
	setting->span = node->span;
	setting->key_span = node->key_span;
	return setting;
}

static void put_flagged(struct titan_reader *reader, enum field_id field, const char *text,
			const struct launch_flag *flag)
{
	struct setting *setting =
		settings_put_text(reader->decoder.settings, field, text, ORIGIN_FLAG);

	setting->span = flag->span;
	setting->key_span = flag->name_span;
	setting->spelling = "--config";
}

/* The family that was meant, misspelt by a letter or two; other names are models of one's own. */
static const char *misspelt_family(const struct titan_reader *reader, const char *family)
{
	const char *near = text_nearest(family, families, sizeof(families) / sizeof(*families));

	/* a module that extends the config may bring models, too; from 9810191bb on it is the
	 * model's */
	if (reader->extension && reader->reading != TITAN_PYTHON)
		return NULL;
	return near && text_same_digits(near, family) ? near : NULL;
}

static struct finding *report_family(struct titan_reader *reader, const char *name,
				     struct span span)
{
	struct finding *finding =
		finding_add(reader->decoder.findings, &rule_unknown_model, span,
			    "TorchTitan %s has no model \"%s\"", reader->label, name);

	finding_cap(finding, SEVERITY_WARNING);
	finding_actual(reader->decoder.findings, finding,
		       "unless the job registers a model of that name, it stops");
	return finding;
}

static void check_module(struct titan_reader *reader, const struct launch_flag *module)
{
	const char *near =
		titan_has_family(module->value) ? NULL : misspelt_family(reader, module->value);
	struct finding *finding;

	if (!near)
		return;
	finding = report_family(reader, module->value, module->span);
	finding_fix(reader->decoder.findings, finding, "write %s", near);
	finding_edit(reader->decoder.findings, finding, module->span, "%s", near);
}

static bool has_preset(struct arena *arena, const char *name)
{
	const char *path = arena_printf(arena, "models/%s.yaml", name);
	const struct preset *preset;

	for (preset = presets; preset->path; preset++)
		if (!strcmp(preset->path, path))
			return true;
	return false;
}

/* A function that the module's registry does not have; a fork may add it. */
static void report_function(struct titan_reader *reader, const char *module,
			    const struct launch_flag *config)
{
	struct arena *arena = reader->decoder.arena;
	struct findings *findings = reader->decoder.findings;
	const char *near = titan_function_like(arena, module, config->value, reader->when);
	struct finding *finding =
		finding_add(findings, &rule_unknown_model, config->span,
			    "the registry of %s in TorchTitan %s has no function %s", module,
			    reader->label, config->value);

	finding_cap(finding, SEVERITY_WARNING);
	finding_actual(
		findings, finding,
		"unless the job adds a function of that name, it stops; what it would set is "
		"not known");
	finding->speaker = arena_printf(arena, "torchtitan %s", reader->label);
	finding_quote(findings, finding,
		      "ValueError: Config function '%s' not found in "
		      "torchtitan.models.%s.config_registry.",
		      config->value, module);
	if (!near)
		return;
	finding_fix(findings, finding, "write %s", near);
	finding_edit(findings, finding, config->span, "%s", near);
}

/* What a function sets beyond the settings of ours. */
static void report_beyond(struct titan_reader *reader, const struct titan_function *function,
			  const struct launch_flag *config)
{
	struct finding *finding;

	if (!function->beyond)
		return;
	finding =
		finding_add(reader->decoder.findings, &rule_unknown_model, config->span,
			    "%s() sets what is not modelled: %s", function->name, function->beyond);
	finding_cap(finding, SEVERITY_NOTE);
	finding_actual(reader->decoder.findings, finding,
		       "groups and shards are as without it; memory and time may differ");
	finding_fix(reader->decoder.findings, finding,
		    "nothing is wrong; measure memory and time rather than forecast them");
}

/*
 * The model that a registry function trains, or NULL; settings that it makes are put. Where the
 * registry is not known the model is the one that the function's name spells.
 */
static const char *function_preset(struct titan_reader *reader, const char *module,
				   const struct launch_flag *config)
{
	struct arena *arena = reader->decoder.arena;
	const struct titan_function *function =
		titan_function_at(module, config->value, reader->when);
	const char *model;

	if (!function) {
		if (titan_module_at(module, reader->when))
			report_function(reader, module, config);
		return registry_preset(arena, module, config->value);
	}
	titan_function_settings(reader, function, NULL);
	report_beyond(reader, function, config);
	model = function->model ? text_lower(arena, function->model) : NULL;
	return model && has_preset(arena, model) ? model : NULL;
}

static void from_registry(struct titan_reader *reader, const struct launch *launch)
{
	struct arena *arena = reader->decoder.arena;
	const struct launch_flag *module = launch_find(launch, "module");
	const struct launch_flag *config = launch_find(launch, "config");
	struct finding *finding;
	const char *preset;

	if (reader->document->open_why)
		return;
	if (!module || !module->value || !config || !config->value) {
		bool none = !module || !module->value;
		struct span span = none && config ? config->span
				   : module	  ? module->span
						  : source_span(launch->source, 0, 0);
		finding = finding_add(reader->decoder.findings, &rule_unknown_flag, span,
				      "TorchTitan %s needs --module and --config", reader->label);
		finding->speaker = arena_printf(arena, "torchtitan %s", reader->label);
		if (none)
			finding_quote(reader->decoder.findings, finding,
				      "--module is required. Example: --module llama3 --config "
				      "llama3_debugmodel");
		return;
	}
	if (module->unresolved || config->unresolved)
		return;
	check_module(reader, module);
	preset = function_preset(reader, module->value, config);
	if (preset)
		put_flagged(reader, FIELD_MODEL_PRESET, preset, config);
	else
		put_flagged(reader, FIELD_EXPERIMENT,
			    arena_printf(arena, "%s %s", module->value, config->value), config);
}

/*
 * A flavour that changed has a preset for what it was: NAME-before-YYYYMMDD. The preset of that
 * moment, which is NAME itself when it never changed or has its present shape.
 */
static const char *preset_at(struct arena *arena, const char *name, moment_t when)
{
	const char *prefix = arena_printf(arena, "models/%s-before-", name);
	const size_t length = strlen(prefix);
	const struct preset *preset;
	int64_t day;

	for (preset = presets; preset->path; preset++)
		if (text_starts(preset->path, prefix) &&
		    text_to_int(arena_strndup(arena, preset->path + length, 8), &day) &&
		    when / 100 < day)
			return arena_printf(arena, "%s-before-%d", name, (int)day);
	return name;
}

/* "30b-a3b" as the registries write it, "30B-A3B"; llama4 and gpt_oss keep to lower case. */
static char *flavor_spelling(struct arena *arena, const char *family, const char *lower)
{
	char *text = arena_strdup(arena, lower);
	size_t i;

	if (!strcmp(family, "llama4") || !strcmp(family, "gpt_oss"))
		return text;
	for (i = 1; text[i]; i++)
		if (text[i] == 'b' && isdigit((unsigned char)text[i - 1]) &&
		    strchr("_-", text[i + 1]))
			text[i] = 'B';
		else if (text[i] == 'a' && text[i - 1] == '-' &&
			 isdigit((unsigned char)text[i + 1]))
			text[i] = 'A';
	return text;
}

bool titan_model_names(struct arena *arena, const char *preset, const char **name,
		       const char **flavor)
{
	const char *lower = text_lower(arena, preset), *dash = strchr(lower, '-');
	const char *before = strstr(lower, "-before-");

	if (!dash)
		return false;
	*name = arena_strndup(arena, lower, (size_t)(dash - lower));
	if (!titan_has_family(*name) || !strcmp(*name, "deepseek_v2"))
		return false;
	dash++;
	*flavor = flavor_spelling(
		arena, *name, before ? arena_strndup(arena, dash, (size_t)(before - dash)) : dash);
	return true;
}

struct flavors {
	VEC(const char *) list;
};

/* The flavours of a family, as the registries write them. */
static struct flavors flavors_of(struct arena *arena, const char *family)
{
	const char *prefix = arena_printf(arena, "models/%s-", family);
	const struct preset *preset;
	struct flavors flavors = { 0 };

	for (preset = presets; preset->path; preset++) {
		const char *name = preset->path + strlen(prefix);
		if (!text_starts(preset->path, prefix) || strstr(name, "-before-"))
			continue;
		name = arena_strndup(arena, name, strlen(name) - strlen(".yaml"));
		vec_push(arena, &flavors.list, flavor_spelling(arena, family, name));
	}
	return flavors;
}

/* The one of `flavors` that differs from `flavor` in nothing but case, or NULL. */
static const char *same_flavor(struct arena *arena, const struct flavors *flavors,
			       const char *flavor)
{
	const char *lower = text_lower(arena, flavor);
	size_t i;

	for (i = 0; i < flavors->list.count; i++)
		if (!strcmp(text_lower(arena, flavors->list.items[i]), lower))
			return flavors->list.items[i];
	return NULL;
}

/* The name that was meant, in the quotes of the one that stands there. */
static void fix_name(struct titan_reader *reader, struct finding *finding, const char *near,
		     const struct node *node)
{
	struct findings *findings = reader->decoder.findings;
	const char *quote = node->quoted && node->origin == NODE_FROM_FILE ? "\"" : "";

	finding_fix(findings, finding, "write \"%s\"", near);
	finding_edit(findings, finding, node->span, "%s%s%s", quote, near, quote);
}

static void list_flavors(struct titan_reader *reader, struct finding *finding,
			 const struct flavors *flavors)
{
	const char *known = "";
	size_t i;

	for (i = 0; i < flavors->list.count; i++)
		known = arena_printf(reader->decoder.arena, "%s%s%s", known, i ? ", " : "",
				     flavors->list.items[i]);
	finding_fix(reader->decoder.findings, finding, "use one of %s", known);
}

/* A flavour is a key of the registry's dictionary, to the letter. False when there is none. */
static bool check_flavor(struct titan_reader *reader, const char *family, const char *flavor,
			 const struct node *node)
{
	struct arena *arena = reader->decoder.arena;
	struct flavors flavors = flavors_of(arena, family);
	const char *same = same_flavor(arena, &flavors, flavor), *near = same;
	struct finding *finding;

	if (!node || (same && !strcmp(same, flavor)))
		return same != NULL;
	if (!near)
		near = text_nearest(flavor, flavors.list.items, flavors.list.count);
	if (near && !text_same_digits(near, flavor))
		near = NULL;
	finding = finding_add(reader->decoder.findings, &rule_unknown_model, node->span,
			      "%s has no flavor \"%s\"%s", family, flavor,
			      same ? ": upper and lower case matter" : "");
	if (reader->extension)
		finding_cap(finding, SEVERITY_WARNING);
	finding_quote(reader->decoder.findings, finding, "KeyError: '%s'", flavor);
	finding->speaker = arena_printf(arena, "torchtitan %s", reader->label);
	if (near)
		fix_name(reader, finding, near, node);
	else
		list_flavors(reader, finding, &flavors);
	return same != NULL;
}

static void check_name(struct titan_reader *reader, const char *family, const struct node *node)
{
	const char *near = node ? misspelt_family(reader, family) : NULL;

	if (near)
		fix_name(reader, report_family(reader, node->text, node->span), near, node);
}

static void from_name(struct titan_reader *reader, const char *name, const struct node *name_node,
		      const char *flavor, const struct node *flavor_node)
{
	struct arena *arena = reader->decoder.arena;
	const char *family = name ? text_lower(arena, name) : NULL;
	struct setting *preset;
	char *text;

	if (!name || !flavor)
		return;
	if (!titan_has_family(family)) {
		check_name(reader, family, name_node);
		put_text(reader, FIELD_EXPERIMENT, name, name_node, "model.name");
		return;
	}
	text = text_lower(arena, arena_printf(arena, "%s-%s", name, flavor));
	preset = put_text(reader, FIELD_MODEL_PRESET, preset_at(arena, text, reader->when),
			  flavor_node ? flavor_node : name_node, "model.flavor");
	preset->invalid = !check_flavor(reader, family, flavor, flavor_node);
	if (flavor_node && flavor_node->overridden && is_string(flavor_node->overridden)) {
		struct setting *before = arena_new(arena, struct setting);
		*before = *preset;
		before->text = text_lower(
			arena, arena_printf(arena, "%s-%s", name, flavor_node->overridden->text));
		before->origin = ORIGIN_GIVEN;
		before->span = flavor_node->overridden->span;
		preset->overridden = before;
	}
}

/* The model of a program of one's own: its model_spec, or that of the function it begins with. */
static void from_program(struct titan_reader *reader, const struct titan_program *program,
			 bool has_spec)
{
	struct arena *arena = reader->decoder.arena;
	const struct titan_function *function =
		program->base ? titan_function_at(program->module, program->base, reader->when)
			      : NULL;
	const char *model = function && function->model ? text_lower(arena, function->model) : NULL;
	struct setting *setting;

	if (function)
		titan_function_settings(reader, function, program);
	if (has_spec)
		return;
	if (titan_program_is_open(program) || titan_program_replaces(program, "model.attention") ||
	    !model || !has_preset(arena, model))
		model = NULL;
	setting = settings_put_text(reader->decoder.settings,
				    model ? FIELD_MODEL_PRESET : FIELD_EXPERIMENT,
				    model	    ? model
				    : program->name ? program->name
						    : "of its own",
				    ORIGIN_GIVEN);
	setting->span = program->span;
	setting->spelling = "model_spec";
}

void titan_model(struct titan_reader *reader)
{
	const struct titan_program *program = reader->program;
	const struct node *name_node, *flavor_node, *spec;
	const struct launch *launch = reader->document->launch;
	const char *name, *flavor;

	if (reader->reading == TITAN_PYTHON) {
		spec = node_find(reader->document->root, "model_spec");
		name_node = node_member(spec, "name");
		flavor_node = node_member(spec, "flavor");
		if (program)
			from_program(reader, program, name_node && flavor_node);
		if (is_string(name_node) && is_string(flavor_node))
			from_name(reader, name_node->text, name_node, flavor_node->text,
				  flavor_node);
		else if (program)
			return;
		else if (launch && (!reader->document->root->first ||
				    launch_find(launch, "module") || launch_find(launch, "config")))
			from_registry(reader, launch);
		return;
	}
	name = text_at(reader, "model.name", &name_node);
	flavor = text_at(reader, "model.flavor", &flavor_node);
	from_name(reader, name, name_node, flavor, flavor_node);
}
