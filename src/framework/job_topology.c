#include "framework/job_topology.h"

#include <string.h>

/* The path as written when it is absolute or from our command line; else beside the config. */
static const char *path_of(struct arena *arena, const struct setting *setting)
{
	const struct source *source = setting->span.source;
	const char *slash = source ? strrchr(source->place, '/') : NULL;

	if (setting->text[0] == '/' || !slash || source->place[0] == '<' ||
	    (setting->origin != ORIGIN_GIVEN && setting->origin != ORIGIN_PROJECT))
		return setting->text;
	return arena_printf(arena, "%.*s%s", (int)(slash - source->place) + 1, source->place,
			    setting->text);
}

const char *job_hosts_path(const struct job *job)
{
	const struct setting *path = &job->settings.items[FIELD_CLUSTER_HOSTS];

	return setting_known(path) ? path_of(job->arena, path) : NULL;
}

/* The slots that all hosts have, or 0. */
static int64_t common_slots(const struct hosts *hosts)
{
	size_t i;

	for (i = 1; i < hosts->list.count; i++)
		if (hosts->list.items[i].slots != hosts->list.items[0].slots)
			return 0;
	return hosts->list.items[0].slots;
}

static bool is_lost(const struct overrides *overrides, const char *name)
{
	size_t i;

	for (i = 0; overrides && i < overrides->lost.count; i++)
		if (!strcmp(overrides->lost.items[i], name))
			return true;
	return false;
}

static void drop_lost(struct hosts *hosts, const struct overrides *overrides)
{
	size_t i, kept = 0;

	for (i = 0; hosts && i < hosts->list.count; i++)
		if (!is_lost(overrides, hosts->list.items[i].name))
			hosts->list.items[kept++] = hosts->list.items[i];
	if (hosts)
		hosts->list.count = kept;
}

void job_read_hosts(struct job *job, const struct job *from)
{
	const struct setting *path = settings_of(&job->settings, FIELD_CLUSTER_HOSTS);
	struct setting *devices = settings_of(&job->settings, FIELD_CLUSTER_GPUS_PER_NODE);

	if (!setting_known(path))
		return;
	job->hosts = from ? from->hosts
			  : hosts_read(job->arena, job_hosts_path(job),
				       path->origin == ORIGIN_SET ? NULL : job->document.bounds,
				       path->span, job->findings);
	if (!from)
		drop_lost(job->hosts, job->document.overrides);
	if (!job->hosts || setting_known(devices) || devices->invalid || !common_slots(job->hosts))
		return;
	devices = settings_put_int(&job->settings, job->arena, FIELD_CLUSTER_GPUS_PER_NODE,
				   common_slots(job->hosts), ORIGIN_DERIVED);
	devices->span = path->span;
	devices->note = "the slots in cluster.hosts";
	setting_from(devices, path);
}

void job_world_of_hosts(struct job *job)
{
	const struct setting *path = settings_of(&job->settings, FIELD_CLUSTER_HOSTS);
	int64_t devices = setting_int(&job->settings, FIELD_CLUSTER_GPUS_PER_NODE, 0);
	int64_t world = 0, slots;
	struct setting *setting;
	size_t i;

	if (!job->hosts || setting_known(settings_of(&job->settings, FIELD_WORLD)))
		return;
	for (i = 0; i < job->hosts->list.count; i++) {
		slots = job->hosts->list.items[i].slots;
		if (!slots || (devices > 0 && devices < slots))
			slots = devices;
		if (slots < 1 || slots > HOST_SLOTS_MAX)
			return;
		world += slots;
	}
	setting = settings_put_int(&job->settings, job->arena, FIELD_WORLD, world, ORIGIN_DERIVED);
	setting->span = path->span;
	setting->note = "the slots of cluster.hosts";
	setting_from(setting, path);
}

void job_place_ranks(struct job *job)
{
	job->topology =
		topology_new(job->arena, &job->settings, job->world, job->hosts, job->findings);
}
