/* In the sandbox nothing outside can be read or written, no program started, nobody talked to. Each
 * attempt is a process of its own: there is no way back out. */
#ifdef __linux__
#define _GNU_SOURCE /* TIOCSTI, ptrace */
#endif
#include "base/sandbox.h"

#include "base/arena.h"
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char root[] = "/tmp/parplan-sandbox-XXXXXX";

/* A path below the folder of this test. */
static const char *below(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static int close_or_errno(int fd)
{
	return fd < 0 ? errno : close(fd);
}

/* ---- attempts: 0, or errno ---- */

static int read_inside(void)
{
	return close_or_errno(open(below("in/a"), O_RDONLY));
}
static int read_linked(void)
{
	return close_or_errno(open(below("in/link"), O_RDONLY));
}
static int read_outside(void)
{
	return close_or_errno(open(below("secret"), O_RDONLY));
}
static int read_system(void)
{
	return close_or_errno(open("/etc/passwd", O_RDONLY));
}
static int read_environment(void)
{
	return close_or_errno(open("/proc/self/environ", O_RDONLY));
}
static int list_outside(void)
{
	return close_or_errno(open("/", O_RDONLY | O_DIRECTORY));
}
static int write_inside(void)
{
	return close_or_errno(open(below("in/a"), O_WRONLY));
}
static int make_inside(void)
{
	return close_or_errno(open(below("in/n"), O_WRONLY | O_CREAT, 0600));
}
static int write_outside(void)
{
	return close_or_errno(open(below("secret"), O_WRONLY));
}
static int remove_outside(void)
{
	return unlink(below("secret")) ? errno : 0;
}
static int chmod_outside(void)
{
	return chmod(below("secret"), 0777) ? errno : 0;
}
static int make_folder(void)
{
	return mkdir(below("out/d"), 0700) ? errno : 0;
}
static int trace(void)
{
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL) ? errno : 0;
}
static int reach_parent(void)
{
	return kill(getppid(), 0) ? errno : 0;
}
static int internet(void)
{
	return close_or_errno(socket(AF_INET, SOCK_STREAM, 0));
}
static int local_socket(void)
{
	return close_or_errno(socket(AF_UNIX, SOCK_STREAM, 0));
}

static int type_into_terminal(void)
{
	return ioctl(STDIN_FILENO, TIOCSTI, "x") ? errno : 0;
}

static int write_output(void)
{
	struct arena arena;
	int failed;

	arena_init(&arena);
	failed = io_write(&arena, below("out/x"), "text", 4) != NULL ||
		 io_write(&arena, below("out/x"), "again", 5) != NULL;
	arena_release(&arena);
	return failed ? EIO : 0;
}

static int start_program(void)
{
	char name[] = "/bin/true";
	char *const argv[] = { name, NULL };

	execv(name, argv);
	return errno;
}

static int connect_out(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(9) };

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return connect(STDIN_FILENO, (struct sockaddr *)&address, sizeof(address)) ? errno : 0;
}

/* ---- the sandbox ---- */

static struct sandbox *sandbox_of_test(struct arena *arena, bool programs)
{
	struct sandbox *sandbox = arena_new(arena, struct sandbox);

	sandbox->programs = programs;
	vec_push(arena, &sandbox->reads, arena_strdup(arena, below("in")));
	vec_push(arena, &sandbox->reads, "/tmp/of this name there is nothing");
	vec_push(arena, &sandbox->writes, arena_strdup(arena, below("out")));
	return sandbox;
}

/* What an attempt comes to in a process that entered the sandbox. */
static int try(int (*attempt)(void), bool programs)
{
	struct arena arena;
	int status;
	pid_t pid = fork();

	if (!pid) {
		arena_init(&arena);
		sandbox_enter(sandbox_of_test(&arena, programs));
		_exit(attempt());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void write_file(const char *path)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs("text", file);
	fclose(file);
}

static int make_files(void **state)
{
	char target[256];

	(void)state;
	if (!mkdtemp(root) || mkdir(below("in"), 0700) || mkdir(below("out"), 0700))
		return -1;
	write_file(below("in/a"));
	write_file(below("secret"));
	snprintf(target, sizeof(target), "%s", below("secret"));
	return symlink(target, below("in/link"));
}

static int remove_files(void **state)
{
	static const char *const files[] = { "in/a", "in/link", "in/n", "out/x", "secret" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(files) / sizeof(*files); i++)
		unlink(below(files[i]));
	rmdir(below("in"));
	rmdir(below("out/d"));
	rmdir(below("out"));
	return rmdir(root);
}

static bool lacks(bool there, const char *what)
{
	if (!there)
		print_message("not tried: this kernel or build has no %s\n", what);
	return !there;
}

static void bounds_files(void **state)
{
	const int version = sandbox_means().landlock;

	(void)state;
	if (lacks(version > 0, "Landlock"))
		skip();
	assert_int_equal(try(read_inside, false), 0);
	assert_int_equal(try(read_linked, false), EACCES);
	assert_int_equal(try(read_outside, false), EACCES);
	assert_int_equal(try(read_system, false), EACCES);
	assert_int_equal(try(read_environment, false), EACCES);
	assert_int_equal(try(list_outside, false), EACCES);
	assert_int_equal(try(write_inside, false), EACCES);
	assert_int_equal(try(make_inside, false), EACCES);
	assert_int_equal(try(write_outside, false), EACCES);
	assert_int_equal(try(remove_outside, false), EACCES);
	assert_int_equal(try(make_folder, false), 0);
	assert_int_equal(try(write_output, false), 0);
	assert_int_equal(try(reach_parent, false), version >= 6 ? EPERM : 0);
}

static void forbids_calls(void **state)
{
	(void)state;
	if (lacks(sandbox_means().filter, "seccomp"))
		skip();
	assert_int_equal(try(start_program, false), EPERM);
	assert_int_equal(try(internet, false), EPERM);
	assert_int_equal(try(local_socket, false), EPERM);
	assert_int_equal(try(connect_out, false), EPERM);
	assert_int_equal(try(trace, false), EPERM);
	assert_int_equal(try(chmod_outside, false), EPERM);
	assert_int_equal(try(type_into_terminal, false), EPERM);
}

/* Where other programs are started, they run and read, and still write and reach nothing. */
static void lets_programs_run(void **state)
{
	const struct sandbox_means means = sandbox_means();

	(void)state;
	if (lacks(means.landlock && means.filter, "Landlock and seccomp"))
		skip();
	assert_int_equal(try(start_program, true), 0);
	assert_int_equal(try(read_outside, true), 0);
	assert_int_equal(try(write_outside, true), EACCES);
	assert_int_equal(try(write_inside, true), EACCES);
	assert_int_equal(try(write_output, true), 0);
	assert_int_equal(try(internet, true), EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_files),
		cmocka_unit_test(forbids_calls),
		cmocka_unit_test(lets_programs_run),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
