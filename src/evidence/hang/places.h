#ifndef EVIDENCE_HANG_PLACES_H
#define EVIDENCE_HANG_PLACES_H

#include "evidence/hang/facts.h"

/* A file of one rank. */
struct rank_file {
	const char *path;
	int64_t rank; /* -1: of several, or not known */
};

/*
 * Hosts that files are named for: "rank11-gpu-b02.txt", or a folder for each host,
 * "n01/nccl_trace_rank_3", where there are several.
 */
void hang_places_of_files(struct hang_facts *facts, const struct rank_file *files, size_t count);

#endif
