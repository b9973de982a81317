#include "base/die.h"
#include "base/preset.h"
#include "report/guard/guard.h"

#include <string.h>

/*
 * The facts stand in a raw string between three apostrophes. JSON has apostrophes only inside of
 * strings, where they can be written otherwise; nothing a config says can end the string.
 */
static void put_facts(const struct job *job, struct buf *out)
{
	struct buf facts;
	const char *at;

	buf_init(&facts);
	report_guard_json(job, &facts, true);
	for (at = facts.data; *at; at++)
		if (*at == '\'')
			buf_text(out, "\\u0027");
		else
			buf_char(out, *at);
	buf_release(&facts);
}

void report_guard_python(const struct job *job, struct buf *out)
{
	static const char mark[] = "@PLAN@";
	const char *module = preset_text("guard/parplan_guard.py");
	const char *place = module ? strstr(module, mark) : NULL;

	if (!place)
		bug("the guard's module has no place for the plan");
	buf_bytes(out, module, (size_t)(place - module));
	put_facts(job, out);
	buf_text(out, place + strlen(mark));
}
