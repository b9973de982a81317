#ifndef WINGS_TORCHTITAN_EXCEPTIONS_H
#define WINGS_TORCHTITAN_EXCEPTIONS_H

#include "plan/exception.h"

enum titan_exception {
#define EXCEPTION(id, speaker, text, where, rule) TITAN_##id,
#include "wings/torchtitan/exceptions.def"
#undef EXCEPTION
	TITAN_EXCEPTIONS
};

extern const struct exceptions exceptions_torchtitan;

/* TITAN(HEADS): the row of that id. */
#define TITAN(id) (&exceptions_torchtitan.rows[TITAN_##id])

#endif
