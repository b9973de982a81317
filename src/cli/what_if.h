#ifndef CLI_WHAT_IF_H
#define CLI_WHAT_IF_H

#include "cli/opt.h"
#include "input/document.h"
#include "rules/changes.h"
#include "sim/forecast.h"

/* What `parplan sim` is asked to change: settings, slow ranks, lost adapters. */
struct what_if {
	const char *gpu, *nic, *fabric;
	int64_t seq, batch, micro;
	const char *imbalance;
	struct texts stragglers, links;
};

#define WHAT_IF_OPTIONS(type)                                                                      \
	{ OPT_TEXT,                                                                                \
	  0,                                                                                       \
	  "gpu",                                                                                   \
	  "GPU",                                                                                   \
	  NULL,                                                                                    \
	  "what if it ran on this device",                                                         \
	  offsetof(type, what_if.gpu) },                                                           \
		{ OPT_TEXT,                                                                        \
		  0,                                                                               \
		  "nic",                                                                           \
		  "COUNTxRATE",                                                                    \
		  NULL,                                                                            \
		  "what if nodes had these adapters: 4x200Gb",                                     \
		  offsetof(type, what_if.nic) },                                                   \
		{ OPT_TEXT,                                                                        \
		  0,                                                                               \
		  "fabric",                                                                        \
		  "FABRIC",                                                                        \
		  NULL,                                                                            \
		  "what if nodes met over this network",                                           \
		  offsetof(type, what_if.fabric) },                                                \
		{ OPT_COUNT,                                                                       \
		  0,                                                                               \
		  "seq",                                                                           \
		  "N",                                                                             \
		  NULL,                                                                            \
		  "what if sequences had so many tokens",                                          \
		  offsetof(type, what_if.seq) },                                                   \
		{ OPT_COUNT,                                                                       \
		  0,                                                                               \
		  "batch",                                                                         \
		  "N",                                                                             \
		  NULL,                                                                            \
		  "what if a step had so many sequences (pairs, of preferences)",                  \
		  offsetof(type, what_if.batch) },                                                 \
		{ OPT_COUNT,                                                                       \
		  0,                                                                               \
		  "micro",                                                                         \
		  "N",                                                                             \
		  NULL,                                                                            \
		  "what if a microbatch had so many sequences (pairs, of preferences)",            \
		  offsetof(type, what_if.micro) },                                                 \
		{ OPT_TEXT,                                                                        \
		  0,                                                                               \
		  "expert-imbalance",                                                              \
		  "FACTOR",                                                                        \
		  NULL,                                                                            \
		  "what if experts of one rank met so many times the mean number of tokens: 1.3",  \
		  offsetof(type, what_if.imbalance) },                                             \
		{ OPT_TEXTS,                                                                       \
		  0,                                                                               \
		  "straggler",                                                                     \
		  "RANK:FACTOR",                                                                   \
		  NULL,                                                                            \
		  "what if that rank took so many times as long to compute: 37:1.2x (repeatable)", \
		  offsetof(type, what_if.stragglers) },                                            \
	{                                                                                          \
		OPT_TEXTS, 0, "link-down", "ADAPTER", NULL,                                        \
			"what if the node of a rank lost an adapter: 37, 37:2 or node4/nic2 "      \
			"(repeatable)",                                                            \
			offsetof(type, what_if.links)                                              \
	}

/* Whether settings are to change, or ranks and adapters. */
bool what_if_settings(const struct what_if *what_if);
bool what_if_hurts(const struct what_if *what_if);

/* Adds the settings to what lies over the file, spelled as `base`, the same config, has them. */
void what_if_overlay(const struct what_if *what_if, const struct job *base,
		     struct overrides *overrides);

/*
 * Lays slow ranks and lost adapters on a forecast and makes it again; says so in `changes`. Dies on
 * ranks, nodes and adapters that there are none of.
 */
void what_if_hurt(const struct what_if *what_if, const struct job *job, struct forecast *forecast,
		  struct changes *changes);

#endif
