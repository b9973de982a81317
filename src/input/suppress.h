#ifndef INPUT_SUPPRESS_H
#define INPUT_SUPPRESS_H

#include "base/finding.h"
#include "input/document.h"

/*
 * Comments that silence a finding on purpose, in YAML and TOML:
 *
 *     tp: 8          # parplan: ignore=kv-heads-split -- measured, it is fine
 *     # parplan: ignore=tp-across-nodes,bubble-large
 *     pp: 4          (covered by the line above, which stands alone)
 *     # parplan: ignore-file=checkpoint-off
 *
 * What follows the list of rules is the reason. Whether the rules exist and
 * whether a suppression was of use is for the rules floor to say.
 */

/* Fills document->suppressions from the comments of its source; reports malformed ones. */
void suppress_read(struct document *document, struct findings *findings);

extern const struct rule_id rule_bad_suppression;

#endif
