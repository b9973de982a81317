#include "evidence/hang/stacks.h"

#include "base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { FRAMES_MOST = 400, SHOWN = 3, STACKS_LEAST = 3 };

/* Sources: py-spy's src/main.rs (print_traces), CPython's Python/traceback.c
 * (_Py_DumpTracebackThreads). */
const char *const stack_needles[] = {
	"): \"MainThread\"",
	"(most recent call first):",
	NULL,
};

/* What a rank does in such a frame, where it says so: a part of "function (file:line)". */
static const struct {
	const char *part, *does;
} habits[] = {
	{ "data/dataloader.py", "waits for its data loader" },
	{ "data/_utils/", "waits for its data loader" },
	{ "checkpoint", "is in a checkpoint" },
	{ "_inductor/", "compiles" },
	{ "_dynamo/", "compiles" },
	{ "triton/", "compiles" },
	{ "pdb.py", "stands in a debugger" },
	{ "bdb.py", "stands in a debugger" },
	{ "wandb", "logs to a server" },
	{ "subprocess.py", "waits for another program" },
	{ "socket.py", "waits for the network" },
	{ "urllib3/", "waits for the network" },
	{ "sleep (", "sleeps" },
};

/* ---- reading ---- */

void stack_head(struct stack_reader *reader, int64_t rank, const char *text, size_t length)
{
	stack_end(reader);
	reader->open = true;
	reader->rank = rank;
	reader->main = text_mentions(text, length, "\"MainThread\"");
	reader->frames.count = 0;
}

/* '  File "train.py", line 402 in train_step' as py-spy has it: "train_step (train.py:402)". */
static const char *frame_of(struct arena *arena, const char *text, size_t length)
{
	const char *line = arena_strndup(arena, text + strspn(text, " "), length);
	const char *quote, *name, *number;

	if (!text_starts(line, "File \""))
		return line;
	line += strlen("File \"");
	quote = strchr(line, '"');
	number = quote ? strstr(quote, "line ") : NULL;
	name = number ? strstr(number, " in ") : NULL;
	if (!name)
		return line;
	number += strlen("line ");
	return arena_printf(arena, "%s (%.*s:%.*s)", name + 4, (int)(quote - line), line,
			    (int)(name - number), number);
}

static bool is_frame(const char *text, size_t length)
{
	size_t indent = 0;

	while (indent < length && text[indent] == ' ')
		indent++;
	if (indent < 2 || indent == length)
		return false;
	if (length - indent > 6 && !memcmp(text + indent, "File \"", 6))
		return true;
	return text[length - 1] == ')' && memchr(text + indent, '(', length - indent);
}

bool stack_line(struct stack_reader *reader, int64_t rank, const char *text, size_t length)
{
	const char *frame;

	if (rank != reader->rank)
		return true; /* somebody else's, in between */
	if (!is_frame(text, length) || reader->frames.count == FRAMES_MOST) {
		stack_end(reader);
		return false;
	}
	frame = arena_strndup(reader->facts->arena, text, length);
	vec_push(reader->facts->arena, &reader->frames,
		 frame_of(reader->facts->arena, frame, strlen(frame)));
	return true;
}

/* The main thread's is the one that ends in the module; another one of the rank is replaced. */
void stack_end(struct stack_reader *reader)
{
	struct arena *arena = reader->facts->arena;
	struct hang_stack stack = { .rank = reader->rank };
	size_t i = reader->frames.count;
	const bool open = reader->open;

	reader->open = false;
	if (!open || !i || reader->rank < 0 ||
	    !(reader->main || strstr(reader->frames.items[i - 1], "<module>")))
		return;
	while (i-- > 0)
		vec_push(arena, &stack.frames, reader->frames.items[i]);
	hang_facts_hear(reader->facts, reader->rank);
	for (i = 0; i < reader->facts->stacks.count; i++)
		if (reader->facts->stacks.items[i].rank == reader->rank) {
			reader->facts->stacks.items[i] = stack;
			return;
		}
	vec_push(arena, &reader->facts->stacks, stack);
}

/* ---- comparing ---- */

/* Without the number of the line. */
static size_t place_length(const char *frame)
{
	const char *colon = strrchr(frame, ':');

	return colon ? (size_t)(colon - frame) : strlen(frame);
}

static bool same_frame(const char *a, const char *b)
{
	return place_length(a) == place_length(b) && !memcmp(a, b, place_length(a));
}

/* The outermost frames that both have. */
static size_t common(const struct hang_stack *a, const struct hang_stack *b)
{
	size_t i = 0;

	while (i < a->frames.count && i < b->frames.count &&
	       same_frame(a->frames.items[i], b->frames.items[i]))
		i++;
	return i;
}

static bool alike(const struct hang_stack *a, const struct hang_stack *b)
{
	return a->frames.count == b->frames.count && common(a, b) == a->frames.count;
}

static size_t count_alike(const struct hang_facts *facts, const struct hang_stack *stack)
{
	size_t i, count = 0;

	for (i = 0; i < facts->stacks.count; i++)
		count += alike(stack, &facts->stacks.items[i]);
	return count;
}

static const char *frames_text(struct arena *arena, const struct hang_stack *stack, size_t from)
{
	const char *text = "";
	size_t i;

	if (from + SHOWN < stack->frames.count && stack->frames.count - from > 2 * SHOWN)
		text = arena_printf(arena, "%s > ... > ", stack->frames.items[from]);
	for (i = *text ? stack->frames.count - SHOWN : from; i < stack->frames.count; i++)
		text = arena_printf(arena, "%s%s%s", text,
				    i > from && !text_ends(text, "> ") ? " > " : "",
				    stack->frames.items[i]);
	return text;
}

const char *hang_stack_text(struct arena *arena, const struct hang_facts *facts, int64_t rank)
{
	size_t i;

	for (i = 0; i < facts->stacks.count; i++) {
		const struct hang_stack *stack = &facts->stacks.items[i];
		if (stack->rank == rank)
			return frames_text(arena, stack,
					   stack->frames.count > SHOWN ? stack->frames.count - SHOWN
								       : 0);
	}
	return NULL;
}

static const char *habit_of(const struct hang_stack *stack, size_t from)
{
	size_t i, k;

	for (k = 0; k < sizeof(habits) / sizeof(*habits); k++)
		for (i = from; i < stack->frames.count; i++)
			if (strstr(stack->frames.items[i], habits[k].part))
				return habits[k].does;
	return NULL;
}

static void blame(struct arena *arena, const struct hang_facts *facts, struct hang *hang,
		  const struct hang_stack *stack, const struct hang_stack *most, size_t count)
{
	const struct hang_place *place = hang_facts_where(facts, stack->rank);
	const size_t from = common(stack, most);
	const char *does = habit_of(stack, from);
	struct culprit culprit = { .rank = stack->rank,
				   .class = CULPRIT_MISSING,
				   .host = place ? place->host : NULL,
				   .gpu = place ? place->gpu : -1,
				   .sequence = -1,
				   .time = -1 };

	culprit.says = arena_printf(
		arena,
		"rank %" PRId64 "%s%s is missing: it %s%sstands in %s, where %zu ranks are in %s",
		stack->rank, culprit.host ? " on " : "", culprit.host ? culprit.host : "",
		does ? does : "", does ? " and " : "", frames_text(arena, stack, from), count,
		from < most->frames.count ? frames_text(arena, most, from) : "the call before");
	vec_push(arena, &hang->culprits, culprit);
}

void hang_stacks_find(struct arena *arena, const struct hang_facts *facts, struct hang *hang)
{
	const struct hang_stack *most = NULL;
	size_t i, best = 0;

	for (i = 0; i < facts->stacks.count && 2 * best <= facts->stacks.count; i++) {
		const size_t count = count_alike(facts, &facts->stacks.items[i]);
		if (count > best) {
			best = count;
			most = &facts->stacks.items[i];
		}
	}
	if (facts->stacks.count < STACKS_LEAST ||
	    4 * (facts->stacks.count - best) > facts->stacks.count + 3)
		return;
	if (!hang->waiting)
		hang->waiting = (int64_t)best;
	for (i = 0; i < facts->stacks.count; i++)
		if (!alike(most, &facts->stacks.items[i]))
			blame(arena, facts, hang, &facts->stacks.items[i], most, best);
}
