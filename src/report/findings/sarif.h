#ifndef REPORT_FINDINGS_SARIF_H
#define REPORT_FINDINGS_SARIF_H

#include "base/json.h"
#include "report/findings/fingerprints.h"
#include "report/findings/line_hash.h"
#include "report/findings/spot.h"
#include "rules/rule.h"

/*
 * Parts of a SARIF 2.1.0 log (OASIS standard of 27 March 2020), each written as the next value of
 * `json`. Columns count code points, as spans do.
 */

/* What the results of one run share. */
struct sarif {
	struct report *report;
	struct json_writer json;
	VEC(const struct rule_id *) rules; /* in the order in which results named them */
	struct fingerprints fingerprints;
	VEC(const char *) paths; /* of the files looked at, as spot_path gives them; NULL: stdin */
};

/* The index of a rule in the run's list, to which it is added when it is new. */
size_t sarif_rule_index(struct sarif *sarif, const struct rule_id *rule);

/* An artifactLocation; the path is that of a place. */
void sarif_artifact(struct json_writer *json, const char *key, const char *path, bool file);

/* A result; `hashes` are those of the file it was found in. */
void sarif_result(struct sarif *sarif, const struct checked *file, struct line_hashes *hashes,
		  const struct finding *finding);

/* A log with one run that found nothing and knows every rule: the catalogue. */
void sarif_catalogue(const char *version, struct buf *out);

/* The head of a log and of its run, up to the array "results", which is open then. */
void sarif_open(struct json_writer *json, struct buf *out);

/* The member "tool" of a run, with the texts of `count` rules. */
void sarif_tool(struct json_writer *json, const char *version, const struct rule_id *const *rules,
		size_t count);

/* Ends run and log. */
void sarif_close(struct json_writer *json);

#endif
