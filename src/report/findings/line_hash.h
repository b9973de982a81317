#ifndef REPORT_FINDINGS_LINE_HASH_H
#define REPORT_FINDINGS_LINE_HASH_H

#include "base/source.h"

/*
 * The names that GitHub's upload of SARIF gives to lines (primaryLocationLineHash), so that alerts
 * are the same whether it or another client sends the file: a polynomial hash, base 37 modulo 2^64,
 * of the 100 UTF-16 units from the line's start on that are no blank or tab, every line break being
 * one '\n' and the text's end 65535, then zeros; and a count of lines alike. Source: hash() in
 * github/codeql-action, src/fingerprints.ts.
 */
struct line_hashes {
	struct arena *arena;
	const struct source *source; /* whose lines `names` are of; NULL: none yet */
	const char **names;	     /* by line - 1; NULL: it has none */
};

/*
 * The name of a 1-based line, or NULL where there is none: beyond the end, and in a text with line
 * breaks of a lone '\r', whose lines are counted otherwise there. Hashes a source once.
 */
const char *line_hash(struct line_hashes *hashes, const struct source *source, uint32_t line);

#endif
