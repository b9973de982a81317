#include "framework/torch/release.h"

#include "base/die.h"
#include "base/text.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum { OLDEST_MINOR = 2, NEWEST_MINOR = 15 };

/*
 * First day on which nightlies bear the number of a minor release: about the day on which the
 * branch of the release before was cut. Months after pytorch/pytorch RELEASE.md (release cadence)
 * for 2.3 to 2.8 and the two-month rhythm announced for 2026; the days are derived, good to about a
 * week. 2.11.0.dev20251221 is known to exist.
 */
static const struct {
	int minor, first;
} nightlies[] = {
	{ 2, 20230828 },  { 3, 20231218 },  { 4, 20240312 },  { 5, 20240611 },	{ 6, 20240910 },
	{ 7, 20241209 },  { 8, 20250318 },  { 9, 20250701 },  { 10, 20250909 }, { 11, 20251209 },
	{ 12, 20260210 }, { 13, 20260414 }, { 14, 20260616 }, { 15, 20260818 }, { 16, 20261020 },
};

/*
 * The days are those on which the pull request was merged where that is known (#143248, #130760),
 * else derived: a day of the month in which it was merged that lies before the branch cut.
 */
static const struct torch_change changes[] = {
	{ TORCH_SLICE_BY_OWN_NAME, 3, 20240201, "read in 2.2.2: absent",
	  "a 1-D mesh can be sliced by its own name" },
	{ TORCH_EMPTY_SHARDS, 3, 20240115, "run on 2.2.2: refused, on 2.3.1: not",
	  "a dim may be smaller than the mesh dim that cuts it" },
	{ TORCH_PIPELINING, 4, 20240501, "run on 2.3.1 and 2.4.1",
	  "torch.distributed.pipelining exists" },
	{ TORCH_UNEVEN_STRIDES, 4, 20240401, "pytorch#118836",
	  "uneven shards of a DTensor have strides of their own" },
	{ TORCH_TUPLE_SLICING, 4, 20240604, "pytorch#127465",
	  "a mesh can be sliced by several names" },
	{ TORCH_STATE_DICT_2D_REFUSED, 4, 20240610, "pytorch#129519",
	  "modules that fully_shard cuts over two mesh dims refuse state_dict, up to 2.4" },
	{ TORCH_FLATTEN, 5, 20240822, "pytorch#132632, #133839",
	  "DeviceMesh._flatten exists and slices are taken from the root mesh" },
	{ TORCH_STRIDED_SHARD, 5, 20240809, "pytorch#130760",
	  "FSDP over a TP-sharded dim is recorded as _StridedShard" },
	{ TORCH_SCHEDULE_CLASSES, 5, 20240812, "run on 2.4.1 and 2.5.1",
	  "pipeline schedules are found by name, and zero bubble is one of them" },
	{ TORCH_INTERLEAVED_ROUNDS, 6, 20241015, "run on 2.5.1 and 2.6.0",
	  "Interleaved1F1B takes any whole number of rounds of microbatches" },
	{ TORCH_MULTI_OF_ONE, 6, 20241015, "run on 2.5.1 and 2.6.0",
	  "schedules of several stages take one stage per rank, too" },
	{ TORCH_SCHEDULE_NAMES, 6, 20241015, "run on 2.5.1 and 2.6.0",
	  "names of pipeline schedules may be written in any case" },
	{ TORCH_ZBV, 6, 20241130, "run on 2.5.1 and 2.6.0", "ZBVZeroBubble exists" },
	{ TORCH_UNEVEN_EXTENSIONS, 6, 20241008, "pytorch#137005",
	  "FSDP no longer refuses uneven shards of tensors with all-gather extensions" },
	{ TORCH_CP_BALANCED, 6, 20241101, "run on 2.5.1 and 2.6.0",
	  "context_parallel gives each rank an early and a late chunk of the sequence" },
	{ TORCH_FLATTENED_SIZES, 6, 20241101, "pytorch#138945",
	  "a flattened axis of three and more dims can be sliced" },
	{ TORCH_SIZES_COMPARED, 6, 20241203, "pytorch#141571",
	  "loading a checkpoint compares the sizes of tensors" },
	{ TORCH_CROSS_MESH_CHECKED, 7, 20250201, "run on 2.6.0 and 2.7.1",
	  "an operator on DTensors of two meshes is a ValueError" },
	{ TORCH_SHARD_MESH_FROM_ROOT, 7, 20241220, "pytorch#143248",
	  "FSDP slices its shard mesh out of the root mesh" },
	{ TORCH_SCHEDULE_CHECKS_MICROBATCHES, 7, 20250117, "pytorch#144702",
	  "single-stage schedules want as many microbatches as stages" },
	{ TORCH_UNEVEN_STRIDED, 8, 20250415, "pytorch#150490",
	  "FSDP and TP may cut one dim into uneven parts" },
	{ TORCH_OFFSETS_EXPLICIT_ORDER, 8, 20250415, "pytorch#150490",
	  "an empty shard's offset is the size of its dim" },
	{ TORCH_LOCAL_RANK_TRUSTED, 8, 20250611, "read in 2.7.1: absent, 2.8.0: present",
	  "init_device_mesh does not count devices where LOCAL_RANK is set" },
	{ TORCH_STREAMS_STASHED, 8, 20250411, "Lightning-AI/lightning-thunder#2405",
	  "TORCH_NCCL_AVOID_RECORD_STREAMS is the default" },
	{ TORCH_ROOT_RESHARD_AUTO, 8, 20250611, "pytorch#154704, #155319",
	  "fully_shard's root lets its parameters go after forward where it is told to" },
	{ TORCH_NESTED_SLICING, 9, 20250728, "pytorch#158899",
	  "a submesh can be sliced out of a submesh" },
	{ TORCH_SHORT_MESH_TEXTS, 9, 20250725, "pytorch#158822",
	  "a mesh prints its shape and strides instead of its ranks" },
	{ TORCH_FLATTEN_REFUSES_AXES, 9, 20250818, "pytorch#160709",
	  "_flatten refuses the names of the root's axes" },
	{ TORCH_TP_ANY_AXIS, 9, 20250710, "pytorch#157216",
	  "the tensor-parallel mesh may be any axis of its root" },
	{ TORCH_GLOO_AVERAGES, 9, 20250815, "run on 2.8.0 and 2.9.1",
	  "gloo's reduce-scatter divides where it is asked to average" },
	{ TORCH_ONE_RANK_SUMMED, 9, 20250718, "pytorch#157529",
	  "FSDP over one rank sums gradients instead of averaging them" },
	{ TORCH_DUALPIPEV, 9, 20250815, "run on 2.8.0 and 2.9.1", "DualPipeV exists" },
	{ TORCH_CROSS_MESH_UNNAMED, 9, 20250815, "run on 2.8.0 and 2.9.1",
	  "an operator on DTensors of two meshes is a RuntimeError of sharding propagation" },
	{ TORCH_ROOTS_NAME_EXPERTS, 9, 20250815, "run on 2.8.0 and 2.9.1",
	  "meshes of two roots are refused in words that speak of TP/EP" },
	{ TORCH_FLATTEN_NAMES_CHECKED, 10, 20250910, "pytorch#161311, #163288",
	  "_flatten refuses names that are taken" },
	{ TORCH_SCHEDULE_REFUSES_COMPILE, 10, 20251010, "pytorch#162511",
	  "zero-bubble schedules refuse stages with compiled modules" },
	{ TORCH_STRIDED_TRANSPOSED, 10, 20251001, "pytorch#163843",
	  "a strided shard of a full tensor is cut as FSDP after TP cuts it" },
	{ TORCH_CROSS_MESH_NAMED, 10, 20251101, "run on 2.9.1 and 2.10.0",
	  "that RuntimeError tells the two meshes first" },
	{ TORCH_LAYOUTS, 10, 20251009, "pytorch#161224, #163212, #163213, #163358",
	  "meshes are layouts of the world" },
	{ TORCH_ROWS_BY_COMPLEMENT, 10, 20251009, "pytorch#163212",
	  "the groups of an axis are created in complement order" },
	{ TORCH_DEFAULT_GROUP_PER_AXIS, 10, 20251009, "run on 2.9.1 and 2.10.0",
	  "any axis as large as the world reuses the default group" },
	{ TORCH_PLAN_VALIDATED_BY_SWEEP, 10, 20251107, "pytorch#166820",
	  "planning a save no longer compares all pairs of chunks" },
	{ TORCH_OFFSETS_LEFT_TO_RIGHT, 10, 20251201, "run on 2.9.1 and 2.10.0",
	  "shard offsets follow the placements strictly left to right" },
	{ TORCH_UNIT_STRIDES, 11, 20251209, "pytorch#169454",
	  "a flattened axis of one rank has a stride that slicing can compare" },
	{ TORCH_OUTSIDERS_SLICE, 11, 20251215, "run on 2.10.0 and 2.11.0",
	  "slicing asks ranks outside the mesh for no groups" },
	{ TORCH_GPIPE_ANY_MICROBATCHES, 11, 20260115, "pytorch#171462",
	  "GPipe takes fewer microbatches than stages again" },
	{ TORCH_CUDNN_FIRST, 11, 20260201, "pytorch#162073, cuDNN 9.19 in the wheels of 2.11.0",
	  "scaled_dot_product_attention takes cuDNN's kernel first on Hopper and Blackwell" },
	{ TORCH_REPEATED_NAMES_TEXT, 12, 20260301, "run on 2.11.0 and 2.12.1",
	  "repeated names of axes are refused in one sentence" },
	{ TORCH_RESHARD_TEXT, 12, 20260302, "run on 2.11.0 and 2.12.1",
	  "the text about DTensors kept over fewer ranks speaks of DTensors, not of TP" },
	{ TORCH_SHARED_REFUSED, 13, 20260420, "pytorch#176225",
	  "FSDP refuses a parameter that two of its groups hold" },
	{ TORCH_CP_BALANCE_OPTIONAL, 13, 20260501, "pytorch#183968; run on 2.12.1 and 2.13.0",
	  "context_parallel goes on without balance where the sequence has no 2 * cp equal "
	  "chunks" },
	{ TORCH_ORTHOGONAL_SLICING, 13, 20260501, "run on 2.12.1 and 2.13.0",
	  "flattened axes need not be contiguous to be sliced" },
	{ TORCH_CONCATENATE_TEXT, 14, 20260701, "run on 2.13.0 and 2.14.1",
	  "the text about meshes of different roots is spelled right" },
};

static_assert(sizeof(changes) / sizeof(changes[0]) == TORCH_FEATURES, "one row per feature");

const struct torch_change *torch_change_of(enum torch_feature feature)
{
	if (feature >= TORCH_FEATURES || changes[feature].feature != feature)
		bug("torch feature %d", (int)feature);
	return &changes[feature];
}

bool torch_has(const struct torch_release *torch, enum torch_feature feature)
{
	const struct torch_change *change = torch_change_of(feature);

	return torch->nightly ? torch->nightly >= change->nightly : torch->minor >= change->minor;
}

/* Reads digits; moves *at behind them. False when there are none or too many. */
static bool number(const char **at, int digits, int *value)
{
	int count = 0;

	for (*value = 0; **at >= '0' && **at <= '9'; (*at)++) {
		if (++count > digits)
			return false;
		*value = *value * 10 + (**at - '0');
	}
	return count > 0;
}

/* ".1" of "2.8.1" and ".dev20251221" of a nightly, either of which may be missing. */
static bool patch_and_day(const char **at, struct torch_release *torch)
{
	if ((*at)[0] == '.' && (*at)[1] != 'd') {
		++*at;
		if (!number(at, 2, &torch->patch))
			return false;
	}
	if (!text_starts(*at, ".dev"))
		return true;
	*at += 4;
	return number(at, 8, &torch->nightly) && torch->nightly >= 20200101;
}

static const char *label_of(struct arena *arena, const struct torch_release *torch)
{
	return torch->nightly ? arena_printf(arena, "2.%d.%d.dev%d", torch->minor, torch->patch,
					     torch->nightly)
			      : arena_printf(arena, "2.%d.%d", torch->minor, torch->patch);
}

bool torch_parse(struct arena *arena, const char *text, struct torch_release *torch)
{
	struct torch_release got = { 0 };
	const char *at = text + (*text == 'v');
	int major;

	if (!strcmp(text, "latest")) {
		*torch = torch_latest();
		return true;
	}
	if (!number(&at, 2, &major) || major != 2 || *at++ != '.' || !number(&at, 2, &got.minor) ||
	    !patch_and_day(&at, &got) || (*at && *at != '+'))
		return false;
	if (got.minor < OLDEST_MINOR || got.minor > NEWEST_MINOR + (got.nightly != 0))
		return false;
	got.label = label_of(arena, &got);
	*torch = got;
	return true;
}

struct torch_release torch_of_date(struct arena *arena, int date)
{
	struct torch_release torch = { 0 };
	size_t i;

	torch.minor = nightlies[0].minor;
	for (i = 0; i < sizeof(nightlies) / sizeof(nightlies[0]); i++)
		if (date >= nightlies[i].first)
			torch.minor = nightlies[i].minor;
	torch.nightly = date;
	torch.label = label_of(arena, &torch);
	return torch;
}

moment_t torch_released(struct torch_release torch)
{
	static const moment_t dates[] = { 2024013000, 2024042400, 2024072400,
					  2024101700, 2025012900, 2025042300,
					  2025080600, 2025101500, 2026012100 };
	const int first = 2, count = sizeof(dates) / sizeof(*dates), index = torch.minor - first;

	return index < 0 ? dates[0] : dates[index < count ? index : count - 1];
}

struct torch_release torch_latest(void)
{
	return (struct torch_release) { .minor = NEWEST_MINOR, .label = "2.15.0" };
}

const char *torch_known(void)
{
	return "2.2 to 2.15";
}
