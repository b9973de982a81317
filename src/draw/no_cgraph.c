#include "draw/device.h"
#include "draw/dot.h"

/*
 * Stands for dot.c and graphviz.c in a build without Graphviz's cgraph (make CGRAPH=no), as a
 * static program is: Debian has no archive of that library.
 */
static const char *refuse(const struct canvas *canvas, const struct look *look, struct buf *out)
{
	(void)canvas;
	(void)look;
	(void)out;
	return "this parplan is built without Graphviz's cgraph, which .dot, .png and .pdf need; "
	       ".svg and text do without it";
}

const struct device device_dot = {
	.name = "dot",
	.summary = "not in this build",
	.write = refuse,
};

const struct device device_png = {
	.name = "png",
	.summary = "not in this build",
	.write = refuse,
};

const struct device device_pdf = {
	.name = "pdf",
	.summary = "not in this build",
	.write = refuse,
};

const char *dot_library(void)
{
	return NULL;
}
