#ifndef FRAMEWORK_REQUIREMENTS_H
#define FRAMEWORK_REQUIREMENTS_H

#include "input/document.h"

/* Pins found outside the config. */
struct pins {
	VEC(struct pin) list;
};

/*
 * Exact versions that requirements.txt, pyproject.toml or uv.lock beside the config name:
 * `torch==2.9.0`, `torchtitan @ git+https://...@v0.2.0`. Ranges are not pins. A config that came
 * from stdin has nothing beside it.
 */
void requirements_pins(struct pins *pins, const struct document *document);

/* How many files beside a config are looked at. */
enum { REQUIREMENTS = 3 };

/* Their paths, whether they are there or not; false for a config that has nothing beside it. */
bool requirements_paths(const struct document *document, const char *paths[REQUIREMENTS]);

#endif
