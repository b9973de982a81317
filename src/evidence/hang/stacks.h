#ifndef EVIDENCE_HANG_STACKS_H
#define EVIDENCE_HANG_STACKS_H

#include "evidence/hang/find.h"

#include <stddef.h>

/*
 * Python stacks as py-spy and faulthandler print them, the innermost frame first: a head, then
 * frames. Of a process the main thread counts.
 */
struct stack_reader {
	struct hang_facts *facts;
	int64_t rank; /* whose is being read */
	bool open, main;
	VEC(const char *) frames;
};

/* Words that each head has one of; ended by NULL. */
extern const char *const stack_needles[];

/* A head: the stack of a thread follows. */
void stack_head(struct stack_reader *reader, int64_t rank, const char *text, size_t length);

/* Any line while a stack is open; false when it ended before this line. */
bool stack_line(struct stack_reader *reader, int64_t rank, const char *text, size_t length);

void stack_end(struct stack_reader *reader);

/* "train (train.py:512) > next_batch (train.py:355)": the innermost ones; NULL: none is known. */
const char *hang_stack_text(struct arena *arena, const struct hang_facts *facts, int64_t rank);

/* Blames the few ranks whose stacks differ from what most others show. */
void hang_stacks_find(struct arena *arena, const struct hang_facts *facts, struct hang *hang);

#endif
