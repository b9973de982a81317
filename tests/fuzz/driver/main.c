#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Stands in for libFuzzer where nothing is to be searched: gives each file
 * named on the command line once to the fuzz target it is linked with.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data;
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0) {
		perror(path);
		return 1;
	}
	rewind(file);
	data = malloc((size_t)size + !size);
	if (!data || fread(data, 1, (size_t)size, file) != (size_t)size) {
		perror(path);
		return 1;
	}
	fclose(file);
	LLVMFuzzerTestOneInput(data, (size_t)size);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	int at, failed = 0;

	for (at = 1; at < argc; at++)
		failed |= replay(argv[at]);
	return failed;
}
