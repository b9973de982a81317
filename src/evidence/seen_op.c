#include "evidence/seen_op.h"

#include <string.h>

const char *seen_op_name(enum seen_op op)
{
	static const char *const names[SEEN_OPS] = {
		[SEEN_ALL_GATHER] = "all-gather",
		[SEEN_REDUCE_SCATTER] = "reduce-scatter",
		[SEEN_ALL_REDUCE] = "all-reduce",
		[SEEN_ALL_TO_ALL] = "all-to-all",
		[SEEN_SEND] = "send",
		[SEEN_RECV] = "receive",
		[SEEN_BROADCAST] = "broadcast",
		[SEEN_REDUCE] = "reduce",
		[SEEN_BARRIER] = "barrier",
		[SEEN_OTHER] = "other",
	};

	return names[op];
}

/* Names are compared without case, separators and what stands before "nccl:" or "_". */
static const struct {
	const char *part;
	enum seen_op op;
} spellings[] = {
	{ "barrier", SEEN_BARRIER }, /* "all_reduce_barrier", too */
	{ "allgather", SEEN_ALL_GATHER },
	{ "reducescatter", SEEN_REDUCE_SCATTER },
	{ "allreduce", SEEN_ALL_REDUCE },
	{ "alltoall", SEEN_ALL_TO_ALL },
	{ "sendrecv", SEEN_SEND },
	{ "send", SEEN_SEND },
	{ "recv", SEEN_RECV },
	{ "broadcast", SEEN_BROADCAST },
	{ "bcast", SEEN_BROADCAST },
	{ "reduce", SEEN_REDUCE },
};

enum seen_op seen_op_of(const char *name, size_t length)
{
	char plain[64];
	size_t i, count = 0;

	for (i = 0; i < length && count + 1 < sizeof(plain); i++)
		if (name[i] != '_' && name[i] != '-' && name[i] != ' ')
			plain[count++] =
				(char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a'
									: name[i]);
	plain[count] = '\0';
	for (i = 0; i < sizeof(spellings) / sizeof(*spellings); i++)
		if (strstr(plain, spellings[i].part))
			return spellings[i].op;
	return SEEN_OTHER;
}
