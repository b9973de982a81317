#include "input/settings/hf_model.h"

#include "base/preset.h"
#include "base/text.h"
#include "input/launch/form.h"

#include <string.h>
#include <strings.h>

const struct rule_id rule_unsized_model = {
	.name = "unsized-model",
	.code = "C112",
	.severity = SEVERITY_NOTE,
	.evidence = EVIDENCE_RUN,
	.summary = "the sizes of the model are not known",
	.explanation = "The config names its model by an id or a folder. parplan has a table of "
		       "the ids of common models, and reads a config.json beside the config, or "
		       "where a launch script works. For other models it knows neither the number "
		       "of parameters nor the sizes that tensor parallelism divides, and it skips "
		       "the rules, memory and time that need them. It guesses nothing from a name.",
	.remedy = "Put the model's config.json where the config says, relative to it "
		  "(ORG/NAME/config.json), or give a model of the same shape with --set.",
	.source = "parplan presets",
};

/* The last part of a path, without slashes at its end, copied. */
static const char *last_part(struct arena *arena, const char *path)
{
	size_t end = strlen(path), begin;

	while (end && path[end - 1] == '/')
		end--;
	for (begin = end; begin && path[begin - 1] != '/';)
		begin--;
	return arena_strndup(arena, path + begin, end - begin);
}

/* True when the line of a preset, "  - ORG/NAME", is that id, or its name alone is. */
static bool line_is(const char *line, size_t length, const char *id, bool name_alone)
{
	const char *slash = name_alone ? memchr(line, '/', length) : NULL;

	if (slash) {
		length -= (size_t)(slash + 1 - line);
		line = slash + 1;
	}
	return strlen(id) == length && !strncasecmp(line, id, length);
}

/* The id of a preset's list that is `id` or has its name; NULL when there is none. */
static const char *listed(struct arena *arena, const struct preset *preset, const char *id,
			  bool name_alone)
{
	static const char head[] = "\nids:\n", item[] = "  - ";
	const char *at = strstr(preset->text, head);
	size_t length;

	for (at = at ? at + strlen(head) : ""; text_starts(at, item); at += length + 1) {
		at += strlen(item);
		length = strcspn(at, "\n");
		if (line_is(at, length, id, name_alone))
			return arena_strndup(arena, at, length);
	}
	return NULL;
}

/* Looks through the presets of models; *as is the id that the preset lists. */
static const char *look_up(struct arena *arena, const char *id, bool name_alone, const char **as)
{
	static const char folder[] = "models/", suffix[] = ".yaml";
	const struct preset *preset;

	for (preset = presets; *id && preset->path; preset++) {
		if (!text_starts(preset->path, folder))
			continue;
		*as = listed(arena, preset, id, name_alone);
		if (*as)
			return arena_strndup(arena, preset->path + strlen(folder),
					     strlen(preset->path) - strlen(folder) -
						     strlen(suffix));
	}
	return NULL;
}

const char *hf_model_preset(struct arena *arena, const char *id)
{
	const char *as;

	return look_up(arena, id, false, &as);
}

const char *hf_model_id(struct arena *arena, const char *preset, const char *prefix)
{
	const char *path = arena_printf(arena, "models/%s.yaml", text_lower(arena, preset));
	const char *text = preset_text(path), *item = arena_join(arena, "\n  - ", prefix, "");
	const char *at = text ? strstr(text, item) : NULL;

	return at ? arena_strndup(arena, at + 5, strcspn(at + 5, "\n")) : NULL;
}

/* torchtune builds adapters into the same model: lora_llama3_8b, qlora_llama3_8b. */
static const char *without_adapter(struct arena *arena, const char *id)
{
	const char *dot = strrchr(id, '.');

	if (!dot || !text_starts(id, "torchtune.models."))
		return id;
	if (text_starts(dot + 1, "lora_"))
		return arena_printf(arena, "%.*s%s", (int)(dot + 1 - id), id, dot + 6);
	if (text_starts(dot + 1, "qlora_"))
		return arena_printf(arena, "%.*s%s", (int)(dot + 1 - id), id, dot + 7);
	return id;
}

/* A path of somebody's disk rather than an id ORG/NAME: rooted, or of three parts. */
static bool is_path(const char *text)
{
	const char *slash = strchr(text, '/');

	return strchr("/.~$", text[0]) || strstr(text, "://") ||
	       (slash && strchr(slash + 1, '/') && strchr(slash + 1, '/')[1]);
}

static void put_preset(struct decoder *decoder, const struct node *name, const char *preset,
		       const char *note)
{
	struct node *copy = arena_new(decoder->arena, struct node);
	struct setting *setting;

	*copy = *name;
	copy->text = preset;
	copy->overridden = NULL;
	setting = field_put(decoder, FIELD_MODEL_PRESET, copy);
	if (setting)
		setting->note = note;
}

/* The preset of an id, or of a path that ends in the name of one. False when there is none. */
static bool put_known(struct decoder *decoder, const struct node *name)
{
	struct arena *arena = decoder->arena;
	const char *id = without_adapter(arena, name->text), *as = NULL;
	const char *preset = look_up(arena, id, false, &as);

	if (!preset && is_path(id)) {
		id = last_part(arena, id);
		preset = look_up(arena, id, true, &as);
		as = arena_printf(arena, "by its last part, as %s", as ? as : "");
	}
	if (preset)
		put_preset(decoder, name, preset, as);
	return preset != NULL;
}

/* Sizes of config.json where the name says. *why: what is wrong with the file that is there. */
static bool put_file(struct decoder *decoder, struct document *document, const char *path,
		     const char **why)
{
	const size_t before = decoder->findings->list.count;
	const struct node *root;

	while (text_starts(path, "./"))
		path += 2;
	if (!text_ends(path, ".json"))
		path = arena_join(document->arena, path, text_ends(path, "/") ? "" : "/",
				  "config.json");
	root = document->launch
		       ? launch_load_there(document, document->launch, path, decoder->findings)
		       : document_load(document, NULL, path, decoder->findings);
	*why = root					? hf_config_put(decoder, root)
	       : decoder->findings->list.count > before ? "its config.json cannot be read"
							: NULL;
	return root && !*why;
}

/* The --set that names another model: `model` may be the key that names it, which takes an id. */
static const char *way_out(struct arena *arena, const struct node *name, const char *id,
			   const char *preset)
{
	if (!strcmp(node_path(arena, name), "model"))
		return arena_printf(arena, "--set model=%s", id);
	return arena_printf(arena, "--set model.preset=%s", preset);
}

static void report(struct decoder *decoder, const struct node *name, const char *why)
{
	struct arena *arena = decoder->arena;
	const char *as, *preset = look_up(arena, last_part(arena, name->text), true, &as);
	struct finding *finding;

	finding = finding_add(decoder->findings, &rule_unsized_model, name->span,
			      "the sizes of %s are not known%s%s", name->text, why ? ": " : "",
			      why ? why : "");
	if (preset)
		finding_fix(decoder->findings, finding, "if it has the shape of %s: %s", as,
			    way_out(arena, name, as, preset));
	else
		finding_fix(decoder->findings, finding,
			    "put its config.json at %s/config.json, relative to this file, or give "
			    "a model of the same shape: %s (parplan presets)",
			    name->text, way_out(arena, name, "ORG/NAME", "NAME"));
}

/* True when --set says what the model is, under native keys. */
static bool overridden(const struct node *root)
{
	const struct node *preset = node_find(root, "model.preset");
	const struct node *layers = node_find(root, "model.layers");

	return (preset && preset->origin == NODE_FROM_SET) ||
	       (layers && layers->origin == NODE_FROM_SET);
}

/* *why: what is wrong with the file that is there, for which no name stands in. */
static bool put(struct decoder *decoder, struct document *document, const struct node *name,
		const char **why)
{
	if (put_file(decoder, document, name->text, why))
		return true;
	return !*why && put_known(decoder, name);
}

static bool names_model(const struct node *name)
{
	return name && name->kind == NODE_SCALAR && name->type != SCALAR_NULL && *name->text;
}

bool hf_model_find(struct decoder *decoder, struct document *document, const struct node *name)
{
	const char *why = NULL;

	if (!names_model(name) || name->unresolved)
		return false;
	if (put(decoder, document, name, &why))
		return true;
	if (why && !overridden(document->root))
		report(decoder, name, why);
	return why != NULL;
}

void hf_model_put(struct decoder *decoder, struct document *document, const struct node *name)
{
	const char *why = NULL;

	if (!names_model(name))
		return;
	if (name->unresolved)
		field_put(decoder, FIELD_MODEL_PRESET, name);
	else if (!put(decoder, document, name, &why) && !overridden(document->root))
		report(decoder, name, why);
}
