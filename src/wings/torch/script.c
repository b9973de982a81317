#include "framework/torch/custom.h"
#include "framework/torch/resume.h"

#include <stddef.h>

/* A script that builds its meshes itself: the native config's `mesh:` block. */

static int claims(const struct job *job)
{
	return setting_known(&job->settings.items[FIELD_MESH]) ? 90 : 0;
}

const struct framework framework_custom_mesh = {
	.name = "torch",
	.summary = "the meshes of a script of one's own, executed on DeviceMesh",
	.claims = claims,
	.apply = custom_mesh_apply,
	.complete = custom_mesh_complete,
	.resume = torch_resume,
};
