#ifndef EVIDENCE_LOG_LINE_H
#define EVIDENCE_LOG_LINE_H

#include <stddef.h>
#include <stdint.h>

/*
 * What says whose a line is, the weakest first. Ranks in a group or on a node are taken for the
 * world's only where nothing else is said: in jobs of one group, or of one node, they are the same.
 */
enum log_mark {
	LOG_MARK_NONE,
	LOG_MARK_GROUP, /* "[Rank 3]", "[PG 1 Rank 3]": c10d counts within a process group */
	LOG_MARK_LOCAL, /* "[default3]": torchrun counts on its node */
	LOG_MARK_TASK,	/* "3: " and "[1,3]<stdout>": srun's and mpirun's task */
	LOG_MARK_RANK	/* "[rank3]": of the world */
};

/*
 * A line of a job's log without what launchers and loggers put before it: "[rank3]:", "[default3]:"
 * and "3:" (torchrun, srun --label), dates and times, levels, glog's "[E1206 18:44:12.7 file:607]",
 * "(worker pid=7)", NCCL's "host:1:2 [0] NCCL WARN".
 */
struct log_line {
	const char *text; /* in the bytes given; indentation stays */
	size_t length;
	int64_t rank; /* by the mark that says most, of equal ones the outermost; -1: not said */
	enum log_mark mark; /* what says so */
	double time;	    /* seconds since some day of that year; -1: not said */
	const char *host;   /* in the bytes given; NULL: not said */
	size_t host_length;
	int64_t gpu; /* "host:1:2 [0] NCCL": the device on it; -1: not said */
};

struct log_line log_line_of(const char *bytes, size_t length);

/* Takes the escapes that colour a terminal out of a line; returns its new length. */
size_t log_line_uncolor(char *to, const char *bytes, size_t length);

/* The rank that a file is named for: "rank3.log", "rank_3/stderr.log", torchrun's "3/stderr.log",
 * which counts on its node; -1: none. */
int64_t log_path_rank(const char *path, enum log_mark *mark);

#endif
