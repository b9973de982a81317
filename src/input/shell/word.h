#ifndef INPUT_SHELL_WORD_H
#define INPUT_SHELL_WORD_H

#include "input/shell/state.h"

/* The bytes of a word as the script writes it. */
struct shell_raw {
	const struct shell_text *in;
	size_t start, end;
};

/* Moves over blanks, comments and joined lines. */
void shell_blanks(struct shell_stream *s);

/* Moves over a word, quotes, ${...}, $(...) and array values included; empty when none is there. */
struct shell_raw shell_scan(struct shell_stream *s);

/* Notes the first place that no shell gets past. */
void shell_breaks(struct shell_stream *s, size_t at, const char *trouble);

/* The end of what is opened by the bracket at `at`: behind its partner, or `end`. */
size_t shell_closing(const struct shell_text *in, size_t at, size_t end);

/* Appends what a word becomes to `fields`: none, one or several words. */
void shell_expand(struct shell_state *sh, struct shell_raw raw, struct shell_texts *fields);

/* What a word becomes where it is not split: values of assignments, patterns. */
struct shell_text shell_expand_whole(struct shell_state *sh, struct shell_raw raw);

/* The same for text that is not a word: bodies of heredocs, arithmetic. */
struct shell_text shell_expand_text(struct shell_state *sh, struct shell_raw raw);

/* Length of NAME in NAME=, NAME+= or NAME[...]=, or 0. */
size_t shell_assigns(struct shell_raw raw);

/* Carries out NAME=VALUE. */
void shell_assign(struct shell_state *sh, struct shell_raw raw);

/* The bytes of a raw word as a C string. */
char *shell_raw_string(struct shell_state *sh, struct shell_raw raw);

/* The value of ${...} between the braces; fields come out as of "$..." when `quoted`. */
struct shell_expansion {
	struct shell_state *sh;
	struct shell_texts *fields;
	struct shell_text now;
	bool began, split, maybe;
};

/* Appends a value to the word that is being made, splitting it unless `quoted`. */
void shell_emit(struct shell_expansion *ex, const struct shell_text *text, bool quoted);

/* Ends the word that is being made. */
void shell_emit_break(struct shell_expansion *ex);

/* Appends the bytes of a raw range, expanded. */
void shell_walk(struct shell_expansion *ex, struct shell_raw raw, bool quoted);

/* Appends ${...}; `raw` is what stands between the braces (input/shell/param.c). */
void shell_parameter(struct shell_expansion *ex, struct shell_raw raw, bool quoted);

/* Appends $NAME, $1, $@ and the like; returns behind it. `at` is that of the '$'. */
size_t shell_variable(struct shell_expansion *ex, struct shell_raw raw, size_t at, bool quoted);

/* Appends the output of a command: $(...), of which `raw` is what stands between the brackets. */
void shell_substitute(struct shell_expansion *ex, struct shell_raw raw, uint32_t at, bool quoted);

/* Appends what $((...)) is; `raw` is what stands between the brackets. */
void shell_arithmetic(struct shell_expansion *ex, struct shell_raw raw, bool quoted);

/* The truth of ((...)), which may assign variables. */
enum shell_truth shell_arithmetic_truth(struct shell_state *sh, struct shell_raw raw);

/* The truth of [ ... ]: `words` without the brackets, already expanded. */
enum shell_truth shell_test(struct shell_state *sh, const struct shell_texts *words);

/* Reads [[ ... ]] behind its opening brackets, and says whether it is true. */
enum shell_truth shell_condition(struct shell_state *sh, struct shell_stream *s);

/* Whether a text matches a pattern of case or [[ ]]. */
enum shell_truth shell_matches(const struct shell_text *pattern, const struct shell_text *text);

/*
 * The text of another file of the script's, each byte with its place; NULL when it is not there.
 * Where the folder is open, as in "$(dirname $0)/env.sh", the name alone counts.
 */
const struct shell_text *shell_file_text(struct shell_state *sh, const struct shell_text *path);

/* Reads and runs a text as a list of commands (input/shell/shell.c). */
enum shell_truth shell_run(struct shell_state *sh, const struct shell_text *text);

#endif
