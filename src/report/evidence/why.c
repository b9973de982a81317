#include "report/evidence/why.h"

void why_findings(const struct why *why, const struct rule_id *id, struct findings *findings)
{
	size_t i;

	findings_init(findings, why->arena);
	for (i = 0; why->config && i < why->config->findings->list.count; i++)
		if (why->config->findings->list.items[i]->rule == id)
			vec_push(why->arena, &findings->list, why->config->findings->list.items[i]);
}

const char *why_lacking(const struct why *why, const struct rule_id *id)
{
	size_t i;

	for (i = 0; why->config && i < why->config->skips.list.count; i++)
		if (why->config->skips.list.items[i].rule->id == id)
			return why->config->skips.list.items[i].needs;
	return NULL;
}

bool why_has_cause(const struct why *why)
{
	return why->log->hits.count && !phrase_follows(why->log->hits.items[0]->phrase);
}

void why_rank(const struct why *why, struct joblog *log)
{
	struct log_hit **hits = log->hits.items, *hit;
	size_t i, at, confirmed = 0;

	for (i = 0; i < log->hits.count; i++) {
		hit = hits[i];
		if (phrase_follows(hit->phrase) || !why_confirms(why, hit))
			continue;
		for (at = i; at > confirmed; at--)
			hits[at] = hits[at - 1];
		hits[confirmed++] = hit;
	}
}
