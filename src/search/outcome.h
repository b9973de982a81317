#ifndef SEARCH_OUTCOME_H
#define SEARCH_OUTCOME_H

#include "search/space.h"
#include "sim/forecast.h"

/* What became of a candidate. */
enum fate {
	OUTCOME_RUNS,
	OUTCOME_REFUSED, /* by a rule, or no forecast can be made */
	OUTCOME_MEMORY,	 /* too probably it runs out of memory */
	OUTCOME_SLOW	 /* too few tokens per second */
};

/* How far what refuses a candidate reaches. */
enum scope {
	SCOPE_CANDIDATE,
	SCOPE_LAYOUT, /* whatever the microbatch and the recomputation */
	SCOPE_REGION  /* whatever is not a degree */
};

/* Settings whose values make the framework refuse a candidate, whatever all others are. */
struct reasons {
	enum field_id fields[4];
	int count;
};

struct outcome {
	uint64_t number; /* of the candidate */
	enum fate fate;
	const struct rule_id *rule; /* OUTCOME_REFUSED: what objects; NULL: no forecast */
	enum scope scope;	    /* of a refusal */
	struct reasons reasons;	    /* of SCOPE_REGION */
	double score[2];	    /* less is better, the first first */
	double time, low, high;	    /* seconds of a step */
	double memory, capacity;    /* bytes of the fullest device */
	double need;		    /* of them, what must fit; 0: it comes from another part */
	double risk;		    /* of running out of memory */
	double mfu, tokens;	    /* tokens: per second and device */
	const char *limit;	    /* "tensor parallel traffic": what it waits for most */
};

enum objective { OBJECTIVE_TIME, OBJECTIVE_TOKENS, OBJECTIVE_COST, OBJECTIVE_GPUS };

/* What makes one candidate better than another, and good enough. */
struct aim {
	enum objective objective;
	double risk;		      /* of running out of memory, at most */
	double min_tokens;	      /* per second, of all devices */
	const struct source *numbers; /* the user's profile, or NULL */
};

/*
 * What bounds are taken for: shares of what they say, 1 unless a forecast was below one. That is an
 * error of ours, which is told; some layout may be missing then.
 */
struct borne {
	double time, memory;
};

/* Derives, judges and forecasts a candidate, as check and sim would. */
struct outcome outcome_of(const struct space *space, const struct aim *aim, uint64_t number);

/* The same, with the job that it is of, both in the arena. */
struct outcome outcome_in(struct arena *arena, const struct space *space, const struct aim *aim,
			  uint64_t number, struct job *job);

/* The same of a config as it is, as if it were one of that site. */
struct outcome outcome_of_job(const struct space *space, const struct aim *aim,
			      const struct site *site, struct job *job);

/* What a forecast makes of an outcome. */
void outcome_take(struct outcome *outcome, const struct aim *aim, const struct site *site,
		  const struct forecast *forecast);

/* What the framework raises, or what the rules find that speaks against a job; or NULL. */
void outcome_refuse(struct outcome *outcome, const struct space *space, struct job *job);
const struct rule_id *outcome_rule(const struct space *space, struct job *job);

/*
 * What speaks against a layout: the first error, else the first warning of a rule that does not
 * warn of the config as it is; or NULL. outcome_warned takes note of what warns of that, judged. Of
 * one that stops nobody knows what all layouts would be warned of: errors alone count then.
 */
const struct rule_id *outcome_objection(const struct space *space, const struct findings *findings);
void outcome_warned(struct space *space, const struct job *own);

/* Whether a judged job is refused for what its framework raises in the first step. */
bool outcome_raises_later(struct outcome *outcome, const struct job *job);

/*
 * The score of a step that takes so long at a site, for as many tokens as the first site has in a
 * step: none is less than that of less time.
 */
void outcome_score(const struct aim *aim, double time, const struct site *site, double score[2]);

/* What 10^9 tokens cost a candidate: by --price, or device hours without. */
double outcome_cost(const struct space *space, const struct outcome *outcome);

/* Whether one is better; by number where they are as good. */
int outcome_compare(const struct outcome *a, const struct outcome *b);

#endif
