#include "base/json_pieces.h"
#include "base/text.h"
#include "evidence/observed/comms.h"
#include "evidence/evidence.h"
#include "input/member.h"
#include "input/syntax/piece.h"

#include <string.h>

/*
 * Execution traces of PyTorch (ExecutionTraceObserver, "Chakra"): what the host did, as a graph of
 * nodes with numbers in the order in which they began. One lists the groups of the rank; those
 * named "record_param_comms" have what a collective moves among their attributes. No times.
 */
struct tracing {
	struct comms comms;
	int64_t node;
	int64_t plain; /* collectives without what they move */
};

static struct arena *kept(const struct tracing *tracing)
{
	return tracing->comms.intake->capture->arena;
}

/* The attribute of that name: a map with its value. */
static const struct node *attribute(const struct node *root, const char *name)
{
	const struct node *list = node_member(root, "attrs"), *item;

	if (!list || list->kind != NODE_LIST)
		return NULL;
	for (item = list->first; item; item = item->next) {
		const char *own = member_text(item, "name");
		if (own && !strcmp(own, name))
			return item;
	}
	return NULL;
}

static const char *attribute_text(const struct node *root, const char *name)
{
	return member_text(attribute(root, name), "value");
}

static int64_t attribute_count(const struct node *root, const char *name)
{
	const int64_t count = member_integer(attribute(root, name), "value", -1);

	return count < 0 ? -1 : count;
}

static const struct node *list_at(const struct node *root, const char *side, const char *key)
{
	const struct node *list = node_member(node_member(root, side), key);

	return list && list->kind == NODE_LIST ? list : NULL;
}

/* What is handed over before the name of the collective: the rank in the group; of a send or
 * receive the partner's, of a broadcast the root's. -1: it is not there. */
static int64_t rank_in_group(const struct node *root)
{
	const struct node *type = list_at(root, "inputs", "types");
	const struct node *value = list_at(root, "inputs", "values"), *before = NULL;

	if (!type || !value)
		return -1;
	for (type = type->first, value = value->first; type && value;
	     type = type->next, value = value->next) {
		if (type->kind == NODE_SCALAR && !strcmp(type->text, "String"))
			break;
		before = value;
	}
	return type && before && before->kind == NODE_SCALAR && before->type == SCALAR_INT &&
			       before->integer >= 0
		       ? before->integer
		       : -1;
}

/* Dimensions of the first tensor that goes in. */
static int32_t dims_of(const struct node *root)
{
	const struct node *item = list_at(root, "inputs", "shapes"), *size;
	int32_t dims = 0;

	for (; item && item->kind == NODE_LIST && item->first; item = item->first) {
		if (item->first->kind != NODE_SCALAR)
			continue;
		for (size = item->first; size; size = size->next)
			dims++;
		return dims;
	}
	return 0;
}

static size_t group_of(struct tracing *tracing, const struct node *root)
{
	const char *name = attribute_text(root, "pg_name"), *desc = attribute_text(root, "pg_desc");
	const size_t at = comms_group(&tracing->comms, name ? name : "");
	struct comms_group *group = &tracing->comms.groups.items[at];

	if (!*group->desc && desc)
		group->desc = arena_strdup(kept(tracing), desc);
	if (!group->size)
		group->size = member_count(attribute(root, "pg_size"), "value");
	if (!group->members.ranks && !group->stride) {
		group->start = attribute_count(root, "global_rank_start");
		group->stride = attribute_count(root, "global_rank_stride");
	}
	return at;
}

static void take_comms(struct tracing *tracing, const struct node *root)
{
	const char *name = attribute_text(root, "collective_name");
	struct comms_call call = {
		.id = -1, .peer = -1, .record = tracing->node, .at = member_number(root, "id")
	};
	int64_t rank = rank_in_group(root);

	if (!name) {
		tracing->plain++;
		return;
	}
	if (!strcmp(name, "wait")) {
		evidence_file(tracing->comms.intake)->left_out++;
		return;
	}
	call.group = group_of(tracing, root);
	call.seen.op = seen_op_of(name, strlen(name));
	call.seen.in = attribute_count(root, "in_msg_nelems");
	call.seen.out = attribute_count(root, "out_msg_nelems");
	call.seen.dims = dims_of(root);
	call.seen.peer = -1;
	seen_call_type(kept(tracing), &call.seen, attribute_text(root, "dtype"));
	if (call.seen.op == SEEN_SEND || call.seen.op == SEEN_RECV)
		call.peer = rank;
	else if (call.seen.op <= SEEN_ALL_TO_ALL &&
		 !strcmp(tracing->comms.groups.items[call.group].desc, "default_pg"))
		tracing->comms.rank = rank;
	vec_push(tracing->comms.arena, &tracing->comms.calls, call);
}

/* The groups are JSON in a text. */
static void take_groups(struct tracing *tracing, struct arena *arena, const struct node *root)
{
	const struct node *values = list_at(root, "inputs", "values");
	struct json_piece piece = { .key = "" };
	const struct node *rows;

	if (!values || !values->first || values->first->kind != NODE_SCALAR)
		return;
	piece.text = values->first->text;
	piece.length = strlen(piece.text);
	rows = piece_tree(arena, &piece);
	if (rows)
		comms_configure(&tracing->comms, rows);
	else
		evidence_file(tracing->comms.intake)->unreadable++;
}

/* It lasts until the next begins. */
static void take_step(struct tracing *tracing, const struct node *root, const char *name)
{
	struct comms_step step = { .from = member_number(root, "id"),
				   .to = 1e300,
				   .record = tracing->node };

	if (text_to_int(name + strlen("ProfilerStep#"), &step.number) && step.number >= 0)
		vec_push(tracing->comms.arena, &tracing->comms.steps, step);
}

static void take_node(struct tracing *tracing, struct arena *arena, const struct node *root)
{
	const char *name = member_text(root, "name");

	if (!root || root->kind != NODE_MAP)
		evidence_file(tracing->comms.intake)->unreadable++;
	else if (!name)
		return;
	else if (!strcmp(name, "record_param_comms"))
		take_comms(tracing, root);
	else if (!strcmp(name, "## process_group:init ##"))
		take_groups(tracing, arena, root);
	else if (text_starts(name, "ProfilerStep#"))
		take_step(tracing, root, name);
}

static bool of_use(const struct json_piece *piece)
{
	return text_mentions(piece->text, piece->length, "\"record_param_comms\"") ||
	       text_mentions(piece->text, piece->length, "\"## process_group:init ##\"") ||
	       text_mentions(piece->text, piece->length, "\"ProfilerStep#");
}

static void read_nodes(struct tracing *tracing, struct json_pieces *pieces)
{
	struct json_piece piece;
	struct arena arena;

	while (json_pieces_next(pieces, &piece)) {
		if (strcmp(piece.key, "nodes") != 0 || !piece.item)
			continue;
		tracing->node++;
		if (!of_use(&piece))
			continue;
		arena_init(&arena);
		take_node(tracing, &arena, piece_tree(&arena, &piece));
		arena_release(&arena);
	}
}

static void read_trace(struct evidence_intake *intake, struct text_stream *stream)
{
	struct tracing tracing = { 0 };
	struct json_pieces pieces;

	comms_begin(&tracing.comms, intake, stream->arena);
	json_pieces_open(&pieces, stream);
	read_nodes(&tracing, &pieces);
	evidence_file(intake)->records = tracing.node;
	/* Steps are written behind what they hold: without all of them it is not known which is
	 * whose. */
	if (pieces.broken)
		tracing.comms.steps.count = 0;
	comms_finish(&tracing.comms);
	if (tracing.plain && !tracing.comms.calls.count)
		evidence_limit(intake, "OLD_TRACE_NO_PG",
			       "it does not tell what collectives move, nor on which group");
	else if (!tracing.comms.calls.count)
		evidence_limit(intake, "NO_COLLECTIVES", "it tells of no collective");
	if (pieces.broken)
		evidence_limit(intake, "FILE_CUT_OFF",
			       "it ends within its JSON: what stands before was read");
}

static int claims(const char *head, size_t length)
{
	if (head[strspn(head, " \t\r\n")] != '{' || text_mentions(head, length, "\"traceEvents\""))
		return 0;
	return text_mentions(head, length, "\"nodes\"") &&
			       (text_mentions(head, length, "chakra") ||
				text_mentions(head, length, "\"ctrl_deps\""))
		       ? 85
		       : 0;
}

const struct evidence_source source_execution_trace = {
	.name = "PyTorch execution trace",
	.record = "node",
	.claims = claims,
	.read = read_trace,
};
