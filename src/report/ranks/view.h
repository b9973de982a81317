#ifndef REPORT_RANKS_VIEW_H
#define REPORT_RANKS_VIEW_H

#include "framework/job.h"
#include "plan/lost_ranks.h"
#include "report/plan/view.h"
#include "report/report.h"

/* A communicator: axes that cut the world into the same groups, and what these carry. */
struct communicator {
	VEC(const char *) names;
	struct layout layout;
	bool placed; /* spans are known */
	struct spans spans;
	VEC(const char *) traffic; /* "gradients: all-reduce, each step"; empty: none */
	bool parallel;		   /* it carries more than the loss: a rank has a place on it */
};

/* What `parplan ranks` shows: where ranks sit, who talks to whom, what a loss takes along. */
struct ranks_view {
	struct arena *arena;
	const struct job *job;
	const struct plan *plan;
	const struct topology *topology; /* NULL: not known */
	VEC(struct communicator) axes;
	struct rank_list ranks; /* asked about one by one */
	VEC(int64_t) lost_nodes;
	VEC(int64_t) lost_ranks;
	bool losing; /* somebody asked what a loss would do */
	struct loss loss;
	bool expand; /* fold nothing */
};

/* Collects the communicators of the job's plan. */
void ranks_view_init(struct ranks_view *view, const struct job *job);

/*
 * Adds to what is lost: "node12", a host's name, "rank:37", "rank:8-15", several with commas.
 * Returns NULL, or a sentence why not.
 */
const char *ranks_view_lose(struct ranks_view *view, const char *words);

/* Computes the loss, once everything is added. */
void ranks_view_lost(struct ranks_view *view);

/* Ranks a node has, ascending, for at most HOST_SLOTS_MAX slots; returns how many. */
int64_t ranks_of_node(const struct topology *topology, int64_t node, int64_t *ranks);

/* "0-7", "0,2,4,..,14": ascending numbers. */
char *numbers_text(struct arena *arena, const int64_t *numbers, int64_t count);

/*
 * The nodes that hold the group of a rank, ascending; the first `most` are written to `nodes`,
 * all of them counted.
 */
int64_t nodes_of_group(const struct ranks_view *view, const struct layout *layout, int64_t rank,
		       int64_t *nodes, int64_t most);

/*
 * The ranks that read the same samples as each other (their pp, cp and tp coordinates differ):
 * false when the plan has no data-parallel axes by name.
 */
bool ranks_share_data(const struct ranks_view *view, struct layout *readers, struct layout *same);

/* Why the hosts of the file are not used, or not as it says: "PATH: sentence"; or NULL. */
const char *ranks_hosts_trouble(const struct ranks_view *view);

/* torchft's replica groups, of which this world is one; 0: the job does not use it. */
int64_t ranks_replica_groups(const struct job *job);

void report_ranks_text(const struct ranks_view *view, struct buf *out, bool color, int columns);
void report_ranks_json(const struct ranks_view *view, struct buf *out);

#endif
