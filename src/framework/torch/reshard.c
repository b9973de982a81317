#include "framework/torch/reshard.h"

#include "base/text.h"

#include <string.h>

/*
 * Read in 2.3.1 and 2.4.1, 2.5.1 (torch/distributed/_composable/fsdp) and in 2.6.0, 2.7.1, 2.8.0,
 * 2.9.1, 2.10.0, 2.11.0, 2.12.1, 2.14.0 (torch/distributed/fsdp/_fully_shard): _fsdp_init.py,
 * _get_post_forward_mesh_info, and _fsdp_state.py, FSDPState._lazy_init. 2.13.0 was run besides,
 * over meshes of 8, 2 x 4 and 8 x 1 ranks. FSDP2 is not in 2.2.
 */

struct reshard reshard_flag(bool let_go)
{
	return (struct reshard) { .kind = let_go ? RESHARD_YES : RESHARD_NO };
}

/* ZeRO-2 is that they stay (torchtitan@5940ddeb docs/fsdp.md, of FSDP1's SHARD_GRAD_OP). */
const char *reshard_said(const struct settings *settings)
{
	const char *policy = setting_text(settings, FIELD_RESHARD_AFTER_FORWARD, "default");

	if (!strcmp(policy, "default") && setting_int(settings, FIELD_ZERO_STAGE, 3) == 2)
		return "never";
	return policy;
}

struct reshard reshard_policy(const char *policy)
{
	struct reshard reshard = { .kind = RESHARD_UNSAID };

	if (!strcmp(policy, "always") || !strcmp(policy, "never"))
		return reshard_flag(*policy == 'a');
	if (text_to_int(policy, &reshard.ranks))
		reshard.kind = RESHARD_OVER;
	return reshard;
}

bool reshard_refused(struct reshard passed, int64_t ranks)
{
	return passed.kind == RESHARD_OVER &&
	       (passed.ranks < 1 || passed.ranks > ranks || ranks % passed.ranks != 0);
}

/*
 * _lazy_init takes the root's post-forward mesh away: up to 2.7 whatever was passed
 * (torch@v2.7.1 _fsdp_state.py), from 2.8 on where nothing was (torch@v2.8.0, the same place).
 */
static bool root_keeps(const struct torch_release *torch, struct reshard passed)
{
	return passed.kind == RESHARD_UNSAID || !torch_has(torch, TORCH_ROOT_RESHARD_AUTO);
}

/* _get_post_forward_mesh_info takes 1 for False and the number of all ranks for True. */
void reshard_unit(struct unit *unit, const struct torch_release *torch, struct reshard passed,
		  bool root)
{
	const bool number = passed.kind == RESHARD_OVER;
	const int64_t ranks = layout_size(&unit->shard);

	unit->reshard_after_forward = passed.kind != RESHARD_NO && !(number && passed.ranks == 1) &&
				      !(root && root_keeps(torch, passed));
	unit->kept_over = 0;
	if (unit->reshard_after_forward && number && passed.ranks > 1 && passed.ranks < ranks &&
	    ranks % passed.ranks == 0)
		unit->kept_over = passed.ranks;
}

const char *reshard_tensor_text(const struct torch_release *torch)
{
	return torch_has(torch, TORCH_RESHARD_TEXT)
		       ? "Resharding to smaller mesh is not supported for DTensor parameters yet"
		       : "Resharding to smaller mesh with TP is not supported yet";
}
