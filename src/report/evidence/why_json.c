#include "report/evidence/why.h"

#include "base/json.h"
#include "report/evidence/causes.h"
#include "report/evidence/hang.h"
#include "report/findings/json.h"

static void put_ranks(struct json_writer *json, struct arena *arena, const struct rank_set *set)
{
	json_object(json, "ranks");
	json_int(json, "count", set->count);
	json_string(json, "list", rank_set_text(arena, set));
	json_object_end(json);
}

static void put_values(struct json_writer *json, const struct log_hit *hit)
{
	size_t i;

	json_array(json, "values");
	for (i = 0; i < hit->values.count; i++) {
		json_object(json, NULL);
		json_string(json, "name", hit->values.items[i].name);
		json_string(json, "value", hit->values.items[i].text);
		json_object_end(json);
	}
	json_array_end(json);
}

/* What check says of a rule; `found` is null where there is no config, and for what is no rule. */
static void put_config(struct json_writer *json, const struct why *why,
		       const struct phrase_owner *owner)
{
	struct findings findings;
	size_t i;

	why_findings(why, owner->id, &findings);
	if (!why->config || owner->end)
		json_null(json, "found");
	else
		json_bool(json, "found", findings.list.count > 0);
	json_string(json, "lacking", why_lacking(why, owner->id));
	json_array(json, "findings");
	for (i = 0; why->config && i < findings.list.count; i++)
		finding_json(json, why->config->path, findings.list.items[i]);
	json_array_end(json);
}

static void put_owner(struct json_writer *json, const struct why *why,
		      const struct phrase_owner *owner)
{
	json_object(json, NULL);
	json_string(json, "name", owner->id->name);
	json_string(json, "rule", owner->end ? NULL : owner->id->code);
	json_string(json, "speaker", owner->saying->speaker);
	json_string(json, "text", owner->saying->text);
	json_string(json, "summary", owner->id->summary);
	json_string(json, "cause", owner->id->explanation);
	json_string(json, "fix", owner->id->remedy);
	json_string(json, "source", owner->source);
	put_config(json, why, owner);
	json_object_end(json);
}

static void put_hit(struct json_writer *json, const struct why *why, const struct log_hit *hit)
{
	size_t i;

	json_object(json, NULL);
	json_string(json, "path", hit->path);
	json_int(json, "line", (int64_t)hit->line);
	json_bool(json, "follows", phrase_follows(hit->phrase));
	json_bool(json, "sure", phrase_kind(hit->phrase) == END_CAUSE);
	json_string(json, "printed", hit->printed);
	json_int(json, "times", hit->count);
	put_ranks(json, why->arena, &hit->ranks);
	json_array(json, "hosts");
	for (i = 0; i < hit->hosts.count; i++)
		json_string(json, NULL, hit->hosts.items[i]);
	json_array_end(json);
	put_values(json, hit);
	json_array(json, "known_as");
	for (i = 0; i < hit->phrase->owners.count; i++)
		put_owner(json, why, &hit->phrase->owners.items[i]);
	json_array_end(json);
	json_object_end(json);
}

static void put_exception(struct json_writer *json, const struct why *why)
{
	const struct log_exception *last = &why->log->tracebacks.last;

	if (!last->text) {
		json_null(json, "last_exception");
		return;
	}
	json_object(json, "last_exception");
	json_string(json, "path", last->path);
	json_int(json, "line", (int64_t)last->line);
	json_string(json, "printed", last->text);
	json_int(json, "times", last->count);
	put_ranks(json, why->arena, &last->ranks);
	json_object_end(json);
}

void why_json(const struct why *why, struct buf *out)
{
	struct json_writer json;
	size_t i;

	json_begin(&json, out);
	json_object(&json, NULL);
	json_string(&json, "schema", "parplan.why/1");
	json_array(&json, "logs");
	for (i = 0; i < why->log->files.count; i++) {
		json_object(&json, NULL);
		json_string(&json, "path", why->log->files.items[i].path);
		json_int(&json, "lines", (int64_t)why->log->files.items[i].lines);
		json_object_end(&json);
	}
	json_array_end(&json);
	json_string(&json, "config", why->config ? why->config->path : NULL);
	json_array(&json, "hits");
	for (i = 0; i < why->log->hits.count; i++)
		put_hit(&json, why, why->log->hits.items[i]);
	json_array_end(&json);
	why_causes_json(&json, why);
	hang_json(&json, &why->hang);
	put_exception(&json, why);
	json_object_end(&json);
	buf_char(out, '\n');
}
