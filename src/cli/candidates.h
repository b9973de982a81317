#ifndef CLI_CANDIDATES_H
#define CLI_CANDIDATES_H

#include "base/buf.h"
#include "cli/opt.h"

/*
 * What can stand on a command line, known from the tables: the words a
 * completion offers. To teach it a new kind of argument, add a row to `kinds` in candidates.c.
 */

/* The values an option takes, with a blank before each; nothing when any will do. */
void candidates_of_option(const struct opt *option, struct buf *out);

/* The words that may stand for a command's operands ("RULE", "SHELL"), with a blank before each. */
void candidates_of_operands(const char *operands, struct buf *out);

/* True when the argument or operand names a file. */
bool candidates_are_files(const char *argument);

#endif
