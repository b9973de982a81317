#include "lsp/request.h"

#include "base/text.h"
#include "input/range.h"
#include "plan/compare.h"
#include "report/markdown.h"
#include "report/origin.h"
#include "report/plan/view.h"

#include <inttypes.h>
#include <string.h>

enum { DEEPEST = 4, GROUPS_SHOWN = 4 };

/* "`parallelism.tp` = 8, given in the file (train.yaml:9:7)", and below it where that comes from.
 */
static void put_chain(const struct look *look, const struct setting *setting, int depth,
		      struct buf *out)
{
	int i;

	buf_repeat(out, ' ', (size_t)depth * 2);
	buf_printf(out, "%s`%s` = ", depth ? "- " : "", field_of(setting->field)->key);
	markdown_code(out, text_on_line(look->arena, origin_value(setting)));
	buf_text(out, ", ");
	markdown_text(out, text_on_line(look->arena, origin_source(look->arena, setting)));
	buf_char(out, '\n');
	for (i = 0; i < setting->parent_count && depth < DEEPEST; i++)
		put_chain(look, setting->parents[i], depth + 1, out);
	if (setting->overridden && depth < DEEPEST) {
		buf_repeat(out, ' ', (size_t)depth * 2 + 2);
		buf_text(out, "- instead of\n");
		put_chain(look, setting->overridden, depth + 2, out);
	}
}

static void put_resolved(const struct look *look, const struct setting *setting, struct buf *out)
{
	const int64_t value = origin_resolved(&look->job, setting);

	if (value)
		buf_printf(out, "\nIt comes to %" PRId64 " in a world of %" PRId64 " ranks.\n",
			   value, look->job.world);
}

/* The groups of ranks that a degree makes. */
static void put_groups(const struct look *look, const struct setting *setting, struct buf *out)
{
	const struct plan *plan = look->job.intended ? job_plan(&look->job) : NULL;
	const struct degree_row *row = degree_rows;
	const struct mesh *mesh;

	while (row->name && row->field != setting->field)
		row++;
	mesh = row->name && plan && plan->world ? plan_mesh(plan, row->name) : NULL;
	if (!mesh || layout_size(&mesh->layout) < 2)
		return;
	buf_printf(out, "\nGroups of %" PRId64 " ranks: %s\n", layout_size(&mesh->layout),
		   groups_text(look->arena, &mesh->layout, plan->world, GROUPS_SHOWN));
}

/* What it does as of the version that the file is judged by. */
static void put_meaning(const struct look *look, const struct vocabulary_key *key, struct buf *out)
{
	const struct dialect *dialect = look->job.document.dialect;
	const struct version *version =
		dialect && dialect->framework
			? versions_find(&look->job.versions, dialect->framework)
			: NULL;

	if (key->help)
		buf_printf(out, "\n%s\n", key->help);
	if (key->words)
		buf_printf(out, "\nOne of `%s`%s\n", key->words, key->others ? ", or another" : "");
	if (key->range)
		buf_printf(out, "\nA %s\n",
			   range_words(look->arena, key->range, key->type == FIELD_INT));
	if (key->fallback)
		buf_printf(out, "\nDefault `%s`\n", key->fallback);
	if (version) {
		buf_printf(out, "\n_%s ", version->framework);
		markdown_text(out, text_on_line(look->arena, version->label));
		buf_text(out, "_\n");
	}
	if (key->gone)
		buf_printf(out, "\n**Nothing reads it from %s on.**\n", key->gone);
}

static void put_text(const struct look *look, const struct vocabulary_key *key,
		     const struct setting *setting, struct buf *out)
{
	if (setting) {
		put_chain(look, setting, 0, out);
		put_resolved(look, setting, out);
		put_groups(look, setting, out);
	}
	if (key)
		put_meaning(look, key, out);
	else if (setting)
		buf_printf(out, "\n%s\n", field_of(setting->field)->help);
}

static void answer(struct look *look, const struct node *params, struct json_writer *json)
{
	const struct node *node = look_node(look, request_offset(look, params));
	const struct setting *setting = node ? look_setting(look, node) : NULL;
	const struct vocabulary_key *key = NULL;
	struct vocabulary vocabulary;
	struct buf text;

	look_vocabulary(look, &vocabulary);
	if (node)
		key = vocabulary_find(&vocabulary, look_path(look, node));
	if (!setting && !(key && (key->help || key->typed))) {
		json_null(json, "result");
		return;
	}
	buf_init(&text);
	put_text(look, key, setting, &text);
	json_object(json, "result");
	json_object(json, "contents");
	json_string(json, "kind", "markdown");
	json_string(json, "value", text.data);
	json_object_end(json);
	position_range(json, "range", span_known(node->key_span) ? node->key_span : node->span);
	json_object_end(json);
	buf_release(&text);
}

const struct lsp_request request_hover = {
	.method = "textDocument/hover",
	.provider = "hoverProvider",
	.answer = answer,
};
