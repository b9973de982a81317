#include "base/json.h"
#include "base/text.h"
#include "report/report.h"

#include <string.h>

/* How much was judged, in words and in JSON, and added up over several files. */

const char *judged_gaps(struct arena *arena, const struct judged *judged, const char *head)
{
	char *text = arena_strdup(arena, head);
	size_t i;

	for (i = 0; i < judged->gaps.count; i++) {
		const struct judged_gap *gap = &judged->gaps.items[i];
		text = arena_printf(arena, "%s%s%zu rule%s %s", text, i ? ", " : ": ", gap->rules,
				    gap->rules == 1 ? " needs" : "s need", gap->needs);
	}
	return text_on_line(arena, text);
}

const char *judged_text(struct arena *arena, const struct judged *judged)
{
	if (judged->status == JUDGED_NOT)
		return text_on_line(arena, arena_join(arena, "not judged: ", judged->why, ""));
	return judged->status == JUDGED ? "" : judged_gaps(arena, judged, "partly judged");
}

const char *judged_remark(const struct checked *file)
{
	const struct judged judged = judged_of(file->job);

	return judged_text(file->job->arena, &judged);
}

enum severity judged_severity(const struct report *report)
{
	return report->strict ? SEVERITY_ERROR : SEVERITY_NOTE;
}

void judged_json(struct json_writer *json, const struct judged *judged)
{
	size_t i;

	json_object(json, "judged");
	json_string(json, "status", judged_name(judged->status));
	json_array(json, "unknown");
	for (i = 0; i < judged->unknown.count; i++)
		json_string(json, NULL, judged->unknown.items[i]);
	json_array_end(json);
	json_object(json, "rules");
	json_int(json, "decided", (int64_t)judged->decided);
	json_int(json, "undecided", (int64_t)judged->undecided);
	json_int(json, "optional", (int64_t)judged->optional);
	json_object_end(json);
	json_object_end(json);
}

static void add_gap(struct arena *arena, struct judged *all, const struct judged_gap *gap)
{
	struct judged_gap copy = { arena_strdup(arena, gap->needs), gap->rules };
	size_t i;

	for (i = 0; i < all->gaps.count; i++)
		if (!strcmp(all->gaps.items[i].needs, gap->needs)) {
			all->gaps.items[i].rules += gap->rules;
			return;
		}
	vec_push(arena, &all->gaps, copy);
}

static void add_unknown(struct arena *arena, struct judged *all, const char *name)
{
	size_t i;

	for (i = 0; i < all->unknown.count; i++)
		if (!strcmp(all->unknown.items[i], name))
			return;
	vec_push(arena, &all->unknown, arena_strdup(arena, name));
}

void judged_add(struct arena *arena, struct judged *all, const struct judged *judged)
{
	size_t i;

	all->decided += judged->decided;
	all->undecided += judged->undecided;
	all->optional += judged->optional;
	if (judged->status > all->status)
		all->status = judged->status;
	if (judged->why)
		all->why = arena_strdup(arena, judged->why);
	for (i = 0; i < judged->gaps.count; i++)
		add_gap(arena, all, &judged->gaps.items[i]);
	for (i = 0; i < judged->unknown.count; i++)
		add_unknown(arena, all, judged->unknown.items[i]);
}
