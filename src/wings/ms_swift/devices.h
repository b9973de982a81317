#ifndef WINGS_MS_SWIFT_DEVICES_H
#define WINGS_MS_SWIFT_DEVICES_H

#include "input/document.h"
#include "input/field.h"
#include "plan/exception.h"

extern const struct exceptions exceptions_ms_swift;

/* Of several devices for one process, under DeepSpeed and under FSDP2. */
#define MS_SWIFT_DEEPSPEED (&exceptions_ms_swift.rows[1])
#define MS_SWIFT_FSDP	   (&exceptions_ms_swift.rows[2])

/* Reports arguments of `swift sft` that ask for an engine where processes have several devices. */
void ms_swift_devices(const struct document *document, struct decoder *decoder,
		      const struct node *arguments);

#endif
