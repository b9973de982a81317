#ifndef FRAMEWORK_TORCH_RESUME_H
#define FRAMEWORK_TORCH_RESUME_H

#include "framework/resume.h"

/* What PyTorch's own state dicts do on other ranks, whatever the framework around them. */
void torch_resume_layout(struct job *job, struct resume *resume);

/*
 * A script of one's own: model tensors by name and size; how it keeps the rest is not known.
 */
void torch_resume(struct job *job, struct resume *resume);

#endif
