#include "base/buf.h"
#include "base/die.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "framework/torch/dtensor.h"
#include "plan/plan.h"
#include "report/findings/excerpt.h"

#include <inttypes.h>
#include <string.h>

/*
 * parplan shard: which part of a tensor each rank holds. {"schema":"parplan.shard/1","torch",
 * "ranks":[{"rank","shape","offset","stored":{"shape","offset"}}],"complete","error":{"type","message"}};
 * error is null, or ranks is empty.
 */
struct request {
	const char *format, *color, *torch, *shape, *mesh, *placements;
	bool expand;
};

enum { LISTED_RANKS = 1024, TEXT_RANKS = 64, GRID_CELLS = 16, WORLD_LIMIT = 1 << 24 };

static const struct opt options[] = {
	{ OPT_TEXT, 0, "shape", "N,...", NULL, "sizes of the tensor, 1 to 4 dims",
	  offsetof(struct request, shape) },
	{ OPT_TEXT, 0, "mesh", "N,...", NULL, "sizes of the mesh, outermost first, 1 to 8 dims",
	  offsetof(struct request, mesh) },
	{ OPT_TEXT, 0, "placements", "WORDS", NULL, "one per mesh dim: R, P, S(0), SS(0,2)",
	  offsetof(struct request, placements) },
	{ OPT_TEXT, 0, "torch", "RELEASE", NULL,
	  "PyTorch 2.2 to 2.15, or a nightly (default: newest)", offsetof(struct request, torch) },
	{ OPT_FLAG, 0, "expand", NULL, NULL, "list every rank, also beyond 1,024",
	  offsetof(struct request, expand) },
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json", "how to write the answer",
	  offsetof(struct request, format) },
	{ OPT_TEXT, 0, "color", "WHEN", "auto|always|never", "colour in text output",
	  offsetof(struct request, color) },
	{ .kind = OPT_END },
};

/* What the command line describes. */
struct tensor {
	struct torch_world world;
	int dims, mesh_dims;
	int64_t shape[PARAMETER_DIMS], mesh[TORCH_AXES], ranks;
	struct placement placements[TORCH_AXES];
};

/* "4096,8": the sizes and how many; dies on anything else. */
static int read_sizes(struct arena *arena, const char *option, const char *text, int64_t least,
		      int most, int64_t *sizes)
{
	int count = 0;

	if (!text)
		die("shard: --%s is needed (parplan shard --help)", option);
	do {
		size_t length = strcspn(text, ",");
		const char *word = arena_strndup(arena, text, length);
		if (count == most)
			die("shard: --%s takes at most %d sizes", option, most);
		if (!text_to_int(word, &sizes[count]) || sizes[count] < least)
			die("shard: --%s takes numbers from %" PRId64
			    " on separated by commas, not '%s'",
			    option, least, word);
		count++;
		text += length;
	} while (*text++);
	return count;
}

/* Words separated by blanks or commas outside parentheses. */
static int read_placements(struct arena *arena, const char *text, struct placement *placements)
{
	int count = 0;

	if (!text)
		die("shard: --placements is needed (parplan shard --help)");
	for (text += strspn(text, " ,"); *text; text += strspn(text, " ,")) {
		size_t length = strcspn(text, " ,(");
		const char *word;
		if (text[length] == '(')
			length += strcspn(text + length, ")") + 1;
		if (length > strlen(text))
			length = strlen(text);
		word = arena_strndup(arena, text, length);
		if (count == TORCH_AXES)
			die("shard: --placements takes at most %d words", TORCH_AXES);
		if (!placement_parse(word, &placements[count++]))
			die("shard: '%s' is no placement; R, P, S(dim) and SS(dim,split factor) "
			    "are",
			    word);
		text += length;
	}
	return count;
}

static void read_tensor(const struct invocation *invocation, const struct request *request,
			struct tensor *tensor)
{
	struct torch_release torch = torch_latest();
	int count, i;

	memset(tensor, 0, sizeof(*tensor));
	if (invocation->operands.count)
		die("shard: '%s' is not an option (parplan shard --help)",
		    invocation->operands.items[0]);
	if (request->torch && !torch_parse(invocation->arena, request->torch, &torch))
		die("shard: PyTorch '%s' is not known; known: %s and nightlies such as "
		    "2.11.0.dev20251221",
		    request->torch, torch_known());
	tensor->dims = read_sizes(invocation->arena, "shape", request->shape, 0, PARAMETER_DIMS,
				  tensor->shape);
	tensor->mesh_dims =
		read_sizes(invocation->arena, "mesh", request->mesh, 1, TORCH_AXES, tensor->mesh);
	count = read_placements(invocation->arena, request->placements, tensor->placements);
	if (count != tensor->mesh_dims)
		die("shard: %d placements for a mesh of %d dims: one per mesh dim is needed", count,
		    tensor->mesh_dims);
	tensor->ranks = 1;
	for (i = 0; i < tensor->mesh_dims; i++) {
		if (tensor->ranks > WORLD_LIMIT / tensor->mesh[i])
			die("shard: a mesh has at most %d ranks", WORLD_LIMIT);
		tensor->ranks *= tensor->mesh[i];
	}
	torch_world_init(&tensor->world, invocation->arena, torch, tensor->ranks);
}

/* What the rank holds in the world given: tensor->world, or that of another version. */
static struct box box_of(struct torch_world *world, const struct tensor *tensor, int64_t rank)
{
	int64_t coordinate[TORCH_AXES];
	int i;

	for (i = tensor->mesh_dims - 1; i >= 0; i--) {
		coordinate[i] = rank % tensor->mesh[i];
		rank /= tensor->mesh[i];
	}
	return dtensor_box(world, tensor->dims, tensor->shape, tensor->mesh_dims, tensor->mesh,
			   tensor->placements, coordinate);
}

static void json_box(struct json_writer *json, const struct box *box)
{
	json_ints(json, "shape", box->shape, box->dims);
	json_ints(json, "offset", box->offset, box->dims);
}

/* What fully_shard keeps there of a parameter with such placements, whatever metadata says. */
static struct box stored_on(const struct tensor *tensor, int64_t rank)
{
	struct layout layouts[TORCH_AXES];
	struct parameter parameter = { .dims = tensor->dims };
	struct sharded sharded = { .parameter = &parameter, .dims = tensor->mesh_dims };
	int64_t stride = 1;
	int i;

	memcpy(parameter.shape, tensor->shape, sizeof(parameter.shape));
	for (i = tensor->mesh_dims - 1; i >= 0; i--) {
		layouts[i] = layout_axis(tensor->mesh[i], stride);
		sharded.dim[i].layout = &layouts[i];
		sharded.dim[i].placement = tensor->placements[i];
		stride *= tensor->mesh[i];
	}
	return plan_box(&sharded, rank);
}

static void write_json(struct invocation *invocation, struct tensor *tensor, int64_t shown)
{
	const struct torch_error *error = &tensor->world.error;
	struct json_writer json;
	int64_t rank;

	json_begin(&json, invocation->out);
	json_object(&json, NULL);
	json_string(&json, "schema", "parplan.shard/1");
	json_string(&json, "torch", tensor->world.torch.label);
	json_array(&json, "ranks");
	for (rank = 0; !error->type && rank < shown; rank++) {
		struct box box = box_of(&tensor->world, tensor, rank);
		json_object(&json, NULL);
		json_int(&json, "rank", rank);
		json_box(&json, &box);
		box = stored_on(tensor, rank);
		json_object(&json, "stored");
		json_box(&json, &box);
		json_object_end(&json);
		json_object_end(&json);
	}
	json_array_end(&json);
	json_bool(&json, "complete", !error->type && shown == tensor->ranks);
	if (error->type) {
		json_object(&json, "error");
		json_string(&json, "type", error->type);
		json_string(&json, "message", error->message);
		json_object_end(&json);
	} else {
		json_null(&json, "error");
	}
	json_object_end(&json);
	buf_char(invocation->out, '\n');
}

/* "[512,8]" */
static const char *ints_text(struct arena *arena, const int64_t *items, int count)
{
	char *text = arena_strdup(arena, "[");
	int i;

	for (i = 0; i < count; i++)
		text = arena_printf(arena, "%s%s%" PRId64, text, i ? "," : "", items[i]);
	return arena_printf(arena, "%s]", text);
}

static void put_ranks(struct invocation *invocation, struct tensor *tensor, int64_t shown)
{
	struct buf *out = invocation->out;
	int64_t rank;

	buf_printf(out, "%8s  %-20s %s\n", "rank", "shape", "offset");
	for (rank = 0; rank < shown; rank++) {
		struct box box = box_of(&tensor->world, tensor, rank);
		buf_printf(out, "%8" PRId64 "  %-20s %s%s\n", rank,
			   ints_text(invocation->arena, box.shape, box.dims),
			   ints_text(invocation->arena, box.offset, box.dims),
			   box_volume(&box) ? "" : "  (empty)");
	}
	if (shown < tensor->ranks)
		buf_printf(out, "     ...  %" PRId64 " more ranks (--expand lists them)\n",
			   tensor->ranks - shown);
}

static bool holds(const struct box *box, int64_t row, int64_t column)
{
	if (row < box->offset[0] || row >= box->offset[0] + box->shape[0])
		return false;
	return box->dims < 2 ||
	       (column >= box->offset[1] && column < box->offset[1] + box->shape[1]);
}

/* The first rank that holds an element, or -1 (data that is not contiguous). */
static int64_t holder(struct tensor *tensor, int64_t row, int64_t column)
{
	int64_t rank;

	for (rank = 0; rank < tensor->ranks; rank++) {
		struct box box = box_of(&tensor->world, tensor, rank);
		if (holds(&box, row, column))
			return rank;
	}
	return -1;
}

static bool cuts(const struct tensor *tensor, enum placement_kind kind, int dim)
{
	int i;

	for (i = 0; i < tensor->mesh_dims; i++)
		if (tensor->placements[i].kind == kind && tensor->placements[i].dim == dim)
			return true;
	return false;
}

/* How many cells a dim is drawn with: one where nothing cuts it. */
static int64_t cells(const struct tensor *tensor, int dim)
{
	if (dim >= tensor->dims ||
	    (!cuts(tensor, PLACE_SHARD, dim) && !cuts(tensor, PLACE_STRIDED_SHARD, dim)))
		return 1;
	return tensor->shape[dim] < GRID_CELLS ? tensor->shape[dim] : GRID_CELLS;
}

/* A picture of a 1-D or 2-D tensor: in each cell the first rank that holds its upper left element.
 */
static void put_picture(struct invocation *invocation, struct tensor *tensor)
{
	int64_t rows = tensor->shape[0], columns = tensor->dims > 1 ? tensor->shape[1] : 1, r, c;
	int64_t down, across;

	if (tensor->dims > 2 || tensor->ranks > TEXT_RANKS || !rows || !columns)
		return;
	down = cells(tensor, 0);
	across = cells(tensor, 1);
	buf_text(invocation->out, "\nfirst rank that holds each part");
	if ((down > 1 && down < rows) || (across > 1 && across < columns))
		buf_printf(invocation->out, " (%" PRId64 " x %" PRId64 " samples)", down, across);
	buf_text(invocation->out, "\n");
	for (r = 0; r < down; r++) {
		buf_printf(invocation->out, "%10" PRId64 " |", r * rows / down);
		for (c = 0; c < across; c++) {
			int64_t rank = holder(tensor, r * rows / down, c * columns / across);
			if (rank < 0)
				buf_text(invocation->out, "   .");
			else
				buf_printf(invocation->out, " %3" PRId64, rank);
		}
		buf_char(invocation->out, '\n');
	}
}

static bool same_box(const struct box *a, const struct box *b)
{
	int i;

	for (i = 0; i < a->dims; i++)
		if (a->shape[i] != b->shape[i] || (a->shape[i] && a->offset[i] != b->offset[i]))
			return false;
	return true;
}

static bool is_strided(const struct tensor *tensor)
{
	int i;

	for (i = 0; i < tensor->mesh_dims; i++)
		if (tensor->placements[i].kind == PLACE_STRIDED_SHARD)
			return true;
	return false;
}

/*
 * FSDP2 stores chunk(chunk(size, tp), dp), which is what metadata of 2.8 and 2.9 says; from 2.10
 * on it can say otherwise for sizes that tp does not divide (run in every release: tests/oracle).
 */
static void put_storage_note(struct invocation *invocation, struct tensor *tensor)
{
	int64_t rank, other = 0;

	if (!is_strided(tensor) || tensor->ranks > LISTED_RANKS)
		return;
	for (rank = 0; rank < tensor->ranks; rank++) {
		struct box says = box_of(&tensor->world, tensor, rank);
		struct box stored = stored_on(tensor, rank);
		other += !same_box(&says, &stored);
	}
	if (!other)
		return;
	buf_text(invocation->out, "\nnote: ");
	wrap_text(invocation->out,
		  arena_printf(invocation->arena,
			       "if these are FSDP2 parameters under tensor parallelism, %" PRId64
			       " of %" PRId64 " ranks store another part than this metadata says "
			       "(FSDP2 cuts by tp first); "
			       "make the dim divisible by tp",
			       other, tensor->ranks),
		  6, 6, invocation->columns);
	buf_char(invocation->out, '\n');
}

static void write_text(struct invocation *invocation, struct tensor *tensor, int64_t shown)
{
	const struct style style = { invocation->color, invocation->columns };
	const struct torch_error *error = &tensor->world.error;
	struct buf *out = invocation->out;
	int i;

	buf_printf(out, "PyTorch %s: %s on a mesh of %s,", tensor->world.torch.label,
		   ints_text(invocation->arena, tensor->shape, tensor->dims),
		   ints_text(invocation->arena, tensor->mesh, tensor->mesh_dims));
	for (i = 0; i < tensor->mesh_dims; i++)
		buf_printf(out, " %s", placement_text(invocation->arena, tensor->placements[i]));
	buf_text(out, "\n\n");
	if (error->type) {
		style_put(&style, out, COLOR_ERROR);
		buf_printf(out, "%s: %s", error->type, error->message);
		style_put(&style, out, COLOR_PLAIN);
		buf_char(out, '\n');
		return;
	}
	put_ranks(invocation, tensor, shown);
	put_picture(invocation, tensor);
	put_storage_note(invocation, tensor);
}

/*
 * Ranks of an uneven shard may raise where rank 0 does not; if any does, so does the last one,
 * whose parts are the smallest.
 */
static void find_error(struct tensor *tensor)
{
	struct torch_world last = tensor->world;
	int64_t rank;

	box_of(&last, tensor, tensor->ranks - 1);
	for (rank = 0; last.error.type && !tensor->world.error.type; rank++)
		box_of(&tensor->world, tensor, rank);
}

static int run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	bool json = request->format && !strcmp(request->format, "json");
	struct tensor tensor;
	int64_t shown;

	read_tensor(invocation, request, &tensor);
	shown = request->expand || tensor.ranks <= (json ? LISTED_RANKS : TEXT_RANKS) ? tensor.ranks
		: json								      ? 1
										      : GRID_CELLS;
	find_error(&tensor);
	if (json)
		write_json(invocation, &tensor, shown);
	else
		write_text(invocation, &tensor, shown);
	return tensor.world.error.type ? EXIT_FINDINGS : EXIT_CLEAN;
}

const struct command command_shard = {
	.name = "shard",
	.summary = "say which part of a tensor each rank holds",
	.operands = "",
	.details =
		"Computes local shape and global offset of every rank as DTensor's metadata has\n"
		"them in one PyTorch version (compute_local_shape_and_global_offset). Placements\n"
		"are one word per mesh dim: R replicated, P partial, S(d) sharded along dim d,\n"
		"SS(d,f) a strided shard of a dim that a mesh dim to the right cuts f ways, as\n"
		"FSDP2 records it under tensor parallelism.",
	.examples = "  parplan shard --shape 4096,8 --mesh 4,2 --placements 'SS(0,2) S(0)'\n"
		    "  parplan shard --torch 2.6 --shape 5 --mesh 2,4 --placements 'S(0) S(0)'",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
