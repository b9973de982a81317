#include "rules/known.h"

/* clang-format off */
static const struct known rows[] = {
	{ "71", "FSDP with tp under PyTorch 2.4: 2D state_dict is refused",
	  "state-dict-2d", "", "https://github.com/pytorch/torchtitan/issues/441" },
	{ "76", "planning a save compares all pairs of chunks: minutes from some thousand ranks on",
	  "save-plan-quadratic", "", "https://github.com/pytorch/pytorch/issues/163548" },
	{ "79", "torchft's ManagedDeviceMesh: get_all_groups is missing, get_coordinate is wrong",
	  "", "code decides which of its methods it calls; TorchTitan dropped the class "
	      "(ft-flatten)",
	  "https://github.com/pytorch/torchtitan/pull/1109" },
};
/* clang-format on */

const struct knowns knowns_saving = {
	"Saving checkpoints",
	rows,
	sizeof(rows) / sizeof(*rows),
};
