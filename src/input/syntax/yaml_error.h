#ifndef INPUT_SYNTAX_YAML_ERROR_H
#define INPUT_SYNTAX_YAML_ERROR_H

#include "base/finding.h"

struct node;

/* A complaint of libyaml's, with its two places where they are known. */
struct yaml_complaint {
	const char *problem; /* libyaml's words */
	const char *context; /* what it was doing, or NULL */
	struct span at;
	struct span since; /* where that began */
	char offender;	   /* the character at `at`, NUL at the end of the text */
};

/* Adds a syntax finding that says in plain words what libyaml objects to, and what to do. */
void yaml_complain(struct findings *findings, const struct yaml_complaint *complaint);

/* Reports a tag that no safe loader takes, or takes for such a value; false. */
bool yaml_refuse_tag(struct arena *arena, struct findings *findings, const char *tag,
		     struct span span);

/* Reports a second document where PyYAML wants one; the first, `root`, stays good. */
void yaml_refuse_second(struct findings *findings, const struct node *root, struct span second);

#endif
