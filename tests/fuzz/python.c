/* The reader of Python programs never crashes, hangs or leaks, and its trees and places are sound.
 */
#include "tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_reader(python_read, data, size);
	return 0;
}
