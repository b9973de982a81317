#include "wings/megatron/exceptions.h"

extern const struct timeline timeline_megatron;

#define ARGUMENTS "training/arguments.py"
#define CONFIG	  "core/transformer/transformer_config.py"
#define SCHEDULES "core/pipeline_parallel/schedules.py"
#define STATE	  "core/parallel_state.py"
#define LAYOUT	  "core/transformer/pipeline_parallel_layer_layout.py"

static const struct exception rows[MEGATRON_EXCEPTIONS] = {
#define EXCEPTION(id, speaker, text, where, rule) { { speaker, text }, where, rule, NULL },
#define EXCEPTION_IN(id, since, until, speaker, text, where, rule)                                 \
	EXCEPTION(id, speaker, text, where, rule)
#include "wings/megatron/exceptions.def"
};
#undef EXCEPTION
#undef EXCEPTION_IN

/* When they hold; NULL: from the first commit, to the last. */
static const struct {
	const char *since, *until;
} times[MEGATRON_EXCEPTIONS] = {
#define EXCEPTION(id, speaker, text, where, rule)
#define EXCEPTION_IN(id, since, until, speaker, text, where, rule)                                 \
	[MEGATRON_##id] = { since, until },
#include "wings/megatron/exceptions.def"
};

const struct exceptions exceptions_megatron = { rows, MEGATRON_EXCEPTIONS };

const struct exception *megatron_told(enum megatron_exception id, moment_t when)
{
	while (!timeline_within(&timeline_megatron, when, times[id].since, times[id].until))
		id++;
	return &rows[id];
}
