#ifndef INPUT_MANIFEST_H
#define INPUT_MANIFEST_H

#include "base/arena.h"
#include "base/source.h"
#include "input/node.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Kubernetes manifests as texts: several YAML documents in one file, and templates that Helm fills
 * in before there is any YAML.
 */

/* True for a document that kubectl takes: a map with apiVersion and kind. */
bool manifest_is(const struct node *root);

/*
 * The document that starts training, among those of a file (linked by `next`): a job before what a
 * job refers to, that before anything else; the first of equals. `documents` itself when none is a
 * manifest.
 */
struct node *manifest_main(struct node *documents);

/* The first document of that kind and, unless it is NULL, that metadata.name; or NULL. */
const struct node *manifest_find(const struct node *documents, const char *kind, const char *name);

/* True when the text is a manifest with {{ actions }} of Go's templates in it. */
bool manifest_is_template(const struct source *source);

/*
 * The text of a template with as many characters on as many lines, in which YAML is found: lines of
 * nothing but actions are blank, an action among other text is a variable of a shell, "${...}".
 */
const char *manifest_without_actions(struct arena *arena, const struct source *source,
				     size_t *length);

/*
 * What can be told of a template whose text is no YAML even so: a map with the apiVersion and kind
 * that stand at the start of a line.
 */
struct node *manifest_head(struct arena *arena, const struct source *source);

#endif
