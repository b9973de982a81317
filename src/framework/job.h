#ifndef FRAMEWORK_JOB_H
#define FRAMEWORK_JOB_H

#include "base/arena.h"
#include "base/finding.h"
#include "framework/version.h"
#include "input/document.h"
#include "input/setting.h"
#include "plan/compare.h"
#include "plan/plan.h"
#include "plan/topology.h"

struct checkpoint;
struct forecast;
struct resume;
struct state_dict;

/*
 * Everything known about one config, in the order in which it becomes known:
 * document, versions, settings, model, intended plan, applied plan, differences.
 * Commands read a job and report on it; rules read it and find.
 */
struct job {
	struct arena *arena;
	struct findings *findings;
	struct document document;
	struct versions versions;
	int64_t world;			  /* ranks, or 0 when unknown */
	const struct setting *world_from; /* what fixed it, or NULL */
	struct hosts *hosts;		  /* of the file cluster.hosts names, or NULL */
	const char *unsaid;	   /* a launch of which nothing tells strategy and degrees: what is
				      started, for messages; or NULL */
	struct topology *topology; /* NULL: the world or the GPUs of a node are not known */
	const struct framework *framework; /* the model that executed the config */
	struct model *model;		   /* NULL when none is given */
	struct plan *intended, *applied;
	struct plan *asked;		/* what job_asked made, kept; or NULL */
	struct differences differences; /* intended against applied; only when both are whole */
	const struct checkpoint *checkpoint; /* resume_from's, or read by resume_of; or NULL */
	const struct resume *resume;	     /* what resume_of found, kept; or NULL */
	const struct forecast *forecast;     /* what forecast_of made, kept; or NULL */
	VEC(struct job *) others; /* of a script, further trainings that are not judged in full */
	const char *unforecast;	  /* why it could make none, or NULL */
	bool unadvised; /* nobody reads what a way out would come to: it is not forecast */
	bool readable;	/* the document could be read; else nothing below it is set */
	VEC(struct finding) noted; /* findings about the document itself, whatever the versions */
	struct settings settings;  /* the last, for it is large: job_vary copies it and clears the
				      rest */
};

/*
 * Reads and derives everything. Returns NULL, or a sentence why the file could not even be
 * opened (the caller exits 2); all other trouble is in `findings`.
 */
const char *job_read(struct job *job, struct arena *arena, const char *path,
		     const struct overrides *overrides, struct findings *findings);

/*
 * The same document under another version of a framework, in outline: everything after the
 * document is derived anew, with findings of its own, but no parameter is placed.
 */
void job_rederive(struct job *job, const struct job *from, struct pin pin,
		  struct findings *findings);

/*
 * The same document under other versions, whole, in an arena that may go before that of `from`:
 * later pins of one framework win. `findings` gets those about the document itself, too. Both jobs
 * share the tree, and what the framework's command line says in it is as the last of them reads it.
 */
void job_at(struct job *job, struct arena *arena, const struct job *from, const struct pin *pins,
	    size_t count, struct findings *findings);

/*
 * The intended plan with what a framework of that version puts on its groups: stages, units, the
 * placements of parameters and of what is kept for them. It is there when the applied plan stops,
 * too. NULL where the degrees make no groups, or the framework builds what nobody modelled.
 */
const struct plan *job_asked(struct job *job);

/*
 * Whether a framework of that name drives the job: the file is its own, or no framework's and pins
 * it. What a model says then never depends on the syntax of the file.
 */
bool job_driven_by(const struct job *job, const char *framework);

/* The same where the file pins nothing else that has a model: "deepspeed", and no trainer above it.
 */
bool job_driven_by_alone(const struct job *job, const char *framework);

/*
 * The keys of the framework's own file: its tree, or what a native config has below own:. NULL
 * where a native config has none, so that nobody said what they are.
 */
const struct node *job_own(const struct job *job);

/*
 * Whether what the job does not say has its framework's default: the file is a framework's own, or
 * a manifest with its command line, or a native config with defaults:, which is made of such. Other
 * native configs leave it open.
 */
bool job_says_all(const struct job *job);

/* Whether the stage of ZeRO is given, or has its framework's default. */
bool job_says_stage_of_zero(const struct job *job);

/*
 * The sizes that a model lacks of which others are given, and how to give them: "model.vocab
 * (--set model.vocab=N)". NULL: it lacks none, or nothing of it is given.
 */
const char *job_wants_sizes(const struct job *job);

/* What a job without a model lacks, in a sentence: sizes, or a model at all. */
const char *job_lacks_model(const struct job *job);

/* A setting that a varied job has otherwise. */
struct variation {
	enum field_id field;
	const char *value; /* as the native config writes it; NULL: nobody gives it */
};

/*
 * The same job with some settings changed and on `world` ranks (0: as many), in `arena`: same
 * document, versions and model, with plans of its own and no findings.
 */
void job_vary(struct job *job, struct arena *arena, const struct job *from,
	      const struct variation *variations, size_t count, int64_t world);

/*
 * The same where no plan depends on what is changed: plans are those of `like`, another job varied
 * from that one, which lives longer.
 */
void job_vary_like(struct job *job, struct arena *arena, const struct job *from,
		   const struct variation *variations, size_t count, const struct job *like);

/*
 * What the config, its command line and the options say, with what its dialect derives and takes
 * as its framework's default; nothing from presets and nothing the framework's model makes of it.
 */
void job_said(const struct job *job, struct settings *settings);

/* Whether the framework has no such axis to ask for. */
bool job_lacks_axis(const struct job *job, enum field_id axis);

/* The axis of more than one rank that is asked for and that the framework lacks, or NULL. */
const struct setting *job_lacking(const struct job *job);

/* The largest world that is looked at: larger ones are a finding. */
#define WORLD_MAX ((int64_t)1 << 30)

extern const struct rule_id rule_world_out_of_range, rule_world_not_cluster;

/* What a run holds that is cut without regard to tensors (struct run_cut). */
enum run_of {
	RUN_OF_NONE, /* tensors are cut one by one, as their placements say */
	RUN_OF_UNIT,
	RUN_OF_PARAMETER,
	RUN_OF_STAGE
};

/* A framework model: a file of its wing, wings/NAME/, which defines `framework_NAME`. */
struct framework {
	const char *name;
	const char *summary;

	/* How surely the job is its own, 0 to 100; the highest claim executes it. */
	int (*claims)(const struct job *job);

	/* Whether it has no such axis (dp_replicate, cp, tp, pp, ep, etp, sp), though a native
	 * config may ask for one, and whether it never does what a setting of another kind asks
	 * for: virtual stages, recomputation, ZeRO's stage. NULL: it has all of them. */
	bool (*lacks)(const struct job *job, enum field_id axis);

	/* Its attention views whole heads in the first forward pass, and nothing asks before. */
	bool views_heads;

	/* Paths of its own file that apply() reads by job_own, ended by NULL; NULL: none. */
	const char *const *own_keys;

	/* Fills settings that nobody gave and that follow from others at that version. May be NULL.
	 */
	void (*defaults)(struct job *job);

	/* In which generation of names it writes the model's parameters. */
	enum naming (*naming)(const struct job *job);

	/* What it hands to the checkpoint otherwise than state_dict_of(). May be NULL. */
	void (*saves)(const struct job *job, struct state_dict *dict);

	/* Executes the config as the job's versions would and fills the plan. */
	void (*apply)(struct job *job, struct plan *plan);

	/* How it cuts parameters that ranks share, and what it keeps of those that they repeat
	 * (RUN_OF_NONE: by stages). */
	enum run_of shares_by, repeats_by;

	/* Splits the blocks over plan->degrees.pp stages; nothing where no rule is known. May be
	 * NULL: they are the script's own affair. */
	void (*stages)(struct job *job, struct plan *plan);

	/* Puts stages, units and placements on a plan that has groups. NULL: place_model. */
	void (*complete)(struct job *job, struct plan *plan);

	/* The layers per stage nearest to those asked for that can be split over pp, or 0. May be
	 * NULL. */
	int64_t (*fitting_layers)(struct job *job, int64_t pp);

	/* Blames settings for what completing the applied plan has raised. May be NULL. */
	void (*refused)(struct job *job, struct plan *plan);

	/* Judges resume->checkpoint component by component (framework/resume.h). May be NULL. */
	void (*resume)(struct job *job, struct resume *resume);
};

extern const struct framework *const frameworks[];

/* The row of that name, for a framework that leaves its ranks to another; or NULL. */
const struct framework *framework_find(const char *name);

/* "This is no training job: a ConfigMap starts nothing."; NULL where it may be one. */
const char *job_trains_nothing(const struct job *job);

#endif
