#ifndef REPORT_ORIGIN_H
#define REPORT_ORIGIN_H

#include "base/buf.h"
#include "report/findings/excerpt.h"
#include "framework/job.h"

/*
 * Where values come from: `parplan explain FILE FIELD`. The chain goes from the value back
 * through what it was derived from to the places where somebody wrote something.
 */
void origin_explain(const struct job *job, const struct setting *setting, const struct style *style,
		    struct buf *out);

/* Every known setting of a job with its value and origin, one line each. */
void origin_list(const struct job *job, const struct style *style, struct buf *out);

/* The value of a setting as text; "not set", "not usable (see check)". */
const char *origin_value(const struct setting *setting);

/* What a degree comes to, when that is not what is written; else 0. */
int64_t origin_resolved(const struct job *job, const struct setting *setting);

/* "given in the file (train.yaml:9:7), written tensor_parallel_degree"; in the arena. */
char *origin_source(struct arena *arena, const struct setting *setting);

/* Every native key: type, allowed words, default, meaning (`parplan explain --keys`). */
void origin_keys(const struct style *style, struct arena *arena, struct buf *out);

/*
 * The setting people mean by a word: a native key, the dialect's spelling in this file, or
 * the end of either ("tp", "tensor_parallel_degree"); NULL when there is none.
 */
const struct setting *origin_find(const struct job *job, const char *word);

/* The native key or spelling nearest to a word, or NULL. */
const char *origin_nearest(const struct job *job, const char *word);

#endif
