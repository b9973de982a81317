#include "wings/torchtitan/exceptions.h"

#include "wings/torchtitan/timeline.h"

#define ARGS	   "TransformerModelArgs.update_from_config"
#define CHECKPOINT "components/checkpoint.py"
#define DECODER	   "Decoder.Config.update_from_config"
#define DEEPSEEK   "parallelize_deepseekv3"
#define DIMS	   "ParallelDims._validate"
#define FN	   "parallelize_fn"
#define GET_MESH   "ParallelDims.get_mesh"
#define OPTIMIZER  "build_optimizers"
#define PIPELINE   NULL /* the module's name differs by version */
#define SCHEDULE   "build_pipeline_schedule"
#define TRAINER	   "Trainer.__init__"
#define UPDATE	   "update_from_config"

static const struct exception rows[TITAN_EXCEPTIONS] = {
#define EXCEPTION(id, speaker, text, where, rule) { { speaker, text }, where, rule, NULL },
#define EXCEPTION_IN(id, since, until, speaker, text, where, rule)                                 \
	EXCEPTION(id, speaker, text, where, rule)
#include "wings/torchtitan/exceptions.def"
};
#undef EXCEPTION
#undef EXCEPTION_IN

/* When they hold; NULL: from the first commit, to the last. */
static const struct {
	const char *since, *until;
} times[TITAN_EXCEPTIONS] = {
#define EXCEPTION(id, speaker, text, where, rule)
#define EXCEPTION_IN(id, since, until, speaker, text, where, rule) [TITAN_##id] = { since, until },
#include "wings/torchtitan/exceptions.def"
};

const struct exceptions exceptions_torchtitan = { rows, TITAN_EXCEPTIONS };

const struct exception *titan_told(enum titan_exception id, moment_t when)
{
	while (!timeline_within(&timeline_torchtitan, when, times[id].since, times[id].until))
		id++;
	return &rows[id];
}
