#include "base/text.h"
#include "report/findings/excerpt.h"
#include "report/forecast/forecast.h"

void report_uncounted_text(const struct node *words, struct buf *out, bool color, int columns)
{
	const struct style style = { color, columns };

	if (!words)
		return;
	style_heading(&style, out, "Not counted");
	for (; words; words = words->next) {
		buf_text(out, "  ");
		wrap_text(out, words->text, 2, 4, columns);
		buf_char(out, '\n');
	}
}

void report_uncounted_json(const struct node *words, struct json_writer *json)
{
	json_array(json, "not_counted");
	for (; words; words = words->next)
		json_string(json, NULL, words->text);
	json_array_end(json);
}
