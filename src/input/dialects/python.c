#include "input/document.h"

/*
 * Python programs that make no config which a wing reads: a training script is started by a launch
 * line, and it is that line, or the config it names, which can be judged.
 */

static int python_detect(const struct document *document)
{
	return document->program ? 1 : 0;
}

static void python_compose(struct document *document, struct findings *findings)
{
	(void)findings;
	document->no_job = "a Python program in which no function makes a config that is known; "
			   "name the config that it uses, with its launch line behind '--'";
}

static void python_settle(struct document *document, moment_t when, struct settings *settings,
			  struct findings *findings)
{
	(void)document, (void)when, (void)settings, (void)findings;
}

const struct dialect dialect_python = {
	.name = "python",
	.summary = "Python programs that make no config which is known",
	.signs = "its name, which ends in .py",
	.detect = python_detect,
	.compose = python_compose,
	.settle = python_settle,
};
