#include "wings/torchtitan/program.h"

#include "base/text.h"
#include "input/field.h"
#include "input/launch/form.h"
#include "wings/torchtitan/functions.h"
#include "wings/torchtitan/reader.h"

#include <ctype.h>
#include <string.h>

/*
 * Config functions of one's own (pytorch/torchtitan@b5bcd76c6 docs: a function of a module that
 * --module names, which returns Trainer.Config): what they call and set is read off the tree of
 * the Python reader (input/syntax/reader.h) and laid out as the JSON that the framework writes.
 */

struct reading {
	struct document *document;
	struct titan_program *program;
	struct node *root; /* the config's tree */
};

static const char *callee(const struct node *node)
{
	const struct node *name = node_member(node, "()");

	return name ? name->text : NULL;
}

static const char *last_part(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

/* "llama3" of ".../models/llama3/config_registry.py": what relative imports begin at; or NULL. */
static const char *family_of_path(struct arena *arena, const char *path)
{
	const char *at = strstr(path, "models/"), *name = at ? at + strlen("models/") : "";
	const size_t length = strcspn(name, "/");

	return name[length] ? arena_strndup(arena, name, length) : NULL;
}

/* The family whose package a dotted name is of: torchtitan.models.NAME.x, or .x beside it. */
static const char *family_of(const struct document *document, const struct node *node,
			     const char *dotted)
{
	static const char package[] = "torchtitan.models.";

	if (text_starts(dotted, package)) {
		dotted += strlen(package);
		return arena_strndup(document->arena, dotted, strcspn(dotted, "."));
	}
	return *dotted == '.' && dotted[1] != '.'
		       ? family_of_path(document->arena, node->span.source->place)
		       : NULL;
}

/* The registry function that the object is made by: its module, or NULL. */
static const char *registry_of(const struct document *document, const struct node *made)
{
	const char *name = callee(made), *module = name ? family_of(document, made, name) : NULL;

	return module && titan_function_ever(module, last_part(name)) ? module : NULL;
}

/* Trainer.Config, or a class of one's own that adds to it. */
static bool is_trainer(const char *name)
{
	return text_ends(name, "Trainer.Config") || text_ends(name, "TrainerConfig");
}

/* What a function makes is one by its class, by what it begins with, or by what is set of it. */
static bool is_config(const struct document *document, const struct node *made)
{
	const char *name = callee(made);

	return name && (is_trainer(name) || registry_of(document, made) ||
			node_member(made, "parallelism") ||
			(node_member(made, "model_spec") && node_member(made, "training")));
}

bool titan_program_is(const struct document *document)
{
	const struct node *made;

	for (made = document->program ? document->root->first : NULL; made; made = made->next)
		if (made->kind == NODE_MAP && is_config(document, made))
			return true;
	return false;
}

/* ---- what is not known ---- */

static void leave(struct reading *reading, const char *section, const char *why, struct span span)
{
	const struct titan_open open = { section, why, span };

	vec_push(reading->document->arena, &reading->program->open, open);
}

static const char *makes(struct reading *reading, const char *name)
{
	return arena_join(reading->document->arena, "what ", name, "() makes is not in this file");
}

/* ---- parts of the config ---- */

static void say(struct reading *reading, const char *key, struct node *value)
{
	const struct titan_said said = { key, node_copy(reading->document->arena, value) };

	vec_push(reading->document->arena, &reading->program->said, said);
}

static void say_text(struct reading *reading, const char *key, enum scalar_type type,
		     const char *text, struct span span)
{
	struct node *value = node_scalar(reading->document->arena, type, text, span);

	value->boolean = *text == 't';
	say(reading, key, value);
}

/* Why the value is none that the tree of a config has, or NULL. */
static const char *beyond_plain(struct arena *arena, const struct node *value)
{
	const struct node *item;

	if (value->kind == NODE_MAP)
		return callee(value) ? arena_join(arena, "what ", callee(value), "() makes")
				     : "a dict";
	for (item = value->kind == NODE_LIST ? value->first : NULL; item; item = item->next)
		if (item->kind != NODE_SCALAR || item->unresolved)
			return "a list that is not plain";
	return NULL;
}

static void put(struct reading *reading, const char *path, struct node *value)
{
	struct arena *arena = reading->document->arena;
	const char *why = beyond_plain(arena, value);
	struct node *copy =
		why ? node_scalar(arena, SCALAR_STRING, why, value->span) : node_copy(arena, value);

	if (value->kind == NODE_MAP && (!value->first || !titan_key_ever(path)))
		return; /* it is only read, or a part of its own, on which no plan depends */
	copy->unresolved = why ? why : copy->unresolved;
	copy->key_span = value->key_span;
	node_put(arena, reading->root, path, copy);
}

static void put_section(struct reading *reading, const struct node *part)
{
	struct arena *arena = reading->document->arena;
	const char *class = callee(part);
	struct node *child;

	if (class && !isupper((unsigned char)*last_part(class))) {
		leave(reading, part->key, makes(reading, class), part->span);
		return;
	}
	for (child = part->first; child; child = child->next) {
		if (child->key[0] == '*' || child->key[0] == '#')
			leave(reading, part->key, child->text ? child->text : "not by keyword",
			      child->span);
		else if (child->key[0] != '(')
			put(reading, arena_join(arena, part->key, ".", child->key), child);
	}
}

/* The class is the mode; before 2026-06-15 it is a keyword. */
static void put_checkpointing(struct reading *reading, const struct node *part)
{
	static const char *const classes[][2] = { { "FullAC.Config", "full" },
						  { "SelectiveAC.Config", "selective" },
						  { "MemoryBudgetAC.Config", "memory_budget" } };
	const char *class = callee(part);
	size_t i;

	for (i = 0; class && i < sizeof(classes) / sizeof(classes[0]); i++)
		if (text_ends(class, classes[i][0]))
			say_text(reading, "training.activation_checkpoint.mode", SCALAR_STRING,
				 classes[i][1], part->span);
	if (class && !text_ends(class, "ActivationCheckpointConfig") &&
	    !text_ends(class, "AC.Config"))
		leave(reading, part->key, makes(reading, class), part->span);
	else
		put_section(reading, part);
}

/* What Float8LinearConverter.Config is told. */
static void put_float8(struct reading *reading, const struct node *converter)
{
	static const char *const keywords[][2] = {
		{ "recipe_name", "training.float8.recipe" },
		{ "enable_fsdp_float8_all_gather", "training.float8.fsdp_all_gather" },
		{ "precompute_float8_dynamic_scale_for_fsdp", "training.float8.precompute_scale" },
		{ "emulate", "training.float8.emulate" },
		{ "filter_fqns", "training.float8.filter_fqns" },
	};
	struct node *value;
	size_t i;

	say_text(reading, "training.float8.enabled", SCALAR_BOOL, "true", converter->span);
	for (i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		value = node_member(converter, keywords[i][0]);
		if (value && beyond_plain(reading->document->arena, value))
			leave(reading, "converters", value->text ? value->text : keywords[i][0],
			      value->span);
		else if (value)
			say(reading, keywords[i][1], value);
	}
}

/* Converters of layers: float8 is a setting; what others do is not known. */
static void put_converters(struct reading *reading, const struct node *list)
{
	const struct node *item;

	for (item = list && list->kind == NODE_LIST ? list->first : NULL; item; item = item->next)
		if (callee(item) && text_ends(callee(item), "Float8LinearConverter.Config"))
			put_float8(reading, item);
		else
			leave(reading, "converters", "a converter that is not read", item->span);
	if (list && list->kind != NODE_LIST)
		leave(reading, "converters", "a list of converters that is not plain", list->span);
}

static bool names_flavor(const struct node *part, const struct node *flavor)
{
	return !strcmp(last_part(callee(part)), "model_registry") && flavor &&
	       flavor->kind == NODE_SCALAR && !flavor->unresolved && !node_member(part, "*");
}

/* model_registry("8B", attn_backend="flex") of a family's package. */
static void put_model(struct reading *reading, const struct node *part)
{
	const char *name = callee(part);
	const char *family = name ? family_of(reading->document, part, name) : NULL;
	const struct node *flavor = node_member(part, "#0");
	struct node *attention = node_member(part, "attn_backend"), *model;
	struct node *dispatcher = node_member(part, "moe_comm_backend");

	flavor = flavor ? flavor : node_member(part, "flavor");
	if (!family || !names_flavor(part, flavor)) {
		leave(reading, "model_spec", name ? makes(reading, name) : "set in part",
		      part->span);
		return;
	}
	model = node_scalar(reading->document->arena, SCALAR_STRING, family, part->span);
	put(reading, "model_spec.name", model);
	put(reading, "model_spec.flavor", node_member(part, flavor->key));
	if (attention && attention->kind == NODE_SCALAR)
		say(reading, "model.attention", attention);
	if (dispatcher && dispatcher->kind == NODE_SCALAR && !dispatcher->unresolved &&
	    words_have("deepep|hybridep|minimal_async_ep", dispatcher->text))
		say(reading, "parallelism.expert_dispatcher", dispatcher);
	put_converters(reading, node_member(part, "converters"));
}

/*
 * default_adamw(lr=...) is the framework's own, and so is its container's config, which has a name
 * and an implementation; parameter groups of one's own are not read.
 */
static void put_optimizer(struct reading *reading, const struct node *part)
{
	const char *class = callee(part);
	struct node *name = node_member(part, "name"), *how = node_member(part, "implementation");
	const bool adamw = class && !strcmp(last_part(class), "default_adamw");

	if (!class || node_member(part, "param_groups") || node_member(part, "*") ||
	    (!adamw && !text_ends(class, "OptimizersContainer.Config"))) {
		leave(reading, part->key, class ? makes(reading, class) : "set in part",
		      part->span);
		return;
	}
	if (name && name->kind == NODE_SCALAR)
		say(reading, "training.optimizer.name", name);
	if (how && how->kind == NODE_SCALAR)
		say(reading, "training.optimizer.implementation", how);
}

static void put_part(struct reading *reading, struct node *part)
{
	if (part->kind == NODE_MAP && !part->first)
		return; /* it is only read */
	if (part->kind != NODE_SCALAR && callee(part))
		vec_push(reading->document->arena, &reading->program->whole, part->key);
	if (part->kind == NODE_SCALAR && !part->unresolved) {
		if (!strcmp(part->key, "activation_checkpoint") && part->type == SCALAR_NULL)
			say_text(reading, "training.activation_checkpoint.mode", SCALAR_STRING,
				 "none", part->span);
	} else if (part->kind != NODE_MAP) {
		leave(reading, part->key, part->kind == NODE_SCALAR ? part->unresolved : "a list",
		      part->span);
	} else if (!strcmp(part->key, "activation_checkpoint")) {
		put_checkpointing(reading, part);
	} else if (!strcmp(part->key, "model_spec")) {
		put_model(reading, part);
	} else if (!strcmp(part->key, "model_converters")) {
		put_converters(reading, node_member(part, "converters"));
	} else if (!strcmp(part->key, "optimizer")) {
		put_optimizer(reading, part);
	} else {
		put_section(reading, part);
	}
}

/* A class of one's own may default to something else. */
static void leave_defaults(struct reading *reading, const struct node *made)
{
	static const char *const sections[] = { "parallelism", "training", "compile",
						"activation_checkpoint", "optimizer" };
	size_t i;

	for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (!node_member(made, sections[i]))
			leave(reading, sections[i],
			      arena_join(reading->document->arena, callee(made),
					 " may default to any", ""),
			      made->span);
}

static void put_config(struct reading *reading, const struct node *made)
{
	const char *module = registry_of(reading->document, made);
	struct node *part;

	reading->program->span = made->span;
	if (module) {
		reading->program->module = module;
		reading->program->base = last_part(callee(made));
	} else if (!is_trainer(callee(made))) {
		leave(reading, NULL, makes(reading, callee(made)), made->span);
	}
	for (part = made->first; part; part = part->next) {
		if (part->key[0] == '*' || part->key[0] == '#')
			leave(reading, NULL, part->text ? part->text : "not by keyword",
			      part->span);
		else if (part->key[0] != '(')
			put_part(reading, part);
	}
	if (text_ends(callee(made), "TrainerConfig"))
		leave_defaults(reading, made);
}

/* ---- which function, of which file ---- */

/* The function that --config names, else the only one. */
static const struct node *choose(struct reading *reading, const struct node *functions)
{
	const struct launch_flag *config = launch_find(reading->document->launch, "config");
	struct arena *arena = reading->document->arena;
	const struct node *made, *only = NULL;
	int count = 0;

	if (config && config->value && !config->unresolved)
		return node_member(functions, arena_join(arena, config->value, "()", ""));
	for (made = functions->first; made; made = made->next)
		if (made->kind == NODE_MAP && made->origin == NODE_FROM_FILE &&
		    is_config(reading->document, made)) {
			only = made;
			count++;
		}
	return count == 1 ? only : NULL;
}

static struct titan_program *read_functions(struct document *document, const struct node *functions)
{
	struct reading reading = { .document = document,
				   .program = arena_new(document->arena, struct titan_program),
				   .root = node_container(document->arena, NODE_MAP,
							  functions->span) };
	const struct node *made = choose(&reading, functions);
	struct node *child, *next;

	if (made && callee(made)) {
		reading.program->name = made->key;
		put_config(&reading, made);
	} else {
		leave(&reading, NULL, "which of its functions runs: -- --config NAME",
		      functions->first ? functions->first->key_span : functions->span);
	}
	for (child = document->root->first; child && document->program; child = next) {
		next = child->next;
		if (child->origin == NODE_FROM_FILE)
			node_remove(child);
	}
	node_merge(document->arena, document->root, reading.root);
	return reading.program;
}

/* The file of a module of one's own: a/b/config_registry.py, or a/b.py. */
static struct node *module_file(struct document *document, const char *module,
				struct findings *findings)
{
	static const char *const ends[] = { "/config_registry.py", ".py" };
	struct arena *arena = document->arena;
	char *path = arena_strdup(arena, module), *at;
	struct node *root = NULL;
	size_t i;

	for (at = path; *at; at++)
		*at = *at == '.' ? '/' : *at;
	for (i = 0; i < 2 && !root; i++)
		root = launch_load(document, document->launch, arena_join(arena, path, ends[i], ""),
				   findings);
	return root && root->first ? root : NULL;
}

struct titan_program *titan_program_read(struct document *document, struct findings *findings)
{
	const struct launch_flag *module = launch_find(document->launch, "module");
	struct node *functions = NULL;

	if (document->program)
		return read_functions(document, document->root);
	if (module && module->value && !module->unresolved && !titan_module_ever(module->value) &&
	    !document->root->first)
		functions = module_file(document, module->value, findings);
	return functions ? read_functions(document, functions) : NULL;
}

bool titan_program_is_open(const struct titan_program *program)
{
	size_t i;

	for (i = 0; i < program->open.count; i++)
		if (!program->open.items[i].section)
			return true;
	return false;
}

/* ---- into settings ---- */

/* The section of the config that makes a setting of functions.def. */
static const char *section_of(struct arena *arena, const char *key)
{
	static const char *const sections[][2] = {
		{ "training.activation_checkpoint.", "activation_checkpoint" },
		{ "training.optimizer.", "optimizer" },
		{ "training.float8.", "model_spec" },
		{ "model.attention", "model_spec" },
		{ "parallelism.expert_dispatcher", "model_spec" },
	};
	size_t i;

	for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (text_starts(key, sections[i][0]))
			return sections[i][1];
	return arena_strndup(arena, key, strcspn(key, "."));
}

bool titan_program_replaces(const struct titan_program *program, const char *key)
{
	struct arena arena;
	bool replaces = false;
	size_t i;

	arena_init(&arena);
	for (i = 0; program && i < program->whole.count && !replaces; i++)
		replaces = !strcmp(program->whole.items[i], section_of(&arena, key));
	arena_release(&arena);
	return replaces;
}

static void open_field(struct settings *settings, enum field_id field,
		       const struct titan_open *open)
{
	struct setting *setting = settings_of(settings, field);

	if (field == FIELD_COUNT || setting->origin == ORIGIN_FLAG ||
	    setting->origin == ORIGIN_SET || setting->origin == ORIGIN_GIVEN)
		return;
	setting->unresolved = open->why;
	setting->invalid = true;
	setting->spelling = field_of(field)->key;
	setting->span = open->span;
}

static void open_section(struct titan_reader *reader, const struct titan_open *open)
{
	static const struct {
		const char *section;
		enum field_id field;
	} others[] = {
		{ "activation_checkpoint", FIELD_AC_MODE },
		{ "activation_checkpoint", FIELD_AC_OPTION },
		{ "optimizer", FIELD_OPTIMIZER_NAME },
		{ "optimizer", FIELD_OPTIMIZER_IMPLEMENTATION },
		{ "optimizer", FIELD_OPTIMIZER_IN_BACKWARD },
		{ "converters", FIELD_FLOAT8_ENABLED },
		{ "model_spec", FIELD_FLOAT8_ENABLED },
		{ "model_spec", FIELD_MODEL_ATTENTION },
	};
	struct settings *settings = reader->decoder.settings;
	size_t i;

	for (i = 0; i < titan_key_count; i++) {
		const size_t length = strcspn(titan_keys[i].name, ".");
		if (titan_keys[i].field != FIELD_COUNT &&
		    titan_key_known(&titan_keys[i], reader->when) &&
		    (!open->section || (strlen(open->section) == length &&
					!strncmp(titan_keys[i].name, open->section, length))))
			open_field(settings, titan_keys[i].field, open);
	}
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!open->section || !strcmp(open->section, others[i].section))
			open_field(settings, others[i].field, open);
}

static void report_open(struct titan_reader *reader, const struct titan_program *program)
{
	struct findings *findings = reader->decoder.findings;
	const struct titan_open *first = &program->open.items[0];
	struct finding *finding;

	finding = finding_add(findings, &rule_unresolved_value, first->span,
			      "%s is read in part: %s is not known (%.80s)",
			      program->name ? program->name : "the program",
			      first->section ? first->section : "the config", first->why);
	if (!program->name)
		finding_fix(findings, finding,
			    "say which: parplan check FILE -- --module NAME --config FUNCTION");
	else
		finding_fix(
			findings, finding,
			"let the framework write what it makes: parplan explain --dump torchtitan "
			"prints the program that does");
}

void titan_program_settle(struct titan_reader *reader, const struct titan_program *program)
{
	struct setting *setting;
	size_t i;

	for (i = 0; i < program->said.count; i++) {
		setting = field_put(&reader->decoder, field_find(program->said.items[i].key),
				    program->said.items[i].value);
		if (setting && setting->origin == ORIGIN_GIVEN) {
			setting->origin = ORIGIN_DERIVED;
			setting->note = program->name;
		}
	}
	for (i = 0; i < program->open.count; i++)
		open_section(reader, &program->open.items[i]);
	if (program->open.count)
		report_open(reader, program);
}
