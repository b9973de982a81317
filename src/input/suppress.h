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
 * and comments that expect something, in files that have no expect: block of their own:
 *
 *     # parplan: expect data_parallel=hsdp
 *
 * What follows the list of rules is the reason; what is expected runs to the line's end. Whether
 * the rules exist and whether a suppression was of use is for the rules floor to say.
 */

/* Fills document->suppressions and ->expectations from the comments of its source; reports
 * malformed ones. */
void suppress_read(struct document *document, struct findings *findings);

extern const struct rule_id rule_bad_suppression;

#endif
