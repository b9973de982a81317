#ifndef RULES_ELSEWHERE_H
#define RULES_ELSEWHERE_H

#include "rules/rule.h"

/*
 * What frameworks without a model of their own ask of heads and sequences, where it differs from
 * one to the other. Everything here is false or does nothing for TorchTitan and PyTorch.
 */

/* What is asked of key/value heads besides tp dividing the heads. */
enum kv_demand {
	KV_DIVIDED,		/* tp divides them */
	KV_MULTIPLE_OR_DIVISOR, /* or they divide tp: each is repeated (Megatron) */
	KV_AT_LEAST_TP		/* there are as many as tp (nanotron) */
};

enum kv_demand elsewhere_kv(const struct job *job);

/* True when these numbers of heads go with tp. */
bool elsewhere_takes_heads(const struct job *job, int64_t tp, int64_t heads, int64_t kv_heads);

/* Quotes what the framework says of heads that tp does not divide; false when none is known. */
bool elsewhere_quote_heads(const struct rule *rule, struct job *job, struct finding *finding,
			   int64_t tp, int64_t heads, int64_t kv_heads);

/* True when the framework cuts sequences as they are, without padding them first. */
bool elsewhere_cuts_sequence(const struct job *job);

/* True when context parallelism cuts cp parts, not 2 * cp chunks. */
bool elsewhere_cuts_plainly(const struct job *job);

/* Quotes what the framework says of such a length; false when none is known. */
bool elsewhere_quote_sequence(const struct rule *rule, struct job *job, struct finding *finding,
			      bool chunks);

#endif
