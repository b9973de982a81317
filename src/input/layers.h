#ifndef INPUT_LAYERS_H
#define INPUT_LAYERS_H

#include "base/finding.h"
#include "input/document.h"

/*
 * What lies over the file: each --set KEY=VALUE in the order given. KEY is a dotted path in the
 * document's own spelling, VALUE a scalar, list or map in YAML flow style; later ones win, and
 * what was replaced stays reachable as node->overridden. A VALUE replaces what is at KEY whole:
 * maps are not merged. Every such text is a source of its own named "<--set>".
 */
void layers_apply(struct document *document, struct findings *findings);

/*
 * Lays expectations over the document: those of its comments, then each --expect KEY=VALUE. They go
 * below expect: in a dialect that has such a block, else below the same name in document->beside.
 * Call it when the dialect is known.
 */
void layers_expect(struct document *document, struct findings *findings);

extern const struct rule_id rule_bad_override;

#endif
