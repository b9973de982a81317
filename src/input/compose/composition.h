#ifndef INPUT_COMPOSE_COMPOSITION_H
#define INPUT_COMPOSE_COMPOSITION_H

#include "base/finding.h"
#include "input/document.h"
#include "input/keys.h"

/*
 * Puts the files named under `key` below the document's tree: one path or a list of paths, each
 * relative to the file that names it, which may name others in turn; of a list the later win, and
 * the file that names them wins over all. A map with `_override_: true` replaces theirs. So do
 * NeMo-RL's `defaults:` (NVIDIA-NeMo/RL@7ea279ab nemo_rl/utils/config.py) and Primus' `extends:`
 * (AMD-AGI/Primus@fd1eeabb primus/core/config/yaml_loader.py). `expressions` is run over each file
 * by itself before it is merged; NULL: not at all.
 */
void compose_parents(struct document *document, const char *key,
		     void (*expressions)(struct document *document, struct node *root),
		     struct findings *findings);

/*
 * Composes hydra's `defaults:` list: names beside the file, `group: option`, `group@package:
 * option`, `group/option`, null options, `optional`, `override`, `_self_` (last when it is not in
 * the list), and a file's own `# @package` line (hydra 1.3 hydra/_internal/defaults_list.py).
 * Groups of hydra's own and other search paths are not looked at.
 */
void compose_hydra(struct document *document, struct findings *findings);

/*
 * Leaves the settings of the table that nothing gave open, neither a value nor the default: `who`
 * says what decides instead.
 */
void leave_open(struct settings *settings, const struct key_row *rows, size_t count,
		const char *who);

/* The same when a file that the document builds on is not there. */
void leave_to_absent(const struct document *document, struct settings *settings,
		     const struct key_row *rows, size_t count);

extern const struct rule_id rule_absent_parent;

#endif
