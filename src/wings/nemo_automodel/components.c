#include "wings/nemo_automodel/components.h"

#include "input/components.h"

static const struct component_row rows[] = {
#define COMPONENTS(module, releases, names) { module, releases, names },
#include "wings/nemo_automodel/components.def"
#undef COMPONENTS
};

static const char *const roots[] = { "nemo_automodel", NULL };

static const char *const releases[] = { "v0.1.0", "v0.1.2", "v0.2.0", "v0.3.0",
					"v0.4.0", "v0.5.0", NULL };

/* components/config/loader.py, _resolve_target: in all releases, as a file is read. */
static const struct component_table table = {
	.framework = "nemo-automodel",
	.speaker = "Automodel",
	.key = "_target_",
	.suffix = "_fn",
	.roots = roots,
	.releases = releases,
	.raises = "raises an ImportError",
	.before = "Module '",
	.lacks = "' loaded, but cannot resolve attribute '",
	.path = "' in '",
	.methods = "from_pretrained|from_config",
	.without = "builds nothing without _target_",
	.grows = true,
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
};

void nemo_automodel_components(struct decoder *decoder, const struct document *document)
{
	components_judge(decoder, document, &table);
}
