"""The statements that rules of parplan speak of (docs/rules.md, DeviceMesh), on small meshes: one of them each time."""
from of.torch import at_least
from of.torch.mesh import Program, ask, compare  # noqa: F401, the same questions


def program(*steps):
    """Axes and sizes of the first mesh, then (kind, words) of what is done with it."""
    made = Program()
    axes, sizes = zip(*steps[0])
    made.add(axes, "init", list(axes), list(sizes))
    for kind, *words in steps[1:]:
        getattr(made, kind)(*words)
    return made


THREE, CUBE = [("dp", 2), ("cp", 2), ("tp", 2)], [("a", 2), ("b", 2), ("c", 2), ("d", 2)]
CLAIMS = [  # first minor release that has the calls, then the program
    (4, THREE, ("slice", 0, ["dp", "cp"]), ("slice", 1, ["cp"])),  # submesh-of-submesh
    (4, THREE, ("slice", 0, ["dp", "cp"]), ("slice", 1, ["dp", "cp"])),  # ... but for its own names
    (4, THREE, ("slice", 0, ["dp", "cp"]), ("slice", 1, ["dp", "cp"], "list")),  # ... as a tuple, not as a list
    (5, THREE, ("slice", 0, ["dp", "cp"]), ("flatten", 1, "dp_cp"), ("slice", 2, ["dp"])),
    (4, THREE, ("slice", 0, ["tp", "dp"])),  # mesh-slice-order
    (5, THREE, ("slice", 0, ["dp", "cp"]), ("flatten", 1, "dp_cp"), ("slice", 0, ["cp", "dp_cp"])),
    (5, CUBE, ("slice", 0, ["a", "b", "c"]), ("flatten", 1, "abc"), ("slice", 0, ["abc", "d"])),  # flattened-slice-of-three
    (5, THREE, ("slice", 0, ["dp", "tp"]), ("flatten", 1, "dp_tp"), ("slice", 0, ["dp_tp"])),  # flattened-slice-gap
    (5, THREE, ("slice", 0, ["dp", "tp"]), ("flatten", 1, "dp_tp")),
    (5, CUBE, ("slice", 0, ["a", "c"]), ("flatten", 1, "ac"), ("slice", 0, ["ac", "d"])),
    (5, THREE, ("slice", 0, ["dp", "cp"]), ("flatten", 1, "tp"), ("slice", 0, ["tp"])),  # flatten-name-taken
    (5, THREE, ("slice", 0, ["dp", "cp"]), ("flatten", 1, "x1"), ("slice", 0, ["cp", "tp"]), ("flatten", 3, "x1")),
    (5, THREE, ("slice", 0, ["dp", "cp"]), ("flatten", 1, "p")),
    (5, THREE, ("slice", 0, ["dp", "cp"]), ("flatten", 1, "dp_cp"), ("slice", 0, ["dp_cp"])),  # flattened-slice-deprecated
    (5, [("dp", 1), ("cp", 1), ("tp", 8)], ("slice", 0, ["dp", "cp"]), ("flatten", 1, "dp_cp"), ("slice", 0, ["dp_cp", "tp"])),
    (10, THREE, ("slice", 0, ["dp"]), ("slice", 0, ["dp", "tp"]), ("concatenate", 1, 2)),  # overlapping-meshes
]


def cases(version):
    asked = [steps for since, *steps in CLAIMS if at_least(version, since)]
    return [{"world": 16 if steps[0] is CUBE else 8, "steps": program(*steps).steps} for steps in asked]
