/*
 * The groups of a job as MPI makes them: every rank says, knowing only its own number, which group
 * of each kind it belongs to, and MPI_Comm_split brings them together. One line for each group:
 * "tp 0 1". Arguments, for one job after the other (starting processes is what takes time): world
 * tp cp pp ep etp, and 1 for --use-tp-pp-dp-mapping; ranks behind a world have no part in it. Each
 * job ends with a line "end".
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TP, CP, DP, PP, AXES };
enum { TEXT = 4096 };

/* What a rank is along each axis: the remainders of a division by one size after the other. */
static void find(int rank, const int *order, const int *size, int *at)
{
	for (int i = 0; i < AXES; i++) {
		at[order[i]] = rank % size[order[i]];
		rank /= size[order[i]];
	}
}

/* A number that is the same for those who agree in all axes that the group does not join. */
static int colour(const int *at, const int *size, unsigned int joins)
{
	int number = 0;

	for (int axis = 0; axis < AXES; axis++)
		number = number * size[axis] + (joins >> axis & 1 ? 0 : at[axis]);
	return number;
}

/* Adds a line to `text` on the first rank of each group. */
static void split(char *text, MPI_Comm job, const char *name, const int *at, const int *size,
		  unsigned int joins)
{
	int rank, count, self, *members;
	MPI_Comm group;

	MPI_Comm_rank(job, &rank);
	MPI_Comm_split(job, colour(at, size, joins), rank, &group);
	MPI_Comm_size(group, &count);
	MPI_Comm_rank(group, &self);
	members = malloc((size_t)count * sizeof(*members));
	MPI_Allgather(&rank, 1, MPI_INT, members, 1, MPI_INT, group);
	if (self == 0) {
		size_t length = strlen(text);
		length += (size_t)snprintf(text + length, TEXT - length, "%s", name);
		for (int i = 0; i < count; i++)
			length += (size_t)snprintf(text + length, TEXT - length, " %d", members[i]);
		snprintf(text + length, TEXT - length, "\n");
	}
	free(members);
	MPI_Comm_free(&group);
}

/* The lines of all ranks, printed by one: output of several gets mixed up. */
static void print(const char *text, MPI_Comm job, int rank, int world)
{
	char *all = rank ? NULL : malloc((size_t)world * TEXT);

	MPI_Gather(text, TEXT, MPI_CHAR, all, TEXT, MPI_CHAR, 0, job);
	for (int i = 0; !rank && i < world; i++)
		fputs(all + (size_t)i * TEXT, stdout);
	if (!rank)
		puts("end");
	free(all);
}

/* All groups of one job, of which this process is one rank. */
static void run(MPI_Comm job, char **degrees)
{
	static const struct {
		const char *name;
		unsigned int joins;
	} dense[] = { { "tp", 1 << TP },
		      { "cp", 1 << CP },
		      { "dp", 1 << DP },
		      { "pp", 1 << PP },
		      { "dp_cp", 1 << DP | 1 << CP },
		      { "mp", 1 << TP | 1 << PP },
		      { "tp_dp", 1 << TP | 1 << DP },
		      { "tp_cp", 1 << TP | 1 << CP },
		      { "tp_dp_cp", 1 << TP | 1 << DP | 1 << CP } },
	  expert[] = { { "etp", 1 << TP },
		       { "ep", 1 << CP },
		       { "expert_dp", 1 << DP },
		       { "etp_ep", 1 << TP | 1 << CP },
		       { "etp_ep_pp", 1 << TP | 1 << CP | 1 << PP } };
	static const int usual[AXES] = { TP, CP, DP, PP }, other[AXES] = { TP, CP, PP, DP };
	const int *order = strcmp(degrees[5], "1") ? usual : other;
	int size[AXES], at[AXES], world, rank;
	char text[TEXT] = "";

	MPI_Comm_size(job, &world);
	MPI_Comm_rank(job, &rank);
	size[TP] = atoi(degrees[0]);
	size[CP] = atoi(degrees[1]);
	size[PP] = atoi(degrees[2]);
	size[DP] = world / (size[TP] * size[CP] * size[PP]);
	find(rank, order, size, at);
	for (size_t i = 0; i < sizeof(dense) / sizeof(dense[0]); i++)
		split(text, job, dense[i].name, at, size, dense[i].joins);
	/* the second grid: ep stands where cp does */
	size[TP] = atoi(degrees[4]);
	size[CP] = atoi(degrees[3]);
	size[DP] = world / (size[TP] * size[CP] * size[PP]);
	find(rank, order, size, at);
	for (size_t i = 0; i < sizeof(expert) / sizeof(expert[0]); i++)
		split(text, job, expert[i].name, at, size, expert[i].joins);
	print(text, job, rank, world);
}

int main(int argc, char **argv)
{
	int rank, count;
	MPI_Comm job;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &count);
	if (argc % 7 != 1)
		MPI_Abort(MPI_COMM_WORLD, 2);
	for (int i = 1; i < argc; i += 7) {
		if (atoi(argv[i]) > count)
			MPI_Abort(MPI_COMM_WORLD, 2);
		MPI_Comm_split(MPI_COMM_WORLD, rank < atoi(argv[i]) ? 0 : MPI_UNDEFINED, rank,
			       &job);
		if (job == MPI_COMM_NULL)
			continue;
		run(job, argv + i + 1);
		MPI_Comm_free(&job);
	}
	MPI_Finalize();
	return 0;
}
