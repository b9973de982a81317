#ifndef REPORT_FINDINGS_PASSED_OVER_H
#define REPORT_FINDINGS_PASSED_OVER_H

#include "base/arena.h"
#include "base/vec.h"

struct json_writer;

/* Files that nobody named, and that were not checked: of a folder, of a pull request. */
struct passed_over {
	size_t others;		  /* they are no configs */
	size_t excluded;	  /* the project's settings exclude them */
	VEC(const char *) unread; /* they may have been meant as configs: their syntax is wrong */
	VEC(const char *) large;  /* they are too large for configs */
};

/*
 * Sentences on them; "" when there are none. `noun` is "file" or "changed file", `settings` whose
 * settings exclude some.
 */
char *passed_over_text(struct arena *arena, const struct passed_over *files, const char *noun,
		       const char *settings);

/* The members "unread", "too_large", "excluded_files" and "other_files". */
void passed_over_json(struct json_writer *json, const struct passed_over *files);

#endif
