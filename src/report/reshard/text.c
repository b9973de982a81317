#include "base/text.h"
#include "report/findings/excerpt.h"
#include "report/report.h"
#include "report/reshard/reshard.h"

#include <inttypes.h>
#include <string.h>

/* What the parts of the report share. */
struct sheet {
	const struct reshard_report *report;
	struct arena *arena;
	struct buf *out;
	struct style style;
};

enum { LABEL = 16 };

/* "  label         text", the text kept in its column. */
static void line(struct sheet *sheet, const char *label, const char *text)
{
	buf_printf(sheet->out, "  %-*s", LABEL - 2, label);
	wrap_text(sheet->out, text, LABEL, LABEL, sheet->style.columns);
	buf_char(sheet->out, '\n');
}

static const char *bytes(struct sheet *sheet, int64_t count)
{
	return text_bytes(sheet->arena, (double)count);
}

/* ---- What is loaded ---- */

/* "dp_shard 16, tp 2": the degrees above 1. */
static const char *degrees_text(struct arena *arena, const struct degrees *degrees)
{
	const struct {
		const char *name;
		int64_t value;
	} all[] = {
		{ "dp_replicate", degrees->dp_replicate },
		{ "dp_shard", degrees->dp_shard },
		{ "dp", degrees->dp_replicate * degrees->dp_shard > 1 ? 1 : degrees->dp },
		{ "cp", degrees->cp },
		{ "tp", degrees->tp },
		{ "pp", degrees->pp },
		{ "ep", degrees->ep },
	};
	const char *text = "";
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].value > 1)
			text = arena_printf(arena, "%s%s%s %" PRId64, text, *text ? ", " : "",
					    all[i].name, all[i].value);
	return *text ? text : "one rank";
}

static const char *writer_text(struct sheet *sheet, const struct checkpoint *checkpoint)
{
	const struct job *from = checkpoint->from;
	const char *versions = "";
	size_t i;

	if (checkpoint->source == CHECKPOINT_METADATA)
		return arena_printf(sheet->arena, "%s: its own metadata", checkpoint->name);
	for (i = 0; from && i < from->versions.list.count; i++) {
		const struct version *version = &from->versions.list.items[i];
		if (version->origin == VERSION_COMPANION &&
		    strcmp(version->framework, "torch") != 0)
			continue;
		versions = arena_printf(sheet->arena, "%s%s%s %s", versions, *versions ? ", " : "",
					version->framework, version->label);
	}
	return arena_printf(sheet->arena, "%s: written with %s%s%s%s", checkpoint->name,
			    degrees_text(sheet->arena, &checkpoint->degrees), *versions ? " (" : "",
			    versions, *versions ? ")" : "");
}

static void put_remark(struct sheet *sheet, const char *label, const char *text)
{
	if (text)
		line(sheet, "", arena_printf(sheet->arena, "%s: %s", label, text));
}

static const char *speaker_label(struct sheet *sheet, const struct obstacle *obstacle)
{
	const struct version *version =
		versions_find(&sheet->report->job->versions, obstacle->speaker);

	return arena_printf(sheet->arena, "%s%s%s raises", obstacle->speaker, version ? " " : "",
			    version ? version->label : "");
}

static void put_component(struct sheet *sheet, enum component component)
{
	const struct resume *resume = sheet->report->loading->resume;
	const char *fate = fate_name(resume->fates[component]), *note = resume->notes[component];
	bool any = false;
	size_t i;

	for (i = 0; i < resume->obstacles.count; i++) {
		const struct obstacle *obstacle = &resume->obstacles.items[i];
		if (obstacle->component != component)
			continue;
		line(sheet, any ? "" : component_name(component),
		     arena_printf(sheet->arena, "%s: %s", fate_name(obstacle->fate),
				  obstacle->what));
		if (obstacle->error)
			put_remark(sheet, speaker_label(sheet, obstacle), obstacle->error);
		put_remark(sheet, "way out", obstacle->way);
		put_remark(sheet, obstacle->fate == FATE_FAILS ? "what that costs" : "lost",
			   obstacle->lost);
		any = true;
	}
	if (!any)
		line(sheet, component_name(component),
		     note ? arena_printf(sheet->arena, "%s: %s", fate, note) : fate);
}

static const char *verdict(const struct reshard_report *report)
{
	const struct resume *resume = report->loading->resume;

	if (!resume_loads(resume) || report->refused)
		return "It does not load";
	return resume_judged(resume) ? "It loads" : "Whether it loads is not known";
}

static void put_components(struct sheet *sheet)
{
	int i;

	style_heading(&sheet->style, sheet->out, "%s", verdict(sheet->report));
	for (i = 0; i < COMPONENTS; i++)
		put_component(sheet, (enum component)i);
}

/* True when the component table says it already. */
static bool told(const struct resume *resume, const char *rule)
{
	size_t i;

	for (i = 0; i < resume->obstacles.count; i++)
		if (!strcmp(resume->obstacles.items[i].rule, rule))
			return true;
	return false;
}

static void put_findings(struct sheet *sheet)
{
	const struct reshard_report *report = sheet->report;
	size_t i;

	for (i = 0; i < report->findings.count; i++) {
		const struct finding *finding = report->findings.items[i];
		if (!told(report->loading->resume, finding->rule->name))
			line(sheet, severity_name(finding->severity),
			     arena_printf(sheet->arena, "%s [%s]", finding->message,
					  finding->rule->name));
	}
}

/* ---- What is read ---- */

static const char *plural(int64_t count)
{
	return count == 1 ? "" : "s";
}

static void put_checkpoint(struct sheet *sheet)
{
	const struct loading *loading = sheet->report->loading;
	const struct saved *saved = &loading->saved;
	int64_t chunks = saved_chunks(saved);

	line(sheet, "checkpoint",
	     arena_printf(sheet->arena, "%s: %s tensors in %s chunks, %s file%s",
			  bytes(sheet, saved_bytes(saved)),
			  text_count(sheet->arena, (int64_t)saved->tensors.count),
			  text_count(sheet->arena, chunks),
			  text_count(sheet->arena, (int64_t)saved->files.count),
			  plural((int64_t)saved->files.count)));
	if (loading->dict.unknown)
		line(sheet, "",
		     arena_printf(sheet->arena,
				  "without the states of %s, which are not known here",
				  loading->dict.unknown));
}

static void put_all_ranks(struct sheet *sheet)
{
	const struct reshard *reshard = &sheet->report->loading->reshard;
	const struct load *total = &reshard->total;

	line(sheet, "all ranks",
	     total->read > total->needed
		     ? arena_printf(sheet->arena,
				    "need %s and read %s: DCP loads a chunk whole and takes the "
				    "part it needs",
				    bytes(sheet, total->needed), bytes(sheet, total->read))
		     : arena_printf(sheet->arena, "read %s, every chunk whole",
				    bytes(sheet, total->read)));
	if (total->read > reshard->distinct)
		line(sheet, "",
		     arena_printf(sheet->arena, "%s of it are read again by another rank",
				  bytes(sheet, total->read - reshard->distinct)));
	line(sheet, "",
	     arena_printf(sheet->arena,
			  "%s chunk%s, %s file%s, opened %s times in all (each rank opens its own)",
			  text_count(sheet->arena, total->chunks), plural(total->chunks),
			  text_count(sheet->arena, reshard->opened), plural(reshard->opened),
			  text_count(sheet->arena, total->files)));
}

static void put_rank_line(struct sheet *sheet, const char *label, int64_t rank)
{
	const struct load *load = &sheet->report->loading->reshard.load[rank];

	line(sheet, label,
	     arena_printf(sheet->arena,
			  "rank %" PRId64 " reads %s (needs %s) in %s chunk%s and opens %s file%s",
			  rank, bytes(sheet, load->read), bytes(sheet, load->needed),
			  text_count(sheet->arena, load->chunks), plural(load->chunks),
			  text_count(sheet->arena, load->files), plural(load->files)));
}

static void put_time(struct sheet *sheet)
{
	const struct reshard_report *report = sheet->report;
	const struct reshard *reshard = &report->loading->reshard;
	struct reshard_time time = reshard_time(report);

	if (!time.known)
		return;
	if (time.by_node)
		line(sheet, "time",
		     arena_printf(sheet->arena,
				  "%.1f s: node %" PRId64 " reads %s at %g GB/s. Bandwidth alone: "
				  "all ranks at once, nothing cached, no time to open files",
				  time.seconds, time.node, bytes(sheet, time.node_bytes),
				  report->node));
	else
		line(sheet, "time",
		     arena_printf(sheet->arena,
				  "%.1f s: %s from a storage of %g GB/s for all nodes together. "
				  "Bandwidth alone: nothing cached, no time to open files",
				  time.seconds, bytes(sheet, reshard->total.read),
				  report->storage));
}

static void put_reads(struct sheet *sheet)
{
	const struct loading *loading = sheet->report->loading;
	const struct reshard *reshard = &loading->reshard;

	if (loading->trouble) {
		style_heading(&sheet->style, sheet->out, "Reads");
		line(sheet, "not known", loading->trouble);
		return;
	}
	style_heading(&sheet->style, sheet->out, "Reads");
	put_checkpoint(sheet);
	if (!reshard->tensors) {
		line(sheet, "nothing",
		     "no tensor of the checkpoint has a name and size of the job's");
		return;
	}
	put_all_ranks(sheet);
	put_rank_line(sheet, "most bytes", reshard->most);
	if (reshard->load[reshard->most_files].files > reshard->load[reshard->most].files)
		put_rank_line(sheet, "most files", reshard->most_files);
	put_time(sheet);
	if (reshard->unmatched)
		line(sheet, "not counted",
		     arena_printf(sheet->arena,
				  "%s tensor%s of the job that the checkpoint does not have by "
				  "that name and size",
				  text_count(sheet->arena, reshard->unmatched),
				  plural(reshard->unmatched)));
	if (reshard->uncovered)
		line(sheet, "holes",
		     arena_printf(sheet->arena,
				  "the chunks of %s%s do not hold every element once: what is "
				  "missing stays as it was",
				  reshard->first_uncovered,
				  reshard->uncovered > 1
					  ? arena_printf(sheet->arena, " and %" PRId64 " more",
							 reshard->uncovered - 1)
					  : ""));
}

/* ---- One rank ---- */

static const char *ints(struct arena *arena, const int64_t *items, int count)
{
	const char *text = "[";
	int i;

	for (i = 0; i < count; i++)
		text = arena_printf(arena, "%s%s%" PRId64, text, i ? ", " : "", items[i]);
	return arena_join(arena, text, "]", "");
}

static void put_reading(struct sheet *sheet, const struct reading *reading)
{
	const struct loading *loading = sheet->report->loading;
	const struct saved_tensor *tensor = reading->tensor;
	const char *file = loading->saved.files.items[tensor->file[reading->box]];
	struct arena *arena = sheet->arena;
	int dims = reading->part.dims;
	const char *text, *where = "";

	if (tensor->stored)
		where = arena_printf(arena, " at %s",
				     text_count(arena, tensor->stored[reading->box].start));
	text = arena_printf(arena, "%s%s, %s: %s at %s to %s", file, where,
			    bytes(sheet, reading->read), ints(arena, reading->part.shape, dims),
			    ints(arena, reading->part.offset, dims),
			    ints(arena, reading->dest, dims));
	buf_text(sheet->out, "    ");
	wrap_text(sheet->out, text, 4, 6, sheet->style.columns);
	buf_char(sheet->out, '\n');
}

static void put_rank(struct sheet *sheet)
{
	const struct reshard_report *report = sheet->report;
	size_t i;

	if (!report->listed || report->loading->trouble)
		return;
	style_heading(&sheet->style, sheet->out,
		      "Rank %" PRId64 ": file, bytes read, part of the tensor, and "
		      "where it goes",
		      report->rank);
	for (i = 0; i < report->readings.list.count; i++) {
		const struct reading *reading = &report->readings.list.items[i];
		if (!i || reading->tensor != reading[-1].tensor)
			buf_printf(sheet->out, "  %s\n", reading->tensor->fqn);
		put_reading(sheet, reading);
	}
	if (!report->readings.list.count)
		line(sheet, "nothing", "");
}

void report_reshard_text(const struct reshard_report *report, struct buf *out, bool color,
			 int columns)
{
	struct sheet sheet = { report, report->job->arena, out, { color, columns } };

	report_assumptions(report->job, out, color, columns);
	wrap_text(out, writer_text(&sheet, report->loading->resume->checkpoint), 0, 2, columns);
	buf_char(out, '\n');
	put_components(&sheet);
	put_findings(&sheet);
	put_reads(&sheet);
	put_rank(&sheet);
}
