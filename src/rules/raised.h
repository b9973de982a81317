#ifndef RULES_RAISED_H
#define RULES_RAISED_H

#include "rules/rule.h"

/*
 * When the modelled framework raises, exactly one rule reports it: the one that the exception's row
 * names, else framework-raises. Rules of that family
 * share this header; each adds what it knows about numbers and fixes.
 */

/* What the applied plan raises if this rule is the one to report it, else NULL. */
const struct plan_error *raised(const struct rule *rule, const struct job *job);

/* Whether what the applied plan raises blames the setting of that field. */
bool raised_of(const struct job *job, enum field_id field);

/*
 * A finding for it: at the main setting to blame, with the others related, the exact exception
 * quoted, and the given message.
 */
struct finding *raised_finding(const struct rule *rule, struct job *job, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The check of a rule of the family that has nothing to add: the message is the exception's. */
void raised_check(const struct rule *rule, struct job *job);

/*
 * Whether the job would get past this rule with another number, and nothing else would refuse that
 * number: what a fix may offer. `free`, where it is another field, is then -1.
 */
bool passes_with(const struct rule *rule, const struct job *job, enum field_id field, int64_t value,
		 enum field_id free);

/* The name of the rule that reports an error. */
const char *raised_rule(const struct plan_error *error);

/* "torchtitan v0.2.0", "torch 2.4.0", or the framework's bare name when it plays no part. */
const char *speaker(const struct job *job, const char *framework);

/* The one whose model ran, else torch: who raises. */
const char *raiser(const struct job *job);

/*
 * Adds the edit that makes `setting` that number, when it stands in the file itself; `finding`
 * is left alone otherwise.
 */
void edit_setting(struct job *job, struct finding *finding, const struct setting *setting,
		  int64_t value);

/* Adds the edit that pins that PyTorch, where the file itself pins one. */
void edit_torch(struct job *job, struct finding *finding, const char *version);

/* Relates the place of a setting, when somebody wrote it: "tp=4 set here". */
void relate_setting(struct job *job, struct finding *finding, enum field_id field);

/* Quotes the exception that ends the applied plan, which there is, in a finding of one's own. */
void quote_raised(struct job *job, struct finding *finding);

#endif
