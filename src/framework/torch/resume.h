#ifndef FRAMEWORK_TORCH_RESUME_H
#define FRAMEWORK_TORCH_RESUME_H

#include "framework/resume.h"

/* What PyTorch's own state dicts do on other ranks, whatever the framework around them. */
void torch_resume_layout(struct job *job, struct resume *resume);

/*
 * What a job is whose state_dict its PyTorch refuses, to save and to load: "HSDP", "FSDP with
 * tensor parallelism"; NULL: none. And what is raised then.
 */
const char *torch_state_dict_refused(const struct job *job);
extern const char torch_state_dict_refusal[];

/*
 * A script of one's own: model tensors by name and size; how it keeps the rest is not known.
 */
void torch_resume(struct job *job, struct resume *resume);

#endif
