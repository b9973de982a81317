#ifdef __linux__
#define _GNU_SOURCE /* syscall */
#endif
#include "base/sandbox_filter.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#define MACHINE AUDIT_ARCH_X86_64
#else
#define MACHINE AUDIT_ARCH_AARCH64
#endif
/* The same calls by other numbers (x86-64's x32), linux@6.12 arch/x86/include/uapi/asm/unistd.h. */
enum { OTHER_NUMBERS = 0x40000000 };

static const int starting[] = { SYS_execve, SYS_execveat };

/* Calls that have had one number on all machines since linux@5.1 are written as it: headers that
 * are older than the kernel have no names for them. */
static const int forbidden[] = {
	/* the network, and other processes */
	SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4,
	SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, 434 /* pidfd_open */,
	438 /* pidfd_getfd */, 440 /* process_madvise */, 424 /* pidfd_send_signal */,
	/* calls that are made by way of a queue, which no filter sees */
	425 /* io_uring_setup */, 426 /* io_uring_enter */, 427 /* io_uring_register */,
	/* what files there are, and whose they are, which Landlock leaves alone */
	SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_unshare,
	428 /* open_tree */, 429 /* move_mount */, 430 /* fsopen */, 431 /* fsconfig */,
	432 /* fsmount */, 433 /* fspick */, 442 /* mount_setattr */, SYS_open_by_handle_at,
	SYS_fchmodat, 452 /* fchmodat2 */, SYS_fchown, SYS_fchownat, SYS_utimensat, SYS_setxattr,
	SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
#ifdef __x86_64__
	SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat, SYS_modify_ldt,
	SYS_ioperm, SYS_iopl,
#endif
	/* the kernel itself */
	SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_add_key, SYS_request_key, SYS_keyctl,
	SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot,
	SYS_swapon, SYS_swapoff, SYS_acct, SYS_quotactl, SYS_settimeofday, SYS_clock_settime,
	SYS_adjtimex
};

/* Requests to a terminal that type into it for its user. */
static const unsigned int typing[] = { TIOCSTI, TIOCLINUX };

enum { COUNT_FORBIDDEN = sizeof(forbidden) / sizeof(*forbidden), INSTRUCTIONS = 160 };

struct program {
	struct sock_filter code[INSTRUCTIONS];
	unsigned short count;
};

static void say(struct program *program, unsigned short code, unsigned int k)
{
	program->code[program->count++] = (struct sock_filter)BPF_STMT(code, k);
}

/* Goes over the next `skipped` instructions unless what was loaded is `k`. */
static void unless(struct program *program, unsigned int k, unsigned char skipped)
{
	program->code[program->count++] =
		(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, 0, skipped);
}

static void load(struct program *program, size_t offset)
{
	say(program, BPF_LD | BPF_W | BPF_ABS, (unsigned int)offset);
}

/* Refuses the call when what was loaded is one of the numbers. */
static void refuse(struct program *program, const int *numbers, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		unless(program, (unsigned int)numbers[i], 1);
		say(program, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	}
}

static void write_program(struct program *program, bool programs)
{
	size_t i;

	load(program, offsetof(struct seccomp_data, arch));
	program->code[program->count++] =
		(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
	say(program, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	load(program, offsetof(struct seccomp_data, nr));
	program->code[program->count++] =
		(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, OTHER_NUMBERS, 0, 1);
	say(program, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	if (!programs)
		refuse(program, starting, sizeof(starting) / sizeof(*starting));
	refuse(program, forbidden, COUNT_FORBIDDEN);
	unless(program, SYS_ioctl, 2 * sizeof(typing) / sizeof(*typing) + 1);
	load(program, offsetof(struct seccomp_data, args[1]));
	for (i = 0; i < sizeof(typing) / sizeof(*typing); i++) {
		unless(program, typing[i], 1);
		say(program, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	}
	say(program, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
}

bool sandbox_filter_known(void)
{
	const unsigned int action = SECCOMP_RET_ERRNO;

	return !syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);
}

/* Nothing secret shares the process, so that it need not run slower for what it might guess. */
void sandbox_filter(bool programs)
{
	struct program program = { .count = 0 };
	struct sock_fprog given = { .filter = program.code };

	write_program(&program, programs);
	given.len = program.count;
	(void)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &given);
}

#else

bool sandbox_filter_known(void)
{
	return false;
}

void sandbox_filter(bool programs)
{
	(void)programs;
}

#endif
