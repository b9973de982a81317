#ifndef BASE_PICKLE_MACHINE_H
#define BASE_PICKLE_MACHINE_H

#include "base/pickle.h"
#include "base/vec.h"

/*
 * The stack machine that a pickle is a program for; private to base/pickle*.c. `stack` holds
 * values, `marks` the heights of the stack at which groups of items begin; below the last mark
 * nothing is taken. The first error stays, and the machine stops behind the opcode that made it.
 */
struct machine {
	struct arena *arena;
	const struct pickle_rules *rules;
	const unsigned char *start, *op, *at, *end; /* op: the current opcode; at: its argument */
	const char *name;			    /* of the current opcode */
	VEC(struct pickle_value) stack;
	VEC(size_t) marks;
	VEC(struct pickle_value) memo;
	size_t puts; /* stores into the memo so far */
	bool stopped;
	const char *error;
};

void machine_fail(struct machine *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The next `length` bytes of the argument; NULL after an error. */
const unsigned char *machine_take(struct machine *m, uint64_t length);

/* An unsigned number of `size` bytes, least first; 0 after an error. */
uint64_t machine_number(struct machine *m, size_t size);

/* The text up to the end of the line; NULL after an error. */
const char *machine_line(struct machine *m, size_t *length);

static inline void machine_push(struct machine *m, struct pickle_value value)
{
	if (m->stack.count < m->stack.capacity)
		m->stack.items[m->stack.count++] = value;
	else
		vec_push(m->arena, &m->stack, value);
}

/* How many values are above the last mark. */
static inline size_t machine_height(const struct machine *m)
{
	return m->stack.count - (m->marks.count ? m->marks.items[m->marks.count - 1] : 0);
}

/* True when there are at least `count` of them, else an error. */
bool machine_has(struct machine *m, size_t count);

/* The value on top, which must be there. */
static inline struct pickle_value *machine_top(struct machine *m)
{
	return &m->stack.items[m->stack.count - 1];
}

/* Ends the last group and takes its items off the stack: good until the next push. */
bool machine_group(struct machine *m, const struct pickle_value **items, size_t *count);

struct pickle_value machine_text(enum pickle_kind kind, const void *text, uint64_t length);
struct pickle_value machine_tuple(struct machine *m, const struct pickle_value *items,
				  size_t count);

/* Opcodes of base/pickle_object.c: classes, functions and what would be made with them. */
void op_global(struct machine *m);
void op_stack_global(struct machine *m);
void op_construct(struct machine *m); /* REDUCE, NEWOBJ, NEWOBJ_EX */
void op_instance(struct machine *m);  /* INST, OBJ */
void op_build(struct machine *m);
void op_persistent(struct machine *m); /* PERSID, BINPERSID */

#endif
