#include "report/version_json.h"

const char *version_origin(enum version_origin origin)
{
	static const char *const origins[] = {
		[VERSION_PINNED] = "pinned",
		[VERSION_INFERRED] = "inferred",
		[VERSION_COMPANION] = "companion",
		[VERSION_MODELLED] = "modelled",
	};

	return origins[origin];
}

void versions_json(struct json_writer *json, const struct versions *versions)
{
	size_t i;

	json_array(json, "framework");
	for (i = 0; i < versions->list.count; i++) {
		const struct version *version = &versions->list.items[i];

		json_object(json, NULL);
		json_string(json, "name", version->framework);
		json_string(json, "version", version->label);
		json_string(json, "origin", version_origin(version->origin));
		json_object_end(json);
	}
	json_array_end(json);
}
