#include "base/buf.h"
#include "base/die.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "plan/model.h"

#include <string.h>

/*
 * parplan presets: the models known by name. {"schema":"parplan.presets/1","models":[{"name",
 * "family","parameters","active_parameters","layers","hidden","heads","kv_heads","vocab",
 * "experts"}]}.
 */
struct request {
	const char *format;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json", "how to write the list",
	  offsetof(struct request, format) },
	{ .kind = OPT_END },
};

static bool wanted(const struct invocation *invocation, const char *name)
{
	size_t i;

	for (i = 0; i < invocation->operands.count; i++)
		if (strstr(name, invocation->operands.items[i]))
			return true;
	return !invocation->operands.count;
}

static void write_text(struct invocation *invocation, const struct model *model)
{
	struct arena *arena = invocation->arena;

	buf_printf(invocation->out, "%-30s %19s %7s %7s %6s\n", model->name,
		   text_count(arena, model->total), text_count(arena, model->layers),
		   text_count(arena, model->hidden), text_count(arena, model->heads));
}

static void write_json(struct json_writer *json, const struct model *model)
{
	json_object(json, NULL);
	json_string(json, "name", model->name);
	json_string(json, "family", model->family);
	json_int(json, "parameters", model->total);
	json_int(json, "active_parameters", model->active);
	json_int(json, "layers", model->layers);
	json_int(json, "hidden", model->hidden);
	json_int(json, "heads", model->heads);
	json_int(json, "kv_heads", model->kv_heads);
	json_int(json, "vocab", model->vocab);
	json_int(json, "experts", model->experts);
	json_object_end(json);
}

static int run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	const bool json = request->format && !strcmp(request->format, "json");
	const char *const *name = model_presets(invocation->arena);
	struct json_writer writer;

	while (*name && !wanted(invocation, *name))
		name++;
	if (!*name)
		die("presets: no model has '%s' in its name (parplan presets)",
		    invocation->operands.items[0]);

	if (json) {
		json_begin(&writer, invocation->out);
		json_object(&writer, NULL);
		json_string(&writer, "schema", "parplan.presets/1");
		json_array(&writer, "models");
	} else {
		buf_printf(invocation->out, "%-30s %19s %7s %7s %6s\n", "model", "parameters",
			   "layers", "hidden", "heads");
	}
	for (name = model_presets(invocation->arena); *name; name++) {
		if (!wanted(invocation, *name))
			continue;
		if (json)
			write_json(&writer, model_of_preset(invocation->arena, *name));
		else
			write_text(invocation, model_of_preset(invocation->arena, *name));
	}
	if (json) {
		json_array_end(&writer);
		json_object_end(&writer);
		buf_char(invocation->out, '\n');
	}
	return EXIT_CLEAN;
}

const struct command command_presets = {
	.name = "presets",
	.summary = "list the models known by name",
	.operands = "[PART...]",
	.details = "Lists every model that `model:` can name in a config, with its number of\n"
		   "parameters and its sizes; with PART only those whose name contains one.\n"
		   "Single sizes can be overridden: model: {preset: llama3-70b, layers: 12}.",
	.examples = "  parplan presets\n"
		    "  parplan presets llama3\n"
		    "  parplan presets --format json",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
