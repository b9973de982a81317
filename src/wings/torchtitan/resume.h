#ifndef WINGS_TORCHTITAN_RESUME_H
#define WINGS_TORCHTITAN_RESUME_H

#include "framework/resume.h"

/*
 * What each component of a TorchTitan checkpoint does on other ranks, by version:
 * torchtitan components/checkpoint.py, dataloader.py, optimizer.py, lr_scheduler.py.
 */
void titan_resume(struct job *job, struct resume *resume);

/* Its state dict: components/checkpoint.py. */
void titan_saves(const struct job *job, struct state_dict *dict);

/* What stands before model parameters in the state dict of that version: "model." or "". */
const char *titan_model_prefix(const struct job *job);

#endif
