#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "base/arena.h"
#include "base/vec.h"
#include "input/setting.h"
#include "plan/layout.h"
#include "plan/model.h"
#include "plan/placement.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A plan is what a job does: ordered axes, the communicators, which box of each
 * parameter every rank owns, the FSDP units and the pipeline stages. Plans of
 * four origins have this one type and are compared, never trusted (DESIGN: the one idea).
 */
enum plan_origin {
	PLAN_INTENDED, /* the degrees in the config and nothing else */
	PLAN_APPLIED,  /* the config executed by a model of one framework version */
	PLAN_OBSERVED, /* evidence of a run */
	PLAN_SAVED     /* the layout of a checkpoint */
};

enum { MESH_AXES = 8 };

/* The degrees, after inference; 0: this framework has no such axis. */
struct degrees {
	int64_t dp, dp_replicate, dp_shard, cp, tp, pp, ep, etp;
	int64_t weight_shards; /* tp, and the ranks that gather weights before use; 0: none do */
};

/* An n-D mesh as a framework builds it: the root, or a view of the world (TorchTitan v0.2.1+). */
struct view {
	const char *name; /* "root", "dense", "sparse", "dataloading", ... */
	int axes;
	const char *names[MESH_AXES];
	int64_t sizes[MESH_AXES];
};

/* A named communicator: one axis, several flattened into one, or a whole n-D mesh's axis. */
struct mesh {
	const char *name;
	const char *role;     /* what it is called everywhere else: "dp_replicate"; or NULL */
	struct layout layout; /* groups are its translations over the world */
	bool exists;	      /* the framework's own degree rule */
	const char *backend;  /* "nccl", or "fake": no group is really made */
	bool flattened;
	const char *view; /* the view it belongs to, or NULL */
	int from_count;
	const char *from[MESH_AXES]; /* axes it is made of */
};

/* A communicator of the first rank, or of the first and the last, of each group of a mesh. */
struct ends {
	const char *name; /* "embd" */
	const char *of;	  /* "pp" */
	bool last;
};

enum strategy {
	STRATEGY_NONE,
	STRATEGY_DDP,
	STRATEGY_FSDP,
	STRATEGY_HSDP,
	STRATEGY_HSDP_FT,     /* HSDP whose replicas are torchft's replica groups */
	STRATEGY_FSDP_SHARD1, /* fully_shard over one rank: mixed precision only */
	STRATEGY_HSDP_SHARD1, /* fully_shard as DDP */
	STRATEGY_UNKNOWN      /* nothing at hand says */
};

/* "none", "ddp", "fsdp", "hsdp", "hsdp(ft)", "fsdp(shard=1)", "hsdp(shard=1)", "not known". */
const char *strategy_name(enum strategy strategy);

/* What a rank keeps of a parameter from step to step. */
enum held { HELD_PARAMETER, HELD_GRADIENT, HELD_OPTIMIZER, HELDS };

/*
 * A cut that knows no tensors: parameters, as their placements leave them, are laid one behind the
 * other into a run, which is padded and cut into as many equal parts as ranks share it. FSDP1's
 * FlatParameter, DeepSpeed's ZeRO and Megatron's distributed optimizer cut so.
 */
struct run_cut {
	const char *name;     /* the mesh axis: "dp_cp"; NULL: nothing is cut so */
	struct layout layout; /* the ranks that share a run; no modes: one has it all */
	int64_t align;	      /* each rank's part is a multiple of it; 0: of one element */
	bool held[HELDS];     /* what is cut so; the rest is held as the placements say */
};

/* Who shares and who repeats parameters. A layout without modes is "nobody". */
struct sharding {
	enum strategy strategy;
	int mesh_count;
	const char *mesh[4]; /* the mesh expression given to fully_shard, by axis; "" when none */
	bool named_dims;     /* the mesh is storage axes plus named dims (DataParallelMeshDims): see
				below */
	int shard_count;
	const char *shard_dims[4]; /* named_dims: axes that shard */
	const char *replicate_dim; /* named_dims: axis that repeats, or NULL */
	struct layout shard;	   /* ranks that together hold one copy */
	struct layout replicate;   /* ranks that hold the same part */
	struct run_cut run;
};

/* One fully_shard call: the parameters gathered and reduced together. */
struct unit {
	const char *name; /* "layers.0", "tok_embeddings", "[norm, output]", "(root)" */
	int parameters;
	int64_t shard_elements;	    /* per rank, padded: the input of one all-gather */
	struct layout shard;	    /* over which ranks */
	bool reshard_after_forward; /* gathered parameters are let go until backward */
	int64_t kept_over; /* until backward it is cut over so many ranks; 0: over those of shard */
	bool expert;
	int stage;
};

/* One dimension of the mesh a parameter lives on, and what it does to the parameter. */
struct mesh_dim {
	const char *name;
	const struct layout *layout; /* as long-lived as the plan; never NULL in a plan */
	struct placement placement;
};

struct sharded {
	const struct parameter *parameter;
	int unit;  /* index into units, or -1 */
	int stage; /* index into stages */
	int dims;
	struct mesh_dim dim[MESH_AXES];
	int64_t run_at, run_length; /* its first element in its run; elements of the padded run */
	bool copy; /* a tied weight once more, on the stage of the output: listed before, too */
};

/* One pipeline stage. */
struct stage {
	int index;
	int64_t pp_rank;
	VEC(const char *) modules;
};

struct stage_list {
	struct stage *items; /* in the order of their index */
	size_t count, capacity;
};

/* What the framework raises. */
struct plan_error {
	const char *type;		  /* "ValueError", "AssertionError", ... */
	const char *message;		  /* the exact text */
	const char *where;		  /* function or file at that version */
	const char *rule;		  /* rule that reports it; NULL: framework-raises */
	const struct setting *because[4]; /* the settings responsible, the main one first */
	int because_count;
};

struct plan {
	enum plan_origin origin;
	struct arena *arena;
	int64_t world; /* ranks, or 0 when unknown */
	struct degrees degrees;
	struct view root;
	VEC(struct view) views;
	VEC(struct mesh) meshes;
	VEC(struct ends) ends;
	enum strategy requested;
	struct sharding dense;	/* everything but routed experts; .strategy is what is applied */
	struct sharding expert; /* routed experts where they have a mesh of their own */
	bool has_expert;
	VEC(struct unit) units;
	VEC(struct sharded) parameters;
	struct stage_list stages;
	int64_t microbatches; /* that a rank's batch is cut into for them; 0: not known here */
	bool stages_assumed;  /* blocks are dealt out evenly because only the script knows */
	VEC(const char *) log;
	VEC(const char *)
	warnings; /* what the framework warns of; "(silent) ...": what it should have warned of */
	struct plan_error *error; /* NULL: it gets through; else the plan goes as far as it got */
	struct plan_error
		*later;	 /* raised before the first step, but by nothing the plan describes */
	bool unmodelled; /* an experiment nobody modelled: nothing below degrees is claimed */
	const char *unmodelled_why;
	const char *assumed; /* the framework has no model: what the plan is instead; or NULL */
};

struct plan *plan_new(struct arena *arena, enum plan_origin origin);

/* The mesh of that name, or that plays that role, or NULL. */
const struct mesh *plan_mesh(const struct plan *plan, const char *name);

/* The name of the first mesh with these groups that exists; `otherwise` where there is none. */
const char *plan_mesh_over(const struct plan *plan, const struct layout *layout,
			   const char *otherwise);

/* Adds a line the framework would log. */
void plan_log(struct plan *plan, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Ends the plan with what the framework raises; the first error stays. `because`
 * settings are added with plan_blame.
 */
void plan_raise(struct plan *plan, const char *type, const char *where, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void plan_blame(struct plan *plan, const struct setting *setting);

/* Moves what was just raised to `later`: the plan is whole. Does nothing without an error. */
void plan_postpone(struct plan *plan);

/*
 * What `rank` owns of a parameter by its placements, as FSDP2 stores it (tensor parallel cuts
 * first). A run's cut is not in it: plan_part has that.
 */
struct box plan_box(const struct sharded *sharded, int64_t rank);

/* Who shares and who repeats a parameter: routed experts may have ranks of their own. */
const struct sharding *plan_sharding(const struct plan *plan, const struct parameter *parameter);

/* True when that is cut as a run, whatever the placements say. */
bool plan_is_run(const struct plan *plan, const struct parameter *parameter, enum held held);

/*
 * The part of a parameter, of its gradient or of its optimizer state that `rank` keeps. Of a run's
 * cut it has one dim: elements of the parameter, flattened as its placements leave it.
 */
struct box plan_part(const struct plan *plan, const struct sharded *sharded, int64_t rank,
		     enum held held);

/* Elements of the largest part that the placements leave a rank, which others are padded to. */
int64_t plan_padded(const struct sharded *sharded);

/*
 * True when parameters are listed and their placements alone say which rank holds what: no run cuts
 * them, and no stage is assumed.
 */
bool plan_places(const struct plan *plan);

/* The stage-relative pipeline coordinate of a rank; 0 without pipeline parallelism. */
int64_t plan_pp_rank(const struct plan *plan, int64_t rank);

/* True when the rank holds that stage's modules. */
bool plan_rank_has_stage(const struct plan *plan, int64_t rank, int stage);

/*
 * Asserts what must hold of every plan: groups tile the world, parts tile tensors, every parameter
 * has its unit and its stage. By arithmetic, in microseconds; says nothing of half a plan.
 */
void plan_check(const struct plan *plan);

/* The same counted out for some parameters of a plan that passed: parts, units, modules. */
void plan_check_boxes(const struct plan *plan);

/* Puts "ep" and "etp", the innermost ranks of the experts' grid, beside the canonical meshes. */
void plan_put_expert_meshes(struct plan *plan);

/*
 * Megatron's GTP: the ranks beside `tensor` that each keep a part of a weight and gather the whole
 * before it is used; 1 where `shards` is not said or is no multiple.
 */
int64_t plan_gathering_ranks(const struct settings *settings, enum field_id shards, int64_t tensor);

/* Who builds the groups, where Megatron or its like does. */
struct group_ways {
	bool megatron_groups; /* cp ranks repeat parameters unless FSDP shares them over dp */
	bool expert_tensor;   /* tensor parallelism of experts has ranks of its own */
};

/* The intended plan: what the degrees mean and nothing else. Unknown world: strategy only. */
struct plan *plan_intended(struct arena *arena, const struct settings *settings, int64_t world,
			   struct group_ways builder);

#endif
