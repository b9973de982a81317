#ifndef WINGS_ACCELERATE_TOTAL_H
#define WINGS_ACCELERATE_TOTAL_H

#include "plan/exception.h"

extern const struct exceptions exceptions_accelerate;

/* What ParallelismConfig says of another number of ranks: the product, the world, the last sizes.
 */
#define ACCELERATE_TOTAL (&exceptions_accelerate.rows[0])

/* Of a config file with keys that it has not: the path, and the keys as Python prints a list. */
#define ACCELERATE_UNKNOWN_KEYS (&exceptions_accelerate.rows[1])

/* Of replicas beside tp or cp, and nobody who shares parameters. */
#define ACCELERATE_PURE_DP (&exceptions_accelerate.rows[2])

/* The words that str_to_bool takes, as those of a setting that is one of two. */
#define ACCELERATE_SWITCH(yes, no)                                                                 \
	"true=" yes "|yes=" yes "|on=" yes "|t=" yes "|y=" yes "|1=" yes "|false=" no "|no=" no    \
	"|off=" no "|f=" no "|n=" no "|0=" no

/* Whether str_to_bool takes the word for true or false (utils/environment.py). */
bool accelerate_is_switch(const char *word);

#endif
