#ifndef FRAMEWORK_CONVERSION_H
#define FRAMEWORK_CONVERSION_H

#include "base/buf.h"
#include "framework/job.h"

#include <stdbool.h>

/*
 * A job said again in the words of another framework, for `parplan convert`: each value with a
 * comment saying where it came from, and a finding for each that those words cannot say.
 */
struct conversion {
	struct arena *arena;
	const struct job *job;
	struct settings said;	   /* what config, flags and options say, see job_said */
	struct findings *findings; /* what is lost */
	bool taken[FIELD_COUNT];   /* written, or reported */
	bool refused;		   /* why the target will not start it is reported */
};

/* A framework to write for: wings/NAME/convert.c, which defines `target_NAME`. */
struct target {
	const char *name;
	const char *summary; /* what is written: "a TOML file of TorchTitan v0.2.2" */
	const char *where;   /* where `elsewhere` is said instead: "the training script" */
	const enum field_id *elsewhere; /* ended by FIELD_COUNT */
	const char
		*file; /* a name by which what is written can be read, or NULL: it is no config */
	void (*write)(struct conversion *conversion, struct buf *out);
};

extern const struct target *const targets[];

/* The target of that name, or NULL. */
const struct target *target_find(const char *name);

/* Writes the job for a target; what that cannot say goes to `findings`. */
void convert(const struct job *job, const struct target *target, struct findings *findings,
	     struct buf *out);

/*
 * Reports what native words do not say again: values that nothing at hand resolves, and degrees
 * that the source's framework makes of those asked for by rules of its own.
 */
void convert_native_losses(const struct job *job, const struct settings *said,
			   struct findings *findings);

/* A file's name without its folders, for a comment, which a line break would end. */
const char *conversion_file(struct arena *arena, const char *path);

/* Where a value came from: "train.yaml:12 base_model", "derived (what tp leaves)", "default
 * (axolotl)". */
void conversion_where(const struct job *job, const struct setting *setting, struct buf *out);

/* What cannot be said in the words of a target; no check finds it. */
extern const struct rule_id rule_lost_in_conversion;

/* ---- for targets ---- */

/* The setting when it is known and nobody has taken it; it is taken now. Else NULL. */
const struct setting *conversion_take(struct conversion *conversion, enum field_id id);

/* A degree as the intended plan has it; -1: what is left of a world that is not known. */
int64_t conversion_degree(struct conversion *conversion, enum field_id id);

/*
 * A setting's value as it is, in words that mean the same to a shell, YAML and TOML; NULL after a
 * finding when it is no such word.
 */
const char *conversion_word(struct conversion *conversion, const struct setting *setting);

/* A setting that is one key of the target. */
struct target_row {
	enum field_id field;
	const char *key;
	const char *words; /* "full=true|none=false"; NULL: its value as it is */
};

/* Writes one key with its value, and conversion_origin. */
typedef void target_line(struct conversion *conversion, const char *key, const char *value,
			 enum field_id id, struct buf *out);

/* Writes all of the rows whose settings are known and have a word. */
void conversion_rows(struct conversion *conversion, const struct target_row *rows, size_t count,
		     target_line *line, struct buf *out);

/* Reports what the target cannot say of a setting, and takes it. */
void conversion_lost(struct conversion *conversion, enum field_id id, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Writes "  # where the value came from" and a line break; `id` FIELD_COUNT: only the break. */
void conversion_origin(const struct conversion *conversion, enum field_id id, struct buf *out);

/*
 * Sequences per rank and microbatch, and per optimizer step; 0: not known. Frameworks count
 * differently: TorchTitan's local batch is what a rank has of a step's accumulation, cut by the
 * pipeline; others give microbatches and how many of them are accumulated.
 */
struct batch {
	int64_t micro, step, accumulated;
	enum field_id micro_from, step_from; /* what they were said as, or follow from */
};

struct batch conversion_batch(struct conversion *conversion);

/*
 * The preset that the source names, taken; else the one whose sizes are those of the job's model
 * and whose vocabulary is nearest, of those that `fits` takes. NULL when there is none.
 */
const char *conversion_preset(struct conversion *conversion,
			      bool (*fits)(struct arena *arena, const char *name));

/* What says which model it is: its name, or the first of its sizes. */
enum field_id conversion_model_from(const struct conversion *conversion);

/* For targets without one: takes what is said of a pipeline, and reports a degree above one. */
void conversion_no_pipeline(struct conversion *conversion, const char *framework);

/* "a TOML file", of "FILE (dialect)": the comment that files begin with. */
void conversion_head(const struct conversion *conversion, const char *what, struct buf *out);

#endif
