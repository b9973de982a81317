#ifndef BASE_PRESET_H
#define BASE_PRESET_H

/*
 * The data files under src/presets/, compiled into the binary: path below that folder
 * ("models/llama3.yaml") and text. Parsed only when somebody asks for one.
 */
struct preset {
	const char *path; /* NULL ends the table */
	const char *text;
};

extern const struct preset presets[];

/* The text of a preset file, or NULL. */
const char *preset_text(const char *path);

#endif
