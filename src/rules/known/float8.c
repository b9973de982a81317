#include "rules/known.h"

/* clang-format off */
static const struct known rows[] = {
	{ "64", "a float8 layer whose size, once cut by tp, is not a multiple of 16",
	  "float8-multiple-of-16 float8-tokens",
	  "for layers that a script converts by its own filter, parplan assumes TorchTitan's "
	  "filter",
	  "https://github.com/pytorch/ao/issues/571" },
	{ "65", "float8 all-gather of a weight whose rows the FSDP ranks do not divide",
	  "float8-uneven-shards", "", "https://github.com/pytorch/ao/pull/3983" },
	{ "66", "float8 all-gather of a weight of which some ranks hold no row",
	  "float8-empty-shards", "", "https://github.com/pytorch/ao/issues/3982" },
	{ "67", "float8 amax is reduced over all ranks instead of the data-parallel mesh: hang or wrong scales with pp or tp",
	  "float8-amax-over-world", "", "https://github.com/pytorch/ao/pull/933" },
	{ "68", "rowwise float8 with tp and without compile: aten.amax has no sharding strategy",
	  "float8-rowwise-eager", "", "https://github.com/pytorch/pytorch/issues/147578" },
	{ "69", "delayed float8 scaling with scales computed ahead is refused",
	  "float8-delayed-precompute", "", "https://github.com/pytorch/ao/issues/1753" },
	{ "70", "mxfp8 and grouped products of experts that are sharded unevenly",
	  "quantized-experts-uneven expert-degree",
	  "only the run shows how many tokens each expert gets; TorchTitan pads them",
	  "https://github.com/pytorch/torchtitan/pull/4371" },
};
/* clang-format on */

const struct knowns knowns_float8 = {
	"Float8",
	rows,
	sizeof(rows) / sizeof(*rows),
};
