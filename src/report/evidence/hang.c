#include "report/evidence/hang.h"

#include "base/text.h"

#include <string.h>

static void put_number(struct json_writer *json, const char *key, int64_t value)
{
	if (value < 0)
		json_null(json, key);
	else
		json_int(json, key, value);
}

void hang_json(struct json_writer *json, const struct hang *hang)
{
	size_t i;

	json_array(json, "culprits");
	for (i = 0; i < hang->culprits.count; i++) {
		const struct culprit *culprit = &hang->culprits.items[i];
		json_object(json, NULL);
		json_int(json, "rank", culprit->rank);
		json_string(json, "host", culprit->host);
		put_number(json, "gpu", culprit->gpu);
		json_string(json, "class", culprit_class_name(culprit->class));
		json_string(json, "group", culprit->group);
		put_number(json, "sequence", culprit->sequence);
		json_string(json, "says", culprit->says);
		json_object_end(json);
	}
	json_array_end(json);
}

static const char *headline(struct arena *arena, const struct hang *hang)
{
	if (!hang->waiting)
		return "ranks are told of by name";
	if (!hang->world)
		return arena_printf(arena, "%s rank%s wait%s", text_count(arena, hang->waiting),
				    hang->waiting == 1 ? "" : "s", hang->waiting == 1 ? "s" : "");
	return arena_printf(arena, "%s of %s ranks wait", text_count(arena, hang->waiting),
			    text_count(arena, hang->world));
}

const char *hang_next(const struct hang *hang)
{
	switch (hang->culprits.items[0].class) {
	case CULPRIT_DIED:
		return "what that rank printed before is the cause; the timeouts of the others "
		       "only follow";
	case CULPRIT_MISMATCHED:
		return "look for a branch in the program that only some ranks take, and for "
		       "tensors whose "
		       "shape depends on the rank's data";
	default:
		return "on that host, while it hangs: py-spy dump --pid PID of that rank, "
		       "nvidia-smi, dmesg | "
		       "grep -i xid; in its own log, the lines before the others began to wait";
	}
}

static void put_remark(const struct style *style, struct buf *out, const char *label,
		       const char *text)
{
	const int indent = 4;

	style_put(style, out, COLOR_DIM);
	buf_text(out, "  = ");
	style_put(style, out, COLOR_PLAIN);
	style_put(style, out, COLOR_BOLD);
	buf_printf(out, "%s:", label);
	style_put(style, out, COLOR_PLAIN);
	buf_char(out, ' ');
	wrap_text(out, text, indent + (int)strlen(label) + 2, indent + 2, style->columns);
	buf_char(out, '\n');
}

void hang_text(struct arena *arena, const struct hang *hang, const struct style *style,
	       struct buf *out)
{
	size_t i;

	if (!hang->culprits.count)
		return;
	buf_char(out, '\n');
	style_put(style, out, COLOR_ERROR);
	buf_text(out, "hang: ");
	style_put(style, out, COLOR_PLAIN);
	wrap_text(out, headline(arena, hang), 6, 4, style->columns);
	buf_char(out, '\n');
	for (i = 0; i < hang->culprits.count; i++)
		put_remark(style, out, "culprit", hang->culprits.items[i].says);
	put_remark(style, out, "next", hang_next(hang));
}
