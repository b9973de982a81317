#include "rules/known.h"

/* clang-format off */
static const struct known rows[] = {
	{ "48", "tp does not divide heads or key/value heads: shape error in attention's view",
	  "heads-divisibility", "", "https://github.com/pytorch/torchtitan/issues/932" },
	{ "49", "the sequence is not a multiple of tp: wrong shapes or a hang in sequence parallelism",
	  "sequence-length", "", "https://github.com/pytorch/torchtitan/issues/1306" },
	{ "50", "the sequence is not a multiple of 2 * cp: an AssertionError without text",
	  "sequence-length", "", "https://github.com/pytorch/pytorch/issues/159706" },
	{ "57", "fewer microbatches than stages: 1F1B hangs, from PyTorch 2.7 on a ValueError",
	  "pipeline-microbatches", "", "https://github.com/pytorch/torchtitan/issues/775" },
	{ "58", "microbatches are not a multiple of the rounds of an interleaved schedule",
	  "pipeline-microbatches", "", "https://github.com/pytorch/pytorch/blob/v2.8.0/torch/distributed/pipelining/schedules.py" },
};
/* clang-format on */

const struct knowns knowns_parallel = {
	"Tensor, context and pipeline parallelism",
	rows,
	sizeof(rows) / sizeof(*rows),
};
