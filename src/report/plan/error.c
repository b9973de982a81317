#include "report/plan/error.h"

void plan_error_member(struct json_writer *json, const char *name, const struct plan_error *error)
{
	if (!error) {
		json_null(json, name);
		return;
	}
	json_object(json, name);
	json_string(json, "type", error->type);
	json_string(json, "message", error->message);
	json_string(json, "where", error->where);
	json_object_end(json);
}
