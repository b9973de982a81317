#include "sim/memory.h"

#include "cost/units.h"
#include "sim/overhead.h"
#include "sim/risk.h"

#include <math.h>
#include <string.h>

static struct memory_sizes sizes_of(const struct profile *profile, const struct workload *work)
{
	return (struct memory_sizes) { work, states_of(work), activations_of(work),
				       overhead_of(profile, work).workspaces };
}

/*
 * What the allocator, the driver and NCCL add to the tensors of a moment. FSDP2 allocates the
 * buffers of its all-gathers, and what its reductions leave, on streams of their own
 * (torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py): no other stream takes their room.
 * Before it is out of memory the allocator gives back whatever it caches, of all streams, and asks
 * again (pytorch v2.11.0 c10/cuda/CUDACachingAllocator.cpp, release_cached_blocks in malloc): a job
 * ends where what its tensors take does not fit.
 */
static void put_overhead(const struct overhead *overhead, const struct memory_timeline *timeline,
			 double flattened, struct memory_class *class)
{
	double *parts = class->peak.parts;
	double gone = fmax(timeline->pool - parts[MEMORY_GRADIENTS], 0) + timeline->flat -
		      class->peak.flat + flattened;

	parts[MEMORY_SLACK] = gone + overhead->slack * (class->peak.total + gone);
	parts[MEMORY_CONTEXT] = overhead->context;
	parts[MEMORY_COMMUNICATORS] = overhead->communicators;
	class->allocated = class->peak.total;
	class->reserved = class->allocated + parts[MEMORY_SLACK];
	class->need = class->allocated + parts[MEMORY_CONTEXT] + parts[MEMORY_COMMUNICATORS];
	class->device = class->need + parts[MEMORY_SLACK];
}

static const struct {
	const char *name;
} names[] = { { "first" }, { "middle" }, { "last" } };

static int class_of(int32_t rank, int32_t ranks)
{
	return rank == 0 ? 0 : rank < ranks - 1 ? 1 : 2;
}

static void put_resident(const struct states *states, const struct run *run,
			 const struct workload *work, struct memory_class *class)
{
	struct unit_cost all = stages_of_rank(&run->stages, class->rank);
	int held;

	for (held = 0; held < HELDS; held++)
		class->resident[held] = states_bytes(states, held, &all);
	class->reference = states_reference(states, work, &run->stages, class->rank);
	class->host = states_host(states, work, &all) +
		      all.blocks[DENSE] * activations_host(work, false) +
		      all.blocks[EXPERTS] * activations_host(work, true);
	class->of_world = work->pp > 1 ? layout_offset(&work->pipeline.layout, class->rank) : 0;
}

/* Every pipeline rank is walked; the fullest of its class stands for it. */
static void put_classes(const struct profile *profile, const struct workload *work,
			const struct run *run, struct memory *memory)
{
	struct memory_sizes sizes = sizes_of(profile, work);
	struct overhead overhead = overhead_of(profile, work);
	struct memory_class *class = NULL;
	int32_t rank, ranks = run->program.ranks, last = -1;

	for (rank = 0; rank < ranks; rank++) {
		int index = class_of(rank, ranks);
		struct memory_timeline timeline;
		struct arena scratch;
		arena_init(&scratch);
		timeline = memory_timeline_of(&scratch, &sizes, run, rank, 0);
		arena_release(&scratch);
		if (index != last)
			class = &memory->classes[memory->count++];
		last = index;
		class->name = ranks == 1 ? "all" : names[index].name;
		class->ranks += work->world / work->pp;
		if (timeline.peak.total <= class->peak.total)
			continue;
		class->rank = rank;
		put_resident(&sizes.states, run, work, class);
		class->peak = timeline.peak;
		put_overhead(&overhead, &timeline,
			     states_flattened(&sizes.states, &run->stages, rank), class);
	}
}

/* Bytes of a moment that sequences bring with them. */
static double of_tokens(const struct memory_moment *moment)
{
	return moment->parts[MEMORY_ACTIVATIONS] + moment->parts[MEMORY_RECOMPUTED] +
	       moment->parts[MEMORY_LOSS];
}

static void find_fullest(struct memory *memory)
{
	int i;

	for (i = 0; i < memory->count; i++) {
		memory->need = fmax(memory->need, memory->classes[i].need);
		memory->floor = fmax(memory->floor,
				     memory->classes[i].need - of_tokens(&memory->classes[i].peak));
		if (memory->classes[i].device > memory->classes[memory->fullest].device)
			memory->fullest = i;
	}
	memory->device = memory_fullest(memory)->device;
}

static void take_way(struct memory *memory, const struct memory *decided)
{
	memory->needs[memory->ways] = decided->need;
	memory->way[memory->ways++] = decided->device;
}

const struct memory_class *memory_fullest(const struct memory *memory)
{
	return &memory->classes[memory->fullest];
}

static void leave_open(struct memory *memory, const char *what)
{
	memory->open[memory->open_count++] = what;
}

/*
 * What the config leaves open. A framework's own file, and a native config made of one, leave
 * nothing open: what they do not say has that framework's default.
 */
static bool gradients_open(const struct workload *work)
{
	return !work->own_file && !work->gradients_said && work->software == SOFTWARE_ENGINE &&
	       !work->param_fp16;
}

static bool recompute_open(const struct workload *work)
{
	return work->recompute_unknown ||
	       (!work->own_file && (!work->recompute_said || work->recompute_partly));
}

static bool waits_open(const struct workload *work)
{
	return work->host_inputs && !activations_host_known(work);
}

static bool inputs_open(const struct workload *work)
{
	return !work->own_file && work->deepspeed && work->zero == ZERO_PARAMETERS;
}

/*
 * Code of Megatron's kind computes the loss of each rank's part of the vocabulary, or gathers all
 * logits first (Aleph-Alpha/scaling@737f855 core/nn/linear/column_parallel_linear.py, of whose
 * published sweeps runs of four sequences ran out of memory at any tp). Megatron's own file says
 * which; a version that names a day alone does not.
 */
static bool logits_open(const struct workload *work)
{
	return !work->own_file && !work->deepspeed && work->software == SOFTWARE_MEGATRON &&
	       work->tp > 1;
}

static bool anything_open(const struct workload *work)
{
	return gradients_open(work) || recompute_open(work) || inputs_open(work) ||
	       waits_open(work) || work->loss_unknown || !work->optimizer.known;
}

/* All but the logits decided the sparing way. */
static struct workload lenient(const struct workload *work, struct memory *memory)
{
	struct workload other = *work;

	if (gradients_open(work)) {
		leave_open(memory, "the type of gradients (training.reduce_dtype)");
		other.narrow_gradients = true;
	}
	if (recompute_open(work)) {
		leave_open(memory, work->recompute_said ? "which modules are computed again"
							: "activation checkpointing "
							  "(training.activation_checkpoint.mode)");
		other.recompute = RECOMPUTE_FULL;
	}
	if (waits_open(work)) {
		leave_open(memory, "how much of what blocks keep waits in host memory");
		other.recompute = RECOMPUTE_FULL;
	}
	if (work->loss_unknown) {
		leave_open(memory, "how the loss treats logits (training.loss.kind)");
		other.loss = LOSS_RECOMPUTED;
		other.loss_tokens = 0;
	}
	if (inputs_open(work)) {
		leave_open(memory, "whether checkpointed inputs wait in host memory");
		other.host_inputs = true;
	}
	if (!work->optimizer.known) {
		leave_open(memory, "what the optimizer keeps (training.optimizer.name)");
		other.optimizer.states = 0;
	}
	return other;
}

static bool gathering(const struct workload *work, struct workload *other, struct memory *memory)
{
	*other = *work;
	other->whole_logits = true;
	if (logits_open(work))
		leave_open(memory, "whether the loss gathers the logits over tp");
	return logits_open(work);
}

/* Bytes of the fullest rank where what is open is decided that way. */
static void add_way(const struct profile *profile, const struct workload *work,
		    const struct run *run, struct memory *memory)
{
	struct memory other = { 0 };

	put_classes(profile, work, run, &other);
	find_fullest(&other);
	take_way(memory, &other);
}

int memory_ways(const struct workload *work)
{
	return 1 + anything_open(work) + logits_open(work);
}

struct memory memory_cost(const struct profile *profile, const struct workload *work,
			  const struct run *run)
{
	struct memory memory = { 0 };
	const struct states states = states_of(work);
	struct workload other = lenient(work, &memory);

	put_classes(profile, work, run, &memory);
	find_fullest(&memory);
	take_way(&memory, &memory);
	memory.capacity = GIB * profile_get(profile, FIGURE_MEMORY);
	memcpy(memory.widths, states.held, sizeof(memory.widths));
	if (anything_open(work))
		add_way(profile, &other, run, &memory);
	if (gathering(work, &other, &memory))
		add_way(profile, &other, run, &memory);
	if (work->lengths_open)
		leave_open(&memory, "how long sequences are, at most training.seq_len");
	if (work->sharing_open)
		leave_open(&memory, "who shares the model, which a launcher may say (--launcher)");
	risk_put(profile, &memory);
	return memory;
}

struct memory memory_forecast(struct arena *arena, const struct profile *profile,
			      const struct workload *work)
{
	struct run run = step_run(arena, profile, work);

	return memory_cost(profile, work, &run);
}

struct memory_timeline memory_over_time(struct arena *arena, const struct profile *profile,
					const struct workload *work, const struct run *run,
					const struct memory_class *class, int32_t stretches)
{
	struct memory_sizes sizes = sizes_of(profile, work);

	return memory_timeline_of(arena, &sizes, run, class->rank, stretches);
}
