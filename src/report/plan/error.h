#ifndef REPORT_PLAN_ERROR_H
#define REPORT_PLAN_ERROR_H

#include "base/json.h"
#include "plan/plan.h"

/* A member: what a framework raises as {type, message, where}, or null. */
void plan_error_member(struct json_writer *json, const char *name, const struct plan_error *error);

#endif
