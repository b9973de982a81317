#include "report/evidence/causes.h"

#include "base/json.h"
#include "base/text.h"
#include "report/evidence/hang.h"

#include <string.h>

const char *cause_basis_name(enum cause_basis basis)
{
	static const char *const names[] = { "confirmed", "printed", "hang",
					     "predicted", "vague",   "exception" };

	return names[basis];
}

static void push(const struct why *why, struct why_causes *causes, struct why_cause cause)
{
	size_t at;

	vec_push(why->arena, &causes->list, cause);
	for (at = causes->list.count - 1; at > 0; at--) {
		if (causes->list.items[at - 1].basis <= cause.basis)
			break;
		causes->list.items[at] = causes->list.items[at - 1];
	}
	causes->list.items[at] = cause;
}

/* What end of a job a rule foretells whose own text no framework prints. */
static const char *const foretold[][2] = {
	{ "does-not-fit", "cuda-out-of-memory" },
};

static const struct finding *found_by(const struct why *why, const struct phrase_owner *owner)
{
	size_t i, k;

	for (i = 0; why->config && i < why->config->findings->list.count; i++) {
		const struct finding *finding = why->config->findings->list.items[i];
		if (finding->rule == owner->id)
			return finding;
		for (k = 0; k < sizeof(foretold) / sizeof(*foretold); k++)
			if (!strcmp(finding->rule->name, foretold[k][0]) &&
			    !strcmp(owner->id->name, foretold[k][1]))
				return finding;
	}
	return NULL;
}

const struct finding *why_confirms(const struct why *why, const struct log_hit *hit)
{
	const struct finding *finding = NULL;
	size_t i;

	for (i = 0; !finding && i < hit->phrase->owners.count; i++)
		finding = found_by(why, &hit->phrase->owners.items[i]);
	return finding;
}

static void push_hit(const struct why *why, struct why_causes *causes, const struct log_hit *hit)
{
	const struct phrase_owner *owner = &hit->phrase->owners.items[0];
	const struct finding *finding = why_confirms(why, hit);
	struct why_cause cause = { .hit = hit, .finding = finding };

	if (phrase_follows(hit->phrase))
		return;
	cause.basis = finding				      ? CAUSE_CONFIRMED
		      : phrase_kind(hit->phrase) == END_CAUSE ? CAUSE_PRINTED
							      : CAUSE_VAGUE;
	if (finding && !owner->end && finding->rule != owner->id)
		cause.name = finding->rule->name;
	else
		cause.name = owner->id->name;
	cause.rule = finding ? finding->rule->code : owner->end ? NULL : owner->id->code;
	cause.says = finding ? finding->message : owner->id->summary;
	cause.next = owner->id->remedy;
	push(why, causes, cause);
}

static void push_hang(const struct why *why, struct why_causes *causes)
{
	const struct hang *hang = &why->hang;
	struct why_cause cause = { .basis = CAUSE_HANG };

	if (!hang->culprits.count || hang->culprits.items[0].class == CULPRIT_DIED)
		return;
	cause.name = arena_join(why->arena, "rank-",
				culprit_class_name(hang->culprits.items[0].class), "");
	cause.says = hang->culprits.items[0].says;
	cause.next = hang_next(hang);
	push(why, causes, cause);
}

/* Errors that no log tells of; a job that died of something sure did not come to die of them. */
static void push_predicted(const struct why *why, struct why_causes *causes)
{
	const struct log_exception *last = &why->log->tracebacks.last;
	size_t i, k;

	if (causes->list.count && causes->list.items[0].basis <= CAUSE_PRINTED)
		return;
	for (i = 0; why->config && i < why->config->findings->list.count; i++) {
		const struct finding *finding = why->config->findings->list.items[i];
		const bool raised =
			last->text && finding->quote && !strcmp(last->text, finding->quote);
		const struct why_cause cause = { .basis =
							 raised ? CAUSE_CONFIRMED : CAUSE_PREDICTED,
						 .last = raised ? last : NULL,
						 .name = finding->rule->name,
						 .rule = finding->rule->code,
						 .says = finding->message,
						 .next = finding->rule->remedy,
						 .finding = finding };
		for (k = 0; k < causes->list.count; k++)
			if (causes->list.items[k].finding &&
			    causes->list.items[k].finding->rule == finding->rule)
				break;
		if (finding->severity == SEVERITY_ERROR && k == causes->list.count)
			push(why, causes, cause);
	}
}

static void push_exception(const struct why *why, struct why_causes *causes)
{
	const struct log_exception *last = &why->log->tracebacks.last;
	const struct why_cause cause = {
		.basis = CAUSE_EXCEPTION,
		.name = "unknown-exception",
		.says = last->text,
		.next = "the frames above it: no rule is known by its text",
		.last = last
	};

	if (last->text && !why_has_cause(why) &&
	    !(causes->list.count && causes->list.items[0].basis == CAUSE_CONFIRMED))
		push(why, causes, cause);
}

struct why_causes why_causes_of(const struct why *why)
{
	struct why_causes causes = { 0 };
	size_t i;

	for (i = 0; i < why->log->hits.count; i++)
		push_hit(why, &causes, why->log->hits.items[i]);
	push_hang(why, &causes);
	push_predicted(why, &causes);
	push_exception(why, &causes);
	return causes;
}

/* ---- as JSON ---- */

enum { RANKS_MOST = 4096 }; /* that are listed one by one */

static void put_ranks(struct json_writer *json, const struct why *why,
		      const struct why_cause *cause)
{
	const struct rank_set *set = cause->hit	   ? &cause->hit->ranks
				     : cause->last ? &cause->last->ranks
						   : NULL;
	int64_t rank, put = 0;
	size_t i;

	json_array(json, "ranks");
	for (rank = 0; set && put < set->count && put < RANKS_MOST; rank++)
		if (rank_set_has(set, rank)) {
			json_int(json, NULL, rank);
			put++;
		}
	for (i = 0; cause->basis == CAUSE_HANG && i < why->hang.culprits.count; i++)
		json_int(json, NULL, why->hang.culprits.items[i].rank);
	json_array_end(json);
}

static bool is_first_host(const struct hang *hang, size_t at)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (hang->culprits.items[i].host &&
		    !strcmp(hang->culprits.items[i].host, hang->culprits.items[at].host))
			return false;
	return true;
}

static void put_hosts(struct json_writer *json, const struct why *why,
		      const struct why_cause *cause)
{
	const struct hang *hang = &why->hang;
	size_t i;

	json_array(json, "hosts");
	for (i = 0; cause->hit && i < cause->hit->hosts.count; i++)
		json_string(json, NULL, cause->hit->hosts.items[i]);
	for (i = 0; cause->basis == CAUSE_HANG && i < hang->culprits.count; i++)
		if (hang->culprits.items[i].host && is_first_host(hang, i))
			json_string(json, NULL, hang->culprits.items[i].host);
	json_array_end(json);
}

/* "train.log:214", "config.yaml:8" */
static void put_lines(struct json_writer *json, const struct why *why,
		      const struct why_cause *cause)
{
	json_array(json, "lines");
	if (cause->hit)
		json_string(json, NULL,
			    arena_printf(why->arena, "%s:%zu", cause->hit->path, cause->hit->line));
	if (cause->last)
		json_string(
			json, NULL,
			arena_printf(why->arena, "%s:%zu", cause->last->path, cause->last->line));
	if (cause->finding && cause->finding->span.line)
		json_string(json, NULL,
			    arena_printf(why->arena, "%s:%u", why->config->path,
					 cause->finding->span.line));
	json_array_end(json);
}

void why_causes_json(struct json_writer *json, const struct why *why)
{
	const struct why_causes causes = why_causes_of(why);
	size_t i;

	json_array(json, "causes");
	for (i = 0; i < causes.list.count; i++) {
		const struct why_cause *cause = &causes.list.items[i];
		json_object(json, NULL);
		json_string(json, "name", cause->name);
		json_string(json, "rule", cause->rule);
		json_string(json, "basis", cause_basis_name(cause->basis));
		json_string(json, "says", cause->says);
		json_string(json, "next", cause->next);
		put_ranks(json, why, cause);
		put_hosts(json, why, cause);
		put_lines(json, why, cause);
		json_object_end(json);
	}
	json_array_end(json);
}

/* ---- in words ---- */

static void put_predicted(const struct why *why, const struct why_causes *causes,
			  const struct style *style, struct buf *out)
{
	bool any = false;
	size_t i;

	for (i = 0; i < causes->list.count; i++) {
		const struct why_cause *cause = &causes->list.items[i];
		if (cause->basis != CAUSE_PREDICTED && (cause->hit || !cause->finding))
			continue;
		if (!any)
			buf_printf(out,
				   "\n%s: check finds what no log tells of; it stops a job "
				   "that runs so:\n",
				   why->config->path);
		any = true;
		buf_text(out, "  ");
		wrap_text(out,
			  arena_printf(why->arena, "%u: %s [%s]", cause->finding->span.line,
				       cause->says, cause->name),
			  2, 4, style->columns);
		buf_char(out, '\n');
	}
}

void why_causes_text(const struct why *why, const struct style *style, struct buf *out)
{
	const struct why_causes causes = why_causes_of(why);
	const char *names = NULL;
	size_t i, count = 0;

	for (i = 0; i < causes.list.count; i++) {
		const struct why_cause *cause = &causes.list.items[i];
		if (cause->basis == CAUSE_EXCEPTION)
			continue;
		names = names ? arena_join(why->arena, names, ", ", cause->name) : cause->name;
		count++;
	}
	if (count > 1) {
		wrap_text(out,
			  arena_printf(why->arena, "%zu causes are plausible, in this order: %s",
				       count, names),
			  0, 2, style->columns);
		buf_char(out, '\n');
	}
	put_predicted(why, &causes, style, out);
}
