#include "cli/meter.h"

#include "base/outward.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A command that never steps is at work all the same. Only what a signal may do is done here. */
static void say_working(int signal)
{
	static const char text[] = "parplan: working; Ctrl-C stops it\r";

	(void)signal;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		return;
}

/* Has the alarm rung once after so many microseconds; 0: not at all. */
static void set_alarm(long microseconds)
{
	const struct itimerval timer = { .it_value = { .tv_usec = microseconds } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

void meter_start(struct meter *meter)
{
	const char *term = getenv("TERM");
	struct sigaction action = { .sa_handler = say_working, .sa_flags = SA_RESTART };

	memset(meter, 0, sizeof(*meter));
	meter->on = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
	if (!meter->on)
		return;
	meter->start = seconds_now();
	sigaction(SIGALRM, &action, NULL);
	set_alarm((long)(PROGRESS_AFTER * 1e6));
}

void meter_step(struct meter *meter, size_t done, size_t total)
{
	struct buf line;

	if (!meter->on)
		return;
	buf_init(&line);
	meter->progress.done = done;
	meter->progress.total = total;
	if (progress_line(&meter->progress, seconds_now() - meter->start, &line))
		outward_screen(STDERR_FILENO, line.data);
	buf_release(&line);
}

void meter_layouts(void *meter, size_t done, size_t total)
{
	((struct meter *)meter)->progress.unit = "layouts";
	meter_step(meter, done, total);
}

void meter_clear(struct meter *meter)
{
	struct buf line;

	if (!meter->on)
		return;
	buf_init(&line);
	progress_erase(&meter->progress, seconds_now() - meter->start, &line);
	outward_screen(STDERR_FILENO, line.data);
	buf_release(&line);
}

void meter_stop(struct meter *meter)
{
	if (meter->on)
		set_alarm(0);
	meter_clear(meter);
	meter->on = false;
}
