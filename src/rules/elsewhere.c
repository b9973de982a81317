#include "rules/elsewhere.h"

#include "wings/megatron/exceptions.h"
#include "rules/pinned.h"

#include <inttypes.h>
#include <string.h>

enum kv_demand elsewhere_kv(const struct job *job)
{
	if (runs_megatron(job))
		return KV_MULTIPLE_OR_DIVISOR;
	return pinned(job, "nanotron") ? KV_AT_LEAST_TP : KV_DIVIDED;
}

bool elsewhere_takes_heads(const struct job *job, int64_t tp, int64_t heads, int64_t kv_heads)
{
	if (heads % tp)
		return false;
	if (pinned(job, "deepspeed") && !pinned(job, "megatron"))
		return true; /* AutoTP gives uneven numbers of key/value heads */
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

static void quote_megatron(struct job *job, struct finding *finding, int64_t tp, int64_t heads,
			   int64_t kv_heads)
{
	const char *name = runs_megatron(job);

	if (heads % tp)
		quote_pinned(job, finding, name,
			     "ValueError: num_attention_heads (%" PRId64
			     ") must be a multiple of tensor_model_parallel_size (%" PRId64 ").",
			     heads, tp);
	else
		quote_pinned(job, finding, name,
			     "ValueError: num_query_groups (%" PRId64
			     ") must be a multiple or divisor of tensor_model_parallel_size "
			     "(%" PRId64 ").",
			     kv_heads, tp);
}

static void quote_nanotron(struct job *job, struct finding *finding, int64_t tp, int64_t heads,
			   int64_t kv_heads)
{
	if (heads % tp)
		quote_pinned(job, finding, "nanotron",
			     "num_attention_heads (%" PRId64 ") must be divisible by tp (%" PRId64
			     ")",
			     heads, tp);
	else
		quote_pinned(job, finding, "nanotron",
			     "num_key_value_heads (%" PRId64 ") must be >= tp (%" PRId64 ")",
			     kv_heads, tp);
}

bool elsewhere_quote_heads(struct job *job, struct finding *finding, int64_t tp, int64_t heads,
			   int64_t kv_heads)
{
	const char *nemo = pinned_among(job, "nemo-automodel|nemo-rl");

	if (runs_megatron(job)) {
		quote_megatron(job, finding, tp, heads, kv_heads);
	} else if (pinned(job, "nanotron")) {
		quote_nanotron(job, finding, tp, heads, kv_heads);
	} else if (nemo) {
		quote_pinned(job, finding, nemo,
			     "AssertionError: num_%s_heads (%" PRId64
			     ") must be divisible by TP size (%" PRId64 ")",
			     kv_heads % tp ? "key_value" : "attention",
			     kv_heads % tp ? kv_heads : heads, tp);
	} else {
		return false;
	}
	return true;
}

bool elsewhere_cuts_sequence(const struct job *job)
{
	return runs_megatron(job) || pinned_among(job, "nanotron|deepspeed");
}

bool elsewhere_cuts_plainly(const struct job *job)
{
	const char *method = setting_text(&job->settings, FIELD_CP_METHOD, "ring");

	return !strcmp(method, "ulysses") ||
	       (!runs_megatron(job) && pinned_among(job, "nanotron|deepspeed"));
}

bool elsewhere_quote_sequence(struct job *job, struct finding *finding, bool chunks)
{
	const char *name = runs_megatron(job);

	if (!name)
		return false;
	if (chunks)
		quote_pinned(job, finding, name, "%s", MEGATRON(SEQ_LEN)->says.text);
	else
		quote_pinned(job, finding, name, "%s", MEGATRON(TOKENS_TP)->says.text);
	return true;
}
