#ifndef REPORT_KNOWN_WORDS_H
#define REPORT_KNOWN_WORDS_H

#include "input/setting.h"

/*
 * Values that a field's row does not list, for they come from tables of their own: "a|b|c" of the
 * models, devices or schedules there are. NULL for other fields.
 */
const char *known_words(struct arena *arena, enum field_id field);

#endif
