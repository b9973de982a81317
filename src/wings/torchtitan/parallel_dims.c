#include "wings/torchtitan/exceptions.h"
#include "wings/torchtitan/raise.h"
#include "wings/torchtitan/titan.h"

#include "base/number.h"

#include <string.h>

/*
 * torchtitan/distributed/parallel_dims.py, __post_init__ / _validate (before 2024-09:
 * torchtitan/parallelisms/__init__.py), by version: which degrees are looked at, in which
 * order, and what is raised.
 */
/* Degrees that must be at least 1, in the order they are looped over. */
struct looked_at {
	enum field_id field;
	size_t offset; /* in struct degrees */
};

#define LOOK(id, member)                                                                           \
	{                                                                                          \
		FIELD_##id, offsetof(struct degrees, member)                                       \
	}

static int64_t *degree(struct degrees *degrees, const struct looked_at *at)
{
	union {
		char *bytes;
		int64_t *value;
	} to = { (char *)degrees + at->offset };

	return to.value;
}

static void fail(struct job *job, struct plan *plan, const struct exception *row,
		 enum field_id field)
{
	exception_raise(plan, row);
	titan_blame(job, plan, field);
}

/* pp, dp, tp: a6d26255e, torchtitan/parallelisms/__init__.py. Messages are the bare degree. */
static void validate_dp(struct job *job, struct plan *plan, struct degrees *d)
{
	static const struct looked_at looked[] = { LOOK(DP, dp), LOOK(TP, tp), LOOK(PP, pp) };
	size_t i;

	if (d->dp == -1 && job->world) {
		if (!d->tp || !d->pp) {
			exception_raise(plan, TITAN(DP_DIVISION));
			titan_blame(job, plan, d->tp ? FIELD_PP : FIELD_TP);
			return;
		}
		d->dp = job->world / multiply(d->tp, d->pp);
	}
	for (i = 0; i < sizeof(looked) / sizeof(looked[0]); i++)
		if (*degree(d, &looked[i]) < 1 && (job->world || i)) {
			exception_raise(plan, TITAN(DP_DEGREE), VALUE(*degree(d, &looked[i])));
			titan_blame(job, plan, looked[i].field);
			return;
		}
	if (job->world && multiply(multiply(d->dp, d->tp), d->pp) != job->world) {
		exception_raise(plan, TITAN(DP_PRODUCT), VALUE(d->dp), VALUE(d->tp), VALUE(d->pp),
				VALUE(job->world));
		titan_blame(job, plan, FIELD_DP);
	}
}

/* The degrees that must be at least 1; the first that is not raises. */
static bool validate_degrees(struct job *job, struct plan *plan, struct titan *titan)
{
	static const struct looked_at looked[] = { LOOK(DP_REPLICATE, dp_replicate),
						   LOOK(CP, cp),
						   LOOK(TP, tp),
						   LOOK(PP, pp),
						   LOOK(EP, ep),
						   LOOK(ETP, etp) };
	struct degrees *d = &titan->degrees;
	size_t i;

	for (i = 0; i < sizeof(looked) / sizeof(looked[0]); i++) {
		if (looked[i].field == FIELD_CP && titan->traits[TRAIT_AXES] < AXES_CP)
			continue;
		if (looked[i].field == FIELD_EP && titan->traits[TRAIT_EP] == EP_NONE)
			continue;
		if (looked[i].field == FIELD_ETP && !titan_has_etp(titan))
			continue;
		if (*degree(d, &looked[i]) < 1) {
			fail(job, plan, TITAN(DEGREE), looked[i].field);
			return false;
		}
	}
	if (d->dp_shard == -1 || d->dp_shard >= 1)
		return true;
	fail(job, plan, titan_told(TITAN_DP_SHARD, titan->when), FIELD_DP_SHARD);
	return false;
}

static void raise_product(struct job *job, struct plan *plan, const struct titan *titan)
{
	static const enum field_id responsible[] = { FIELD_DP_SHARD, FIELD_DP_REPLICATE, FIELD_TP,
						     FIELD_PP, FIELD_CP };
	const struct degrees *d = &titan->degrees;
	size_t i;

	if (titan->traits[TRAIT_AXES] >= AXES_CP)
		exception_raise(plan, TITAN(PRODUCT), VALUE(d->dp_replicate), VALUE(d->dp_shard),
				VALUE(d->cp), VALUE(d->tp), VALUE(d->pp), VALUE(job->world));
	else
		exception_raise(plan, TITAN(PRODUCT_BEFORE_CP), VALUE(d->dp_replicate),
				VALUE(d->dp_shard), VALUE(d->tp), VALUE(d->pp), VALUE(job->world));
	for (i = 0; i < sizeof(responsible) / sizeof(responsible[0]); i++)
		if (setting_given(settings_of(&job->settings, responsible[i])))
			titan_blame(job, plan, responsible[i]);
}

static bool validate_product(struct job *job, struct plan *plan, struct titan *titan)
{
	struct degrees *d = &titan->degrees;
	int64_t others = multiply(multiply(d->dp_replicate, d->cp), multiply(d->tp, d->pp));

	if (!job->world)
		return true;
	if (d->dp_shard < 0)
		d->dp_shard = job->world / others;
	if (d->dp_shard < 1) { /* a bare assert */
		fail(job, plan, TITAN(DP_SHARD_LEFT), FIELD_DP_REPLICATE);
		return false;
	}
	if (multiply(others, d->dp_shard) == job->world)
		return true;
	raise_product(job, plan, titan);
	return false;
}

/* Whether ep borrows whole ranks from `lent` (cp, or cp * tp) and dp_shard: ep % lent, (dp_shard *
 * lent) % ep. */
static void validate_borrowed(struct job *job, struct plan *plan, const struct degrees *d,
			      int64_t lent)
{
	if (d->ep % lent || multiply(d->dp_shard, lent) % d->ep)
		fail(job, plan, TITAN(EP_BORROWS), FIELD_EP);
}

static void validate_experts(struct job *job, struct plan *plan, struct titan *titan)
{
	const struct degrees *d = &titan->degrees;
	int64_t sparse = multiply(multiply(d->dp_shard, d->cp), d->tp);

	if (d->ep <= 1 || titan->traits[TRAIT_EP] == EP_NONE)
		return;
	if (titan_has_etp(titan) && d->etp != d->tp && d->etp != 1) {
		fail(job, plan, TITAN(ETP), FIELD_ETP);
		return;
	}
	if (!job->world)
		return;
	if (titan->traits[TRAIT_EP] == EP_BORROWED)
		validate_borrowed(job, plan, d, d->cp);
	else if (titan->traits[TRAIT_EP] == EP_ETP)
		validate_borrowed(job, plan, d, d->etp == d->tp ? d->cp : d->cp * d->tp);
	else if (titan->traits[TRAIT_EP] == EP_SPARSE_CHECKED && sparse % d->ep) {
		exception_raise(plan, TITAN(EP_DIVIDES), VALUE(d->ep), VALUE(sparse));
		titan_blame(job, plan, FIELD_EP);
	}
}

static void read_degrees(const struct settings *settings, struct titan *titan)
{
	struct degrees *d = &titan->degrees;

	memset(d, 0, sizeof(*d));
	d->tp = setting_int(settings, FIELD_TP, 1);
	d->pp = setting_int(settings, FIELD_PP, 1);
	if (titan->traits[TRAIT_AXES] == AXES_DP) {
		d->dp = setting_int(settings, FIELD_DP, setting_int(settings, FIELD_DP_SHARD, -1));
		return;
	}
	d->dp_replicate = setting_int(settings, FIELD_DP_REPLICATE, 1);
	d->dp_shard = setting_int(settings, FIELD_DP_SHARD, -1);
	d->cp = titan->traits[TRAIT_AXES] >= AXES_CP ? setting_int(settings, FIELD_CP, 1) : 1;
	if (titan->traits[TRAIT_EP] != EP_NONE)
		d->ep = setting_int(settings, FIELD_EP, 1);
	if (titan_has_etp(titan))
		d->etp = setting_int(settings, FIELD_ETP, 1);
}

void titan_validate_dims(struct job *job, struct plan *plan, struct titan *titan)
{
	read_degrees(&job->settings, titan);
	if (titan->traits[TRAIT_AXES] == AXES_DP)
		validate_dp(job, plan, &titan->degrees);
	else if (validate_degrees(job, plan, titan) && validate_product(job, plan, titan))
		validate_experts(job, plan, titan);
	plan->degrees = titan->degrees;
}
