#ifndef BASE_PRESET_H
#define BASE_PRESET_H

/*
 * Files under src/presets/ that are needed as texts, compiled into the binary: path below that
 * folder ("models/llama3.yaml") and text.
 */
struct preset {
	const char *path; /* NULL ends the table */
	const char *text;
};

extern const struct preset presets[];

/* The text of a preset file, or NULL. */
const char *preset_text(const char *path);

#endif
