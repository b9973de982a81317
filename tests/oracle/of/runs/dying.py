"""A job of two or more ranks that dies in one of many ways: torchrun ... -m of.runs.dying KIND FOLDER. Needs torch."""
import datetime, os, signal, sys, time

import torch
import torch.distributed as dist
from torch import nn

RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
GUILTY = WORLD - 1


def begin(seconds=20, **more):
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=seconds), **more)


def train(act, steps=3):
    """Steps of data parallelism; act(step, loss) on the guilty rank may do as it likes."""
    begin()
    torch.manual_seed(0)
    model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 1)))
    for step in range(steps):
        loss = model(torch.randn(4, 8)).square().mean()
        loss.backward()
        if RANK == GUILTY:
            act(step, loss)
    dist.barrier()


def at_step(wanted, act):
    return lambda: train(lambda step, loss: act(loss) if step == wanted else None)


def killed(loss):
    os.kill(os.getpid(), signal.SIGKILL)


def segfault(loss):
    os.kill(os.getpid(), signal.SIGSEGV)


def leaves(loss):
    sys.exit(3)


def no_label(loss):
    raise ValueError("sample 8812 has no label")


def nan(loss):
    loss = loss * float("nan")
    assert not torch.isnan(loss), "loss is nan at step 1"


def memory(loss):
    torch.empty(1 << 58)


def shapes():
    begin()
    dist.all_reduce(torch.ones(4 + 4 * (RANK == GUILTY)))


def timeout():
    begin(3)
    if RANK == GUILTY:
        time.sleep(12)
        return
    dist.all_reduce(torch.ones(4))


def monitored():
    begin()
    if RANK == GUILTY:
        time.sleep(12)
        return
    dist.monitored_barrier(timeout=datetime.timedelta(seconds=3))


def port():
    import socket

    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    os.environ["TORCHELASTIC_USE_AGENT_STORE"] = "False"
    if RANK == 0:
        begin(5, init_method="tcp://127.0.0.1:%d" % taken.getsockname()[1], rank=0, world_size=WORLD)
    time.sleep(30)


def unreachable():
    begin(4, init_method="tcp://127.0.0.1:1", rank=1, world_size=2)


def clients():
    """More ranks are waited for than were started."""
    os.environ["TORCHELASTIC_USE_AGENT_STORE"] = "False"
    begin(5, init_method="tcp://127.0.0.1:%d" % (int(os.environ["MASTER_PORT"]) ^ 1), rank=RANK, world_size=WORLD + 1)


def mesh():
    from torch.distributed.device_mesh import init_device_mesh

    begin()
    init_device_mesh("cpu", (2, WORLD), mesh_dim_names=("dp", "tp"))


def missing_key():
    import torch.distributed.checkpoint as dcp

    begin()
    folder = os.path.join(sys.argv[2], "checkpoint")
    dcp.save({"model": {"a": torch.ones(4)}}, checkpoint_id=folder)
    dcp.load({"model": {"a": torch.ones(4), "layers.7.weight": torch.ones(4)}}, checkpoint_id=folder)


def other_size():
    import torch.distributed.checkpoint as dcp

    begin()
    folder = os.path.join(sys.argv[2], "checkpoint")
    dcp.save({"model": {"a": torch.ones(4)}}, checkpoint_id=folder)
    dcp.load({"model": {"a": torch.ones(6)}}, checkpoint_id=folder)


def no_checkpoint():
    import torch.distributed.checkpoint as dcp

    begin()
    dcp.load({"a": torch.ones(4)}, checkpoint_id=os.path.join(sys.argv[2], "step-100"))


def module_keys():
    begin()
    model = nn.Linear(4, 4)
    model.load_state_dict({"weight": torch.ones(4, 4), "extra": torch.ones(2)})


def imports():
    import flash_attn_of_nowhere


def no_gpu():
    dist.init_process_group("nccl")
    dist.all_reduce(torch.ones(4))


def loader():
    from torch.utils.data import DataLoader, Dataset

    class Killed(Dataset):
        def __len__(self):
            return 8

        def __getitem__(self, index):
            if RANK == GUILTY:
                os.kill(os.getpid(), signal.SIGKILL)
            return torch.ones(2)

    begin()
    for _ in DataLoader(Killed(), num_workers=1):
        pass
    dist.barrier()


def unused():
    begin()
    model = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
    model.forward = lambda x: model[0](x)
    wrapped = nn.parallel.DistributedDataParallel(model)
    for _ in range(2):
        wrapped(torch.ones(2, 4)).sum().backward()


def norm():
    begin()
    model = nn.Linear(4, 4)
    (model(torch.ones(2, 4)).sum() * float("inf")).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)


KINDS = {"killed": at_step(1, killed), "segfault": at_step(1, segfault), "leaves": at_step(1, leaves), "no label": at_step(1, no_label),
         "nan": at_step(1, nan), "memory": at_step(1, memory), "shapes": shapes, "timeout": timeout, "monitored": monitored,
         "port": port, "unreachable": unreachable, "clients": clients, "mesh": mesh, "missing key": missing_key, "other size": other_size,
         "no checkpoint": no_checkpoint, "module keys": module_keys, "imports": imports, "no gpu": no_gpu, "loader": loader,
         "unused": unused, "norm": norm}

if __name__ == "__main__":
    KINDS[sys.argv[1]]()
