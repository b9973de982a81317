#include "cost/calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How far a table's say reaches (nccl-tests tables left out one by one), in steps of its weight. */
static const double reach = .3, doubt = .3;

/* The profile of a table's system; false when its device is not known. */
static bool profile_of(struct profile *profile, struct arena *arena,
		       const struct measurement *table)
{
	profile_init(profile, arena);
	if (!profile_gpu(profile, table->gpu))
		return false;
	profile_fabric(profile, "ib");
	profile->fabric = NULL;
	if (table->fabric && !profile_fabric(profile, table->fabric))
		return false;
	if (table->nic_count > 0) {
		profile->numbers[FIGURE_NIC_COUNT].value = table->nic_count;
		profile->numbers[FIGURE_NIC_BANDWIDTH].value = table->nic_bandwidth;
	}
	return true;
}

void calibration_init(struct calibration *calibration, struct arena *arena)
{
	memset(calibration, 0, sizeof(*calibration));
	calibration->arena = arena;
}

bool calibration_route(const struct calibration *calibration, const struct measurement *table,
		       struct route *route)
{
	struct profile *profile = arena_new(calibration->arena, struct profile);
	struct communicator_place place;

	if (!profile_of(profile, calibration->arena, table))
		return false;
	communicator_place_init(&place, profile, table->ranks, table->nodes);
	place.pcie = place.pcie || table->pcie;
	if (table->nccl && nccl_version(table->nccl))
		place.nccl = nccl_version(table->nccl);
	place.calibration = calibration; /* for what NCCL printed */
	*route = route_of(&place);
	return true;
}

bool calibration_add_log(struct calibration *calibration, struct nccl_log *log)
{
	struct route route;

	if (!calibration_route(calibration, &log->at, &route))
		return false;
	log->at.gpu = route.place.profile->gpu;
	vec_push(calibration->arena, &calibration->logs, log);
	return true;
}

const struct nccl_printed *calibration_printed(const struct calibration *calibration,
					       const struct communicator_place *place)
{
	const struct nccl_log *nearest = NULL;
	int least = 0;
	size_t i;

	for (i = 0; i < calibration->logs.count; i++) {
		const struct nccl_log *log = calibration->logs.items[i];
		const int version = log->at.nccl ? nccl_version(log->at.nccl) : 0;
		const int far = version ? abs(version - place->nccl) : 0;
		if (log->at.ranks != place->ranks || log->at.nodes != place->nodes ||
		    !place->profile->gpu || strcmp(log->at.gpu, place->profile->gpu) != 0 ||
		    (nearest && far >= least))
			continue;
		nearest = log;
		least = far;
	}
	return nearest ? &nearest->printed : NULL;
}

bool calibration_add(struct calibration *calibration, const struct measurement *table)
{
	struct calibration_row row = { .table = table };
	size_t i;

	if (!calibration_route(calibration, table, &row.route))
		return false;
	row.profile = row.route.place.profile;
	for (i = 0; i < table->times.count; i++) {
		double bytes = table->times.items[i].bytes;
		double model = collective_model(&row.route, table->op, bytes);
		struct calibration_point point = { log2(bytes),
						   log(table->times.items[i].time / model) };
		vec_push(calibration->arena, &row.points, point);
	}
	if (!row.points.count)
		return false;
	vec_push(calibration->arena, &calibration->rows, row);
	return true;
}

/* Beyond its sizes a table's say is halved every other octave. */
static double fade(double octaves)
{
	return exp2(-octaves / 2);
}

static double ratio_at(const struct calibration_point *points, size_t count, double size)
{
	size_t i = 0;
	double part;

	if (size <= points[0].size)
		return points[0].ratio * fade(points[0].size - size);
	while (i + 1 < count && points[i + 1].size < size)
		i++;
	if (i + 1 == count)
		return points[i].ratio * fade(size - points[i].size);
	part = (size - points[i].size) / (points[i + 1].size - points[i].size);
	return points[i].ratio + part * (points[i + 1].ratio - points[i].ratio);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_network(const struct route *a, const struct route *b)
{
	const double ours = a->links.outside, theirs = b->links.outside;

	if (a->place.nodes == 1 && b->place.nodes == 1)
		return true;
	return a->place.nodes > 1 && b->place.nodes > 1 &&
	       same_text(a->place.profile->fabric, b->place.profile->fabric) &&
	       ours < 1.1 * theirs && theirs < 1.1 * ours;
}

/* Halvings of likeness; negative: nothing to do with each other. */
static double distance(const struct calibration_row *row, const struct route *route,
		       const struct collective *op)
{
	const struct route *other = &row->route;
	const double ranks = fabs(log2((double)route->place.ranks / (double)other->place.ranks));
	const double nodes = fabs(log2((double)route->place.nodes / (double)other->place.nodes));
	const bool same_gpu = same_text(route->place.profile->gpu, other->place.profile->gpu);
	double far = ranks * .5 + nodes * .5;

	if (!same_network(route, other) || route->place.pcie != other->place.pcie ||
	    !same_text(route->place.profile->generation, other->place.profile->generation))
		return -1;
	if (row->table->op != op) {
		if (op->op == NCCL_POINT_TO_POINT || row->table->op->op == NCCL_POINT_TO_POINT)
			return -1;
		far += 1;
	}
	if (!same_gpu)
		far += .2;
	if ((route->place.pcie || route->system.capability < 80) && far > 0)
		return -1; /* host bridges and meshes of links: each number of devices is another
			      layout */
	return far + fmin(.5, .1 * abs(route->place.nccl - other->place.nccl));
}

/* Octaves between the sizes around one; 0 beyond the first and last. */
static double gap_at(const struct calibration_row *row, double size)
{
	size_t i;

	for (i = 0; i + 1 < row->points.count; i++)
		if (row->points.items[i].size <= size && size <= row->points.items[i + 1].size)
			return row->points.items[i + 1].size - row->points.items[i].size;
	return 0;
}

struct correction calibration_at(const struct calibration *calibration, const struct route *route,
				 const struct collective *op, double bytes)
{
	struct correction correction = { 1, 1.35, false };
	double weights = doubt, sum = 0, nearest = HUGE_VAL, gap = 0;
	size_t i;

	for (i = 0; i < calibration->rows.count; i++) {
		const struct calibration_row *row = &calibration->rows.items[i];
		double far = distance(row, route, op), weight;
		if (far < 0)
			continue;
		weight = exp(-far / reach);
		weights += weight;
		sum += weight * ratio_at(row->points.items, row->points.count, log2(bytes));
		if (far < nearest) {
			nearest = far;
			gap = gap_at(row, log2(bytes));
		}
	}
	if (nearest < .01) /* measured on this very system: no doubt */
		weights -= doubt * .9;
	correction.factor = exp(sum / weights);
	correction.own = nearest < 1;
	correction.spread = nearest < .01 ? 1.08 : nearest < .5 ? 1.12 : 1.2;
	if (route->place.nodes > 1) /* networks of one name differ */
		correction.spread = 1.35;
	correction.spread *= 1 + .02 * fmax(0, gap - 1);
	return correction;
}

/* The ratio at a point by those around it. */
static double by_others(const struct calibration_row *row, size_t at)
{
	struct calibration_point others[2];
	size_t count = 0;

	if (at > 0)
		others[count++] = row->points.items[at - 1];
	if (at + 1 < row->points.count)
		others[count++] = row->points.items[at + 1];
	return ratio_at(others, count, row->points.items[at].size);
}

static int by_value(const void *a, const void *b)
{
	const double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static double median(double *values, size_t count)
{
	if (!count)
		return -1;
	qsort(values, count, sizeof(*values), by_value);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

struct calibration_fit calibration_fit(const struct calibration_row *const *rows, size_t count,
				       double from, double to)
{
	struct {
		VEC(double) model, left_out;
	} errors = { 0 };
	struct arena arena;
	struct calibration_fit fit;
	size_t i, j;

	arena_init(&arena);
	for (i = 0; i < count; i++)
		for (j = 0; j < rows[i]->points.count; j++) {
			const struct calibration_point *point = &rows[i]->points.items[j];
			double bytes = rows[i]->table->times.items[j].bytes;
			if (bytes < from || bytes >= to)
				continue;
			vec_push(&arena, &errors.model, fabs(exp(-point->ratio) - 1));
			if (rows[i]->points.count > 1)
				vec_push(&arena, &errors.left_out,
					 fabs(exp(by_others(rows[i], j) - point->ratio) - 1));
		}
	fit.model = median(errors.model.items, errors.model.count);
	fit.left_out = median(errors.left_out.items, errors.left_out.count);
	arena_release(&arena);
	return fit;
}
