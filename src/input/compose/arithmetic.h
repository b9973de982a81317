#ifndef INPUT_COMPOSE_ARITHMETIC_H
#define INPUT_COMPOSE_ARITHMETIC_H

#include <stdbool.h>
#include <stdint.h>

/* A number as Python has it: an integer stays one until a division makes it real. */
struct number {
	bool whole; /* `integer` holds it; else `real` does */
	int64_t integer;
	double real;
};

struct number number_whole(int64_t value);
struct number number_real(double value);

enum number_step {
	NUMBER_ADD,
	NUMBER_SUBTRACT,
	NUMBER_MULTIPLY,
	NUMBER_DIVIDE, /* real, as Python's `/`, but for a quotient that is whole */
	NUMBER_FLOOR,  /* `//` */
	NUMBER_CEILING,
	NUMBER_MODULO,
	NUMBER_POWER,
	NUMBER_LARGER,
	NUMBER_SMALLER
};

/* left STEP right into *left; false when that is no number: division by 0, 64 bits exceeded. */
bool number_apply(struct number *left, enum number_step step, struct number right);

/*
 * The value of an arithmetic expression of Python: + - * / // % **, parentheses, int(x), max(a, b),
 * min(a, b). False on everything else.
 */
bool arithmetic_value(const char *text, struct number *value);

#endif
