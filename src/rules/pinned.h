#ifndef RULES_PINNED_H
#define RULES_PINNED_H

#include "rules/rule.h"

/* Which frameworks the config names, for rules on what one of them asks for. */

/* True when that framework plays a part. */
bool pinned(const struct job *job, const char *framework);

/* The first of some frameworks that plays a part, names separated by '|'; or NULL. */
const char *pinned_among(const struct job *job, const char *names);

/* The framework that runs Megatron Core, or NULL. */
const char *runs_megatron(const struct job *job);

/* Quotes what a pinned framework prints. */
void quote_pinned(struct job *job, struct finding *finding, const char *framework,
		  const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
