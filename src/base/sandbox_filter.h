#ifndef BASE_SANDBOX_FILTER_H
#define BASE_SANDBOX_FILTER_H

#include <stdbool.h>

/* True where the kernel takes a filter of system calls for this machine. */
bool sandbox_filter_known(void);

/*
 * Has calls that nothing here needs fail with EPERM from now on; `programs`: other programs may be
 * started. The process must have given up new privileges.
 */
void sandbox_filter(bool programs);

#endif
