#ifndef FRAMEWORK_STAGE_LAYOUT_H
#define FRAMEWORK_STAGE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

enum { STAGE_LAYOUT_MOST = 16384 };

/*
 * Writes a --pipeline-model-parallel-layout as "Et*3|(tt|)*29,m|L" out, one letter for each layer,
 * as parse_str_to_list does (NVIDIA/Megatron-LM@d98e8a64
 * megatron/core/transformer/pipeline_parallel_layer_layout.py): brackets that are repeated first,
 * which do not nest, then letters; all else stays as it is. false: it is longer than `words`.
 */
bool stage_layout_write_out(const char *text, char words[STAGE_LAYOUT_MOST]);

/* The first letter of a layout written out that Megatron does not know, or NULL. */
const char *stage_layout_stranger(const char *words);

/*
 * Stages of a layout; the number of decoder layers of stage i goes to layers[i] where `layers` is
 * not NULL and i < room. 0: it cannot be read.
 */
int64_t stage_layout_read(const char *text, int64_t *layers, int64_t room);

#endif
