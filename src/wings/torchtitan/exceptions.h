#ifndef WINGS_TORCHTITAN_EXCEPTIONS_H
#define WINGS_TORCHTITAN_EXCEPTIONS_H

#include "framework/timeline.h"
#include "plan/exception.h"

enum titan_exception {
#define EXCEPTION(id, speaker, text, where, rule)		   TITAN_##id,
#define EXCEPTION_IN(id, since, until, speaker, text, where, rule) TITAN_##id,
#include "wings/torchtitan/exceptions.def"
#undef EXCEPTION
#undef EXCEPTION_IN
	TITAN_EXCEPTIONS
};

extern const struct exceptions exceptions_torchtitan;

/* That row, or the next in the table that is of that moment. */
const struct exception *titan_told(enum titan_exception id, moment_t when);

/* TITAN(HEADS): the row of that id. */
#define TITAN(id) (&exceptions_torchtitan.rows[TITAN_##id])

#endif
