#include "base/die.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "framework/torch/pipelining.h"
#include "report/findings/excerpt.h"
#include "sim/schedule.h"

#include <inttypes.h>
#include <string.h>

/*
 * parplan schedule: what every rank of a pipeline computes, in order. {"schema":
 * "parplan.schedule/1","torch","name","pp","virtual","microbatches","ranks":[{"rank","stages",
 * "actions"}],"error":{"type","message"}}; error is null, or ranks is empty. torch is null for the
 * schedules of other frameworks.
 */
struct request {
	const char *format, *color, *torch, *name;
	int64_t pp, each, microbatches, group;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "name", "SCHEDULE", NULL, "as torch.distributed.pipelining names it",
	  offsetof(struct request, name) },
	{ OPT_COUNT, 0, "pp", "N", NULL, "pipeline ranks", offsetof(struct request, pp) },
	{ OPT_COUNT, 0, "virtual", "N", NULL, "stages of each rank (default: 1, or 2)",
	  offsetof(struct request, each) },
	{ OPT_COUNT, 0, "microbatches", "N", NULL, "microbatches of a step",
	  offsetof(struct request, microbatches) },
	{ OPT_COUNT, 0, "group", "N", NULL,
	  "microbatches in a row of one stage, Megatron-LM's (default: as ranks)",
	  offsetof(struct request, group) },
	{ OPT_TEXT, 0, "torch", "RELEASE", NULL,
	  "PyTorch 2.2 to 2.15, or a nightly (default: newest)", offsetof(struct request, torch) },
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json", "how to write the answer",
	  offsetof(struct request, format) },
	{ OPT_TEXT, 0, "color", "WHEN", "auto|always|never", "colour in text output",
	  offsetof(struct request, color) },
	{ .kind = OPT_END },
};

/* What the command line describes, and either its order or what is raised instead. */
struct pipeline {
	const char *name;
	const struct schedule *schedule; /* NULL after an exception */
	struct pipeline_shape shape;
	struct torch_release torch;
	bool of_torch;
	struct told raised;
};

/* Looks the name up in PyTorch and asks the constructor; fills `raised` when either refuses. */
static void ask_torch(struct arena *arena, struct pipeline *p)
{
	struct pipeline_microbatches given = { .torch = &p->torch };

	given.schedule = pipeline_look_up(arena, &p->torch, p->name, &p->raised);
	if (!given.schedule)
		return;
	if (given.schedule->abstract)
		die("schedule: '%s' is a base class: it orders nothing", given.schedule->name);
	p->name = given.schedule->name;
	given.pp = p->shape.ranks;
	given.stages = p->shape.ranks * p->shape.per_rank;
	given.microbatches = p->shape.microbatches;
	p->raised = pipeline_construct(arena, &given);
}

/* Where nobody raised anything: the order, or in a sentence why there is none. */
static void find_order(struct arena *arena, struct pipeline *p)
{
	const struct schedule *schedule = schedule_find(p->name);
	const char *refused;

	if (!schedule)
		die("schedule: '%s' is no schedule that is known here", p->name);
	p->name = schedule->name;
	refused = schedule_refusal(schedule, &p->shape);
	if (refused)
		p->raised.message = arena_printf(arena, "%s %s", schedule->name, refused);
	else
		p->schedule = schedule;
}

static int64_t usual_stages(const char *name)
{
	const struct pipeline_schedule *of_torch = pipeline_schedule_find(name);
	const struct schedule *schedule = schedule_find(name);

	if (of_torch)
		return of_torch->single ? 1 : 2;
	return schedule && schedule->refuses != schedule_refuses_several ? 2 : 1;
}

static void read_pipeline(const struct invocation *invocation, const struct request *request,
			  struct pipeline *p)
{
	*p = (struct pipeline) { .name = request->name, .torch = torch_latest() };
	if (invocation->operands.count)
		die("schedule: '%s' is not an option (parplan schedule --help)",
		    invocation->operands.items[0]);
	if (!request->name || !request->pp || !request->microbatches)
		die("schedule: --name, --pp and --microbatches are needed (parplan schedule "
		    "--help)");
	if (request->torch && !torch_parse(invocation->arena, request->torch, &p->torch))
		die("schedule: PyTorch '%s' is not known; known: %s and nightlies such as "
		    "2.11.0.dev20251221",
		    request->torch, torch_known());
	p->shape = (struct pipeline_shape) { .ranks = request->pp,
					     .per_rank = request->each,
					     .microbatches = request->microbatches,
					     .group = request->group };
	if (!request->each)
		p->shape.per_rank = usual_stages(request->name);
	if (schedule_too_large(&p->shape))
		die("schedule: a step has at most %d stages times microbatches",
		    SCHEDULE_PASSES_MOST);
	p->of_torch = request->torch || pipeline_schedule_find(request->name);
	if (p->of_torch)
		ask_torch(invocation->arena, p);
	if (!p->raised.message)
		find_order(invocation->arena, p);
}

static char letter(enum action_kind kind)
{
	static const char letters[] = {
		[ACTION_FORWARD] = 'F',
		[ACTION_BACKWARD] = 'B',
		[ACTION_INPUT] = 'I',
		[ACTION_WEIGHT] = 'W',
	};

	return letters[kind];
}

static void put_action(struct buf *out, const struct action *action)
{
	buf_printf(out, "%d%c%d", (int)action->stage, letter(action->kind),
		   (int)action->microbatch);
}

/* "4F0", or "0F4+7B0" of two that run together; moves *at behind it. */
static void put_word(struct buf *out, const struct actions *actions, size_t *at)
{
	while (actions->list.items[*at].paired) {
		put_action(out, &actions->list.items[(*at)++]);
		buf_char(out, '+');
	}
	put_action(out, &actions->list.items[(*at)++]);
}

static struct actions order_of(const struct pipeline *p, struct arena *arena, int64_t rank)
{
	struct actions actions = { 0 };

	p->schedule->order(arena, &p->shape, rank, &actions);
	return actions;
}

static void write_rank(struct json_writer *json, const struct pipeline *p, int64_t rank)
{
	struct buf word;
	struct arena arena;
	struct actions actions;
	int64_t slot;
	size_t at = 0;

	arena_init(&arena);
	buf_init(&word);
	actions = order_of(p, &arena, rank);
	json_object(json, NULL);
	json_int(json, "rank", rank);
	json_array(json, "stages");
	for (slot = 0; slot < p->shape.per_rank; slot++)
		json_int(json, NULL, schedule_stage(p->schedule, &p->shape, rank, slot));
	json_array_end(json);
	json_array(json, "actions");
	while (at < actions.list.count) {
		word.length = 0;
		put_word(&word, &actions, &at);
		json_string(json, NULL, word.data);
	}
	json_array_end(json);
	json_object_end(json);
	buf_release(&word);
	arena_release(&arena);
}

static void write_json(struct invocation *invocation, const struct pipeline *p)
{
	struct json_writer json;
	int64_t rank;

	json_begin(&json, invocation->out);
	json_object(&json, NULL);
	json_string(&json, "schema", "parplan.schedule/1");
	if (p->of_torch)
		json_string(&json, "torch", p->torch.label);
	else
		json_null(&json, "torch");
	json_string(&json, "name", p->name);
	json_int(&json, "pp", p->shape.ranks);
	json_int(&json, "virtual", p->shape.per_rank);
	json_int(&json, "microbatches", p->shape.microbatches);
	json_array(&json, "ranks");
	for (rank = 0; p->schedule && rank < p->shape.ranks; rank++)
		write_rank(&json, p, rank);
	json_array_end(&json);
	if (p->schedule) {
		json_null(&json, "error");
	} else {
		json_object(&json, "error");
		if (p->raised.type)
			json_string(&json, "type", p->raised.type);
		else
			json_null(&json, "type");
		json_string(&json, "message", p->raised.message);
		json_object_end(&json);
	}
	json_object_end(&json);
	buf_char(invocation->out, '\n');
}

static void put_rank(struct invocation *invocation, const struct pipeline *p, int64_t rank)
{
	struct buf line;
	struct arena arena;
	struct actions actions;
	size_t at = 0;
	int width;

	arena_init(&arena);
	buf_init(&line);
	actions = order_of(p, &arena, rank);
	while (at < actions.list.count) {
		if (at)
			buf_char(&line, ' ');
		put_word(&line, &actions, &at);
	}
	width = (int)strlen(arena_printf(&arena, "%" PRId64, p->shape.ranks - 1));
	buf_printf(invocation->out, "rank %*" PRId64 "  ", width, rank);
	wrap_text(invocation->out, line.data, width + 7, width + 7, invocation->columns);
	buf_char(invocation->out, '\n');
	buf_release(&line);
	arena_release(&arena);
}

static void write_text(struct invocation *invocation, const struct pipeline *p)
{
	const struct style style = { invocation->color, invocation->columns };
	struct buf *out = invocation->out;
	int64_t rank;

	if (p->of_torch)
		buf_printf(out, "PyTorch %s: ", p->torch.label);
	buf_printf(out,
		   "%s, %" PRId64 " ranks of %" PRId64 " stage%s, %" PRId64 " microbatch%s\n\n",
		   p->name, p->shape.ranks, p->shape.per_rank, p->shape.per_rank == 1 ? "" : "s",
		   p->shape.microbatches, p->shape.microbatches == 1 ? "" : "es");
	if (!p->schedule) {
		style_put(&style, out, COLOR_ERROR);
		if (p->raised.type)
			buf_printf(out, "%s: ", p->raised.type);
		buf_text(out, p->raised.message);
		style_put(&style, out, COLOR_PLAIN);
		buf_char(out, '\n');
		return;
	}
	for (rank = 0; rank < p->shape.ranks; rank++)
		put_rank(invocation, p, rank);
	buf_text(out, p->schedule->splits
			      ? "\n4F0: stage 4, forward, microbatch 0; B backward, I gradients of "
				"inputs, W of weights\n"
			      : "\n4F0: stage 4, forward, microbatch 0; B backward\n");
}

static int run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	struct pipeline pipeline;

	read_pipeline(invocation, request, &pipeline);
	if (request->format && !strcmp(request->format, "json"))
		write_json(invocation, &pipeline);
	else
		write_text(invocation, &pipeline);
	return pipeline.schedule ? EXIT_CLEAN : EXIT_FINDINGS;
}

const struct command command_schedule = {
	.name = "schedule",
	.summary = "say what every pipeline rank computes, in order",
	.operands = "",
	.details =
		"Prints the order of a pipeline schedule, rank by rank, as the class of\n"
		"torch.distributed.pipelining has it in one PyTorch version, or the exception of\n"
		"its constructor. 4F0 is stage 4, forward, microbatch 0; B is a whole backward\n"
		"pass, I one of inputs alone, W the rest of it; a + joins what runs together.\n"
		"Bubbles are not written. Schedules of other frameworks are known by their\n"
		"names, too (megatron-interleaved).",
	.examples = "  parplan schedule --name Interleaved1F1B --pp 4 --microbatches 8\n"
		    "  parplan schedule --torch 2.8 --name 1F1B --pp 4 --microbatches 3",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
