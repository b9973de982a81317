"""What PyTorch is asked for while a job is parallelized: fully_shard, replicate. Imported only where torch is."""
import functools, re

from of.torchtitan import device

calls = []  # (kind, modules, mesh) in order


def ranks_text(ranks):
    """Ranks in short: 'first+step*count' where they are evenly spaced."""
    ranks = sorted(ranks)
    step = ranks[1] - ranks[0] if len(ranks) > 1 else 0
    even = all(b - a == step for a, b in zip(ranks, ranks[1:]))
    return "%d+%d*%d" % (ranks[0], step, len(ranks)) if even else ",".join(map(str, ranks))


def watch(kind, function):
    @functools.wraps(function)
    def watched(module, *args, **kwargs):
        mesh = kwargs.get("mesh", kwargs.get("device_mesh", args[0] if args else None))
        result = function(module, *args, **kwargs)
        calls.append((kind, list(module) if isinstance(module, (list, tuple)) else [module], mesh))
        return result

    return watched


def install():
    """Before TorchTitan is imported: its names for PyTorch's functions are the watched ones."""
    import importlib

    device.use_cpu()
    for package in ("torch.distributed._composable.fsdp", "torch.distributed.fsdp", "torch.distributed._composable.replicate",
                    "torch.distributed._composable.replicate_with_fsdp", "torch.distributed._composable"):
        try:
            place = importlib.import_module(package)
        except ImportError:
            continue
        for kind in ("fully_shard", "replicate"):
            function = getattr(place, kind, None)
            if callable(function) and not hasattr(function, "__wrapped_by_oracle__"):
                watched = watch(kind, function)
                watched.__wrapped_by_oracle__ = True
                setattr(place, kind, watched)
    try:
        import torch.distributed._symmetric_memory as memory

        memory.enable_symm_mem_for_group = lambda *ignored: None  # needs a device
    except ImportError:
        pass


def clean(name):
    return re.sub(r"(_checkpoint_wrapped_module|_orig_mod)\.?", "", name).strip(".")


def unit_name(names):
    if len(names) == 1:
        return names[0] or "(root)"
    return "[%s]" % ", ".join(names)


def group_of(params):
    """What the parameters of one FSDP group have in common, for the names of experts within their block."""
    parts = [name.split(".")[:-1] for name in params]
    return ".".join(a[0] for a in zip(*parts) if len(set(a)) == 1)


def state_groups(state):
    if hasattr(state, "_fsdp_param_groups"):
        return list(state._fsdp_param_groups)
    return [state._fsdp_param_group] if state._fsdp_param_group is not None else []


def units(parts):
    """Every FSDP unit that has parameters: name, parameters, padded elements, shard ranks, replicate ranks, whether it reshards."""
    import torch
    import torch.distributed as dist

    # up to 2.7 _lazy_init, at the first forward, leaves what the root gathers gathered, whatever it was told
    root_kept = int(torch.__version__.split(".")[1]) < 8
    ranks_of = lambda group: dist.get_process_group_ranks(group)
    names, fqns = {}, {}
    for part in parts:
        for name, module in part.named_modules(remove_duplicate=False):
            names.setdefault(id(module), clean(name))
            for short, parameter in module.named_parameters(recurse=False, remove_duplicate=False):
                fqns.setdefault((id(module), short), clean((name + "." if name else "") + short))
    made = []
    for kind, modules, mesh in calls:
        if kind != "fully_shard":
            continue
        state = modules[0]._get_fsdp_state()
        groups = state_groups(state)
        known = unit_name([names.get(id(module), "?") for module in modules])
        for group in groups:
            params = group.fsdp_params
            if not params:
                continue
            info = group.mesh_info
            mine = [fqns.get((id(p._module_info.module), p._module_info.param_name), "?") for p in params]
            inside = len(groups) > 1 and all("experts" in name and "shared" not in name for name in mine)
            reshards = group.post_forward_mesh_info is not None and not (root_kept and modules[0] in parts)
            shard = getattr(info, "shard_process_group", None)
            replicate = getattr(info, "replicate_process_group", None)
            made.append([group_of(mine) if inside else known, len(params), sum(p.padded_sharded_param_size.numel() for p in params),
                         ranks_text(ranks_of(shard)) if shard is not None else "",
                         ranks_text(ranks_of(replicate)) if replicate is not None else "", reshards])
    return made
