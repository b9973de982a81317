#include "wings/torchtitan/exceptions.h"

#define ARGS	   "TransformerModelArgs.update_from_config"
#define CHECKPOINT "components/checkpoint.py"
#define DECODER	   "Decoder.Config.update_from_config"
#define DEEPSEEK   "parallelize_deepseekv3"
#define DIMS	   "ParallelDims._validate"
#define FN	   "parallelize_fn"
#define GET_MESH   "ParallelDims.get_mesh"
#define PIPELINE   NULL /* the module's name differs by version */
#define SCHEDULE   "build_pipeline_schedule"
#define TRAINER	   "Trainer.__init__"
#define UPDATE	   "update_from_config"

static const struct exception rows[TITAN_EXCEPTIONS] = {
#define EXCEPTION(id, speaker, text, where, rule) { { speaker, text }, where, rule, NULL },
#include "wings/torchtitan/exceptions.def"
};

const struct exceptions exceptions_torchtitan = { rows, TITAN_EXCEPTIONS };
