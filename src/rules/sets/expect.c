#include "rules/expect.h"

#define OWN "the native config's expect: block"

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "expect-data-parallel",
		.code = "N101",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "the applied strategy is not what expect.data_parallel says",
		.explanation =
			"expect: lines are assertions for CI. This one compares the applied "
			"strategy (none, ddp, fsdp, hsdp, ...) with the expected one.",
		.remedy = "Change the degrees or the expectation.",
		.source = OWN,
	  },
	  NEEDS_EXPECT | FOLLOWS_GROUPS, expect_check },
	{ &(const struct rule_id){
		.name = "expect-groups",
		.code = "N102",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "process groups are not what expect.groups says",
		.explanation =
			"For each axis, expect.groups says where its groups lie (within-node, "
			"within-nvlink-domain, across-nodes), how large they are, how many there "
			"are, and which ranks some of them hold. dp_shard are the ranks that "
			"together hold one copy of the parameters (cp included), dp_replicate "
			"those that hold the same part; other names are those of axes and meshes.",
		.remedy = "Change the degrees or the expectation; a smaller degree, or an axis "
			  "further inside (tp innermost), keeps groups inside a node.",
		.source = OWN,
	  },
	  NEEDS_EXPECT | FOLLOWS_GROUPS, expect_check },
	{ &(const struct rule_id){
		.name = "expect-unjudged",
		.code = "N103",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_RUN,
		.summary = "an expectation cannot be checked because a fact is missing",
		.explanation =
			"The expectation needs a fact that is not given: a cluster, a model, the "
			"world size, or the device of a forecast. It neither holds nor fails; "
			"--error expect-unjudged, or expect: {clean: expect-unjudged}, turns this "
			"into an error.",
		.remedy = "Give what is missing, or remove the line.",
		.source = OWN,
	  },
	  NEEDS_EXPECT, expect_check },
	{ &(const struct rule_id){
		.name = "expect-unknown",
		.code = "N110",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "an expectation names something that does not exist",
		.explanation =
			"A misspelt expectation would never fail. expect: takes the keys that "
			"`parplan explain --keys` lists, groups and degrees take names of axes "
			"(and meshes), and clean takes names of topics and rules.",
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
			"parplan compares degrees after inference: a dp_shard that is -1 or not "
			"given is the world size divided by the other degrees.",
		.remedy = "Change the degrees, the world or the expectation.",
		.source = OWN,
	  },
	  NEEDS_EXPECT | FOLLOWS_GROUPS, expect_check },
	{ &(const struct rule_id){
		.name = "expect-parameters",
		.code = "N112",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "parameters are not placed as expect.parameters says",
		.explanation =
			"The key is a regular expression (PCRE2) that may match anywhere in a "
			"parameter's name; it must match at least one parameter. All matching "
			"parameters must have these placements and be on this mesh, and no rank "
			"may hold more than this many of their elements. Axes of one rank may be "
			"omitted.",
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
			"This counts the elements of all parameters that the most loaded rank "
			"stores between steps, with uneven shards and pipeline stages as they "
			"are.",
		.remedy = "Cut the model over more ranks: dp_shard, tp or pp.",
		.source = OWN,
	  },
	  NEEDS_EXPECT, expect_check },
	{ &(const struct rule_id){
		.name = "expect-counts",
		.code = "N114",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "the number of ranks, FSDP units or stages is not the expected one",
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
			"Every component of the checkpoint (model, optimizer, lr scheduler, data "
			"loader, train state) must load whole at these versions and degrees, or "
			"be excluded. A component that loads silently but drops something fails, "
			"too.",
		.remedy = "Keep the degrees of the checkpoint, or exclude the component.",
		.source = OWN,
	  },
	  NEEDS_EXPECT, expect_check },
	{ &(const struct rule_id){
		.name = "expect-pattern",
		.code = "N116",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "a key below expect.parameters is not a regular expression",
		.explanation =
			"PCRE2 reads the keys below expect.parameters. It refuses this one, or "
			"gives up on it after a hundred thousand steps at one name.",
		.remedy = "Correct the expression.",
		.source = "PCRE2's own messages",
	  },
	  NEEDS_EXPECT, NULL },
	{ &(const struct rule_id){
		.name = "expect-forecast",
		.code = "N117",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "the forecast of a step fails expect.max_memory_gib or a similar limit",
		.explanation =
			"parplan compares expect.max_memory_gib, min_mfu, max_step_time_s and "
			"max_bubble with the forecast of `parplan sim`. It is an error when even "
			"the favourable end of the forecast's interval fails, and a warning when "
			"the forecast fails but the interval leaves room. MFU counts causal "
			"attention at half and no recomputation, over the dense bf16 peak.",
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
