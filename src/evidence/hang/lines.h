#ifndef EVIDENCE_HANG_LINES_H
#define EVIDENCE_HANG_LINES_H

#include "evidence/hang/facts.h"
#include "evidence/hang/tasks.h"
#include "evidence/log/line.h"

/*
 * Lines of logs that tell where ranks stood: PyTorch's watchdog (1.12 to newest), its desync report
 * and monitored barrier, torchrun's summary, NCCL's communicators, Slurm's tasks.
 */
struct hang_lines {
	struct hang_facts *facts;
	VEC(struct hang_call) loose; /* timed out, in a group that was not told of yet */
	char host[64];		     /* of torchrun's block that is being read */
	int64_t block_rank;	     /* the same; -1 */
	struct slurm_tasks tasks;
};

void hang_lines_begin(struct hang_lines *lines, struct hang_facts *facts);

/* Words of which each line that tells something has one; ended by NULL. */
extern const char *const hang_line_needles[];

/* A line without its prefixes, and with them. */
void hang_lines_take(struct hang_lines *lines, const struct log_line *line, const char *raw,
		     size_t length);

/* Calls whose group nobody told of belong to one without a name. */
void hang_lines_end(struct hang_lines *lines);

#endif
