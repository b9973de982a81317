#include "framework/torch/exceptions.h"

#define LOOK_UP	  "torch/distributed/pipelining/schedules.py, get_schedule_class"
#define PARAM	  "torch/distributed/fsdp/_fully_shard/_fsdp_param.py"
#define SCHEDULES "torch/distributed/pipelining/schedules.py"

static const struct exception rows[PYTORCH_EXCEPTIONS] = {
#define EXCEPTION(id, speaker, text, where, rule, also) { { speaker, text }, where, rule, also },
#include "framework/torch/exceptions.def"
};

const struct exceptions exceptions_torch = { rows, PYTORCH_EXCEPTIONS };
