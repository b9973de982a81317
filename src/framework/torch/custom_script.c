#include "framework/torch/custom_state.h"

#include "framework/torch/job_torch.h"
#include "framework/torch/mesh_state.h"
#include "input/node.h"

#include <string.h>

/*
 * mesh.script: the statements with which a script builds its meshes, in the language of
 * `parplan mesh`. The first mesh that is not derived from another is the root.
 */

struct device_mesh *custom_variable(const struct script *s, const char *name)
{
	int i;

	for (i = s->variable_count - 1; i >= 0; i--)
		if (!strcmp(s->variables[i].name, name))
			return s->variables[i].mesh;
	return NULL;
}

/* The text of a span, on one line. */
static const char *quoted(struct script *s, struct span span)
{
	size_t start = source_offset(span.source, span.line, span.column);
	size_t end = source_offset(span.source, span.end_line, span.end_column), length;
	char *text = arena_strndup(s->job->arena, span.source->text + start, end - start);

	length = strcspn(text, "\n");
	text[length] = '\0';
	return text;
}

static bool is_root(const struct script *s, const struct device_mesh *mesh)
{
	return !mesh->flattened && !mesh->root && mesh_parent(&s->world, mesh) == mesh;
}

static void find_root(struct script *s)
{
	int i;

	s->root = custom_variable(s, "root");
	for (i = 0; !s->root && i < s->variable_count; i++)
		if (is_root(s, s->variables[i].mesh))
			s->root = s->variables[i].mesh;
}

/* Axes of other meshes of the script, which `means` may name. */
static void put_others(struct script *s)
{
	struct mesh *mesh;
	int i, k;

	for (i = 0; i < s->variable_count; i++) {
		const struct device_mesh *made = s->variables[i].mesh;
		for (k = 0; k < device_mesh_axes(made); k++) {
			if (plan_mesh(s->plan, device_mesh_name(made, k)))
				continue;
			mesh = custom_put_mesh(s, device_mesh_name(made, k),
					       device_mesh_layout(made, k));
			mesh->flattened = made->flattened;
		}
	}
}

static bool evaluated(struct script *s, const struct node *node, struct mesh_result *result)
{
	struct source *source =
		source_new(s->job->arena, "mesh.script", node->text, strlen(node->text));

	torch_world_init(&s->world, s->job->arena, torch_of_job(s->job), s->job->world);
	*result = mesh_evaluate(&s->world, source);
	s->variables = result->variables.items;
	s->variable_count = (int)result->variables.count;
	if (result->problem)
		finding_add(s->job->findings, &rule_wrong_type, node->span,
			    "mesh.script cannot be read at '%.60s': %s", quoted(s, result->span),
			    result->problem);
	return !result->problem;
}

/* `root` and `flatten` say what the script says itself. */
static void refuse_beside(struct script *s, const char *key)
{
	const struct node *node = node_member(s->block, key);

	if (node)
		finding_add(s->job->findings, &rule_unknown_key, node->key_span,
			    "mesh.%s is not read beside mesh.script", key);
}

bool custom_run_script(struct script *s)
{
	const struct node *node = node_member(s->block, "script");
	struct mesh_result result;

	refuse_beside(s, "root");
	refuse_beside(s, "flatten");
	if (node->kind != NODE_SCALAR || node->type != SCALAR_STRING) {
		custom_wrong(s, FIELD_TEXT, "mesh.script", node);
		return false;
	}
	if (!evaluated(s, node, &result))
		return false;
	find_root(s);
	if (s->world.size)
		custom_settle_world(s, node->span, s->root ? s->root->span : s->world.size);
	if (s->root)
		custom_put_axes(s);
	put_others(s);
	if (s->job->world && !custom_raised(s, quoted(s, result.span)) && s->root)
		return true;
	custom_intend(s);
	return false;
}
