#ifndef FRAMEWORK_TORCH_RESHARD_H
#define FRAMEWORK_TORCH_RESHARD_H

#include "framework/torch/release.h"
#include "input/setting.h"
#include "plan/plan.h"

/* What FSDP2's fully_shard is passed as reshard_after_forward. */
enum reshard_kind {
	RESHARD_UNSAID, /* None, or no such argument: fully_shard decides */
	RESHARD_NO,	/* False */
	RESHARD_YES,	/* True */
	RESHARD_OVER	/* a number of ranks */
};

struct reshard {
	enum reshard_kind kind;
	int64_t ranks; /* RESHARD_OVER: the number */
};

struct reshard reshard_flag(bool let_go);

/* parallelism.reshard_after_forward, or what follows from a stage of ZeRO beside FSDP2. */
const char *reshard_said(const struct settings *settings);

/* What parallelism.reshard_after_forward says: "default" is nothing, "always", "never", "4". */
struct reshard reshard_policy(const char *policy);

/* True when a number of ranks is no factor of those that share. */
bool reshard_refused(struct reshard passed, int64_t ranks);

/*
 * Settles whether a unit lets its gathered parameters go after forward, and over how many ranks it
 * stays cut until backward; unit->shard is there. The root is the outermost module that is wrapped:
 * the whole model, or a pipeline stage's part of it.
 */
void reshard_unit(struct unit *unit, const struct torch_release *torch, struct reshard passed,
		  bool root);

/* The NotImplementedError where a DTensor is to be kept cut over fewer ranks. */
const char *reshard_tensor_text(const struct torch_release *torch);

#endif
