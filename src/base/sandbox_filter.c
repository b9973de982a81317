#ifdef __linux__
#define _GNU_SOURCE /* syscall; NOLINT(bugprone-reserved-identifier) */
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
static const int typing[] = { TIOCSTI, TIOCLINUX };

enum { STARTING = sizeof(starting) / sizeof(*starting) };
enum { FORBIDDEN = sizeof(forbidden) / sizeof(*forbidden) };
enum { TYPING = sizeof(typing) / sizeof(*typing) };
/* One for each number that is refused, and what stands around them. */
enum { AROUND = 9, INSTRUCTIONS = STARTING + FORBIDDEN + TYPING + AROUND };
_Static_assert(INSTRUCTIONS < 256, "a filter jumps no further");

struct program {
	struct sock_filter code[INSTRUCTIONS];
	unsigned char count, last; /* the last one refuses the call */
};

static void say(struct program *program, unsigned short code, size_t k)
{
	program->code[program->count++] = (struct sock_filter)BPF_STMT(code, (unsigned int)k);
}

/* Compares what was loaded with `k` and goes over so many instructions. */
static void compare(struct program *program, unsigned short how, unsigned int k, int if_so,
		    int if_not)
{
	program->code[program->count++] = (struct sock_filter)BPF_JUMP(
		BPF_JMP | how | BPF_K, k, (unsigned char)if_so, (unsigned char)if_not);
}

/* Refuses the call when what was loaded is one of the numbers. */
static void refuse(struct program *program, const int *numbers, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		compare(program, BPF_JEQ, (unsigned int)numbers[i],
			program->last - program->count - 1, 0);
}

static void write_program(struct program *program, bool programs)
{
	program->last = INSTRUCTIONS - 1 - (programs ? STARTING : 0);
	say(program, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	compare(program, BPF_JEQ, MACHINE, 1, 0);
	say(program, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	say(program, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	compare(program, BPF_JGE, OTHER_NUMBERS, program->last - program->count - 1, 0);
	refuse(program, forbidden, FORBIDDEN);
	if (!programs)
		refuse(program, starting, STARTING);
	compare(program, BPF_JEQ, SYS_ioctl, 0, TYPING + 1);
	say(program, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1]));
	refuse(program, typing, TYPING);
	say(program, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	say(program, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
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
