#include "rules/known.h"

/* clang-format off */
static const struct known rows[] = {
	{ "72", "a checkpoint is resumed with another data-parallel degree: the data loader's keys are missing",
	  "dataloader-resume", "", "https://github.com/pytorch/torchtitan/issues/811" },
	{ "73", "optimizer state of all but one pipeline stage is lost when parameter groups are saved as lists",
	  "optimizer-stages-collide", "up to PyTorch 2.3; later a script has to ask for flatten_optimizer_state_dict, and a config does not show it", "https://github.com/pytorch/pytorch/issues/126595" },
	{ "74", "the learning-rate scheduler's state does not fit after pp or the stages per rank changed",
	  "lr-scheduler-resume", "", "https://github.com/pytorch/torchtitan/issues/738" },
	{ "75", "_orig_mod. in the names of a compiled model's checkpoint: keys are missing at the next resume",
	  "resume-compiled", "in TorchTitan; a script that compiles the whole module and saves its state dict is not seen", "https://github.com/pytorch/torchtitan/issues/961" },
	{ "77", "Failed to validate global plan: chunks overlap",
	  "strided-metadata-overlap", "uneven strided shards from 2.10 on; one name with two sizes on two stages cannot come from a config", "https://github.com/pytorch/pytorch/blob/v2.8.0/torch/distributed/checkpoint/default_planner.py" },
	{ "78", "a padded vocabulary or another number of experts: sizes of the checkpoint and the job differ",
	  "resume-size-mismatch resume-missing-key", "where the config that wrote the checkpoint, or its metadata, is given", "https://github.com/pytorch/pytorch/blob/v2.8.0/torch/distributed/checkpoint/default_planner.py" },
};
/* clang-format on */

const struct knowns knowns_resuming = {
	"Saving and resuming",
	rows,
	sizeof(rows) / sizeof(*rows),
};
