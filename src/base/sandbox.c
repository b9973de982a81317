#ifdef __linux__
#define _GNU_SOURCE /* syscall, O_PATH; NOLINT(bugprone-reserved-identifier) */
#endif
#include "base/sandbox.h"

#include "base/sandbox_filter.h"

#include <stdint.h>
#ifdef __linux__
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* Sanitizers, coverage and valgrind write files and start programs of their own. */
#ifndef SANDBOX
#define SANDBOX 1
#endif
#if !SANDBOX || !defined(__linux__) || defined(__SANITIZE_ADDRESS__)

struct sandbox_means sandbox_means(void)
{
	return (struct sandbox_means) { 0 };
}

void sandbox_enter(const struct sandbox *sandbox)
{
	(void)sandbox;
}

#else

/*
 * Landlock, include/uapi/linux/landlock.h of linux@6.12, written out because headers are often
 * older than kernels. Its calls have one number on all machines (but alpha).
 */
enum { CREATE_RULESET = 444, ADD_RULE, RESTRICT_SELF };
enum { ASK_VERSION = 1, PATH_BENEATH = 1 };
enum {
	EXECUTE = 1 << 0,
	WRITE_FILE = 1 << 1,
	READ_FILE = 1 << 2,
	READ_DIR = 1 << 3,
	REMOVE_FILE = 1 << 5,
	MAKE_DIR = 1 << 7,
	MAKE_REG = 1 << 8,
	TRUNCATE = 1 << 14,
	IOCTL_DEV = 1 << 15
};
enum { TCP_BIND = 1 << 0, TCP_CONNECT = 1 << 1 };
enum { ABSTRACT_SOCKETS = 1 << 0, SIGNALS = 1 << 1 };
enum { OF_READING = READ_FILE | READ_DIR };
enum { OF_WRITING = WRITE_FILE | TRUNCATE | REMOVE_FILE | MAKE_DIR | MAKE_REG };
enum { OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV };

struct ruleset {
	uint64_t files, network, scoped; /* what is forbidden where no rule allows it */
};

struct path_beneath {
	uint64_t allowed;
	int32_t folder;
} __attribute__((packed));

/* What each version of the interface can forbid, and the bytes of it that the version knows. */
static struct ruleset ruleset_of(int version, size_t *size)
{
	static const uint64_t files[] = { 0, 0x1fff, 0x3fff, 0x7fff, 0x7fff, 0xffff };
	const int newest = (int)(sizeof(files) / sizeof(*files)) - 1;
	struct ruleset ruleset = { .files = files[version < newest ? version : newest] };

	*size = sizeof(ruleset.files);
	if (version >= 4) {
		ruleset.network = TCP_BIND | TCP_CONNECT;
		*size += sizeof(ruleset.network);
	}
	if (version >= 6) {
		ruleset.scoped = ABSTRACT_SOCKETS | SIGNALS;
		*size += sizeof(ruleset.scoped);
	}
	return ruleset;
}

/* Allows something at a path and below it. What has no place in a file system, like a pipe that is
 * passed on, needs no rule. */
static void allow(int ruleset, const char *path, uint64_t allowed)
{
	struct path_beneath rule = { allowed, open(path, O_PATH | O_CLOEXEC) };
	struct stat status;

	if (rule.folder < 0)
		return;
	if (!fstat(rule.folder, &status) && !S_ISDIR(status.st_mode))
		rule.allowed &= OF_FILES;
	(void)syscall(ADD_RULE, ruleset, PATH_BENEATH, &rule, 0);
	close(rule.folder);
}

static void bound_files(const struct sandbox *sandbox, int version)
{
	size_t size, i;
	const struct ruleset forbidden = ruleset_of(version, &size);
	const int ruleset = (int)syscall(CREATE_RULESET, &forbidden, size, 0);

	if (ruleset < 0)
		return;
	for (i = 0; i < sandbox->reads.count; i++)
		allow(ruleset, sandbox->reads.items[i], OF_READING);
	for (i = 0; i < sandbox->writes.count; i++)
		allow(ruleset, sandbox->writes.items[i], forbidden.files & OF_WRITING);
	if (sandbox->programs) {
		allow(ruleset, "/", OF_READING | EXECUTE);
		allow(ruleset, "/dev/null", WRITE_FILE);
	}
	(void)syscall(RESTRICT_SELF, ruleset, 0);
	close(ruleset);
}

struct sandbox_means sandbox_means(void)
{
	const long version = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);

	return (struct sandbox_means) { version > 0 ? (int)version : 0, sandbox_filter_known() };
}

void sandbox_enter(const struct sandbox *sandbox)
{
	const struct sandbox_means means = sandbox_means();

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return;
	if (means.landlock)
		bound_files(sandbox, means.landlock);
	if (means.filter)
		sandbox_filter(sandbox->programs);
}

#endif
