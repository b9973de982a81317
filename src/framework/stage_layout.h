#ifndef FRAMEWORK_STAGE_LAYOUT_H
#define FRAMEWORK_STAGE_LAYOUT_H

#include <stdint.h>

/*
 * Stages of a --pipeline-model-parallel-layout as "Et*3|(tt|)*29,m|L"; the number of decoder layers
 * of stage i goes to layers[i] where `layers` is not NULL and i < room. 0: it cannot be read.
 */
int64_t stage_layout_read(const char *text, int64_t *layers, int64_t room);

#endif
