#ifndef INPUT_COMPOSE_INTERPOLATION_H
#define INPUT_COMPOSE_INTERPOLATION_H

#include "base/arena.h"
#include "base/finding.h"
#include "input/document.h"

/*
 * Resolves every `${...}` below `root` in place as OmegaConf 2.3 does (omegaconf/grammar):
 * `${a.b[0]}` from the root, `${.x}` and `${..x}` from where it stands, `${oc.env:NAME,default}`,
 * `${oc.select:a.b,default}`, `${oc.decode:...}`, and the arithmetic that frameworks register
 * (multiply, divide_ceil, eval, ...). A whole value keeps the type of what it names. Plain `1e-5`
 * is a number for OmegaConf, though text for YAML 1.1.
 *
 * `mounts` are names under which other files include this one ("training|peft":
 * `${training.model.x}` in a file that lands there), or NULL. What nothing at hand says, `???` too,
 * becomes node->unresolved; expressions that lead back to themselves are findings.
 */
void interpolate_omegaconf(struct document *document, struct node *root, const char *mounts,
			   struct findings *findings);

/*
 * Resolves `${NAME}` and `${NAME:default}` from --env, as Primus does with its environment: a text
 * that was replaced and looks like a number is one (AMD-AGI/Primus@fd1eeabb
 * primus/core/config/yaml_loader.py). A variable without a value nor default becomes
 * node->unresolved.
 */
void interpolate_environment(struct document *document, struct node *root);

/* What a value becomes when a variable of the environment is put in its place: 8 from "8". */
struct node *decoded_text(struct arena *arena, const char *text, struct span span);

extern const struct rule_id rule_circular_reference;

#endif
