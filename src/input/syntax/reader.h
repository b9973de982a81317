#ifndef INPUT_SYNTAX_READER_H
#define INPUT_SYNTAX_READER_H

#include "base/arena.h"
#include "base/finding.h"
#include "base/source.h"

#include <stdbool.h>

/*
 * The readers: a text becomes a tree, or NULL after a finding that says where it
 * stopped being one. A tree may come with findings (duplicate keys), too.
 * To add a syntax: one file here with one such function, and a row in document.c.
 */
struct node;

enum {
	READER_DEPTH = 100,		/* nesting */
	READER_BYTES = 16 * 1024 * 1024 /* size of a config */
};

/* YAML 1.1 as PyYAML's safe loader reads it (which the frameworks use), through libyaml. */
struct node *yaml_read(struct arena *arena, const struct source *source, struct findings *findings);

/* TOML 1.0, through toml++ (input/syntax/toml.cc). */
struct node *toml_read(struct arena *arena, const struct source *source, struct findings *findings);

/* JSON, RFC 8259 (NaN and Infinity are errors). */
struct node *json_read(struct arena *arena, const struct source *source, struct findings *findings);

/*
 * JSON with comments (#, //, C's) and commas before closing brackets, in silence; what is left of a
 * text that json_read refused. NULL when it is not even that.
 */
struct node *json_read_loose(struct arena *arena, const struct source *source);

/*
 * A Python program: a map of its functions that make objects, "NAME()", each as the tree of what
 * it makes (python_value.h); empty where it has none. Nothing is executed.
 */
struct node *python_read(struct arena *arena, const struct source *source,
			 struct findings *findings);

/* YAML from byte `start` on: the VALUE of a --set KEY=VALUE. */
struct node *yaml_value(struct arena *arena, const struct source *source, size_t start,
			struct findings *findings);

/*
 * What all syntaxes ask of a text: at most READER_BYTES, UTF-8, no control characters
 * but tabs and line breaks. Every reader calls it first; false after a finding.
 */
bool reader_accepts(const struct source *source, struct findings *findings);

/*
 * Reports a byte order mark in a syntax whose Python reader stumbles over it, with the words it
 * raises; PyYAML skips it. The text behind it is still read.
 */
void reader_refuse_mark(const struct source *source, struct findings *findings,
			const char *exception);

/* Reports that `now` took the place of `old` in a map; stops at some hundred findings. */
void reader_duplicate(struct findings *findings, const struct node *old, const struct node *now);

/* What the readers can find; all of them are in the rule catalogue. */
extern const struct rule_id rule_syntax, rule_duplicate_key, rule_too_large, rule_several_documents;

/* Versions of the libraries behind the readers: "0.2.5", "3.3.0". */
const char *yaml_library(void);
const char *toml_library(void);

#endif
