#include "evidence/log/known_end.h"

#define TORCH	   "https://github.com/pytorch/pytorch/"
#define GH(thread) "https://github.com/" thread
#define CAUSE	   END_CAUSE
#define VAGUE	   END_VAGUE
#define FOLLOWS	   END_FOLLOWS
#define END(key, how, what, why, next)                                                             \
	{ .end = { { .name = key, .summary = what, .explanation = why, .remedy = next }, how } },
#define TEXT(speaker, text, from) { .saying = { speaker, text }, .source = from },

const struct known_row known_rows[] = {
#include "evidence/log/ends/memory.def"
#include "evidence/log/ends/devices.def"
#include "evidence/log/ends/network.def"
#include "evidence/log/ends/rendezvous.def"
#include "evidence/log/ends/collectives.def"
#include "evidence/log/ends/launchers.def"
#include "evidence/log/ends/scheduler.def"
#include "evidence/log/ends/storage.def"
#include "evidence/log/ends/checkpoints.def"
#include "evidence/log/ends/training.def"
#include "evidence/log/ends/environment.def"
};

const size_t known_row_count = sizeof(known_rows) / sizeof(*known_rows);
