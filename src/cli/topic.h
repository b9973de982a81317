#ifndef CLI_TOPIC_H
#define CLI_TOPIC_H

#include "base/buf.h"

/*
 * What holds for all commands, for `parplan help TOPIC` and the sections of parplan(1). To add
 * one: a row in topic.c; help, manual and completion have it then.
 */
struct topic_entry {
	const char *term; /* NULL ends the list */
	const char *text;
};

struct topic {
	const char *name;  /* "exit-status"; NULL ends the table */
	const char *title; /* "exit status" */
	const char *text;  /* a paragraph behind the entries, or NULL */
	const struct topic_entry *entries;
};

extern const struct topic topics[];

/* The topic of that name, or NULL. */
const struct topic *topic_find(const char *name);

#endif
