#include "rules/known.h"

#define TORCH	  "https://github.com/pytorch/pytorch/"
#define TITAN	  "https://github.com/pytorch/torchtitan/"
#define AUTOMODEL "https://github.com/NVIDIA-NeMo/Automodel/"

/* clang-format off */
static const struct known rows[] = {
	{ "1", "slicing a mesh that is a slice or flattened stops in PyTorch 2.5 to 2.8",
	  "submesh-of-submesh", "needs the script's statements, mesh.script", TORCH "pull/158899" },
	{ "2", "float8 all-gather with HSDP on a part of a larger mesh stops in PyTorch 2.5 and 2.6",
	  "float8-submesh", "", TORCH "issues/143194" },
	{ "3", "torchft's ManagedDeviceMesh cannot be flattened",
	  "ft-flatten", "", TITAN "pull/1109" },
	{ "4", "slicing a mesh flattened from three axes: IndexError in PyTorch 2.5",
	  "flattened-slice-of-three", "", TORCH "pull/138945" },
	{ "5", "axes of one rank flattened, then sliced: KeyError in PyTorch 2.10",
	  "unit-axis-flattened", "", TORCH "issues/169381" },
	{ "6", "slicing a flattened mesh out of the root draws a deprecation warning",
	  "flattened-slice-deprecated", "", TORCH "pull/164993" },
	{ "7", "_flatten into a name that is taken: hidden until 2.8, refused from 2.9 or 2.10 on",
	  "flatten-name-taken", "", TORCH "pull/161311" },
	{ "8", "axes that are not adjacent flattened, then sliced: other ranks, or an exception",
	  "flattened-slice-gap", "", TORCH "pull/157523" },
	{ "9", "FSDP and tensor parallelism on meshes of two roots",
	  "meshes-of-two-roots", "", "https://github.com/InternLM/xtuner/issues/1329" },
	{ "10", "FSDP's mesh shares ranks with the one that cuts the parameter",
	  "overlapping-meshes", "", TORCH "pull/163358" },
	{ "11", "a slice in another order than the root, or tp before dp in the root",
	  "mesh-slice-order", "", TORCH "pull/132632" },
	{ "12", "accelerate: tensor parallel without dp_shard leaves FSDP no mesh",
	  "accelerate-tensor-only", "with cp above 1 the mesh exists", "https://github.com/huggingface/accelerate/issues/3798" },
	{ "13", "tensor parallel is not the last axis of the root",
	  "tensor-mesh-not-innermost", "", TORCH "pull/157216" },
	{ "14", "parallelize_module gets a mesh of several axes",
	  "tensor-mesh-not-1d", "", TORCH "pull/157216" },
	{ "15", "a group made by some ranks only hangs in ncclCommSplit when the process group was bound to a device",
	  "", "init_process_group(device_id=...) and the side group are calls of the script; init_device_mesh makes its groups on all ranks",
	  "https://github.com/NVIDIA-NeMo/RL/pull/3189" },
	{ "16", "ranks that do not fill their nodes: DeviceMesh only support homogeneous hardware",
	  "uneven-hosts", "whether the script initialises first is not in a config: a warning", TORCH "blob/v2.8.0/torch/distributed/device_mesh.py" },
	{ "17", "fully_shard over (dp_shard, cp) repeats over dp_shard",
	  "fsdp-mesh-replicates", "", AUTOMODEL "issues/2768" },
};
/* clang-format on */

const struct knowns knowns_mesh = {
	"DeviceMesh",
	rows,
	sizeof(rows) / sizeof(*rows),
};
