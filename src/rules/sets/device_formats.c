#include "cost/profile.h"
#include "rules/facts.h"
#include "rules/raised.h"

#include <string.h>

/*
 * Formats of products that a device has no tensor cores for: NVIDIA/TransformerEngine@d0067d0d
 * transformer_engine/pytorch/quantization.py (check_fp8_support, check_mxfp8_support,
 * check_nvfp4_support); torchao's layers ask the same.
 */
static const struct format_row {
	const char *word;
	int capability; /* 89: 8.9 */
} formats[] = { { "fp8", 89 }, { "mxfp8", 100 }, { "nvfp4", 100 } };

/* The format that linear layers are asked to be in, of those above; or NULL. `from`: who says so.
 */
static const struct format_row *asked(const struct job *job, const struct setting **from)
{
	const struct setting *said = fact(job, FIELD_MATMUL_DTYPE);
	const struct setting *enabled = fact(job, FIELD_FLOAT8_ENABLED);
	size_t i;

	*from = said;
	for (i = 0; setting_known(said) && i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(said->text, formats[i].word))
			return &formats[i];
	*from = enabled;
	return !setting_known(said) && setting_known(enabled) && enabled->boolean ? &formats[0]
										  : NULL;
}

static void check_format(const struct rule *rule, struct job *job)
{
	const struct setting *gpu = fact(job, FIELD_CLUSTER_GPU), *from;
	const struct format_row *row = asked(job, &from);
	const struct setting *emulates = fact(job, FIELD_FLOAT8_EMULATE);
	struct finding *finding;
	struct profile profile;
	double capability;

	if (!row || !setting_given(gpu) || !setting_known(gpu) ||
	    (setting_known(emulates) && emulates->boolean))
		return;
	profile_init(&profile, job->arena);
	if (!profile_gpu(&profile, gpu->text))
		return;
	capability = profile_get(&profile, FIGURE_CAPABILITY);
	if (capability == 0 || capability >= row->capability)
		return;
	finding =
		finding_add(job->findings, rule->id, from->span,
			    "%s multiplies nothing in %s: that takes compute capability %d.%d, and "
			    "it has %d.%d",
			    profile.gpu, row->word, row->capability / 10, row->capability % 10,
			    (int)capability / 10, (int)capability % 10);
	relate_setting(job, finding, FIELD_CLUSTER_GPU);
	if (job_does(job, HABIT_SKIPS_FLOAT8)) {
		finding_cap(finding, SEVERITY_WARNING);
		finding_consequence(job->findings, finding,
				    "a line of the log says so, and all is computed in bf16");
	} else {
		finding_consequence(job->findings, finding, "the first such product stops the job");
	}
	finding_fix(job->findings, finding, "leave %s out, or take another device", row->word);
}

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "format-not-on-device",
		.code = "E106",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "the device has no tensor cores for the format of products",
		.explanation =
			"Matrix products in fp8 need an Ada or Hopper device (compute capability 8.9 "
			"or 9.0), those in mxfp8 and nvfp4 a Blackwell (10.0). On others they stop "
			"when the first layer is built or computed; older trainers went on in bf16 "
			"with a line in their log. parplan reports this only where the config or "
			".parplan.yaml names the device, and not where fp8 is emulated.",
		.remedy = "Leave the format out, or take a device that has it.",
		.source = "NVIDIA/TransformerEngine@d0067d0d "
			  "transformer_engine/pytorch/quantization.py",
		.says = (const struct saying[]){
			{ "transformer-engine", "Device compute capability {n} or higher required for {format} execution." },
			{ NULL, NULL } },
	  },
	  NEEDS_NOTHING, check_format },
};
/* clang-format on */

const struct ruleset ruleset_device_formats = {
	"device_formats",
	"Formats that devices multiply in",
	rules,
	sizeof(rules) / sizeof(*rules),
};
