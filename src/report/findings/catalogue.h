#ifndef REPORT_FINDINGS_CATALOGUE_H
#define REPORT_FINDINGS_CATALOGUE_H

#include "base/arena.h"
#include "base/buf.h"
#include "report/findings/excerpt.h"
#include "rules/rule.h"

/* The rule catalogue as `parplan rules` prints it. */
void catalogue_text(const struct style *style, struct buf *out);
void catalogue_json(struct arena *arena, struct buf *out); /* parplan.rules/1 */
void catalogue_markdown(struct buf *out);		   /* docs/rules.md */

/* One rule: what it says, why, when, how out of it, where from. Without an example. */
void catalogue_explain(const struct rule *rule, const struct style *style, struct buf *out);

/* Why, texts it is known by, way out and source of one rule, in Markdown. */
void catalogue_rule_markdown(const struct rule_id *id, struct buf *out);

#endif
