#include "cost/nccl/nccl.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const algorithms[] = {
	"tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"
};
/* As NCCL_ALGO has them. */
static const char *const algorithm_words[] = { "Tree",	       "Ring", "CollNetDirect",
					       "CollNetChain", "NVLS", "NVLSTree",
					       "PAT" };
static const char *const protocols[] = { "ll", "ll128", "simple" };

const char *nccl_algorithm_name(enum nccl_algorithm algorithm)
{
	return algorithms[algorithm];
}

const char *nccl_protocol_name(enum nccl_protocol protocol)
{
	return protocols[protocol];
}

static bool read_set(const char *text, const char *const *words, int count, unsigned *set)
{
	const bool without = *text == '^';
	unsigned found = 0;
	int i;

	for (text += without; *text; text += strspn(text, ",")) {
		size_t length = strcspn(text, ",");
		for (i = 0; i < count; i++)
			if (strlen(words[i]) == length && !strncasecmp(words[i], text, length))
				break;
		if (i == count)
			return false;
		found |= 1u << i;
		text += length;
	}
	*set = without ? ~found & ((1u << count) - 1) : found;
	return *set != 0;
}

bool nccl_algorithms(const char *text, unsigned *set)
{
	return read_set(text, algorithm_words, NCCL_ALGORITHMS, set);
}

bool nccl_protocols(const char *text, unsigned *set)
{
	return read_set(text, protocols, NCCL_PROTOCOLS, set);
}

int nccl_version(const char *text)
{
	char *end;
	long minor;

	if (*text == 'v')
		text++;
	if (strncmp(text, "2.", 2) != 0)
		return 0;
	minor = strtol(text + 2, &end, 10);
	if (end == text + 2 || (*end && *end != '.' && *end != '+' && *end != '-') || minor < 0)
		return 0;
	return minor < NCCL_OLDEST ? NCCL_OLDEST : minor > NCCL_NEWEST ? NCCL_NEWEST : (int)minor;
}
