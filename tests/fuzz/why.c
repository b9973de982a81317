/* Logs of jobs: whatever bytes they hold, what is found is in order and can be shown. */
#include "base/die.h"
#include "base/stream.h"
#include "base/text.h"
#include "evidence/hang/captured.h"
#include "evidence/log/joblog.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_shown(const char *text)
{
	const char *at;
	size_t bad;

	if (!text_is_utf8(text, strlen(text), &bad))
		bug("byte %zu is no UTF-8", bad);
	for (at = text; *at; at++)
		if ((unsigned char)*at < ' ')
			bug("a control character is shown");
}

static void check_hit(const struct joblog *log, const struct log_hit *hit)
{
	size_t i;

	if (hit->count < 1 || hit->ranks.count > hit->count)
		bug("%lld times by %lld ranks", (long long)hit->count, (long long)hit->ranks.count);
	if (hit->line < 1 || hit->line > log->files.items[0].lines)
		bug("line %zu of %zu", hit->line, log->files.items[0].lines);
	if (!*hit->printed)
		bug("nothing was printed");
	check_shown(hit->printed);
	for (i = 0; i < hit->values.count; i++)
		check_shown(hit->values.items[i].text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text_stream stream;
	struct joblog log;
	struct arena arena;
	size_t i;

	arena_init(&arena);
	joblog_init(&log, &arena, NULL);
	stream_of(&stream, &arena, (const char *)data, size);
	joblog_read(&log, &stream, "job.log");
	joblog_close(&log);
	for (i = 0; i < log.hits.count; i++) {
		check_hit(&log, log.hits.items[i]);
		if (i && phrase_follows(log.hits.items[i - 1]->phrase) &&
		    !phrase_follows(log.hits.items[i]->phrase))
			bug("a cause comes behind what follows");
	}
	(void)hang_of(log.capture);
	if (log.tracebacks.last.text)
		check_shown(log.tracebacks.last.text);
	arena_release(&arena);
	return 0;
}
