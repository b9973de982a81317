#ifndef WINGS_MEGATRON_EXCEPTIONS_H
#define WINGS_MEGATRON_EXCEPTIONS_H

#include "plan/exception.h"

enum megatron_exception {
#define EXCEPTION(id, speaker, text, where, rule) MEGATRON_##id,
#include "wings/megatron/exceptions.def"
#undef EXCEPTION
	MEGATRON_EXCEPTIONS
};

extern const struct exceptions exceptions_megatron;

/* MEGATRON(HEADS): the row of that id. */
#define MEGATRON(id) (&exceptions_megatron.rows[MEGATRON_##id])

#endif
