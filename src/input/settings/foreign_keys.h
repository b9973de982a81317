#ifndef INPUT_SETTINGS_FOREIGN_KEYS_H
#define INPUT_SETTINGS_FOREIGN_KEYS_H

/* The native key that a framework's own name stands for, and whose name it is; or NULL. */
const char *foreign_name(const char *leaf, const char **owner);

#endif
