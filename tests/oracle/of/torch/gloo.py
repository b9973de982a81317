"""Worlds of real processes that talk over gloo on 127.0.0.1. Imported only where torch is."""
import importlib, json, os, select, shutil, signal, tempfile, time, traceback

LATER = ("torch._dynamo", "torch.distributed.checkpoint.state_dict", "torch.distributed.pipelining", "torch.distributed.optim", "fsspec")


def warm():
    """Imports what PyTorch would import later, in every rank anew."""
    for name in LATER:
        try:
            importlib.import_module(name)
        except ImportError:  # not in this release
            pass


def said(error):
    """An exception as an answer keeps it."""
    return {"error": {"type": type(error).__name__, "message": str(error)}}


def joined(rank, world, folder):
    """Makes this process a rank of a world that talks over gloo."""
    import torch.distributed as dist

    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    dist.init_process_group("gloo", init_method="file://%s/store" % folder, rank=rank, world_size=world)


def pretended(rank, world, folder):
    """Makes this process a rank of a world that is not there."""
    import torch.distributed as dist
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", rank=rank, world_size=world, store=FakeStore())


def one_rank(rank, world, folder, function, pipe, join):
    """The body of a forked process: joins the world, calls function(rank), writes what it returns."""
    null = os.open(os.path.join(folder, "rank%d.log" % rank), os.O_WRONLY | os.O_CREAT)
    os.dup2(null, 1), os.dup2(null, 2)
    try:
        join(rank, world, folder)
        answer = function(rank)
    except BaseException as error:  # any exception is an answer
        traceback.print_exc()
        answer = said(error)
    with os.fdopen(pipe, "w") as file:
        file.write(json.dumps(answer))
    os._exit(0)  # nobody waits for a rank that has answered, so nothing can hang


def together(world, function, seconds=120, join=joined):
    """What function(rank) returns on each rank of a world of forked processes, {"error": …} where it raised."""
    warm()
    folder = tempfile.mkdtemp(prefix="parplan-gloo-")
    children, pipes = [], []
    for rank in range(world):
        back, forth = os.pipe()
        child = os.fork()
        if not child:
            os.close(back)
            one_rank(rank, world, folder, function, forth, join)
        os.close(forth)
        children.append(child)
        pipes.append(back)
    texts, end = [b""] * world, time.monotonic() + seconds
    left = set(pipes)
    while left and time.monotonic() < end:
        for pipe in select.select(list(left), [], [], 1)[0]:
            data = os.read(pipe, 1 << 16)
            texts[pipes.index(pipe)] += data
            if not data:
                left.discard(pipe)
    for child, pipe in zip(children, pipes):
        os.close(pipe)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    shutil.rmtree(folder, ignore_errors=True)
    return [json.loads(text) if text else {"error": {"type": "Timeout", "message": "no answer"}} for text in texts]
