#include "rules/expect.h"

#include "input/node.h"
#include "rules/facts.h"
#include "rules/raised.h"
#include "sim/forecast.h"

#define GIB 1073741824.0

/* Expectations about what a step costs, held against the job's forecast and its interval. */

/* A quantity with the end of its interval that suits the expectation best. */
struct estimate {
	double forecast, best;
	const char *unit; /* with a blank in front, or "" */
};

/* The job's forecast, or NULL: it cannot run, or something is missing, which is then said. */
static const struct forecast *forecast_for(const struct expected *expected)
{
	struct job *job = expected->job;
	const struct forecast *forecast;

	if (job->applied && job->applied->error)
		return NULL;
	forecast = forecast_of(job);
	if (!forecast)
		expect_unjudged(job, expected->want, "a forecast; %s", job->unforecast);
	return forecast;
}

/* An estimate must not be above what is wanted, or below it (`least`). */
static void judge(const struct expected *expected, const char *what, struct estimate estimate,
		  bool least)
{
	double want = expected->want->number, sign = least ? -1 : 1;
	struct finding *finding;

	if (sign * estimate.forecast <= sign * want)
		return;
	finding = expect_failed(expected, expected->want,
				"expected %s of at %s %.4g%s, but the forecast is %.4g%s", what,
				least ? "least" : "most", want, estimate.unit, estimate.forecast,
				estimate.unit);
	if (sign * estimate.best <= sign * want)
		finding_cap(finding, SEVERITY_WARNING);
	finding_actual(expected->job->findings, finding,
		       sign * estimate.best <= sign * want
			       ? "%.4g%s at the favourable end of its interval, which would do"
			       : "%.4g%s even at the favourable end of its interval",
		       estimate.best, estimate.unit);
	relate_setting(expected->job, finding, FIELD_CLUSTER_GPU);
}

void expect_memory(const struct expected *expected)
{
	const struct forecast *forecast = forecast_for(expected);

	if (forecast)
		judge(expected, "device memory",
		      (struct estimate) { forecast->memory.device / GIB,
					  risk_low(&forecast->memory) / GIB, " GiB" },
		      false);
}

void expect_mfu(const struct expected *expected)
{
	const struct forecast *forecast = forecast_for(expected);

	if (forecast && forecast->mfu <= 0)
		expect_unjudged(expected->job, expected->want,
				"the bf16 peak of the device, which its preset lacks");
	else if (forecast)
		judge(expected, "a model FLOPs utilization",
		      (struct estimate) { forecast->mfu,
					  forecast->mfu * forecast->step.total / forecast->low,
					  "" },
		      true);
}

void expect_step_time(const struct expected *expected)
{
	const struct forecast *forecast = forecast_for(expected);

	if (forecast)
		judge(expected, "a step",
		      (struct estimate) { forecast->step.total, forecast->low, " s" }, false);
}

/* The share is taken to be as far off as the step's time, in proportion. */
void expect_bubble(const struct expected *expected)
{
	const struct forecast *forecast = forecast_for(expected);
	double share;

	if (!forecast)
		return;
	share = forecast->step.bubble / forecast->step.total;
	judge(expected, "a bubble",
	      (struct estimate) { share, share * forecast->low / forecast->step.total, "" }, false);
}
