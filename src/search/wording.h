#ifndef SEARCH_WORDING_H
#define SEARCH_WORDING_H

#include "framework/job.h"
#include "input/vocabulary.h"

/*
 * How a config says a setting: where in its file, and in which words of its framework. What the
 * dialect reads is what it can say (dialect.vocabulary); a script says what files of its framework
 * do.
 */
struct wording {
	const struct job *job;
	const struct dialect *speaker; /* whose words those are */
	struct vocabulary vocabulary;
	struct vocabulary pinned; /* of a native config: that of its framework's own files */
	int64_t world;		  /* ranks that it is read back with, or 0: as it was read */
	bool data;		  /* the file can be patched */
	bool dated;		  /* it has a key that is gone: it is told those of its time */
	bool native;		  /* its words are ours */
	VEC(const char *) maps;	  /* paths of those that hold settings */
};

void wording_begin(struct wording *wording, const struct job *job, struct arena *arena);

/* Whether entries of a list turn the setting on and off. */
bool wording_lists(const struct wording *wording, enum field_id field);

/* Whether its framework's own files have a key, or a list, for the setting; true where their keys
 * are not known. */
bool wording_has_key(const struct wording *wording, enum field_id field);

/* The path at which the file says a setting, or would say the value; NULL: it does not, or cannot.
 */
const char *wording_path(const struct wording *wording, enum field_id field, const char *value);

/*
 * A value of ours (NULL: that the setting is not given) in words of the file at that path: "null"
 * takes a key away. NULL where it has no word for it.
 */
const char *wording_value(const struct wording *wording, enum field_id field, const char *path,
			  const char *value);

/*
 * The words of the command line of a script's framework that say a value: "a.b=4",
 * "--tensor-model-parallel-size 4", "no --bf16" where there is to be none. NULL: none do.
 */
const char *wording_words(const struct wording *wording, enum field_id field, const char *value);

/* The same by the key at a path. */
const char *wording_words_at(const struct wording *wording, enum field_id field, const char *path,
			     const char *value);

/* The next key, from the `at`th on, that has to say a setting wherever another one does; or NULL.
 */
const char *wording_together(const struct wording *wording, enum field_id field, size_t *at);

/* The config read again with those overrides, its text among them; NULL: it cannot be read. */
struct job *wording_read_back(struct arena *arena, const struct job *own,
			      const struct overrides *overrides, struct findings *findings);

/* Whether that setting becomes what follows from another one that says the value. */
bool wording_follows(const struct wording *wording, enum field_id field, enum field_id from,
		     const char *value);

/* Whether the config may say the setting by that key: one that is gone, or another one instead. */
bool wording_may_use(const struct wording *wording, const struct vocabulary_key *key,
		     enum field_id field);

/* Whether the config is read as that value with it at that path, and as no other job otherwise. */
bool wording_is_read(const struct wording *wording, enum field_id field, const char *path,
		     const char *value);

/* The same, and not as a file that does not say it. */
bool wording_is_said(const struct wording *wording, enum field_id field, const char *path,
		     const char *value);

/* Whether the key at that path takes strings, of digits too. */
bool wording_takes_text(const struct wording *wording, const char *path);

/* Whether a config can be told a value: it is a script's words, or reading it back gives it. */
bool wording_can(const struct wording *wording, enum field_id field, const char *value);

#endif
