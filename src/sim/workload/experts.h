#ifndef SIM_WORKLOAD_EXPERTS_H
#define SIM_WORKLOAD_EXPERTS_H

#include "sim/workload.h"

/*
 * How a block computes its routed experts, and how their weights come to it. transformers up to 4
 * walks through the experts that got tokens in Python: for each it asks the device which tokens
 * those are, takes them, multiplies and adds the result (transformers@v4.36.0 to v4.57.6,
 * models/{mixtral,qwen2_moe,qwen3_moe,olmoe,phimoe,deepseek_v3,glm4_moe,gpt_oss}). From 5.0 on all
 * are two grouped products unless a job asks for the loop (v5.0.0 integrations/moe.py,
 * modeling_utils.py, get_correct_experts_implementation).
 */
void workload_experts(struct workload *work, const struct job *job);

/* Experts of a block on a rank that get any of a microbatch's tokens, where all are as likely. */
double workload_hits(const struct workload *work);

/* Of the elements of a block that are gathered those that come weight by weight, and in how many
 * gathers; 0 where all come at once. */
struct apart {
	double elements, calls;
};

struct apart workload_apart(const struct workload *work, double elements);

#endif
