#include "lsp/request.h"

#include "report/origin.h"
#include "report/plan/view.h"

#include <inttypes.h>

static void put_hint(const struct look *look, size_t at, const char *label,
		     struct json_writer *json)
{
	const struct position position = position_of(look->source, at);

	json_object(json, NULL);
	json_object(json, "position");
	json_int(json, "line", position.line);
	json_int(json, "character", position.unit);
	json_object_end(json);
	json_string(json, "label", label);
	json_bool(json, "paddingLeft", true);
	json_object_end(json);
}

/* "4 groups of 2": how the ranks of the world lie in groups of a degree. */
static const char *groups_of(const struct look *look, const struct degree_row *row)
{
	const struct plan *plan = look->job.intended ? job_plan(&look->job) : NULL;
	const struct mesh *mesh = plan && plan->world ? plan_mesh(plan, row->name) : NULL;
	const int64_t size = mesh ? layout_size(&mesh->layout) : 1;

	if (size < 2 || plan->world / size < 1)
		return NULL;
	return arena_printf(look->arena, "%" PRId64 " group%s of %" PRId64, plan->world / size,
			    plan->world / size == 1 ? "" : "s", size);
}

static void put_degree(const struct look *look, const struct degree_row *row, size_t end,
		       const struct setting *setting, struct json_writer *json)
{
	const int64_t resolved = origin_resolved(&look->job, setting);
	const char *groups = groups_of(look, row);

	if (resolved && groups)
		put_hint(look, end,
			 arena_printf(look->arena, "= %" PRId64 ", %s", resolved, groups), json);
	else if (resolved)
		put_hint(look, end, arena_printf(look->arena, "= %" PRId64, resolved), json);
	else if (groups)
		put_hint(look, end, groups, json);
}

static void answer(struct look *look, const struct node *params, struct json_writer *json)
{
	const struct node *range = node_member(params, "range");
	const size_t first =
		position_offset(look->source, position_read(node_member(range, "start")));
	const size_t last =
		range ? position_offset(look->source, position_read(node_member(range, "end")))
		      : look->source->length;
	const struct degree_row *row;

	json_array(json, "result");
	for (row = degree_rows; look->job.readable && row->name; row++) {
		const struct setting *setting = &look->job.settings.items[row->field];
		const struct span span = setting->span;
		size_t end;
		if (!setting_given(setting) || span.source != look->source)
			continue;
		end = source_offset(span.source, span.end_line, span.end_column);
		if (first <= end && end <= last)
			put_degree(look, row, end, setting, json);
	}
	json_array_end(json);
}

const struct lsp_request request_inlay_hint = {
	.method = "textDocument/inlayHint",
	.provider = "inlayHintProvider",
	.answer = answer,
};
