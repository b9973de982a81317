#ifndef COST_CHOICES_H
#define COST_CHOICES_H

#include "base/vec.h"
#include "cost/calibration.h"
#include "cost/nccl_log.h"

/* What logs say that NCCL chose, beside what the model would. */
struct choice {
	const struct nccl_log *log;
	const struct nccl_said *said;
	struct nccl_choice modelled; /* without what NCCL printed */
	bool same;		     /* as modelled */
	bool same_by_tables;	     /* as by the tables that NCCL printed, where it did */
};

struct choices {
	VEC(struct choice) list; /* by log, collective and bytes */
	size_t same, same_by_tables;
};

/* Of the calibration's logs; lives as long as its arena. */
void choices_init(struct choices *choices, const struct calibration *calibration);

#endif
