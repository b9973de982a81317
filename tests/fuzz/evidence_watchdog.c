/* PyTorch's watchdog, launchers and Python stacks: see evidence.h. */
#include "evidence.h"
#include "evidence/hang/captured.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_hang(const struct hang *hang)
{
	size_t i;

	for (i = 0; i < hang->culprits.count; i++)
		if (hang->culprits.items[i].rank < 0 || !hang->culprits.items[i].says)
			bug("a culprit without a rank or a word");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text_stream stream;
	struct capture capture;
	struct arena arena;
	struct hang hang;

	arena_init(&arena);
	evidence_init(&capture, &arena);
	stream_of(&stream, &arena, (const char *)data, size);
	(void)evidence_read_stream(&capture, "rank3-node1.log", &stream);
	hang = hang_of(&capture);
	check_hang(&hang);
	arena_release(&arena);
	return 0;
}
