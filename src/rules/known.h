#ifndef RULES_KNOWN_H
#define RULES_KNOWN_H

#include <stddef.h>

/*
 * What has bitten people: every known defect of the frameworks and every mistake seen in real
 * configs, with the rules that find it, or the reason why no look at a config can. docs/rules.md
 * lists them all. To add one: a row in the topic's file in rules/known/ (or a new file that
 * defines `const struct knowns knowns_TOPIC`; nothing else lists it).
 */
struct known {
	const char *id;	    /* "48", "B1": eternal, like a rule's name */
	const char *what;   /* one line: what people do and what happens */
	const char *rules;  /* names of the rules that find it, separated by blanks; "" for none */
	const char *remark; /* why it is out of reach, or what the rules do not see; may be "" */
	const char *source; /* thread, pull request or file; may be "" */
};

struct knowns {
	const char *summary; /* heading in docs/rules.md */
	const struct known *rows;
	size_t count;
};

extern const struct knowns *const known_lists[]; /* ended by NULL */

#endif
