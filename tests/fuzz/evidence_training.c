/* What frameworks print while they train: see evidence.h. */
#include "evidence.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return check_evidence(data, size);
}
