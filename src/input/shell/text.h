#ifndef INPUT_SHELL_TEXT_H
#define INPUT_SHELL_TEXT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Marks inside a shell_text; no text that is read holds these bytes. */
enum {
	SHELL_OPEN = 1, /* what follows is open: an expression as the script writes it ... */
	SHELL_CLOSE,	/* ... up to here */
	SHELL_MAYBE,	/* what follows is there or not, by an open condition ... */
	SHELL_SURELY	/* ... up to here */
};

#define SHELL_NOWHERE UINT32_MAX

/* Text under expansion, each byte with the offset in the source that it came from. */
struct shell_text {
	char *text; /* NUL-terminated; NULL when empty */
	uint32_t *at;
	size_t length, capacity;
};

void shell_put(struct arena *arena, struct shell_text *text, char c, uint32_t at);

/* Appends the bytes [start, end) of another text, which may be the same. */
void shell_append(struct arena *arena, struct shell_text *text, const struct shell_text *from,
		  size_t start, size_t end);

/* Appends a C string, all of it from one place. */
void shell_say(struct arena *arena, struct shell_text *text, const char *string, uint32_t at);

/* Appends an open part, shown as `what`. */
void shell_leave_open(struct arena *arena, struct shell_text *text, const char *what, uint32_t at);

/* What shell_open_part says of text that is there by a condition which nothing decides. */
extern const char shell_by_condition[];

/* The bytes as a C string, marks included; "" when empty. */
const char *shell_string(const struct shell_text *text);

/* True when nothing in it is open. */
bool shell_known(const struct shell_text *text);

/* The bytes from `skip` on without marks. */
char *shell_shown(struct arena *arena, const struct shell_text *text, size_t skip);

/* What is open in the bytes (without marks) from `skip` on, or NULL. */
const char *shell_open_part(struct arena *arena, const struct shell_text *text, size_t skip);

bool shell_same(const struct shell_text *a, const struct shell_text *b);

#endif
