#include "framework/training_log.h"

#include <stddef.h>

#define X(name) extern const struct training_log training_log_##name;
#include "training_logs.inc"
#undef X

const struct training_log *const training_logs[] = {
#define X(name) &training_log_##name,
#include "training_logs.inc"
#undef X
	NULL
};
