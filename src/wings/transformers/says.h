#ifndef WINGS_TRANSFORMERS_SAYS_H
#define WINGS_TRANSFORMERS_SAYS_H

#include "plan/exception.h"

extern const struct exceptions exceptions_transformers;

/* Of a strategy of FSDP1's beside FSDP2, from 5.10 on: the word. */
#define TRAINER_FIRST_ONLY (&exceptions_transformers.rows[0])

/* Of a reshard_after_forward of FSDP2's that is no switch: the word in small letters. */
#define TRAINER_NO_SWITCH (&exceptions_transformers.rows[1])

/* Of one of FSDP1's that is no strategy: the word in capitals. */
#define TRAINER_NO_NAME (&exceptions_transformers.rows[2])

/* Before 5.10, of `offload` alone, and of full_shard beside shard_grad_op. */
#define TRAINER_OFFLOAD_ALONE  (&exceptions_transformers.rows[3])
#define TRAINER_TWO_STRATEGIES (&exceptions_transformers.rows[4])

/* Of fsdp beside deepspeed. */
#define TRAINER_BOTH_ENGINES (&exceptions_transformers.rows[5])

#endif
