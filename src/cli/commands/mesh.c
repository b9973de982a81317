#include "base/buf.h"
#include "base/die.h"
#include "base/io.h"
#include "base/json.h"
#include "base/outward.h"
#include "base/text.h"
#include "cli/command.h"
#include "framework/torch/mesh_expr.h"
#include "plan/compare.h"
#include "report/findings/excerpt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * parplan mesh: DeviceMesh as a calculator. {"schema":"parplan.mesh/1","torch","world_size",
 * "value":{"axes","sizes","groups":{AXIS:[[rank]]},"layouts":{AXIS:{"sizes","strides"}},"default_group":[AXIS]},
 * "warnings":[text],"error":{"type","message","versions"}}; value or error is null.
 */
struct request {
	const char *format, *color, *torch;
	int64_t world;
	bool expand;
};

enum { LISTED_RANKS = 1024, SHOWN_GROUPS = 4 };

static const struct opt options[] = {
	{ OPT_TEXT, 0, "torch", "RELEASE", NULL,
	  "PyTorch 2.2 to 2.15, or a nightly (default: newest)", offsetof(struct request, torch) },
	{ OPT_COUNT, 0, "world", "N", NULL, "number of ranks (default: what the first init needs)",
	  offsetof(struct request, world) },
	{ OPT_FLAG, 0, "expand", NULL, NULL, "list all groups also beyond 1,024 ranks",
	  offsetof(struct request, expand) },
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json", "how to write the answer",
	  offsetof(struct request, format) },
	{ OPT_TEXT, 0, "color", "WHEN", "auto|always|never", "colour in text output",
	  offsetof(struct request, color) },
	{ .kind = OPT_END },
};

/* The axes of a value: all of its mesh's, or the one get_group named. */
static int first_axis(const struct mesh_result *result)
{
	return result->axis < 0 ? 0 : result->axis;
}

static int end_axis(const struct mesh_result *result)
{
	return result->axis < 0 ? device_mesh_axes(result->mesh) : result->axis + 1;
}

/* "2.5 to 2.8": the releases in which what was raised is raised; nightlies may be all there is. */
static const char *versions_of(struct arena *arena, const struct torch_error *error)
{
	int from = error->since < TORCH_FEATURES ? torch_change_of(error->since)->minor : 0;
	int to = error->until < TORCH_FEATURES ? torch_change_of(error->until)->minor - 1 : 0;

	if (from && to && from == to)
		return arena_printf(arena, "2.%d", from);
	if (from && to && from > to)
		return arena_printf(arena, "2.%d before its release", from);
	if (from && to)
		return arena_printf(arena, "2.%d to 2.%d", from, to);
	if (from)
		return arena_printf(arena, "2.%d and later", from);
	if (to)
		return arena_printf(arena, "2.%d and earlier", to);
	return torch_known();
}

static void json_groups(struct json_writer *json, const struct device_mesh *mesh, int axis)
{
	int64_t groups = device_mesh_group_count(mesh, axis), size = device_mesh_size(mesh, axis),
		g, m;

	json_array(json, device_mesh_name(mesh, axis));
	for (g = 0; g < groups; g++) {
		json_array(json, NULL);
		for (m = 0; m < size; m++)
			json_int(json, NULL, device_mesh_group_rank(mesh, axis, g, m));
		json_array_end(json);
	}
	json_array_end(json);
}

static void json_value(struct json_writer *json, const struct mesh_result *result, bool listed)
{
	const struct device_mesh *mesh = result->mesh;
	int first = first_axis(result), end = end_axis(result), i;

	json_object(json, "value");
	json_array(json, "axes");
	for (i = first; i < end; i++)
		json_string(json, NULL, device_mesh_name(mesh, i));
	json_array_end(json);
	json_array(json, "sizes");
	for (i = first; i < end; i++)
		json_int(json, NULL, device_mesh_size(mesh, i));
	json_array_end(json);
	json_object(json, "groups");
	for (i = first; listed && i < end; i++)
		json_groups(json, mesh, i);
	json_object_end(json);
	json_object(json, "layouts");
	for (i = first; i < end; i++) {
		const struct layout *layout = device_mesh_layout(mesh, i);
		json_object(json, device_mesh_name(mesh, i));
		json_ints(json, "sizes", layout->size, layout->modes);
		json_ints(json, "strides", layout->stride, layout->modes);
		json_object_end(json);
	}
	json_object_end(json);
	json_array(json, "default_group");
	for (i = first; i < end; i++)
		if (device_mesh_uses_default_group(mesh, i))
			json_string(json, NULL, device_mesh_name(mesh, i));
	json_array_end(json);
	json_object_end(json);
}

static void write_json(struct invocation *invocation, const struct torch_world *world,
		       const struct mesh_result *result, bool listed)
{
	struct json_writer json;
	size_t i;

	json_begin(&json, invocation->out);
	json_object(&json, NULL);
	json_string(&json, "schema", "parplan.mesh/1");
	json_string(&json, "torch", world->torch.label);
	json_int(&json, "world_size", world->size);
	if (result->mesh)
		json_value(&json, result, listed);
	else
		json_null(&json, "value");
	json_array(&json, "warnings");
	for (i = 0; i < world->warnings.count; i++)
		json_string(&json, NULL, world->warnings.items[i]);
	json_array_end(&json);
	if (world->error.type) {
		json_object(&json, "error");
		json_string(&json, "type", world->error.type);
		json_string(&json, "message", world->error.message);
		json_string(&json, "versions", versions_of(invocation->arena, &world->error));
		json_object_end(&json);
	} else {
		json_null(&json, "error");
	}
	json_object_end(&json);
	buf_char(invocation->out, '\n');
}

/* "{0,4} {1,5} ... (512 groups)" in the order of creation. */
static void put_groups(struct invocation *invocation, const struct device_mesh *mesh, int axis,
		       bool expand)
{
	int64_t groups = device_mesh_group_count(mesh, axis);
	int64_t shown = expand || groups <= SHOWN_GROUPS ? groups : SHOWN_GROUPS, g;

	for (g = 0; g < shown; g++)
		buf_printf(invocation->out, "%s%s", g ? " " : "",
			   group_text(invocation->arena, device_mesh_layout(mesh, axis),
				      device_mesh_group_rank(mesh, axis, g, 0)));
	if (shown < groups)
		buf_text(invocation->out, " ...");
}

static void put_axes(struct invocation *invocation, const struct mesh_result *result, bool expand)
{
	struct buf *out = invocation->out;
	int first = first_axis(result), end = end_axis(result), width = 4, i;

	for (i = first; i < end; i++) {
		int length = (int)strlen(device_mesh_name(result->mesh, i));
		width = length > width ? length : width;
	}
	buf_printf(out, "%-*s  %8s  %8s  %s\n", width, "axis", "size", "groups",
		   "in order of creation");
	for (i = first; i < end; i++) {
		buf_printf(out, "%-*s  %8" PRId64 "  %8" PRId64 "  ", width,
			   device_mesh_name(result->mesh, i), device_mesh_size(result->mesh, i),
			   device_mesh_group_count(result->mesh, i));
		put_groups(invocation, result->mesh, i, expand);
		if (device_mesh_uses_default_group(result->mesh, i))
			buf_text(out, "  (the default process group)");
		buf_char(out, '\n');
	}
}

/* What began and what ended the behaviour that raised. */
static const char *history(struct arena *arena, const struct torch_error *error)
{
	char *text = arena_printf(arena, "PyTorch %s raise%s this.", versions_of(arena, error),
				  strchr(versions_of(arena, error), ' ') ? "" : "s");

	if (error->since < TORCH_FEATURES) {
		const struct torch_change *change = torch_change_of(error->since);
		text = arena_printf(arena, "%s Since 2.%d %s (%s).", text, change->minor,
				    change->summary, change->pull);
	}
	if (error->until < TORCH_FEATURES) {
		const struct torch_change *change = torch_change_of(error->until);
		text = arena_printf(arena, "%s From 2.%d on %s (%s).", text, change->minor,
				    change->summary, change->pull);
	}
	return text;
}

static void put_error(struct invocation *invocation, const struct torch_world *world,
		      const struct mesh_result *result)
{
	const struct style style = { invocation->color, invocation->columns };
	const struct finding at = { .severity = SEVERITY_ERROR,
				    .span = result->span,
				    .message = "" };
	struct buf *out = invocation->out;

	style_put(&style, out, COLOR_ERROR);
	buf_printf(out, "%s: %s", world->error.type, world->error.message);
	style_put(&style, out, COLOR_PLAIN);
	buf_char(out, '\n');
	excerpt_write(invocation->arena, &at, &style, out);
	wrap_text(out, history(invocation->arena, &world->error), 0, 0, invocation->columns);
	buf_char(out, '\n');
}

static void write_text(struct invocation *invocation, const struct torch_world *world,
		       const struct mesh_result *result, bool expand)
{
	struct buf *out = invocation->out;
	size_t i;

	buf_printf(out, "PyTorch %s, %s ranks\n\n", world->torch.label,
		   text_count(invocation->arena, world->size));
	if (result->mesh)
		put_axes(invocation, result, expand);
	else
		put_error(invocation, world, result);
	for (i = 0; i < world->warnings.count; i++) {
		buf_text(out, "\nwarning: ");
		wrap_text(out, world->warnings.items[i], 9, 9, invocation->columns);
		buf_char(out, '\n');
	}
}

_Noreturn static void bad_expression(struct invocation *invocation,
				     const struct mesh_result *result)
{
	const struct style style = { false, invocation->columns };
	const struct finding at = { .severity = SEVERITY_ERROR,
				    .span = result->span,
				    .message = "" };
	struct buf excerpt;

	buf_init(&excerpt);
	excerpt_write(invocation->arena, &at, &style, &excerpt);
	while (excerpt.length > 1 && excerpt.data[excerpt.length - 2] == '\n')
		excerpt.data[--excerpt.length] = '\0';
	outward_say("mesh: %s:%u:%u: %s", result->span.source->path, result->span.line,
		    result->span.column, result->problem);
	outward_complain(&excerpt);
	exit(EXIT_TROUBLE);
}

static int run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	struct torch_release torch = torch_latest();
	struct torch_world world;
	struct mesh_result result;
	const char *text;

	if (invocation->operands.count != 1)
		die("mesh: one expression is needed, in quotes (parplan mesh --help)");
	if (request->torch && !torch_parse(invocation->arena, request->torch, &torch))
		die("mesh: PyTorch '%s' is not known; known: %s and nightlies such as "
		    "2.11.0.dev20251221",
		    request->torch, torch_known());
	text = invocation->operands.items[0];
	if (io_exists(text))
		die("mesh: takes an expression, not a file; the meshes of a config: parplan plan "
		    "%s",
		    text);
	torch_world_init(&world, invocation->arena, torch, request->world);
	result = mesh_evaluate(&world,
			       source_new(invocation->arena, "<expression>", text, strlen(text)));
	if (result.problem)
		bad_expression(invocation, &result);
	if (world.error.limit)
		die("mesh: %s", world.error.message);
	if (request->format && !strcmp(request->format, "json"))
		write_json(invocation, &world, &result,
			   request->expand || world.size <= LISTED_RANKS);
	else
		write_text(invocation, &world, &result, request->expand);
	return world.error.type ? EXIT_FINDINGS : EXIT_CLEAN;
}

const struct command command_mesh = {
	.name = "mesh",
	.summary = "evaluate DeviceMesh operations as a version of PyTorch does",
	.operands = "EXPRESSION",
	.details =
		"Builds, slices and flattens meshes by the rules of one PyTorch version. Prints\n"
		"the process groups of the result in the order in which they are created, or\n"
		"the exception that version raises (exit status 1) and the versions that do.\n\n"
		"  init(ddp=2, fsdp=4)            init_device_mesh\n"
		"  m[ddp, fsdp]  m[[ddp, fsdp]]   a slice by a tuple, by a list of names\n"
		"  flatten(m, name)               m._flatten(\"name\")\n"
		"  unflatten(m, axis, a=2, b=4)   m._unflatten\n"
		"  concatenate(m, n)              DeviceMesh._concatenate\n"
		"  get_group(m, name)             m.get_group(\"name\")\n\n"
		"Statements are separated by ';' and may be given a name: h = m[ddp, fsdp].",
	.examples = "  parplan mesh --torch 2.9 'm = init(a=2, b=2, c=2); h = m[a, b]; h[b]'\n"
		    "  parplan mesh 'w = init(world=16); unflatten(w, world, pp=2, dp=4, tp=2)'",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
