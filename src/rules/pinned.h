#ifndef RULES_PINNED_H
#define RULES_PINNED_H

#include "framework/wing.h"
#include "rules/rule.h"

/* The framework that runs Megatron Core, or NULL. */
const char *runs_megatron(const struct job *job);

/* False where the config names an engine that is another. */
bool may_run_megatron(const struct job *job);

/* Named values of a rule for the texts of frameworks: TELL("bs", batch), ..., TELL_END. */
#define TELL(name, value)                                                                          \
	{                                                                                          \
		name, VALUE(value)                                                                 \
	}
#define TELL_IF(known, name, value)                                                                \
	{                                                                                          \
		(known) ? (name) : "-", VALUE(value)                                               \
	}
/* Only rows that have this word in their text. */
#define TELL_ABOUT(word) TELL(EXCEPTION_ABOUT, word)
#define TELL_END                                                                                   \
	{                                                                                          \
		NULL,                                                                              \
		{                                                                                  \
			NULL, 0, true                                                              \
		}                                                                                  \
	}

/*
 * Quotes what a framework of the job prints where this rule fires: the first row of its table that
 * has the rule's name and, in braces, no other names than these. False where none has.
 */
bool quote_told(const struct rule *rule, struct job *job, struct finding *finding,
		const struct exception_name *values);

/* The same in the words of whoever has them, whether the config names it or not. */
bool quote_by_any(const struct rule *rule, struct job *job, struct finding *finding,
		  const struct exception_name *values);

/* The one whose pipelines Megatron Core runs, or NULL. */
const struct wing *wing_of_pipelines(const struct job *job);

/* Stages on each rank, where Megatron Core runs the pipeline; 0: it does not, or nobody knows. */
int64_t virtual_stages_of(const struct job *job, int64_t pp);

#endif
