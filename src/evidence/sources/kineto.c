#include "base/json_pieces.h"
#include "base/number.h"
#include "base/text.h"
#include "evidence/observed/busy.h"
#include "evidence/observed/comms.h"
#include "evidence/evidence.h"
#include "input/member.h"
#include "input/syntax/piece.h"

#include <string.h>

/*
 * Traces of PyTorch's profiler (libkineto, chrome format), event by event. Since PyTorch 2.4 the
 * host's event of a collective, "record_param_comms", says what it moves on which group, and
 * "distributedInfo" lists the groups of the rank, before the events or behind them. Events of the
 * device have the same number ("External id") and the time that it took, waiting included.
 */
struct tracing {
	struct comms comms;
	struct busy busy;
	int64_t event;
	int64_t told, plain;	      /* collectives with and without what they move */
	int64_t unlinked;	      /* kernels of NCCL that no collective is told of with */
	bool graphs;		      /* launches of recorded graphs */
	const char *custom;	      /* the first kernel that talks without c10d; or NULL */
	VEC(struct comms_call) marks; /* "nccl:all_reduce" around what a collective does */
};

/* What an event is, by its name; most are none of these. */
enum event_kind { EVENT_OTHER, EVENT_COMMS, EVENT_MARK, EVENT_KERNEL, EVENT_STEP, EVENT_GRAPH };

static const struct {
	const char *prefix;
	enum event_kind kind;
} prefixes[] = {
	{ "record_param_comms", EVENT_COMMS }, { "nccl:", EVENT_MARK },
	{ "ncclDevKernel", EVENT_KERNEL },     { "ncclKernel", EVENT_KERNEL },
	{ "ProfilerStep#", EVENT_STEP },       { "cudaGraphLaunch", EVENT_GRAPH },
	{ "hipGraphLaunch", EVENT_GRAPH },
};

/* Parts of names of kernels of DeepEP, NVSHMEM, MSCCL++, symmetric memory and vLLM. */
static const char *const customs[] = {
	"deep_ep::",
	"nvshmem",
	"mscclpp",
	"multimem_",
	"one_shot_all_reduce",
	"two_shot_all_reduce",
	"cross_device_reduce",
};

/* What the host's profiler calls waiting for a batch (torch/utils/data/dataloader.py), whichever
 * loader it is. */
static const char loading[] = "DataLoader)#";

static struct arena *kept(const struct tracing *tracing)
{
	return tracing->comms.intake->capture->arena;
}

/* The value of the first "name" in the piece, without looking at what else there is. */
static const char *name_in(const struct json_piece *piece, size_t *length)
{
	static const char key[] = "\"name\"";
	const char *at = piece->text, *const end = piece->text + piece->length, *close;

	while ((at = memchr(at, '"', (size_t)(end - at)))) {
		if ((size_t)(end - at) < sizeof(key))
			return NULL;
		if (!memcmp(at, key, sizeof(key) - 1))
			break;
		at++;
	}
	if (!at)
		return NULL;
	for (at += sizeof(key) - 1; at < end && strchr(": \t\r\n", *at) && *at; at++)
		;
	if (at >= end || *at != '"')
		return NULL;
	close = memchr(at + 1, '"', (size_t)(end - at) - 1);
	*length = close ? (size_t)(close - at) - 1 : 0;
	return close ? at + 1 : NULL;
}

static enum event_kind kind_of(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t size = strlen(prefixes[i].prefix);
		if (length >= size && !memcmp(name, prefixes[i].prefix, size))
			return prefixes[i].kind;
	}
	return EVENT_OTHER;
}

/* Whether it is a kernel that talks without c10d; the category stands before the name. */
static bool is_custom(const struct json_piece *piece, const char *name, size_t length)
{
	size_t i;

	if (!text_mentions(piece->text, (size_t)(name - piece->text), "\"kernel\""))
		return false;
	for (i = 0; i < sizeof(customs) / sizeof(*customs); i++)
		if (text_mentions(name, length, customs[i]))
			return true;
	return false;
}

/* ---- what the device does ---- */

/* A number of the event by its key, behind its name: nothing else is read of most events. */
static double number_in(const struct json_piece *piece, const char *from, const char *key)
{
	const char *at = text_find(from, (size_t)(piece->text + piece->length - from), key);
	char word[32];
	size_t length = 0;
	double value;

	if (!at)
		return 0;
	at += strlen(key);
	while (at < piece->text + piece->length && strchr(" :\"", *at))
		at++;
	while (at + length < piece->text + piece->length && length < sizeof(word) - 1 &&
	       strchr("0123456789.eE+-", at[length]))
		length++;
	memcpy(word, at, length);
	word[length] = '\0';
	return text_to_double(word, &value) ? value : 0;
}

/* The category stands before the name. */
static void take_busy(struct tracing *tracing, const struct json_piece *piece, const char *name,
		      size_t length)
{
	const size_t head = (size_t)(name - piece->text);
	const bool waits = text_mentions(name, length, loading);
	struct busy_span span = { number_in(piece, name + length, "\"ts\""), 0 };

	if (!waits && !text_mentions(piece->text, head, "\"kernel\"") &&
	    !text_mentions(piece->text, head, "\"gpu_mem"))
		return;
	span.to = span.from + number_in(piece, name + length, "\"dur\"");
	if (waits)
		vec_push(tracing->comms.arena, &tracing->busy.loading, span);
	else
		busy_kernel(&tracing->busy, tracing->comms.arena, name, length, span);
}

/* ---- collectives ---- */

/* The group's name; its number in traces of spring 2024; "" where it has neither. */
static size_t group_of(struct tracing *tracing, const struct node *args)
{
	const char *name = member_text(args, "Process Group Name");
	const char *desc = member_text(args, "Process Group Description");
	struct comms_group *group;
	size_t at;

	if (!name)
		name = member_text(args, "Process Group ID");
	at = comms_group(&tracing->comms, name ? name : "");
	group = &tracing->comms.groups.items[at];
	if (!*group->desc && desc)
		group->desc = arena_strdup(kept(tracing), desc);
	if (!group->size)
		group->size = member_count(args, "Group size");
	if (group->members.ranks || group->stride)
		return at;
	group->members = rank_list_of(kept(tracing), node_member(args, "Process Group Ranks"));
	if (group->members.count != group->size)
		group->members = (struct rank_list) { 0 };
	group->start = member_integer(args, "Global rank start", -1);
	group->stride = member_integer(args, "Global rank stride", 0);
	return at;
}

/* The first list of sizes in "Input Dims", which is one in itself or in a list of tensors. */
static const struct node *first_sizes(const struct node *dims)
{
	const struct node *item;

	for (item = dims; item && item->kind == NODE_LIST && item->first; item = item->first)
		if (item->first->kind == NODE_SCALAR)
			return item;
	return NULL;
}

static int32_t dims_of(const struct node *sizes)
{
	const struct node *size = sizes ? sizes->first : NULL;
	int32_t dims = 0;

	for (; size; size = size->next)
		dims++;
	return dims;
}

static int64_t elements_of(const struct node *sizes)
{
	const struct node *size = sizes ? sizes->first : NULL;
	int64_t product = size ? 1 : -1;

	for (; size; size = size->next)
		product = multiply(product, size->integer > 0 ? size->integer : 0);
	return product;
}

/* -1 where there is no such number, or one below nothing. */
static int64_t count_of(const struct node *args, const char *key)
{
	const int64_t count = member_integer(args, key, -1);

	return count < 0 ? -1 : count;
}

static int64_t peer_of(const struct node *args, enum seen_op op)
{
	if (op == SEEN_SEND)
		return count_of(args, "Dst Rank");
	return op == SEEN_RECV ? count_of(args, "Src Rank") : -1;
}

static void take_comms(struct tracing *tracing, const struct node *root)
{
	const struct node *args = node_member(root, "args");
	const char *name = member_text(args, "Collective name");
	struct comms_call call = { .record = tracing->event,
				   .at = member_number(root, "ts"),
				   .peer = -1 };

	if (!name) {
		tracing->plain++;
		return;
	}
	tracing->told++;
	if (!strcmp(name, "wait")) {
		evidence_file(tracing->comms.intake)->left_out++;
		return;
	}
	call.group = group_of(tracing, args);
	call.id = count_of(args, "External id");
	call.seen.op = seen_op_of(name, strlen(name));
	call.seen.in = count_of(args, "In msg nelems");
	call.seen.out = count_of(args, "Out msg nelems");
	call.seen.dims = dims_of(first_sizes(node_member(args, "Input Dims")));
	call.seen.peer = peer_of(args, call.seen.op);
	seen_call_type(kept(tracing), &call.seen, member_text(args, "dtype"));
	vec_push(tracing->comms.arena, &tracing->comms.calls, call);
}

/* The first of "Input type", which has the names of C++: "float", "long int", "c10::Half". */
static const char *first_type(const struct node *types)
{
	static const char *const names[][2] = {
		{ "long int", "Long" },
		{ "short int", "Short" },
		{ "unsigned char", "Byte" },
		{ "signed char", "Char" },
	};
	const char *text;
	size_t i;

	if (!types || types->kind != NODE_LIST || !types->first ||
	    types->first->kind != NODE_SCALAR)
		return NULL;
	text = types->first->text;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i][0], text))
			return names[i][1];
	return text_starts(text, "c10::") ? text + strlen("c10::") : text;
}

/* Before 2.4: the operation and the sizes of what goes in, nothing of the group. */
static void take_mark(struct tracing *tracing, const struct node *root)
{
	const struct node *args = node_member(root, "args");
	const struct node *sizes = first_sizes(node_member(args, "Input Dims"));
	const char *name = member_text(root, "name"), *category = member_text(root, "cat");
	struct comms_call call = { .id = -1, .peer = -1, .record = tracing->event };

	if (!category || strcmp(category, "user_annotation") != 0 || tracing->told)
		return;
	call.at = member_number(root, "ts");
	call.seen.op = seen_op_of(name, strlen(name));
	call.seen.in = elements_of(sizes);
	call.seen.out = -1;
	call.seen.peer = -1;
	call.seen.dims = dims_of(sizes);
	seen_call_type(kept(tracing), &call.seen, first_type(node_member(args, "Input type")));
	vec_push(tracing->comms.arena, &tracing->marks, call);
}

/* Within some thirty years, in us. */
static bool is_time(double time)
{
	return time > 0 && time < 1e15;
}

static void take_kernel(struct tracing *tracing, const struct node *root)
{
	const struct node *args = node_member(root, "args");
	const struct comms_kernel kernel = { count_of(args, "External id"),
					     member_number(root, "dur") };

	if (!member_text(args, "Collective name"))
		tracing->unlinked++;
	else if (is_time(kernel.time) && kernel.id >= 0)
		vec_push(tracing->comms.arena, &tracing->comms.kernels, kernel);
}

static void take_step(struct tracing *tracing, const struct node *root)
{
	const char *name = member_text(root, "name"), *category = member_text(root, "cat");
	const double from = member_number(root, "ts"), time = member_number(root, "dur");
	struct comms_step step = {
		.from = from, .to = from + time, .time = time, .record = tracing->event
	};

	/* The device has marks of the same name. */
	if ((category && text_starts(category, "gpu")) || !is_time(time) ||
	    !text_to_int(name + strlen("ProfilerStep#"), &step.number))
		return;
	vec_push(tracing->comms.arena, &tracing->comms.steps, step);
}

static void take_event(struct tracing *tracing, enum event_kind kind, const struct node *root)
{
	static void (*const takers[])(struct tracing *, const struct node *) = {
		[EVENT_COMMS] = take_comms,
		[EVENT_MARK] = take_mark,
		[EVENT_KERNEL] = take_kernel,
		[EVENT_STEP] = take_step,
	};

	takers[kind](tracing, root);
}

/* ---- the file ---- */

static void take_info(struct tracing *tracing, const struct node *root)
{
	const char *version = member_text(root, "nccl_version");
	struct comms *comms = &tracing->comms;

	comms->rank = member_integer(root, "rank", -1);
	comms->world = member_count(root, "world_size");
	if (version && *version >= '0' && *version <= '9')
		evidence_version(comms->intake, "nccl", version);
	comms_configure(comms, node_member(root, "pg_config"));
}

/* The first of "deviceProperties". */
static void take_device(struct tracing *tracing, const struct json_piece *piece)
{
	struct arena arena;
	const struct node *root;
	const char *name;

	arena_init(&arena);
	root = piece_tree(&arena, piece);
	if (root && root->kind == NODE_LIST)
		root = root->first;
	name = root && root->kind == NODE_MAP ? member_text(root, "name") : NULL;
	if (name)
		evidence_device(tracing->comms.intake, name);
	arena_release(&arena);
}

/* A piece that has to be read whole, in memory of its own. */
static void read_piece(struct tracing *tracing, const struct json_piece *piece,
		       enum event_kind kind)
{
	const struct node *root;
	struct arena arena;

	arena_init(&arena);
	root = piece_tree(&arena, piece);
	if (!root || root->kind != NODE_MAP)
		evidence_file(tracing->comms.intake)->unreadable++;
	else if (kind == EVENT_OTHER)
		take_info(tracing, root);
	else if (member_text(root, "name"))
		take_event(tracing, kind, root);
	arena_release(&arena);
}

static void read_event(struct tracing *tracing, const struct json_piece *piece)
{
	size_t length = 0;
	const char *name = name_in(piece, &length);
	const enum event_kind kind = name ? kind_of(name, length) : EVENT_OTHER;

	tracing->event++;
	if (name && (kind == EVENT_OTHER || kind == EVENT_KERNEL))
		take_busy(tracing, piece, name, length);
	if (kind == EVENT_GRAPH)
		tracing->graphs = true;
	else if (kind != EVENT_OTHER)
		read_piece(tracing, piece, kind);
	else if (name && !tracing->custom && is_custom(piece, name, length))
		tracing->custom = arena_strndup(kept(tracing), name, length < 80 ? length : 80);
}

/* Without a word on what collectives move, their marks tell some of it. */
static void use_marks(struct tracing *tracing)
{
	struct comms *comms = &tracing->comms;
	size_t i;

	if (tracing->told || !(tracing->plain || tracing->marks.count))
		return;
	for (i = 0; i < tracing->marks.count; i++) {
		struct comms_call call = tracing->marks.items[i];
		call.group = comms_group(comms, "");
		vec_push(comms->arena, &comms->calls, call);
	}
	evidence_limit(comms->intake, "OLD_TRACE_NO_PG",
		       "it does not tell on which group a collective ran: PyTorch does since 2.4");
}

static void tell_limits(struct tracing *tracing)
{
	struct evidence_intake *intake = tracing->comms.intake;
	const bool silent = !tracing->comms.calls.count;

	intake->record = 0;
	if (tracing->graphs && (silent || tracing->unlinked))
		evidence_limit(intake, "CUDA_GRAPH",
			       "it replays recorded graphs, whose collectives it does not tell of");
	else if (silent)
		evidence_limit(intake, "NO_COLLECTIVES", "it tells of no collective");
	if (tracing->custom)
		evidence_limit(intake, "CUSTOM_COMM_KERNELS",
			       arena_join(kept(tracing), "what ", tracing->custom,
					  " moves is not told: it talks without c10d"));
}

static void put_steps(const struct comms *comms)
{
	size_t i;

	for (i = 0; i < comms->steps.count; i++) {
		const struct comms_step *step = &comms->steps.items[i];
		comms->intake->record = step->record;
		evidence_measure(comms->intake, SEEN_STEP_SECONDS, step->time / 1e6, comms->rank,
				 step->number);
	}
}

static void read_trace(struct evidence_intake *intake, struct text_stream *stream)
{
	struct tracing tracing = { 0 };
	struct json_pieces pieces;
	struct json_piece piece;

	comms_begin(&tracing.comms, intake, stream->arena);
	json_pieces_open(&pieces, stream);
	while (json_pieces_next(&pieces, &piece)) {
		if (!strcmp(piece.key, "traceEvents") && piece.item)
			read_event(&tracing, &piece);
		else if (!strcmp(piece.key, "distributedInfo"))
			read_piece(&tracing, &piece, EVENT_OTHER);
		else if (!strcmp(piece.key, "deviceProperties"))
			take_device(&tracing, &piece);
	}
	evidence_file(intake)->records = tracing.event;
	use_marks(&tracing);
	comms_finish(&tracing.comms);
	put_steps(&tracing.comms);
	busy_measure(&tracing.busy, &tracing.comms);
	tell_limits(&tracing);
	if (!pieces.broken)
		return;
	/* Events are in no order of time: of no step is it known that all of it is there. */
	evidence_file(intake)->steps = 0;
	evidence_limit(intake, "FILE_CUT_OFF",
		       "it ends within its JSON: what stands before was read");
}

static int claims(const char *head, size_t length)
{
	if (head[strspn(head, " \t\r\n")] != '{')
		return 0;
	return text_mentions(head, length, "\"traceEvents\"") ||
			       text_mentions(head, length, "\"deviceProperties\"") ||
			       text_mentions(head, length, "\"schemaVersion\"")
		       ? 85
		       : 0;
}

const struct evidence_source source_kineto = {
	.name = "PyTorch profiler trace",
	.record = "event",
	.claims = claims,
	.read = read_trace,
};
