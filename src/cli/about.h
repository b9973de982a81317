#ifndef CLI_ABOUT_H
#define CLI_ABOUT_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdbool.h>

/*
 * `parplan --version`, one line; verbose: also how it was built, the libraries it runs on, and what
 * the kernel has for its sandbox. The same binary on the same system says the same.
 */
void about_version(struct arena *arena, struct buf *out, bool verbose);

#endif
