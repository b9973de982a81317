#include "framework/torch/job_torch.h"

struct torch_release torch_of_job(const struct job *job)
{
	const struct version *version = versions_find(&job->versions, "torch");
	struct torch_release torch;

	if (version && torch_parse(job->arena, version->label, &torch))
		return torch;
	return torch_latest();
}
