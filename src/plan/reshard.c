#include "plan/reshard.h"

#include "base/number.h"
#include "plan/meeting.h"

#include <stdlib.h>
#include <string.h>

/* All tensors of one saved and one new spread on the ranks of one pipeline coordinate. */
struct gathering {
	struct meeting meeting;
	int old, new; /* spreads */
	int64_t pp;
	int64_t element; /* bytes of one element of all of them */
	int64_t tensors;
	VEC(const int32_t *) files;   /* by old box: those of every tensor */
	int32_t *reach_start, *reach; /* by old box: the files of all tensors, each once */
};

struct work {
	const struct loader *loader;
	struct arena *arena;
	struct reshard *reshard;
	struct load *load;
	VEC(struct gathering *) gatherings;
	uint32_t *stamp, token;	 /* by file: last seen under which token */
	bool *everyone;		 /* by pp and file: every rank of that coordinate opens it */
	int64_t *everyone_count; /* by pp */
	bool *opened;		 /* by file */
};

static struct gathering *gathering_of(struct work *work, int old, int new, int64_t pp)
{
	struct gathering *gathering;
	size_t i;

	for (i = work->gatherings.count; i > 0; i--) {
		gathering = work->gatherings.items[i - 1];
		if (gathering->old == old && gathering->new == new && gathering->pp == pp)
			return gathering;
	}
	gathering = arena_new(work->arena, struct gathering);
	gathering->old = old;
	gathering->new = new;
	gathering->pp = pp;
	meeting_init(&gathering->meeting, work->arena, work->loader->saved->spreads.items[old],
		     work->loader->spreads.items[new]);
	if (gathering->meeting.cut_off && work->reshard)
		work->reshard->cut_off = true;
	vec_push(work->arena, &work->gatherings, gathering);
	return gathering;
}

static bool same_size(const struct spread *a, const struct spread *b)
{
	return a->dims == b->dims && !memcmp(a->shape, b->shape, (size_t)a->dims * sizeof(int64_t));
}

/* True when the boxes hold every element once. A grid always does. */
static bool covers(const struct spread *spread)
{
	int64_t volume = 0, i;

	if (!spread->list)
		return true;
	for (i = 0; i < spread->boxes; i++)
		volume = add(volume, box_volume(&spread->list[i]));
	return volume == spread_volume(spread);
}

static void note_cover(struct work *work, const struct saved_tensor *tensor,
		       const struct spread *spread)
{
	if (covers(spread))
		return;
	if (!work->reshard->uncovered++)
		work->reshard->first_uncovered = tensor->fqn;
}

static void gather(struct work *work)
{
	const struct loader *loader = work->loader;
	size_t i;

	for (i = 0; i < loader->wanted.count; i++) {
		const struct wanted *wanted = &loader->wanted.items[i];
		const struct saved_tensor *tensor = saved_find(loader->saved, wanted->key);
		const struct spread *new = loader->spreads.items[wanted->spread], *old;
		struct gathering *gathering;
		old = tensor ? loader->saved->spreads.items[tensor->spread] : NULL;
		if (!old || !same_size(old, new)) {
			work->reshard->unmatched++;
			continue;
		}
		gathering = gathering_of(work, tensor->spread, wanted->spread, wanted->pp);
		gathering->element += tensor->element;
		gathering->tensors++;
		vec_push(work->arena, &gathering->files, tensor->file);
		note_cover(work, tensor, old);
		work->reshard->tensors++;
		work->reshard->distinct =
			add(work->reshard->distinct, multiply(spread_volume(old), tensor->element));
	}
}

static int64_t pp_of(const struct loader *loader, int64_t rank)
{
	return loader->pp_of ? loader->pp_of[rank] : 0;
}

static void add_bytes(struct work *work, int64_t rank, const struct gathering *gathering)
{
	const struct spread *new = gathering->meeting.new;
	struct load *load = &work->load[rank];
	struct overlap overlap;

	if (new->box_of[rank] < 0)
		return;
	overlap = meeting_overlap(&gathering->meeting, new->box_of[rank]);
	load->needed = add(load->needed, multiply(overlap.needed, gathering->element));
	load->read = add(load->read, multiply(overlap.read, gathering->element));
	load->chunks = add(load->chunks, multiply(overlap.boxes, gathering->tensors));
}

/* ---- Files ---- */

static int by_address(const void *a, const void *b)
{
	uintptr_t left = (uintptr_t) * (const int32_t *const *)a;
	uintptr_t right = (uintptr_t) * (const int32_t *const *)b;

	return (left > right) - (left < right);
}

/* Tensors alike of one writer share their table of files. */
static size_t drop_repeats(const int32_t **files, size_t count)
{
	size_t i, kept = 0;

	qsort(files, count, sizeof(*files), by_address);
	for (i = 0; i < count; i++)
		if (!kept || files[kept - 1] != files[i])
			files[kept++] = files[i];
	return kept;
}

static void reach(struct work *work, struct gathering *gathering)
{
	int64_t boxes = gathering->meeting.old->boxes, box;
	VEC(int32_t) files = { 0 };
	size_t i;

	gathering->files.count = drop_repeats(gathering->files.items, gathering->files.count);
	gathering->reach_start =
		arena_array(work->arena, (size_t)boxes + 1, sizeof(*gathering->reach_start));
	for (box = 0; box < boxes; box++) {
		work->token++;
		gathering->reach_start[box] = (int32_t)files.count;
		for (i = 0; i < gathering->files.count; i++) {
			int32_t file = gathering->files.items[i][box];
			if (work->stamp[file] == work->token)
				continue;
			work->stamp[file] = work->token;
			vec_push(work->arena, &files, file);
		}
	}
	gathering->reach_start[box] = (int32_t)files.count;
	gathering->reach = files.items;
}

/* Entries are read whole by all ranks of a pipeline coordinate. */
static void note_everyone(struct work *work)
{
	const struct loader *loader = work->loader;
	size_t files = loader->saved->files.count, i;
	int64_t pp;

	work->everyone = arena_array(work->arena, files * (size_t)loader->pp, sizeof(bool));
	work->everyone_count =
		arena_array(work->arena, (size_t)loader->pp, sizeof(*work->everyone_count));
	for (i = 0; i < loader->asked.count; i++) {
		const struct asked *asked = &loader->asked.items[i];
		int32_t file = loader->saved->entries.items[asked->entry].file;
		for (pp = 0; pp < loader->pp; pp++) {
			bool *seen = &work->everyone[(size_t)pp * files + (size_t)file];
			if ((asked->pp >= 0 && asked->pp != pp) || *seen)
				continue;
			*seen = true;
			work->everyone_count[pp]++;
			work->opened[file] = true;
		}
	}
}

static int64_t count_files(struct work *work, int64_t rank)
{
	size_t files = work->loader->saved->files.count, i;
	int64_t pp = pp_of(work->loader, rank), count = work->everyone_count[pp], box;

	work->token++;
	for (i = 0; i < work->gatherings.count; i++) {
		const struct gathering *gathering = work->gatherings.items[i];
		int32_t new_box = gathering->meeting.new->box_of[rank], at;
		struct walk walk;
		if ((gathering->pp >= 0 && gathering->pp != pp) || new_box < 0)
			continue;
		walk_begin(&walk, &gathering->meeting, new_box);
		while ((box = walk_next(&walk)) >= 0)
			for (at = gathering->reach_start[box]; at < gathering->reach_start[box + 1];
			     at++) {
				int32_t file = gathering->reach[at];
				if (work->stamp[file] == work->token)
					continue;
				work->stamp[file] = work->token;
				count += !work->everyone[(size_t)pp * files + (size_t)file];
				work->opened[file] = true;
			}
	}
	return count;
}

/* ---- Ranks alike ---- */

static uint64_t hash_rank(const struct loader *loader, int64_t rank)
{
	uint64_t hash = (uint64_t)pp_of(loader, rank) + 0x9e3779b97f4a7c15u;
	size_t i;

	for (i = 0; i < loader->spreads.count; i++) {
		hash ^= (uint64_t)(uint32_t)loader->spreads.items[i]->box_of[rank];
		hash *= 0xff51afd7ed558ccdu;
		hash ^= hash >> 32;
	}
	return hash;
}

static bool ranks_alike(const struct loader *loader, int64_t a, int64_t b)
{
	size_t i;

	if (pp_of(loader, a) != pp_of(loader, b))
		return false;
	for (i = 0; i < loader->spreads.count; i++)
		if (loader->spreads.items[i]->box_of[a] != loader->spreads.items[i]->box_of[b])
			return false;
	return true;
}

/* Counts once for all ranks that have the same boxes. */
static void count_all_files(struct work *work)
{
	const struct loader *loader = work->loader;
	size_t room = 16, at;
	int64_t *table, rank;

	while (room < (size_t)loader->ranks * 2)
		room *= 2;
	table = arena_array(work->arena, room, sizeof(*table)); /* rank + 1; 0: free */
	for (rank = 0; rank < loader->ranks; rank++) {
		at = hash_rank(loader, rank) & (room - 1);
		while (table[at] && !ranks_alike(loader, table[at] - 1, rank))
			at = (at + 1) & (room - 1);
		if (table[at]) {
			work->load[rank].files = work->load[table[at] - 1].files;
			continue;
		}
		table[at] = rank + 1;
		work->load[rank].files = count_files(work, rank);
	}
}

static void add_up(struct work *work)
{
	struct reshard *reshard = work->reshard;
	size_t i;
	int64_t rank;

	for (rank = 0; rank < reshard->ranks; rank++) {
		const struct load *load = &work->load[rank];
		reshard->total.needed = add(reshard->total.needed, load->needed);
		reshard->total.read = add(reshard->total.read, load->read);
		reshard->total.chunks = add(reshard->total.chunks, load->chunks);
		reshard->total.files += load->files;
		if (load->read > work->load[reshard->most].read)
			reshard->most = rank;
		if (load->files > work->load[reshard->most_files].files)
			reshard->most_files = rank;
	}
	for (i = 0; i < work->loader->saved->files.count; i++)
		reshard->opened += work->opened[i];
}

void reshard_compute(struct reshard *reshard, const struct loader *loader)
{
	struct work work = { .loader = loader, .arena = loader->arena, .reshard = reshard };
	size_t files = loader->saved->files.count, i;
	int64_t rank;

	memset(reshard, 0, sizeof(*reshard));
	reshard->ranks = loader->ranks;
	work.load = arena_array(loader->arena, (size_t)loader->ranks, sizeof(*work.load));
	work.stamp = arena_array(loader->arena, files, sizeof(*work.stamp));
	work.opened = arena_array(loader->arena, files, sizeof(*work.opened));
	gather(&work);
	for (i = 0; i < work.gatherings.count; i++) {
		const struct gathering *gathering = work.gatherings.items[i];
		for (rank = 0; rank < loader->ranks; rank++)
			if (gathering->pp < 0 || gathering->pp == pp_of(loader, rank))
				add_bytes(&work, rank, gathering);
		reach(&work, work.gatherings.items[i]);
	}
	note_everyone(&work);
	count_all_files(&work);
	reshard->load = work.load;
	add_up(&work);
}

/* ---- The reads of one rank ---- */

static struct reading read_box(const struct saved_tensor *tensor, int64_t number,
			       const struct box *saved, const struct box *own)
{
	struct reading reading = { .tensor = tensor, .box = number, .saved = *saved };
	int i;

	reading.part.dims = own->dims;
	for (i = 0; i < own->dims; i++) {
		int64_t start =
			saved->offset[i] > own->offset[i] ? saved->offset[i] : own->offset[i];
		int64_t saved_end = saved->offset[i] + saved->shape[i];
		int64_t own_end = own->offset[i] + own->shape[i];
		reading.part.offset[i] = start;
		reading.part.shape[i] = (saved_end < own_end ? saved_end : own_end) - start;
		reading.dest[i] = start - own->offset[i];
	}
	reading.needed = multiply(box_volume(&reading.part), tensor->element);
	reading.read = multiply(box_volume(saved), tensor->element);
	return reading;
}

static void list_tensor(struct readings *readings, struct arena *arena,
			const struct meeting *meeting, const struct saved_tensor *tensor,
			int64_t new_box)
{
	struct box own = spread_box(meeting->new, new_box), saved;
	struct walk walk;
	int64_t box;

	walk_begin(&walk, meeting, new_box);
	while ((box = walk_next(&walk)) >= 0) {
		saved = spread_box(meeting->old, box);
		vec_push(arena, &readings->list, read_box(tensor, box, &saved, &own));
	}
}

void reshard_list(struct readings *readings, struct arena *arena, const struct loader *loader,
		  int64_t rank)
{
	struct work work = { .loader = loader, .arena = arena };
	int64_t pp = pp_of(loader, rank);
	size_t i;

	memset(readings, 0, sizeof(*readings));
	for (i = 0; i < loader->wanted.count; i++) {
		const struct wanted *wanted = &loader->wanted.items[i];
		const struct saved_tensor *tensor = saved_find(loader->saved, wanted->key);
		const struct spread *new = loader->spreads.items[wanted->spread];
		if (!tensor || (wanted->pp >= 0 && wanted->pp != pp) || new->box_of[rank] < 0 ||
		    !same_size(loader->saved->spreads.items[tensor->spread], new))
			continue;
		list_tensor(readings, arena,
			    &gathering_of(&work, tensor->spread, wanted->spread, 0)->meeting,
			    tensor, new->box_of[rank]);
	}
}
