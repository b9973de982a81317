#ifndef CLI_MACHINE_H
#define CLI_MACHINE_H

#include "base/arena.h"
#include "cli/opt.h"
#include "cost/calibration.h"

/* A machine as options describe it: device, links, network, NCCL, and a profile file. */
struct machine_request {
	const char *gpu, *nic, *fabric, *intra, *nccl, *profile;
};

#define MACHINE_OPTIONS(type)                                                                      \
	{ OPT_TEXT,                                                                                \
	  0,                                                                                       \
	  "gpu",                                                                                   \
	  "GPU",                                                                                   \
	  NULL,                                                                                    \
	  "the device: h100-sxm, or as nvidia-smi writes it",                                      \
	  offsetof(type, machine.gpu) },                                                           \
		{ OPT_TEXT,                                                                        \
		  0,                                                                               \
		  "nic",                                                                           \
		  "COUNTxRATE",                                                                    \
		  NULL,                                                                            \
		  "adapters of a node: 8x400Gb",                                                   \
		  offsetof(type, machine.nic) },                                                   \
		{ OPT_TEXT,                                                                        \
		  0,                                                                               \
		  "fabric",                                                                        \
		  "FABRIC",                                                                        \
		  NULL,                                                                            \
		  "ib, roce, efa, tcpx, tcpxo, slingshot, opa, nvl72 (default ib)",                \
		  offsetof(type, machine.fabric) },                                                \
		{ OPT_TEXT,                                                                        \
		  0,                                                                               \
		  "intra",                                                                         \
		  "LINK",                                                                          \
		  "nvlink|pcie",                                                                   \
		  "what joins devices of a node",                                                  \
		  offsetof(type, machine.intra) },                                                 \
	{                                                                                          \
		OPT_TEXT, 0, "nccl", "NCCL", NULL, "NCCL 2.17 to 2.30 (default: newest)",          \
			offsetof(type, machine.nccl)                                               \
	}

struct machine {
	struct profile profile;
	struct calibration calibration;
	bool pcie, nic_given;
	int nccl;
};

/* Dies on words that are none, and on a profile file that cannot be read. */
void machine_read(struct machine *machine, struct arena *arena, const char *command,
		  const struct machine_request *request, bool network);

/* Ranks on nodes of that machine. */
void machine_place(const struct machine *machine, int64_t ranks, int64_t nodes,
		   struct communicator_place *place);

/* The text of a file that an option names; dies when it cannot be read. */
const struct source *machine_source(struct arena *arena, const char *command, const char *path);

/* A user's profile file for forecasts, or NULL when none is given; dies when it is none. */
const struct source *machine_numbers(struct arena *arena, const char *command, const char *path);

/* Dies with the first of the findings, if there are any errors. */
void machine_complain(const char *command, const struct findings *findings);

#endif
