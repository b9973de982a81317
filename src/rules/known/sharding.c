#include "rules/known.h"

#define TORCH "https://github.com/pytorch/pytorch/"
#define TITAN "https://github.com/pytorch/torchtitan/"

/* clang-format off */
static const struct known rows[] = {
	{ "18", "full_tensor() and state_dict of FSDP2 with tensor parallelism are in the wrong order before PyTorch 2.5",
	  "state-dict-2d", "with checkpoint.enabled; calls of full_tensor() are the script's", TORCH "pull/130760" },
	{ "19", "HSDP with tensor parallelism stops before PyTorch 2.5",
	  "hsdp-with-tensor-parallel", "", TORCH "pull/133335" },
	{ "20", "FSDP with tensor parallelism refuses uneven rows in PyTorch 2.5 to 2.7",
	  "uneven-sharding", "", TORCH "pull/150490" },
	{ "21", "PyTorch 2.8 and 2.9 split uneven strided shards in another order than FSDP stores them",
	  "strided-split-uneven", "", TORCH "pull/163843" },
	{ "22", "the rest of that defect in later versions: splits of uneven strided shards that "
		"do not fit FSDP's",
	  "strided-metadata", "", TORCH "issues/168134" },
	{ "23", "checkpoint metadata of uneven strided shards names other rows than are stored, from 2.10 on",
	  "strided-metadata", "for the job and for the one that wrote the checkpoint", TORCH "issues/168134" },
	{ "24", "an empty part shares its offset with one that is not, up to 2.7: a checkpoint may drop rows",
	  "fsdp1-uneven-tensor-parallel", "where a config says fsdp_version: 1", TORCH "pull/150490" },
	{ "25", "FSDP1 with tensor parallelism notes uneven parts at wrong offsets",
	  "fsdp1-uneven-tensor-parallel", "", TORCH "pull/188947" },
	{ "26", "FSDP cuts no dim but the first unevenly",
	  "uneven-sharding", "TorchTitan's experts; other placements are the script's", TITAN "pull/1561" },
	{ "27", "reshard_after_forward as a number stops with tensor parallelism",
	  "reshard-number-with-tp", "", TORCH "blob/v2.8.0/torch/distributed/fsdp/_fully_shard/_fsdp_param.py" },
	{ "28", "reshard_after_forward as a number must divide the ranks that share",
	  "reshard-not-a-factor", "", TORCH "blob/v2.8.0/torch/distributed/fsdp/_fully_shard/_fsdp_init.py" },
	{ "29", "tied embeddings in two FSDP groups: rows that never train, later an exception",
	  "tied-weights-split", "for TorchTitan and accelerate; how a script wraps its model is not in a config", TORCH "issues/176076" },
	{ "30", "one fully_shard call gets parameters stored in two types",
	  "mixed-dtype-unit", "give types that the model's code chooses in "
			      "model.dtypes", TORCH "issues/156784" },
	{ "31", "gradients of two types meet in a reduce-scatter after accumulation with unused parameters",
	  "", "which parameters a micro-step leaves unused is the model's code", TORCH "issues/160279" },
	{ "32", "FSDP2 over one rank: gradients of small weights become zero",
	  "fsdp-over-one-rank", "", TORCH "issues/144045" },
	{ "33", "gloo sums where FSDP2 wants the average",
	  "gloo-average", "", TORCH "issues/162338" },
	{ "34", "set_reduce_scatter_divide_factor divides HSDP by another number than FSDP, up to 2.7",
	  "", "a call of the script's; TorchTitan never used the old one (set_gradient_divide_factor since #1551)", TORCH "issues/155903" },
	{ "35", "HSDP with CPU offload corrupts gradients",
	  "hsdp-cpu-offload", "", TORCH "pull/180665" },
	{ "36", "HSDP keeps one reduced float32 buffer per unit",
	  "hsdp-reduce-buffers", "only where weights are stored in another type than gradients are reduced in", TORCH "issues/179128" },
	{ "37", "HSDP reduces NaN with TORCH_NCCL_AVOID_RECORD_STREAMS and deterministic algorithms",
	  "hsdp-record-streams", "", TORCH "issues/147810" },
	{ "38", "all-reduce buffers of HSDP that are reused across units collapse gradients",
	  "", "an invariant that released code keeps and custom all-reduce hooks may break: hooks are code", TORCH "pull/180931" },
	{ "39", "DDP with tensor parallelism trains without gradients",
	  "ddp-with-other-axes ddp-with-tensor-parallel", "", TITAN "issues/577" },
	{ "40", "FSDP1 with replicas and a shard group of one rank never reduces gradients",
	  "fsdp1-shard-of-one", "", "https://github.com/verl-project/verl/issues/7493" },
	{ "41", "up to 2.7 the root always keeps its parameters after forward, from 2.8 on by "
		"default",
	  "", "no defect: in training backward gathers the root at once, so its peak stays; `parplan plan` shows it at each unit, `parplan diff` when it changes", TORCH "pull/155319" },
	{ "42", "clip_grad_norm_ fails over gradients on two meshes",
	  "clip-across-meshes", "with training.max_norm; TorchTitan joins the norms", TORCH "issues/180346" },
	{ "43", "clipping by the norm of one pipeline stage",
	  "clip-per-stage", "", TITAN "pull/649" },
	{ "44", "FSDP cuts a rank's experts unevenly: states and gradients of different sizes",
	  "uneven-experts", "", "https://github.com/marin-community/marin/issues/6335" },
	{ "45", "SimpleFSDP ignores float8 all-gather, and misjudges uneven shards",
	  "simple-fsdp-float8", "the second is mended by TorchTitan's #4593, and that trainer's shards are not modelled", TITAN "issues/3123" },
	{ "46", "operators on uneven DTensor shards fail or give wrong strides up to 2.3",
	  "uneven-tensor-parallel", "", TORCH "issues/118836" },
	{ "47", "aten.alias.default has no sharding strategy in 2.9.0",
	  "", "raised where the model's code slices a DTensor over its whole length, as transformers' lm_head does", TORCH "issues/170427" },
};
/* clang-format on */

const struct knowns knowns_sharding = {
	"DTensor and FSDP2",
	rows,
	sizeof(rows) / sizeof(*rows),
};
