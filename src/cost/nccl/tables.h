#ifndef COST_NCCL_TABLES_H
#define COST_NCCL_TABLES_H

#include "cost/nccl/nccl.h"

/* The constants of src/graph/tuning.cc by version. Microseconds and GB/s. */

/* Latency before the first hop. */
double nccl_base(const struct nccl_system *system, enum nccl_algorithm algorithm,
		 enum nccl_protocol protocol);

enum nccl_hop { NCCL_HOP_LINK, NCCL_HOP_PCI, NCCL_HOP_NET };

/* Latency of one hop. */
double nccl_hop_latency(const struct nccl_system *system, enum nccl_algorithm algorithm,
			enum nccl_protocol protocol, enum nccl_hop hop);

/* The most that LL reaches altogether. */
double nccl_ll_most(const struct nccl_system *system);

/* The most that a channel reaches. */
double nccl_ring_ll128_most(const struct nccl_system *system);
double nccl_tree_ll128_most(const struct nccl_system *system);
double nccl_tree_most(const struct nccl_system *system);
double nccl_nvls_tree_most(const struct nccl_system *system);

/* What a tree's bandwidth is multiplied by at a size. */
double nccl_tree_factor(const struct nccl_system *system, enum nccl_algorithm algorithm,
			enum nccl_protocol protocol, double bytes);

#endif
