#include "wings/ms_swift/devices.h"

#include "base/text.h"
#include "framework/wing.h"
#include "input/keys.h"
#include "input/launch/launch.h"
#include "input/node.h"

#include <inttypes.h>

/*
 * Processes of `swift` take the devices that they see in equal parts, by device_map
 * (modelscope/ms-swift@3602360a swift/utils/env.py, is_mp), which no engine goes with
 * (swift/arguments/sft_args.py).
 */

/* Processes on a machine: one where nothing starts several; 0: not known. */
static int64_t processes_of(const struct document *document, const struct settings *settings)
{
	const struct setting *each = &settings->items[FIELD_LAUNCH_PER_NODE];
	int64_t count;

	if (setting_known(each))
		return text_to_int(each->text, &count) ? count : 0;
	return document->launch && !document->launch->launched &&
			       !setting_unresolved(settings, FIELD_LAUNCH_PER_NODE)
		       ? 1
		       : 0;
}

void ms_swift_devices(const struct document *document, struct decoder *decoder,
		      const struct node *arguments)
{
	const struct setting *seen = &decoder->settings->items[FIELD_LAUNCH_GPUS_REQUESTED];
	const bool deepspeed = *keys_text(arguments, "deepspeed", "");
	const struct node *engine = node_member(arguments, deepspeed ? "deepspeed" : "fsdp");
	const int64_t count = processes_of(document, decoder->settings);
	struct finding *finding;
	struct told told;

	if (!decoder->findings || !engine || !*keys_text(arguments, engine->key, "") ||
	    !setting_known(seen) || count < 1 || seen->integer / count < 2 ||
	    seen->integer % count || keys_true(arguments, "use_ray"))
		return;
	finding = finding_add(decoder->findings, &rule_strategy_refused, engine->key_span,
			      "ms-swift refuses %s where a process has several devices: %" PRId64
			      " devices are seen by %" PRId64 " process%s",
			      engine->key, seen->integer, count, count == 1 ? "" : "es");
	finding_relate(decoder->findings, finding, seen->span, "%" PRId64 " devices",
		       seen->integer);
	told = exception_tell(decoder->arena, deepspeed ? MS_SWIFT_DEEPSPEED : MS_SWIFT_FSDP,
			      VALUE(seen->integer), VALUE(count));
	finding_quote(decoder->findings, finding, "%s: %s", told.type, told.message);
	finding->speaker = "ms-swift";
	finding_fix(decoder->findings, finding, "start a process for each: NPROC_PER_NODE=%" PRId64,
		    seen->integer);
}
