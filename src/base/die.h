#ifndef BASE_DIE_H
#define BASE_DIE_H

/*
 * The three kinds of trouble never mix: a bug of ours aborts, a thing that
 * stops the job exits 2, and everything about the user's input is a finding
 * (base/finding.h).
 */

/* A broken promise inside the program: prints where and aborts. */
#define bug(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
__attribute__((noreturn)) void bug_at(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The job cannot be done: prints "parplan: ..." on stderr and exits 2. */
__attribute__((noreturn)) void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

__attribute__((noreturn)) void die_out_of_memory(void);

#endif
