#ifndef PLAN_HOSTS_H
#define PLAN_HOSTS_H

#include "base/finding.h"
#include "base/vec.h"

#include <stdint.h>

/* How many hosts a file may name, and ranks one of them may run. */
enum { HOSTS_MAX = 1 << 20, HOST_SLOTS_MAX = 1024 };

struct host {
	const char *name;
	int64_t slots;	  /* ranks it runs; 0: the file does not say */
	struct span span; /* of the name, or of the list it comes from */
};

/* The hosts of a file in the order of its lines, which is the order of launch. */
struct hosts {
	struct source *source;
	VEC(struct host) list;
};

/*
 * Reads a text of one host a line: "name", "name slots=8" (Open MPI, DeepSpeed), "name:8" (MPICH),
 * lists as Slurm compresses them ("node[001-016,020] slots=8", "a1,a2"); '#' starts a comment.
 * NULL after a finding that says where it stopped being such a text.
 */
struct hosts *hosts_parse(struct arena *arena, struct source *source, struct findings *findings);

/*
 * Reads a file of hosts, which `bounds` hold (base/bounds.h; NULL: anywhere). NULL after a finding,
 * at `place` when the file cannot be read, else in the file itself.
 */
struct hosts *hosts_read(struct arena *arena, const char *path, const char *bounds,
			 struct span place, struct findings *findings);

extern const struct rule_id rule_hosts_unreadable, rule_hosts_syntax, rule_hosts_duplicate;

#endif
