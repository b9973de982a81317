#ifndef UNIT_EVIDENCE_CAPTURE_H
#define UNIT_EVIDENCE_CAPTURE_H

#include "evidence/evidence.h"
#include "unit/file_arena.h"

/*
 * What all tests of a file read into, each from nothing; `end` takes it away again. Included last:
 * the other headers have parameters of these names.
 */
static struct capture capture;

static inline int begin_capture(void **state)
{
	begin(state);
	evidence_init(&capture, &arena);
	return 0;
}

#endif
