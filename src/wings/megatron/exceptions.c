#include "wings/megatron/exceptions.h"

#define ARGUMENTS "training/arguments.py"
#define CONFIG	  "core/transformer/transformer_config.py"
#define SCHEDULES "core/pipeline_parallel/schedules.py"
#define STATE	  "core/parallel_state.py"

static const struct exception rows[MEGATRON_EXCEPTIONS] = {
#define EXCEPTION(id, speaker, text, where, rule) { { speaker, text }, where, rule, NULL },
#include "wings/megatron/exceptions.def"
};

const struct exceptions exceptions_megatron = { rows, MEGATRON_EXCEPTIONS };
