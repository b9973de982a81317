"""Action tables of torch.distributed.pipelining: what every rank computes, first to last, or why the schedule cannot be had."""
from of.torch.fsdp import known_in_logs

NAMES = ["GPipe", "1F1B", "Interleaved1F1B", "LoopedBFS", "InterleavedZeroBubble", "ZBVZeroBubble", "DualPipeV"]
SPLITTING = NAMES[4:]
ODD_NAMES = ["FlexibleInterleaved1F1B", "interleaved1f1b", "gpipe", "1f1b", "dualpipev", "1F2B", "ZBV"]


def make(rng, version):
    """Shapes that mostly run; one in ten has a name that may be none."""
    name = rng.choice(ODD_NAMES) if rng.random() < 0.1 else rng.choice(NAMES)
    pp = rng.choice([1, 2, 2, 3, 4, 4, 5, 6, 8, 8, 12])
    if name in ("ZBVZeroBubble", "DualPipeV"):
        virtual = 2 if rng.random() < 0.9 else rng.choice([1, 3])
    elif name.lower() in ("gpipe", "1f1b"):
        virtual = 1 if rng.random() < 0.95 else 2
    else:
        virtual = rng.choice([1, 2, 2, 2, 3, 4])
    kind = rng.random()
    if kind < 0.5:
        microbatches = pp * rng.randint(1, 4)
    elif kind < 0.7:
        microbatches = pp * virtual + rng.randint(0, 5)
    else:
        microbatches = rng.randint(1, 3 * pp + 4)
    case = {"name": name, "pp": pp, "virtual": virtual, "microbatches": microbatches}
    if name in SPLITTING and rng.random() < 0.1:
        case["compiled"] = True
    return case


def class_of(name):
    """What a name stands for; 2.4 has no get_schedule_class, so that the class itself is imported."""
    from torch.distributed.pipelining import schedules

    if hasattr(schedules, "get_schedule_class"):
        return schedules.get_schedule_class(name)
    module = __import__("torch.distributed.pipelining.schedules", fromlist=["Schedule" + name])
    if not hasattr(module, "Schedule" + name):
        raise ImportError("cannot import name 'Schedule%s' from 'torch.distributed.pipelining.schedules'" % name)
    return getattr(module, "Schedule" + name)


class Stage:
    """As much of a pipeline stage as schedules ask for; what it has to compute is written into a log."""

    def __init__(self, index, rank, pp, stages, log, compiled=False):
        import torch

        self.stage_index, self.group_rank, self.group_size, self.num_stages = index, rank, pp, stages
        self.is_first, self.is_last = index == 0, index == stages - 1
        self.stage_index_to_group_rank = {i: i % pp for i in range(stages)}
        self.submod, self.device, self.has_backward, self.group = torch.nn.Identity(), torch.device("cpu"), False, None
        self.log, self.output = log, torch.zeros(1)
        if compiled:  # a block of the stage, as trainers do it
            self.submod = torch.nn.Sequential(torch.compile(torch.nn.Identity()))

    def forward_one_chunk(self, microbatch, *args, **kwargs):
        self.log.append("%dF%d" % (self.stage_index, microbatch))
        return self.output

    def backward_one_chunk(self, microbatch, *args, **kwargs):
        self.log.append("%dB%d" % (self.stage_index, microbatch))

    def nothing(self, *args, **kwargs):
        return []

    scale_grads = perform_reduce_grad = release_fwd_send_outputs = release_bwd_send_grads = nothing
    _prepare_forward_infra = _prepare_backward_infra = clear_runtime_states = nothing
    get_fwd_recv_ops = get_fwd_send_ops = get_bwd_recv_ops = get_bwd_send_ops = nothing


def loss(output, *ignored, **more):
    return output


def executed(schedule_class, case):
    """What a schedule of one stage per rank really calls."""
    ranks, count = [], case["microbatches"]
    for rank in range(case["pp"]):
        log = []
        stages = [Stage(rank + slot * case["pp"], rank, case["pp"], case["pp"] * case["virtual"], log) for slot in range(case["virtual"])]
        schedule = schedule_class(stages[0] if len(stages) == 1 else stages, count, loss_fn=loss)
        schedule._initialize_stage = loss  # communicators and buffers, which stand-ins lack
        schedule._step_microbatches([()] * count, [{}] * count, [None] * count)
        ranks.append(" ".join(log))
    return ranks


LETTERS = {"FORWARD": "F", "BACKWARD": "B", "FULL_BACKWARD": "B", "BACKWARD_INPUT": "I", "BACKWARD_WEIGHT": "W", "WEIGHT": "W"}


def word(action, split):
    """4F0: stage 4, forward, microbatch 0; up to 2.5 a B that leaves the weights over is called B, too."""
    parts = getattr(action, "sub_actions", None)
    if parts:
        return "+".join(word(part, split) for part in parts)
    letter = LETTERS[action.computation_type.name]
    return "%d%s%d" % (action.stage_index, "I" if split and action.computation_type.name == "BACKWARD" else letter, action.microbatch_index)


def table(schedule_class, case):
    """The table that a schedule of several stages per rank makes for all ranks, bubbles left out."""
    pp, virtual = case["pp"], case["virtual"]
    stages = [Stage(slot * pp, 0, pp, pp * virtual, [], case.get("compiled")) for slot in range(virtual)]
    schedule = schedule_class(stages, case["microbatches"], loss_fn=loss)
    split = not getattr(schedule, "use_full_backward", True)
    return [" ".join(word(a, split) for a in schedule.pipeline_order[rank] if a is not None) for rank in range(pp)]


def ask(case, version):
    schedule_class = class_of(case["name"])
    from torch.distributed.pipelining.schedules import PipelineScheduleSingle

    return {"ranks": (executed if issubclass(schedule_class, PipelineScheduleSingle) else table)(schedule_class, case)}


def compare_compiled(case, answer, version, parplan):
    """Compiled blocks are a matter of the rules: they must quote what is raised, and nothing where nothing is."""
    config = ["parplan: 1", "framework: {torch: %s}" % version, "world: %d" % case["pp"], "model: llama3-8b", "training: {compile: true}",
              "parallelism: {pp: %d, pipeline: {schedule: %s, virtual_stages: %d, microbatches: %d}}"
              % (case["pp"], case["name"], case["virtual"], case["microbatches"])]
    got = parplan.json("check", parplan.file("config.yaml", "\n".join(config) + "\n"))
    found = [f["quote"] for f in got["files"][0]["findings"] if f["rule"] == "pipeline-split-backward-compile"]
    raised = answer.get("error", {})
    want = "%s: %s" % (raised["type"], raised["message"]) if raised.get("type") == "RuntimeError" else None
    if case["pp"] > 1 and found != [want]:
        return "with compiled blocks it raises %s, parplan says %s" % (want, found)
    return None if want else compare_table(case, answer, version, parplan)


def compare(case, answer, version, parplan):
    return (compare_compiled if case.get("compiled") else compare_table)(case, answer, version, parplan)


def compare_table(case, answer, version, parplan):
    got = parplan.json("schedule", "--torch", version, "--name", case["name"], "--pp", case["pp"],
                       "--virtual", case["virtual"], "--microbatches", case["microbatches"])
    have, want = got.get("error"), answer.get("error")
    if have or want:
        why = None if have == want else "raises %s, parplan says %s" % (want, have)
        return why or (known_in_logs(want, parplan) if want["type"] == "ValueError" else None)
    mine = [" ".join(rank["actions"]) for rank in got["ranks"]]
    for rank, (want, have) in enumerate(zip(answer["ranks"], mine)):
        if want != have:
            return "rank %d computes %s, parplan says %s" % (rank, want, have)
    return None if len(mine) == len(answer["ranks"]) else "has %d ranks, parplan says %d" % (len(answer["ranks"]), len(mine))
