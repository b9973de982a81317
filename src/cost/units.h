#ifndef COST_UNITS_H
#define COST_UNITS_H

/* What numbers are written in, over what is computed with: bytes, seconds, operations. */
#define TERA  1e12
#define GIGA  1e9
#define MILLI 1e-3
#define MICRO 1e-6
#define PICO  1e-12

#define MIB 1048576.0
#define GIB 1073741824.0

#endif
