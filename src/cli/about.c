#include "cli/about.h"

#include "base/pattern.h"
#include "cli/confine.h"
#include "draw/dot.h"
#include "input/syntax/reader.h"
#include "version.h"

#ifdef __clang__
#define COMPILER       "Clang"
#define COMPILER_MAJOR __clang_major__
#define COMPILER_MINOR __clang_minor__
#else
#define COMPILER       "GCC"
#define COMPILER_MAJOR __GNUC__
#define COMPILER_MINOR __GNUC_MINOR__
#endif

void about_version(struct arena *arena, struct buf *out, bool verbose)
{
	const char *cgraph = dot_library();

	buf_printf(out, "parplan %s\n", VERSION);
	if (!verbose)
		return;
	buf_printf(out, "build: %s, %s %d.%d\n", BUILD_MODE, COMPILER, COMPILER_MAJOR,
		   COMPILER_MINOR);
	buf_printf(out, "libyaml %s\n", yaml_library());
	buf_printf(out, "PCRE2 %s\n", pattern_library(arena));
	buf_printf(out, "toml++ %s\n", toml_library());
	if (cgraph)
		buf_printf(out, "Graphviz cgraph %s\n", cgraph);
	else
		buf_text(out, "no Graphviz cgraph: figures as SVG and text, not as .dot, .png and "
			      ".pdf\n");
	buf_printf(out, "sandbox: %s\n", confine_means(arena));
}
