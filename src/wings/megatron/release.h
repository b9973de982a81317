#ifndef WINGS_MEGATRON_RELEASE_H
#define WINGS_MEGATRON_RELEASE_H

#include "framework/version.h"

/*
 * When the branch of a release of Megatron Core left main: "core_v0.16.1", "core_r0.16.0",
 * "v0.16.1", "0.16". Zero for what is no release known here.
 */
moment_t megatron_release(const char *text);

#endif
