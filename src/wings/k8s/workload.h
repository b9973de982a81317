#ifndef WINGS_K8S_WORKLOAD_H
#define WINGS_K8S_WORKLOAD_H

#include "base/arena.h"
#include "base/vec.h"
#include "input/node.h"

/*
 * What a Kubernetes manifest starts, whatever its kind: sets of like pods, and what each pod is
 * given. Numbers stay nodes: they may be templates, and findings point at them.
 */

/* A set of like pods that compute. */
struct pod_set {
	const struct node *replicas;  /* how many; NULL: one */
	const struct node *times;     /* each of them so often (JobSet's parallelism); NULL: once */
	const struct node *pod;	      /* the pod's spec; NULL when only resources are known */
	const struct node *container; /* the one that trains, or NULL */
};

struct workload {
	const char *kind;
	VEC(struct pod_set) sets;
	const struct node *per_pod;	    /* spec.nprocPerNode and the like, or NULL */
	const struct node *elastic_per_pod; /* spec.elasticPolicy.nProcPerNode, or NULL */
	const struct node *devices;	    /* of each pod: a limit or request of GPUs, or NULL */
	const struct node *cpus; /* of each pod: requests.cpu before limits.cpu, or NULL */
	const struct node *command, *args; /* of the container that trains, or NULL */
	const struct node *environment;	   /* its list of names and values, or NULL */
	bool counts_devices; /* a kind for jobs: a process on each device, where no number is given
			      */
	bool counts_cpus;    /* processes follow the CPUs where no device is asked for */
	bool is_job;	     /* something is started; a runtime only says how it would be */
};

/* Reads the main document and those that it refers to, linked by `next` from `documents`. */
struct workload *workload_of(struct arena *arena, const struct node *root,
			     const struct node *documents);

#endif
