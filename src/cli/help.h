#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "base/buf.h"
#include "cli/command.h"

/* `parplan --help` and `parplan COMMAND --help`, from the tables. */
void help_program(struct buf *out);
void help_command(const struct command *command, struct buf *out);

/* `parplan help TOPIC`. */
struct topic;
void help_topic(const struct topic *topic, struct buf *out);

/* Where a command's request keeps the value of --color; NULL when it has no such option. */
const char *const *help_color_option(const struct command *command, const void *request);

/* Whether --quiet was given to a command that has it. */
bool help_quiet_option(const struct command *command, const void *request);

#endif
