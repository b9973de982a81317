#ifndef REPORT_PLAN_WORDS_H
#define REPORT_PLAN_WORDS_H

#include "framework/job.h"
#include "plan/plan.h"

/* Parts of a plan in words, as every report says them; texts are in the arena. */

/* A layout as CuTe writes it: "8:1", "(2,4):(8,1)". */
char *plan_layout_text(struct arena *arena, const struct layout *layout);

/* What is odd about a mesh, each with a comma before it: ", flattened from dp x cp"; or "". */
const char *plan_mesh_remark(struct arena *arena, const struct mesh *mesh);

/* The ranks that hold a stage: "{0-63}". */
const char *plan_stage_ranks(struct arena *arena, const struct plan *plan,
			     const struct stage *stage);

/* Its modules: "tok_embeddings, layers.0-15". */
char *plan_stage_modules(struct arena *arena, const struct stage *stage);

/* That the job trains nothing, or what of its plan is not modelled; or NULL. */
const char *plan_remark(const struct job *job);

/* What is said of an exception that not all versions that fit raise; why follows. */
extern const char plan_doubt[];

/* What is said where plan->stages_assumed is set. */
extern const char plan_stages_assumed[];

/* "[512, 4096]" */
char *plan_shape_text(struct arena *arena, int dims, const int64_t *shape);

/* The placements of a parameter by mesh dimension: "R S(0)"; "F": cut as part of a run. */
char *plan_placements_text(struct arena *arena, const struct plan *plan,
			   const struct sharded *sharded);

/* What becomes of a unit's gathered parameters after forward: "let go", "kept". */
const char *plan_unit_forward(struct arena *arena, const struct unit *unit);

#endif
