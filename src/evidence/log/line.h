#ifndef EVIDENCE_LOG_LINE_H
#define EVIDENCE_LOG_LINE_H

#include <stddef.h>
#include <stdint.h>

/*
 * A line of a job's log without what launchers and loggers put before it: "[rank3]:", "[default3]:"
 * and "3:" (torchrun, srun --label), dates and times, levels, glog's "[E1206 18:44:12.7 file:607]",
 * "(worker pid=7)", NCCL's "host:1:2 [0] NCCL WARN".
 */
struct log_line {
	const char *text; /* in the bytes given; indentation stays */
	size_t length;
	int64_t rank; /* -1: not said */
	double time;  /* seconds since some day of that year; -1: not said */
};

struct log_line log_line_of(const char *bytes, size_t length);

/* Takes the escapes that colour a terminal out of a line; returns its new length. */
size_t log_line_uncolor(char *to, const char *bytes, size_t length);

/* The rank that a file is named for: "rank3.log", "rank_3/stderr.log", torchrun's "3/stderr.log";
 * -1: none. */
int64_t log_path_rank(const char *path);

#endif
