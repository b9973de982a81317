/* Logs of NCCL: see measurements.h. */
#include "measurements.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return check_measurements(data, size);
}
