#include "base/buf.h"
#include "base/die.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cost/profile.h"
#include "input/settings/hf_model.h"
#include "plan/model.h"

#include <string.h>

/*
 * parplan presets: the models and devices known by name.
 * {"schema":"parplan.presets/1","models":[{"name",
 * "family","parameters","active_parameters","layers","hidden","heads","kv_heads","vocab",
 * "experts"}],"gpus":[{"name","memory_gib","bf16_tflops","hbm_tbps","link_gbps"}]}.
 */
struct request {
	const char *format;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json", "how to write the list",
	  offsetof(struct request, format) },
	{ .kind = OPT_END },
};

/* Its name has one of the parts in it, or one is an id that it is known by. */
static bool wanted(const struct invocation *invocation, const char *name)
{
	const char *preset;
	size_t i;

	for (i = 0; i < invocation->operands.count; i++) {
		if (strstr(name, invocation->operands.items[i]))
			return true;
		preset = hf_model_preset(invocation->arena, invocation->operands.items[i]);
		if (preset && !strcmp(preset, name))
			return true;
	}
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

static bool any_wanted(const struct invocation *invocation, const char *const *names)
{
	while (*names && !wanted(invocation, *names))
		names++;
	return *names != NULL;
}

static void put_models(struct invocation *invocation, struct json_writer *json)
{
	const char *const *names = model_presets(invocation->arena);

	if (json)
		json_array(json, "models");
	else if (any_wanted(invocation, names))
		buf_printf(invocation->out, "%-30s %19s %7s %7s %6s\n", "model", "parameters",
			   "layers", "hidden", "heads");
	for (; *names; names++) {
		if (!wanted(invocation, *names))
			continue;
		if (json)
			write_json(json, model_of_preset(invocation->arena, *names));
		else
			write_text(invocation, model_of_preset(invocation->arena, *names));
	}
	if (json)
		json_array_end(json);
}

static void write_gpu(struct invocation *invocation, struct json_writer *json, const char *name)
{
	struct profile profile;
	double memory, rate, hbm, links;

	profile_init(&profile, invocation->arena);
	profile_gpu(&profile, name);
	memory = profile_get(&profile, FIGURE_MEMORY);
	rate = profile_get(&profile, FIGURE_PEAK_BF16);
	hbm = profile_get(&profile, FIGURE_HBM);
	links = profile_get(&profile, FIGURE_LINK_BANDWIDTH);
	if (!json) {
		buf_printf(invocation->out, "%-30s %11.2f GiB %12g %7g %9g\n", name, memory, rate,
			   hbm, links);
		return;
	}
	json_object(json, NULL);
	json_string(json, "name", name);
	json_double(json, "memory_gib", memory);
	json_double(json, "bf16_tflops", rate);
	json_double(json, "hbm_tbps", hbm);
	json_double(json, "link_gbps", links);
	json_object_end(json);
}

static void put_gpus(struct invocation *invocation, struct json_writer *json)
{
	const char *const *names = profile_gpus(invocation->arena);

	if (json)
		json_array(json, "gpus");
	else if (any_wanted(invocation, names))
		buf_printf(invocation->out, "%s%-30s %15s %12s %7s %9s\n",
			   invocation->out->length ? "\n" : "", "device", "memory", "bf16 TFLOP/s",
			   "TB/s", "link GB/s");
	for (; *names; names++)
		if (wanted(invocation, *names))
			write_gpu(invocation, json, *names);
	if (json)
		json_array_end(json);
}

static int run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	struct arena *arena = invocation->arena;
	struct json_writer json;

	if (!any_wanted(invocation, model_presets(arena)) &&
	    !any_wanted(invocation, profile_gpus(arena)))
		die("presets: no model and no device has '%s' in its name (parplan presets)",
		    invocation->operands.items[0]);
	if (!request->format || strcmp(request->format, "json") != 0) {
		put_models(invocation, NULL);
		put_gpus(invocation, NULL);
		return EXIT_CLEAN;
	}
	json_begin(&json, invocation->out);
	json_object(&json, NULL);
	json_string(&json, "schema", "parplan.presets/1");
	put_models(invocation, &json);
	put_gpus(invocation, &json);
	json_object_end(&json);
	buf_char(invocation->out, '\n');
	return EXIT_CLEAN;
}

const struct command command_presets = {
	.name = "presets",
	.summary = "list the models and devices known by name",
	.operands = "[PART...]",
	.details = "Lists every model that `model:` can name in a config, with its number of\n"
		   "parameters and its sizes, and every device that `cluster.gpu` can name; with\n"
		   "PART only those whose name contains one, or the model with that id on the\n"
		   "Hugging Face hub: Qwen/Qwen2.5-7B-Instruct. Single sizes can be overridden:\n"
		   "model: {preset: llama3-70b, layers: 12}.",
	.examples = "  parplan presets\n"
		    "  parplan presets llama3\n"
		    "  parplan presets Qwen/Qwen2.5-7B-Instruct\n"
		    "  parplan presets --format json",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
