#include "rules/known.h"

#define X(name) extern const struct knowns knowns_##name;
#include "known.inc"
#undef X

const struct knowns *const known_lists[] = {
#define X(name) &knowns_##name,
#include "known.inc"
#undef X
	NULL
};
