#include "rules/expect.h"

#define OWN "the native config's expect: block"

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "expect-data-parallel",
		.code = "N101",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "what is applied is not what expect.data_parallel says",
		.explanation =
			"expect: lines are assertions for CI. This one holds the strategy that "
			"is applied (none, ddp, fsdp, hsdp, ...) against a word.",
		.remedy = "Change the degrees or the expectation.",
		.source = OWN,
	  },
	  NEEDS_EXPECT, expect_check },
	{ &(const struct rule_id){
		.name = "expect-groups",
		.code = "N102",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "process groups are not what expect.groups says",
		.explanation =
			"By axis: where its groups lie (within-node, within-nvlink-domain, "
			"across-nodes), how large they are, how many there are, and which ranks "
			"some of them hold. dp_shard are the ranks that together hold one copy "
			"of the parameters (cp included), dp_replicate those that hold the same "
			"part; other names are those of axes and meshes.",
		.remedy = "Change the degrees or the expectation; a smaller degree, or an axis "
			  "further inside (tp innermost), keeps groups inside a node.",
		.source = OWN,
	  },
	  NEEDS_EXPECT, expect_check },
	{ &(const struct rule_id){
		.name = "expect-unjudged",
		.code = "N103",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_RUN,
		.summary = "an expectation that nothing is held against",
		.explanation =
			"A fact is missing that the expectation is about: a cluster, a model, the "
			"world size, the device that a forecast is for. It neither holds "
			"nor fails; --error expect-unjudged, or expect: {clean: "
			"expect-unjudged}, makes an error of that.",
		.remedy = "Give what is missing, or remove the line.",
		.source = OWN,
	  },
	  NEEDS_EXPECT, expect_check },
	{ &(const struct rule_id){
		.name = "expect-unknown",
		.code = "N110",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "an expectation of something that there is not",
		.explanation =
			"A misspelt expectation would hold for ever. Below expect: stand the keys "
			"that `parplan explain --keys` lists, below groups and degrees the names "
			"of axes (and meshes), below clean those of topics and rules.",
		.remedy = "Correct the name.",
		.source = OWN,
	  },
	  NEEDS_EXPECT, expect_check_names },
	{ &(const struct rule_id){
		.name = "expect-degrees",
		.code = "N111",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "a degree is not what expect.degrees says",
		.explanation =
			"Degrees are compared after inference: a dp_shard of -1, or one that "
			"nobody gave, is what the other degrees leave of the world.",
		.remedy = "Change the degrees, the world or the expectation.",
		.source = OWN,
	  },
	  NEEDS_EXPECT, expect_check },
	{ &(const struct rule_id){
		.name = "expect-parameters",
		.code = "N112",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "parameters are not placed as expect.parameters says",
		.explanation =
			"The key is a regular expression (PCRE2) that finds parameters by name, "
			"anywhere in it; at least one must be found. All that are found must "
			"have these placements, live on this mesh, and leave no rank with more "
			"than this many of their elements. Axes of one rank may be left out.",
		.remedy = "Change the degrees, the expression or the expectation.",
		.source = OWN,
	  },
	  NEEDS_EXPECT, expect_check },
	{ &(const struct rule_id){
		.name = "expect-local-parameters",
		.code = "N113",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "a rank holds more elements than expect.max_local_parameters",
		.explanation =
			"Elements of all parameters that the most loaded rank stores between "
			"steps, uneven shards and pipeline stages counted as they are.",
		.remedy = "Cut the model over more ranks: dp_shard, tp or pp.",
		.source = OWN,
	  },
	  NEEDS_EXPECT, expect_check },
	{ &(const struct rule_id){
		.name = "expect-counts",
		.code = "N114",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "another number of ranks, FSDP units or stages than expected",
		.explanation =
			"expect.world counts ranks, expect.units the fully_shard calls that have "
			"parameters of their own, expect.stages pipeline stages, virtual ones "
			"included.",
		.remedy = "Change the settings that the finding names, or the expectation.",
		.source = OWN,
	  },
	  NEEDS_EXPECT, expect_check },
	{ &(const struct rule_id){
		.name = "expect-checkpoint",
		.code = "N115",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "checkpoint.resume cannot be loaded as expect.checkpoint says",
		.explanation =
			"Every component of the checkpoint (model, optimizer, lr scheduler, "
			"data loader, train state) must load whole at these versions and "
			"degrees, or be excluded. What loads without a word but drops something "
			"fails, too.",
		.remedy = "Keep the degrees of the checkpoint, or exclude the component.",
		.source = OWN,
	  },
	  NEEDS_EXPECT, expect_check },
	{ &(const struct rule_id){
		.name = "expect-pattern",
		.code = "N116",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "a key below expect.parameters is no regular expression",
		.explanation =
			"Keys below expect.parameters are read by PCRE2, which refuses this one, "
			"or gives up on it after a hundred thousand steps at one name.",
		.remedy = "Correct the expression.",
		.source = "PCRE2's own messages",
	  },
	  NEEDS_EXPECT, NULL },
	{ &(const struct rule_id){
		.name = "expect-forecast",
		.code = "N117",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "the forecast of a step fails expect.max_memory_gib or its like",
		.explanation =
			"expect.max_memory_gib, min_mfu, max_step_time_s and max_bubble are held "
			"against what `parplan sim` forecasts. It is an error when even the "
			"favourable end of the forecast's interval fails, and a warning when the "
			"forecast fails but the interval leaves room. MFU counts causal attention "
			"at half and no recomputation, over the dense bf16 peak.",
		.remedy = "Change the settings or the expectation; `parplan sim` shows where the "
			  "time and the memory go.",
		.source = OWN ", the forecast of `parplan sim`, docs/accuracy.md",
	  },
	  NEEDS_EXPECT, expect_check },
};
/* clang-format on */

const struct ruleset ruleset_expect = {
	"expect",
	"Expectations written in the config",
	rules,
	sizeof(rules) / sizeof(*rules),
};
