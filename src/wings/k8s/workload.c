#include "wings/k8s/workload.h"

#include "base/text.h"
#include "input/field.h"
#include "input/manifest.h"

#include <string.h>

/* The GPUs that a map of resources names: "nvidia.com/gpu", "amd.com/gpu", a template's key. */
static const struct node *devices_in(const struct node *resources)
{
	const struct node *child =
		resources && resources->kind == NODE_MAP ? resources->first : NULL;

	for (; child; child = child->next)
		if (text_ends(child->key, "/gpu") || strstr(child->key, "gpuResource") ||
		    text_starts(child->key, "nvidia.com/mig-"))
			return child->kind == NODE_SCALAR && child->type != SCALAR_NULL ? child
											: NULL;
	return NULL;
}

/* The GPUs of a container: its limits, or what it requests. */
static const struct node *devices_of(const struct node *resources)
{
	const struct node *limits = devices_in(node_member(resources, "limits"));

	return limits ? limits : devices_in(node_member(resources, "requests"));
}

/* The container that has GPUs, else that a controller looks for by name, else the first. */
static const struct node *container_of(const struct node *pod)
{
	static const char *const names[] = { "pytorch", "node", "trainer", "mpi" };
	const struct node *list = node_member(pod, "containers"), *item, *name, *found = NULL;
	size_t i;

	for (item = list ? list->first : NULL; item; item = item->next) {
		if (devices_of(node_member(item, "resources")))
			return item;
		name = node_member(item, "name");
		for (i = 0; name && name->kind == NODE_SCALAR && i < 4; i++)
			if (!found && !strcmp(name->text, names[i]))
				found = item;
	}
	return found || !list ? found : list->first;
}

/* Takes what the container says, where nothing was said before. */
static void take_container(struct workload *workload, const struct node *container)
{
	const struct node *resources = node_member(container, "resources");

	if (!workload->devices)
		workload->devices = devices_of(resources);
	if (!workload->cpus)
		workload->cpus = node_find(resources, "requests.cpu");
	if (!workload->cpus)
		workload->cpus = node_find(resources, "limits.cpu");
	if (!workload->command && !workload->args) {
		workload->command = node_member(container, "command");
		workload->args = node_member(container, "args");
	}
	if (!workload->environment)
		workload->environment = node_member(container, "env");
}

static void add_set(struct arena *arena, struct workload *workload, const struct node *replicas,
		    const struct node *times, const struct node *pod)
{
	struct pod_set set = { replicas, times, pod, container_of(pod) };

	vec_push(arena, &workload->sets, set);
	take_container(workload, set.container);
}

/* spec.pytorchReplicaSpecs and the like: a map of roles. */
static void read_roles(struct arena *arena, struct workload *workload, const struct node *roles,
		       const char *idle)
{
	const struct node *role = roles && roles->kind == NODE_MAP ? roles->first : NULL;

	for (; role; role = role->next)
		if (!idle || strcmp(role->key, idle) != 0)
			add_set(arena, workload, node_member(role, "replicas"), NULL,
				node_find(role, "template.spec"));
}

static void read_pytorch_job(struct arena *arena, struct workload *workload,
			     const struct node *root)
{
	read_roles(arena, workload, node_find(root, "spec.pytorchReplicaSpecs"), NULL);
	workload->per_pod = node_find(root, "spec.nprocPerNode");
	workload->elastic_per_pod = node_find(root, "spec.elasticPolicy.nProcPerNode");
}

static void read_mpi_job(struct arena *arena, struct workload *workload, const struct node *root)
{
	read_roles(arena, workload, node_find(root, "spec.mpiReplicaSpecs"), "Launcher");
	workload->per_pod = node_find(root, "spec.slotsPerWorker");
	take_container(workload, container_of(node_find(
					 root, "spec.mpiReplicaSpecs.Launcher.template.spec")));
}

static void read_hyperpod_job(struct arena *arena, struct workload *workload,
			      const struct node *root)
{
	const struct node *list = node_find(root, "spec.replicaSpecs"), *item;

	for (item = list ? list->first : NULL; item; item = item->next)
		add_set(arena, workload, node_member(item, "replicas"), NULL,
			node_find(item, "template.spec"));
	workload->per_pod = node_find(root, "spec.nprocPerNode");
}

/* Of several sets those with GPUs compute; without any, all do. */
static void keep_those_with_devices(struct workload *workload)
{
	size_t i, kept = 0;

	for (i = 0; workload->devices && i < workload->sets.count; i++)
		if (devices_of(node_member(workload->sets.items[i].container, "resources")))
			workload->sets.items[kept++] = workload->sets.items[i];
	if (kept)
		workload->sets.count = kept;
}

static void read_job_set(struct arena *arena, struct workload *workload, const struct node *root)
{
	const struct node *list = node_find(root, "spec.replicatedJobs"), *item;

	for (item = list ? list->first : NULL; item; item = item->next)
		add_set(arena, workload, node_member(item, "replicas"),
			node_find(item, "template.spec.parallelism"),
			node_find(item, "template.spec.template.spec"));
	keep_those_with_devices(workload);
}

static void read_ray(struct arena *arena, struct workload *workload, const struct node *cluster)
{
	const struct node *list = node_member(cluster, "workerGroupSpecs"), *item;

	add_set(arena, workload, NULL, NULL, node_find(cluster, "headGroupSpec.template.spec"));
	for (item = list ? list->first : NULL; item; item = item->next)
		add_set(arena, workload, node_member(item, "replicas"), NULL,
			node_find(item, "template.spec"));
	keep_those_with_devices(workload);
	workload->command = workload->args = NULL; /* raylets; the job is submitted to them */
}

static void read_ray_job(struct arena *arena, struct workload *workload, const struct node *root)
{
	read_ray(arena, workload, node_find(root, "spec.rayClusterSpec"));
	workload->args = node_find(root, "spec.entrypoint");
}

static void read_ray_cluster(struct arena *arena, struct workload *workload,
			     const struct node *root)
{
	read_ray(arena, workload, node_find(root, "spec"));
}

static void read_leader_worker(struct arena *arena, struct workload *workload,
			       const struct node *root)
{
	add_set(arena, workload, node_find(root, "spec.replicas"),
		node_find(root, "spec.leaderWorkerTemplate.size"),
		node_find(root, "spec.leaderWorkerTemplate.workerTemplate.spec"));
}

/* Volcano's Job (batch.volcano.sh): tasks, each with its pods; a launcher of MPI has no devices. */
static void read_volcano(struct arena *arena, struct workload *workload, const struct node *root)
{
	const struct node *list = node_find(root, "spec.tasks"), *item;

	for (item = list->first; item; item = item->next)
		add_set(arena, workload, node_member(item, "replicas"), NULL,
			node_find(item, "template.spec"));
	keep_those_with_devices(workload);
}

static void read_plain_job(struct arena *arena, struct workload *workload, const struct node *root)
{
	if (node_find(root, "spec.tasks")) {
		read_volcano(arena, workload, root);
		return;
	}
	add_set(arena, workload, node_find(root, "spec.parallelism"), NULL,
		node_find(root, "spec.template.spec"));
}

static void read_replicated(struct arena *arena, struct workload *workload, const struct node *root)
{
	add_set(arena, workload, node_find(root, "spec.replicas"), NULL,
		node_find(root, "spec.template.spec"));
}

static void read_pod(struct arena *arena, struct workload *workload, const struct node *root)
{
	add_set(arena, workload, NULL, NULL, node_find(root, "spec"));
}

/* The replicated job of a runtime whose pods train: "node", and with MPI the workers. */
static const struct node *node_job(const struct node *runtime)
{
	const struct node *list = node_find(runtime, "spec.template.spec.replicatedJobs"), *item;

	for (item = list ? list->first : NULL; item; item = item->next) {
		const struct node *name = node_member(item, "name");
		if (name && name->kind == NODE_SCALAR && !strcmp(name->text, "node"))
			return item;
	}
	return NULL;
}

static const struct node *scalar_at(const struct node *root, const char *path)
{
	const struct node *node = node_find(root, path);

	return node && node->kind == NODE_SCALAR && node->type != SCALAR_NULL ? node : NULL;
}

/* What the runtime says where the job says nothing. */
static void read_runtime(struct workload *workload, const struct node *runtime)
{
	if (!workload->per_pod)
		workload->per_pod = scalar_at(runtime, "spec.mlPolicy.torch.numProcPerNode");
	if (!workload->per_pod)
		workload->per_pod = scalar_at(runtime, "spec.mlPolicy.mpi.numProcPerNode");
	take_container(workload,
		       container_of(node_find(node_job(runtime), "template.spec.template.spec")));
}

/* The runtime that the job refers to, when it is in the same file; or NULL. */
static const struct node *runtime_of(const struct node *root, const struct node *documents)
{
	const struct node *name = scalar_at(root, "spec.runtimeRef.name");
	const struct node *kind = scalar_at(root, "spec.runtimeRef.kind");

	return name ? manifest_find(documents, kind ? kind->text : "ClusterTrainingRuntime",
				    name->text)
		    : NULL;
}

static void read_train_job(struct arena *arena, struct workload *workload, const struct node *root,
			   const struct node *documents)
{
	const struct node *trainer = node_find(root, "spec.trainer");
	const struct node *runtime = runtime_of(root, documents);
	const struct node *nodes = scalar_at(trainer, "numNodes");
	const struct node *resources = node_member(trainer, "resourcesPerNode");
	struct pod_set set = { 0 };

	if (!nodes)
		nodes = scalar_at(runtime, "spec.mlPolicy.numNodes");
	set.replicas = nodes;
	if (nodes)
		vec_push(arena, &workload->sets, set);
	workload->per_pod = scalar_at(trainer, "numProcPerNode");
	workload->devices = devices_of(resources);
	workload->cpus = scalar_at(resources, "requests.cpu");
	if (!workload->cpus)
		workload->cpus = scalar_at(resources, "limits.cpu");
	workload->command = node_member(trainer, "command");
	workload->args = node_member(trainer, "args");
	workload->environment = node_member(trainer, "env");
	workload->counts_cpus = true;
	if (runtime)
		read_runtime(workload, runtime);
}

static const struct {
	const char *kind;
	void (*read)(struct arena *arena, struct workload *workload, const struct node *root);
} readers[] = {
	{ "PyTorchJob", read_pytorch_job },
	{ "HyperPodPyTorchJob", read_hyperpod_job },
	{ "MPIJob", read_mpi_job },
	{ "JobSet", read_job_set },
	{ "RayJob", read_ray_job },
	{ "RayCluster", read_ray_cluster },
	{ "LeaderWorkerSet", read_leader_worker },
	{ "Job", read_plain_job },
	{ "StatefulSet", read_replicated },
	{ "Deployment", read_replicated },
	{ "Pod", read_pod },
};

/* Kinds made for jobs of several workers; others may hold devices for anything. */
static bool is_of_workers(const char *kind, const struct node *root)
{
	if (!strcmp(kind, "Job"))
		return node_find(root, "spec.parallelism") || node_find(root, "spec.tasks");
	return !words_have("Pod|StatefulSet|Deployment", kind);
}

struct workload *workload_of(struct arena *arena, const struct node *root,
			     const struct node *documents)
{
	struct workload *workload = arena_new(arena, struct workload);
	const struct node *kind = scalar_at(root, "kind");
	size_t i;

	workload->kind = kind ? kind->text : "";
	if (!strcmp(workload->kind, "TrainJob")) {
		workload->is_job = workload->counts_devices = true;
		read_train_job(arena, workload, root, documents);
	}
	for (i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (!strcmp(workload->kind, readers[i].kind)) {
			workload->is_job = true;
			workload->counts_devices = is_of_workers(workload->kind, root);
			readers[i].read(arena, workload, root);
		}
	return workload;
}
