#include "input/launch_form.h"

/* ms-swift's programs, whose flags are read by wings/ms_swift/config.c: values that end in .py are
 * no programs. */

const struct launch_form launch_form_ms_swift = { .name = "ms-swift",
						  .commands = "swift|megatron" };
