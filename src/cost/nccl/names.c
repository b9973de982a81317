#include "cost/nccl/nccl.h"

#include <ctype.h>
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

/* Letters and digits alone are compared, in any case. */
static bool alike(const char *name, size_t length, const char *known)
{
	size_t i;

	for (i = 0; i < length; i++) {
		if (name[i] == '_')
			continue;
		known += *known == '_';
		if (tolower((unsigned char)name[i]) != *known++)
			return false;
	}
	return !*known;
}

static int find(const char *name, size_t length, const char *const *words, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if (alike(name, length, words[i]))
			return i;
	return -1;
}

int nccl_algorithm_find(const char *name, size_t length)
{
	return find(name, length, algorithms, NCCL_ALGORITHMS);
}

int nccl_protocol_find(const char *name, size_t length)
{
	return find(name, length, protocols, NCCL_PROTOCOLS);
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
