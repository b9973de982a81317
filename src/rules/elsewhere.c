#include "rules/elsewhere.h"

#include "rules/pinned.h"

#include <string.h>

enum kv_demand elsewhere_kv(const struct job *job)
{
	if (runs_megatron(job))
		return KV_MULTIPLE_OR_DIVISOR;
	return job_does(job, HABIT_KV_AT_LEAST) ? KV_AT_LEAST_TP : KV_DIVIDED;
}

bool elsewhere_takes_heads(const struct job *job, int64_t tp, int64_t heads, int64_t kv_heads)
{
	if (heads % tp)
		return false;
	if (job_does(job, HABIT_KV_UNEVEN) && !runs_megatron(job))
		return true;
	switch (elsewhere_kv(job)) {
	case KV_MULTIPLE_OR_DIVISOR:
		return kv_heads % tp == 0 || tp % kv_heads == 0;
	case KV_AT_LEAST_TP:
		return kv_heads >= tp;
	case KV_DIVIDED:
		break;
	}
	return kv_heads % tp == 0;
}

bool elsewhere_quote_heads(const struct rule *rule, struct job *job, struct finding *finding,
			   int64_t tp, int64_t heads, int64_t kv_heads)
{
	const struct exception_name values[] = { TELL("tp", tp), TELL_IF(heads % tp, "h", heads),
						 TELL_IF(kv_heads % tp, "kv", kv_heads), TELL_END };

	return quote_told(rule, job, finding, values);
}

bool elsewhere_cuts_sequence(const struct job *job)
{
	return runs_megatron(job) || job_does(job, HABIT_CUTS_UNPADDED);
}

bool elsewhere_cuts_plainly(const struct job *job)
{
	const char *method = setting_text(&job->settings, FIELD_CP_METHOD, "ring");

	return !strcmp(method, "ulysses") ||
	       (!runs_megatron(job) && job_does(job, HABIT_CUTS_UNPADDED));
}

bool elsewhere_quote_sequence(const struct rule *rule, struct job *job, struct finding *finding,
			      bool chunks)
{
	const struct exception_name values[] = { TELL_ABOUT(chunks ? "context-parallel" : "tensor"),
						 TELL_END };

	return quote_told(rule, job, finding, values);
}
