#ifndef INPUT_SHELL_COMMAND_H
#define INPUT_SHELL_COMMAND_H

#include "input/shell/word.h"

/* Reads a simple command with its redirections and heredocs, and does or notes it. */
enum shell_truth shell_command_run(struct shell_state *sh, struct shell_stream *s);

/* Does what a name stands for in the shell itself: assignments, flow; false when it is a program.
 */
bool shell_builtin(struct shell_state *sh, const struct shell_raw *raws, size_t count,
		   const struct shell_texts *words, enum shell_truth *truth);

/* Runs the body of a function, which is a command (input/shell/shell.c). */
enum shell_truth shell_run_body(struct shell_state *sh, const struct shell_function *function);

/* Notes the #SBATCH lines in front of a script's first command. */
void shell_note_sbatch(struct shell_state *sh, const struct shell_text *text);

/* Notes where no shell gets past, unless what is read of the text may differ from what one reads.
 */
void shell_note_break(struct shell_state *sh, const struct shell_stream *s);

/* Notes what the variables are at the end. */
void shell_note_variables(struct shell_state *sh);

/* A word as it is handed out; `raw` is where the command has it. */
struct shell_word shell_word_of(struct shell_state *sh, const struct shell_text *text,
				struct shell_raw raw);

#endif
