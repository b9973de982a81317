#include "report/findings/remarks.h"

#include "base/text.h"

size_t remarks_of(struct arena *arena, const struct finding *finding,
		  struct remark remarks[REMARKS])
{
	const char *stops = finding->speaker
				    ? arena_printf(arena, "%s stops with", finding->speaker)
				    : "stops with";
	const struct remark all[REMARKS] = {
		{ "requested", finding->requested },
		{ "actual", finding->actual },
		{ "effect", finding->consequence },
		{ stops, finding->quote ? text_join_lines(arena, finding->quote, false) : NULL },
		{ "fix", finding->fix ? finding->fix : finding->rule->remedy },
	};
	size_t i, count = 0;

	for (i = 0; i < REMARKS; i++)
		if (all[i].text)
			remarks[count++] = all[i];
	return count;
}

const char *remark_elsewhere(struct arena *arena, const struct finding *finding,
			     const struct related *related)
{
	const struct span span = related->span;

	if (!span_known(span))
		return related->message;
	if (span_known(finding->span) && span.source == finding->span.source)
		return NULL;
	return arena_printf(arena, "%s (%s:%u:%u)", related->message,
			    text_on_line(arena, span.source->path), (unsigned int)span.line,
			    (unsigned int)span.column);
}
