#ifndef INPUT_SETTINGS_LAYER_SPLIT_H
#define INPUT_SETTINGS_LAYER_SPLIT_H

#include "input/field.h"

/*
 * Reads words in parallelism.pipeline.layer_split that ask for equal parts: "even", "embedding and
 * head count as layers", and DeepSpeed's partition_method "type:CLASS|CLASS" (PipelineModule of
 * deepspeed@edaa7221 runtime/pipe/module.py), which counts layers of those classes. They become
 * "even" and what each end of the model counts for. Of other words that are no layout of Megatron's
 * a finding says that nobody knows the stages.
 */
void layer_split_settle(struct decoder *decoder);

#endif
