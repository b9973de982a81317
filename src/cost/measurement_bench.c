#include "base/text.h"
#include "cost/measurement_reader.h"

#include <math.h>
#include <string.h>

/*
 * What parplan-cudabench --json writes: {"schema": "parplan.cudabench/1", "device", "date",
 * "measurements": [{"name", "rows": [...]}]}. Its collectives are runs as nccl-tests' JSON has
 * them; its kernels become numbers of the profile.
 */
struct bench {
	struct intake *intake;
	struct profile device; /* the datasheet that rates are shares of */
	const char *gpu, *date;
};

/* Rows of one measurement that hold for a number; the best of them counts. */
struct figure_row {
	const char *measurement, *key, *word; /* rows whose `key` is `word`, */
	const char *range;		      /* and this between the next two */
	double from, to;
	const char *value;     /* the key of the number in a row */
	bool least;	       /* the least of the rows, not the most */
	enum figure_id figure; /* the value over */
	enum figure_id of;     /* this number of the device (FIGURE_COUNT: none) */
	double unit;	       /* and this */
	const char *what;      /* for the source */
};

/* Copies count from where no cache holds them; attention at the head size of the model's figure. */
static const struct figure_row rows[] = {
	{ "launch", "what", "queued", "time_us", 0, 1e6, "time_us", true, FIGURE_KERNEL_LATENCY,
	  FIGURE_COUNT, 1, "empty kernels in a row" },
	{ "memory", "what", "copy", "bytes", 1 << 28, 1e18, "gbs", false, FIGURE_HBM_SHARE,
	  FIGURE_HBM, 1e3, "the best copy" },
	{ "gemm", "format", "bf16", "k", 1, 1e9, "tflops", false, FIGURE_GEMM16, FIGURE_PEAK_BF16,
	  1, "the best bf16 product" },
	{ "gemm", "format", "fp8", "k", 1, 1e9, "tflops", false, FIGURE_GEMM8, FIGURE_PEAK_FP8, 1,
	  "the best fp8 product" },
	{ "attention", "pass", "forward", "head_size", 128, 128, "tflops", false, FIGURE_ATTENTION,
	  FIGURE_PEAK_BF16, 1, "the best attention forward" },
	{ "attention", "pass", "backward", "head_size", 128, 128, "tflops", false,
	  FIGURE_ATTENTION_BACKWARD, FIGURE_COUNT, 1, "the best attention backward" },
};

static const struct node *list_of(const struct node *map, const char *key)
{
	const struct node *list = node_member(map, key);

	return list && list->kind == NODE_LIST ? list->first : NULL;
}

/* The best of the rows of a measurement that a figure takes; 0: there are none. */
static double best_of(struct bench *bench, const struct node *measurement,
		      const struct figure_row *figure)
{
	const struct node *row;
	double best = 0;

	for (row = list_of(measurement, "rows"); row; row = row->next) {
		const char *word = member_text(row, figure->key);
		double value = member_number(row, figure->value);
		double place = member_number(row, figure->range);
		if (!word || strcmp(word, figure->word) != 0 || place < figure->from ||
		    place > figure->to)
			continue;
		if (!(value > 0 && value < 1e9)) {
			intake_unreadable(bench->intake);
			continue;
		}
		bench->intake->source->rows++;
		if (best <= 0 || (figure->least ? value < best : value > best))
			best = value;
	}
	return best;
}

/* Puts a number, in the place of one that was read before. */
static void put_measured(struct arena *arena, struct measurements *into,
			 struct measured_figure figure)
{
	size_t i;

	for (i = 0; i < into->figures.count; i++)
		if (into->figures.items[i].id == figure.id) {
			into->figures.items[i] = figure;
			return;
		}
	vec_push(arena, &into->figures, figure);
}

static void put_figure(struct bench *bench, const struct figure_row *row, double value)
{
	const double of = row->of == FIGURE_COUNT ? 1 : profile_get(&bench->device, row->of);
	struct measured_figure figure = { row->figure, value / of / row->unit, bench->device.gpu,
					  NULL };

	if (!(of > 0)) {
		intake_left_out(bench->intake, "rates of which the device's datasheet has no peak");
		return;
	}
	figure.source = arena_printf(bench->intake->arena, "parplan-cudabench on %s, %s: %s (%s)",
				     bench->gpu, bench->date, row->what, bench->intake->path);
	put_measured(bench->intake->arena, bench->intake->into, figure);
}

/* Whether a generation has kernels of attention of its own (kernel.attention_hopper). */
static bool is_async(const char *generation)
{
	return generation && (!strcmp(generation, "hopper") || !strcmp(generation, "blackwell"));
}

/* Attention: such kernels have a number of their own, over the one for other devices; and
 * backward counts over forward. */
static void put_attention(struct bench *bench, const struct figure_row *row, double value,
			  double forward)
{
	struct figure_row own = *row;

	if (row->figure == FIGURE_ATTENTION_BACKWARD) {
		if (forward > 0)
			put_figure(bench, row, value / forward);
		return;
	}
	if (is_async(bench->device.generation)) {
		own.figure = FIGURE_ATTENTION_ASYNC;
		value /= profile_get(&bench->device, FIGURE_ATTENTION);
	}
	put_figure(bench, &own, value);
}

static void read_kernels(struct bench *bench, const struct node *measurement, const char *name)
{
	double value, forward = 0;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (strcmp(rows[i].measurement, name) != 0)
			continue;
		value = best_of(bench, measurement, &rows[i]);
		if (value <= 0)
			continue;
		if (!strcmp(name, "attention"))
			put_attention(bench, &rows[i], value, forward);
		else
			put_figure(bench, &rows[i], value);
		forward = forward > 0 ? forward : value;
	}
}

static void read_measurements(struct bench *bench, const struct node *root)
{
	const struct node *measurement = list_of(root, "measurements");

	for (; measurement; measurement = measurement->next) {
		const char *name = member_text(measurement, "name");
		bench->intake->at++;
		if (!name)
			intake_unreadable(bench->intake);
		else if (node_member(measurement, "results"))
			measurement_of_run(bench->intake, measurement);
		else
			read_kernels(bench, measurement, name);
	}
}

static void read_bench(struct intake *intake, struct text_stream *stream)
{
	const struct node *root = intake_tree(intake, stream);
	struct bench bench = { .intake = intake };

	if (!root)
		return;
	bench.gpu = member_text(root, "device");
	bench.date = member_text(root, "date") ? member_text(root, "date") : "no date";
	profile_init(&bench.device, intake->arena);
	if (intake->hints->gpu)
		bench.gpu = intake->hints->gpu;
	if (!bench.gpu || !profile_gpu(&bench.device, bench.gpu)) {
		intake_complain(intake, "is of a device that no preset describes; say with --gpu "
					"which it is like (parplan presets)");
		return;
	}
	read_measurements(&bench, root);
}

static bool claims(const char *head)
{
	return head[strspn(head, " \t\r\n")] == '{' && strstr(head, "\"parplan.cudabench/");
}

const struct measurement_reader measurement_bench = {
	.kind = "parplan-cudabench",
	.claims = claims,
	.read = read_bench,
};

/* Keys are "group.name": a map for each group, in the order of the table of figures. */
void measured_figures_write(const struct measurements *tables, struct buf *out)
{
	const char *group = "";
	size_t length = 0, i;
	int id;

	for (id = 0; id < FIGURE_COUNT; id++)
		for (i = 0; i < tables->figures.count; i++) {
			const struct measured_figure *figure = &tables->figures.items[i];
			const char *key = figure_of((enum figure_id)id)->key;
			if ((int)figure->id != id)
				continue;
			if (strcspn(key, ".") != length || strncmp(key, group, length) != 0)
				buf_printf(out, "%.*s:\n", (int)strcspn(key, "."), key);
			group = key;
			length = strcspn(key, ".");
			buf_printf(out, "  %s: {value: %.6g, basis: measured, source: \"",
				   key + length + 1, figure->value);
			measurement_quote(out, figure->source);
			buf_text(out, "\"}\n");
		}
}
