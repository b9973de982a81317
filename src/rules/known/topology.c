#include "rules/known.h"

/* clang-format off */
static const struct known rows[] = {
	{ "E1", "tp is larger than the GPUs of a node: every layer's all-reduces cross the network",
	  "tp-across-nodes", "a note, and only where the cluster is known",
	  "https://github.com/OpenRLHF/OpenRLHF/issues/758" },
};
/* clang-format on */

const struct knowns knowns_topology = {
	"Where ranks sit",
	rows,
	sizeof(rows) / sizeof(*rows),
};
