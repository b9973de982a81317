#ifndef EVIDENCE_EVIDENCE_H
#define EVIDENCE_EVIDENCE_H

#include "base/map.h"
#include "base/stream.h"
#include "base/vec.h"
#include "evidence/hang/facts.h"
#include "evidence/seen_op.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What jobs leave behind, in one form whatever it was read from: groups that were made, calls that
 * were made on them, and what was measured. Everything points at its witness. Readers fill it
 * (evidence/sources/, one file each); what it means is found out later.
 */
/* Where something stands: a file and the number of its record, from 1 (a line, an event, ...). */
struct witness {
	int32_t file; /* index into capture.files; -1: none */
	int64_t record;
};

/* A process group as one rank (or a log of several) tells of it. */
struct seen_group {
	const char *name, *desc; /* "3", "mesh_dp_shard"; "" where it has none */
	const char *backend;	 /* "nccl", "gloo", or "" */
	int64_t size;		 /* ranks; 0: not known */
	const int64_t *ranks;	 /* `size` of them, rising; NULL: members are not known */
	int64_t observer;	 /* the global rank that tells of it; -1: not known */
	const char *identity;	 /* commId or another text that all members share; or NULL */
	int32_t nodes;		 /* that it spans, where that is told; 0: not known */
	struct witness witness;
};

/* Calls of one kind on one group by one rank; equal ones are counted. */
struct seen_call {
	int32_t group; /* index into capture.groups */
	int64_t rank;  /* global; -1: not known */
	enum seen_op op;
	int64_t in, out;	/* elements; -1: not known */
	const char *dtype;	/* as torch names it: "bfloat16"; "" where it is not known */
	int64_t bytes;		/* of the larger side; -1: not known */
	int32_t dims;		/* of the tensor; 0: not known */
	int64_t peer;		/* global rank of SEND and RECV; -1: not known */
	int64_t step;		/* of the trace or log; -1: not known */
	int64_t count;		/* calls */
	double shortest;	/* us, of one of them; 0: not known */
	double spent;		/* us, of all that were timed */
	int64_t timed;		/* calls that were */
	struct witness witness; /* the first of them */
};

/* Something that was measured, for the comparison with forecasts. */
enum seen_quantity {
	SEEN_STEP_SECONDS,
	SEEN_MEMORY_RESERVED,	/* bytes, peak of PyTorch's allocator */
	SEEN_MEMORY_DEVICE,	/* bytes, of the device */
	SEEN_TOKENS_PER_SECOND, /* of one device */
	SEEN_FLOPS,		/* per second, of the model on one device */
	SEEN_MFU,		/* that over the device's peak; below 1 */
	SEEN_COMPUTING_SECONDS, /* of a step, in which a rank's device runs what is no collective */
	SEEN_IDLE_SECONDS,	/* in which it runs nothing, while no batch is waited for */
	SEEN_LOADING_SECONDS,	/* in which a batch is waited for */
	SEEN_ATTENTION_PASSES,	/* forward passes of the attention core for each backward one */
	SEEN_RETRIES,		/* times the allocator freed what it cached to make room */
	SEEN_QUANTITIES
};

struct seen_measure {
	enum seen_quantity quantity;
	double value;
	int64_t rank, step; /* -1: not known */
	struct witness witness;
};

/* What a log claims or a checkpoint holds: never proof of communicators. */
struct seen_claim {
	const char *axis; /* "dp_shard"; or what was applied to the model: "HSDP" */
	int64_t degree;	  /* 0: of what was applied */
	bool stored;	  /* chunks of a checkpoint, not words */
	bool built;	  /* told by who made the groups, of what was made */
	struct witness witness;
};

/* Axes of claims that are none: what a step has. */
#define CLAIM_BATCH    "global batch size"
#define CLAIM_SEQUENCE "sequence length"

/* Why a file proves less than its kind could; codes as reports give them. */
struct seen_limit {
	const char *code; /* "RING_BUFFER_WRAPPED", "LOG_GARBLED", "OLD_TRACE_NO_PG", ... */
	const char *text;
	struct witness witness;
};

struct evidence_source;

struct evidence_file {
	const char *path;
	const struct evidence_source *source;  /* NULL: no reader knew it */
	int64_t rank;			       /* whose it is; -1: of several, or not known */
	int64_t records, unreadable, left_out; /* `records` of lines are counted for their kind */
	int64_t steps;			       /* whole ones it covers; 0: not known */
};

/* Different groups, different calls, and measurements that a capture holds, each. */
enum { EVIDENCE_MOST = 1 << 17 };

struct capture {
	struct arena *arena;
	int64_t world; /* ranks of the job; 0: not known */
	VEC(struct evidence_file) files;
	VEC(struct seen_group) groups;
	VEC(struct seen_call) calls;
	VEC(struct seen_measure) measures;
	VEC(struct seen_claim) claims;
	VEC(struct seen_limit) limits;
	VEC(const char *) versions; /* "torch 2.9.0", "nccl 2.27.5": as told */
	const char *device;	    /* "NVIDIA H100 80GB HBM3": as told; or NULL */
	const char *network; /* "IB", "Socket": what NCCL says to use between nodes; or NULL */
	struct witness network_from;
	bool full; /* EVIDENCE_MOST of a kind: what is more is left out, and a limit says so */
	const char *failed;	/* the first file whose end could not be read, and why; or NULL */
	const char *cut;	/* the first packed file that ends too early, and why; or NULL */
	struct hang_facts hang; /* where ranks stood when the job stopped */
	struct map group_index; /* into groups, by what makes two the same */
	struct map call_index;	/* into calls, by all that equal ones share */
};

/* One file on its way into the evidence. */
struct evidence_intake {
	struct capture *capture;
	int32_t file;	/* index into capture.files */
	int64_t record; /* the record that is being read, from 1 */
};

/*
 * A kind of source, one file each in evidence/sources/, which defines `source_NAME`. Most know a
 * whole file by its head; those that are lines of text, which a log mixes, are offered every line.
 */
struct evidence_source {
	const char *name;   /* "PyTorch flight recorder" */
	const char *record; /* what its records are called: "entry", "line", "event" */
	bool blind;	    /* sends and exchanges are not told: what is not seen may have been */
	/* How surely a file that begins so is of this kind, 0 to 100; NULL: lines. */
	int (*claims)(const char *head, size_t length);
	void (*read)(struct evidence_intake *intake, struct text_stream *stream);
	/* Kinds of lines: a state, a line (true: it was of this kind), the end of the file. */
	void *(*open)(struct evidence_intake *intake);
	bool (*line)(struct evidence_intake *intake, void *state, const char *text, size_t length);
	void (*close)(struct evidence_intake *intake, void *state);
};

/* All of them, ended by NULL. */
extern const struct evidence_source *const evidence_sources[];

void evidence_init(struct capture *capture, struct arena *arena);

/* Whether a path is surely evidence and no config: a folder, a packed file, one that a source
 * claims by its head or whose name ends as a log's. */
bool evidence_is(const char *path);

/* Whether a text begins as a dump or a trace does that one source reads as a whole. */
bool evidence_claims(struct text_stream *stream);

/* Whether a file, or one of a folder's, is packed, so that a program must unpack it. What can be
 * read but once, like a pipe, is not looked at. */
bool evidence_packed(const char *path);

/*
 * Reads a file, or every file of a folder; what is compressed (.gz, .zst) goes through gzip or
 * zstd. Returns NULL, or a sentence why nothing of it could be read; what is wrong inside a file is
 * counted with it.
 */
const char *evidence_read(struct capture *capture, const char *path);

/* The same for a text that is open and unpacked; `path` says whose it is. */
const char *evidence_read_stream(struct capture *capture, const char *path,
				 struct text_stream *stream);

/* ---- for sources ---- */

/* Index of the group; one that the same observer told of under the same name is not added again. */
int32_t evidence_group(struct evidence_intake *intake, struct seen_group group);

/*
 * Counts a call: one that equals it but for count and time takes it in; its witness is filled in,
 * and where it has a time (`shortest`) but no sum, so are `spent` and `timed`.
 */
void evidence_call(struct evidence_intake *intake, struct seen_call call);

void evidence_measure(struct evidence_intake *intake, enum seen_quantity quantity, double value,
		      int64_t rank, int64_t step);
void evidence_limit(struct evidence_intake *intake, const char *code, const char *text);

/* The row of the file that is being read; good until the next file. */
struct evidence_file *evidence_file(const struct evidence_intake *intake);

/* Ranks of the job as a source tells; where sources differ, the larger number and a limit. */
void evidence_world(struct evidence_intake *intake, int64_t world);

/* "nccl" and "2.27.5", remembered once. */
void evidence_version(struct evidence_intake *intake, const char *what, const char *version);

/* The job's device as a source names it ("NVIDIA H100 80GB HBM3"); the first one counts. */
void evidence_device(struct evidence_intake *intake, const char *name);

/* What NCCL uses between nodes, as it says; the first one counts. */
void evidence_network(struct evidence_intake *intake, const char *name, size_t length);

/* Sets the type of a call's elements by its name in C++ or Python, and the bytes of its larger
 * side. */
void seen_call_type(struct arena *arena, struct seen_call *call, const char *type);

/* Takes the times of equal calls in. */
void seen_call_time(struct seen_call *known, const struct seen_call *call);

/* The kind of the file that a witness stands in; NULL: none. */
const struct evidence_source *witness_source(const struct capture *capture, struct witness witness);

#endif
