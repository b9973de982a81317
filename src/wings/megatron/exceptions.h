#ifndef WINGS_MEGATRON_EXCEPTIONS_H
#define WINGS_MEGATRON_EXCEPTIONS_H

#include "framework/timeline.h"
#include "plan/exception.h"

enum megatron_exception {
#define EXCEPTION(id, speaker, text, where, rule)		   MEGATRON_##id,
#define EXCEPTION_IN(id, since, until, speaker, text, where, rule) MEGATRON_##id,
#include "wings/megatron/exceptions.def"
#undef EXCEPTION
#undef EXCEPTION_IN
	MEGATRON_EXCEPTIONS
};

extern const struct exceptions exceptions_megatron;

/* That row, or the next in the table that is of that moment. */
const struct exception *megatron_told(enum megatron_exception id, moment_t when);

/* MEGATRON(HEADS): the row of that id. */
#define MEGATRON(id) (&exceptions_megatron.rows[MEGATRON_##id])

#endif
