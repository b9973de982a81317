#ifndef CLI_SEARCH_REQUEST_H
#define CLI_SEARCH_REQUEST_H

#include "cli/command.h"
#include "cli/search/parts.h"
#include "search/sites.h"
#include "search/workers.h"

/* The options of `parplan search`. */
struct search_request {
	struct config_request config;
	const char *gpus, *gpu, *model, *objective, *risk, *within, *min_tokens, *price, *profile;
	struct texts fixed, varied, swept; /* KEY=VALUE; the last of one combination of --sweep */
	const char *time_limit, *write, *shard, *output, *hosts, *sweep;
	struct texts lost;
	bool merge;
	struct parts *parts; /* with --merge: what follows FILE */
	int64_t batch, seq_len, top, jobs;
	bool exhaustive;
};

#define SEARCH_OPTIONS(type)                                                                        \
	{ OPT_TEXT,                                                                                 \
	  0,                                                                                        \
	  "hosts",                                                                                  \
	  "FILE",                                                                                   \
	  NULL,                                                                                     \
	  "hosts, one a line: NAME [slots=N] (cluster.hosts)",                                      \
	  offsetof(type, hosts) },                                                                  \
		{ OPT_TEXTS,                                                                        \
		  0,                                                                                \
		  "lost",                                                                           \
		  "NODE[,NODE]",                                                                    \
		  NULL,                                                                             \
		  "on what is left without these nodes: names of hosts, node3 (repeatable)",        \
		  offsetof(type, lost) },                                                           \
		{ OPT_TEXTS,                                                                        \
		  0,                                                                                \
		  "fix",                                                                            \
		  "KEY=VALUE",                                                                      \
		  NULL,                                                                             \
		  "only layouts with this value: tp=8 (repeatable)",                                \
		  offsetof(type, fixed) },                                                          \
		{ OPT_TEXTS,                                                                        \
		  0,                                                                                \
		  "vary",                                                                           \
		  "KEY=A,B,...",                                                                    \
		  NULL,                                                                             \
		  "try these values, of any setting (repeatable)",                                  \
		  offsetof(type, varied) },                                                         \
		{ OPT_TEXT, 0, "gpus", "N,...", NULL, "on so many devices", offsetof(type, gpus) }, \
		{ OPT_TEXT,	      0, "gpu", "GPU,...", NULL, "on these devices: h100-sxm,h200", \
		  offsetof(type, gpu) },                                                            \
		{ OPT_COUNT,                                                                        \
		  0,                                                                                \
		  "global-batch",                                                                   \
		  "N",                                                                              \
		  NULL,                                                                             \
		  "sequences of a step, pairs of preferences (default: as the config has it)",      \
		  offsetof(type, batch) },                                                          \
		{ OPT_COUNT,                                                                        \
		  0,                                                                                \
		  "global-batch-size",                                                              \
		  "N",                                                                              \
		  NULL,                                                                             \
		  "the same as --global-batch",                                                     \
		  offsetof(type, batch) },                                                          \
		{ OPT_TEXT,                                                                         \
		  0,                                                                                \
		  "objective",                                                                      \
		  "WHAT",                                                                           \
		  "time|tokens-per-gpu|cost|gpus",                                                  \
		  "what the best has least, or most, of (default time)",                            \
		  offsetof(type, objective) },                                                      \
		{ OPT_TEXT,                                                                         \
		  0,                                                                                \
		  "price",                                                                          \
		  "PRICE",                                                                          \
		  NULL,                                                                             \
		  "what a device costs for an hour: 2.5; of several: h100-sxm=2.5,h200=3.2",        \
		  offsetof(type, price) },                                                          \
		{ OPT_TEXT,                                                                         \
		  0,                                                                                \
		  "min-tokens-per-s",                                                               \
		  "N",                                                                              \
		  NULL,                                                                             \
		  "at least so many tokens per second, all devices together",                       \
		  offsetof(type, min_tokens) },                                                     \
		{ OPT_TEXT,                                                                         \
		  0,                                                                                \
		  "risk",                                                                           \
		  "P",                                                                              \
		  NULL,                                                                             \
		  "of running out of memory, at most (default 0.1)",                                \
		  offsetof(type, risk) },                                                           \
		{ OPT_COUNT,	      0, "top", "K", NULL, "so many layouts (default 10)",          \
		  offsetof(type, top) },                                                            \
		{ OPT_TEXT,                                                                         \
		  0,                                                                                \
		  "within",                                                                         \
		  "SHARE",                                                                          \
		  NULL,                                                                             \
		  "instead: all that are so near the best: 5%",                                     \
		  offsetof(type, within) },                                                         \
		{ OPT_FLAG,                                                                         \
		  0,                                                                                \
		  "exhaustive",                                                                     \
		  NULL,                                                                             \
		  NULL,                                                                             \
		  "simulate all that bounds would cut, and hold the bounds against it",             \
		  offsetof(type, exhaustive) },                                                     \
		{ OPT_COUNT,                                                                        \
		  'j',                                                                              \
		  "jobs",                                                                           \
		  "N",                                                                              \
		  NULL,                                                                             \
		  "processes that decide (default: one for each core)",                             \
		  offsetof(type, jobs) },                                                           \
		{ OPT_TEXT,                                                                         \
		  0,                                                                                \
		  "time-limit",                                                                     \
		  "SECONDS",                                                                        \
		  NULL,                                                                             \
		  "after which the best so far is printed, as Ctrl-C does",                         \
		  offsetof(type, time_limit) },                                                     \
		{ OPT_TEXT,                                                                         \
		  0,                                                                                \
		  "write",                                                                          \
		  "DIR",                                                                            \
		  NULL,                                                                             \
		  "write the best layouts there, as the config with its values in place",           \
		  offsetof(type, write) },                                                          \
		{ OPT_TEXT,                                                                         \
		  0,                                                                                \
		  "shard",                                                                          \
		  "I/N",                                                                            \
		  NULL,                                                                             \
		  "decide the I-th of N parts: 3/64, or auto under Slurm, auto/N in a Kubernetes "  \
		  "Job",                                                                            \
		  offsetof(type, shard) },                                                          \
		{ OPT_FLAG,                                                                         \
		  0,                                                                                \
		  "merge",                                                                          \
		  NULL,                                                                             \
		  NULL,                                                                             \
		  "add up parts: all FILEs are followed by what --shard has written",               \
		  offsetof(type, merge) },                                                          \
		{ OPT_TEXT,                                                                         \
		  'o',                                                                              \
		  "output",                                                                         \
		  "FILE",                                                                           \
		  NULL,                                                                             \
		  "write there, whole or not at all, instead of to stdout",                         \
		  offsetof(type, output) },                                                         \
		{ OPT_TEXT,                                                                         \
		  0,                                                                                \
		  "sweep",                                                                          \
		  "FILE",                                                                           \
		  NULL,                                                                             \
		  "one search for each combination of the values in a YAML file",                   \
		  offsetof(type, sweep) },                                                          \
		{ OPT_TEXT,                                                                         \
		  0,                                                                                \
		  "model",                                                                          \
		  "NAME",                                                                           \
		  NULL,                                                                             \
		  "without a file: the model's preset",                                             \
		  offsetof(type, model) },                                                          \
		{ OPT_COUNT,                                                                        \
		  0,                                                                                \
		  "seq-len",                                                                        \
		  "N",                                                                              \
		  NULL,                                                                             \
		  "without a file: tokens of a sequence",                                           \
		  offsetof(type, seq_len) },                                                        \
	{                                                                                           \
		OPT_TEXT, 0, "profile", "FILE", NULL, "numbers of your machine, over the presets",  \
			offsetof(type, profile)                                                     \
	}

/* Reads them into what a search is asked for; dies on what is wrong with them. */
void search_request_read(const struct invocation *invocation, struct search_request *request,
			 struct search *search, struct sites_request *sites);

/* Puts what an hour of a site's devices costs, as --price says; false: it does not, and other
 * devices are there to compare with. */
bool search_request_price(const struct search_request *request, const struct search *search,
			  struct site *site, const struct job *job);

/* The same of all sites; dies where one has none. */
void search_request_prices(const struct search_request *request, struct search *search);

/* The part that --shard names, or all. */
void search_shard(struct arena *arena, const struct search_request *request,
		  struct passage *passage);

/* Processes that are worth starting for it. */
size_t search_jobs(const struct search_request *request, const struct search *search);

/* Dies of a --model that there is not, where it describes the job: nobody can look at the text that
 * it becomes. */
void search_refuse_model(const struct invocation *invocation, const struct search_request *request);

#endif
