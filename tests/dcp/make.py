"""Makes the test checkpoints' metadata without PyTorch: python3 tests/dcp/make.py FOLDER [--large CHUNKS].

Classes of the same names, in modules of the same names and with the same __reduce__ and __getstate__ as PyTorch's
stand in for them, so that Python's own pickler writes the bytes. What each version writes was read in its
torch/distributed/checkpoint/metadata.py and filesystem.py and torch/csrc/Size.cpp. tests/oracle/of/torch/dcp.py makes the
same with a real PyTorch."""
import copyreg, enum, os, pathlib, pickle, sys, types
from dataclasses import dataclass, field
from typing import Any, Optional

METADATA = "torch.distributed.checkpoint.metadata"
FILESYSTEM = "torch.distributed.checkpoint.filesystem"
SHARDED = "torch.distributed._shard.sharded_tensor.metadata"


def module(name):
    made = sys.modules.setdefault(name, types.ModuleType(name))
    if "." in name:
        parent, last = name.rsplit(".", 1)
        setattr(module(parent), last, made)
    return made


def put(where, thing, name=None):
    """Makes `thing` importable as where.name."""
    name = name or thing.__name__
    if isinstance(thing, type) or callable(thing):
        thing.__module__, thing.__qualname__ = where, name
        thing.__name__ = name
    setattr(module(where), name, thing)
    return thing


class Size(tuple):
    def __reduce__(self):
        return Size, (tuple(self),)


class dtype:
    def __init__(self, name):
        self.name = name

    def __reduce__(self):
        return self.name


class layout:
    def __str__(self):
        return "torch.strided"


def _get_layout(name):
    return strided


put("torch", Size)
put("torch", dtype)
put("torch", layout)
put("torch.serialization", _get_layout)
for name in ("float32", "bfloat16", "int64", "float8_e4m3fn", "float9_new"):
    put("torch", dtype(name), name)
strided = put("torch", layout(), "strided")
copyreg.pickle(layout, lambda obj: (_get_layout, (str(obj),)))


@dataclass
class ChunkStorageMetadata:
    offsets: Size
    sizes: Size


@dataclass
class TensorStorageMetadata:
    properties: Any
    size: Size
    chunks: list


@dataclass
class BytesStorageMetadata:
    pass


@dataclass(frozen=True)
class MetadataIndex:
    fqn: str
    offset: Optional[Size] = None
    index: Optional[int] = field(hash=False, compare=False, default=None)

    def __init__(self, fqn, offset=None, index=None):
        object.__setattr__(self, "fqn", fqn)
        object.__setattr__(self, "index", index)
        if offset is not None:
            object.__setattr__(self, "offset", Size(offset))


for made in (ChunkStorageMetadata, TensorStorageMetadata, BytesStorageMetadata, MetadataIndex):
    put(METADATA, made)


def properties_class(where, encoding_name, by_value):
    """TensorProperties and its enum, whose members Python pickles by value or, in some releases, by getattr."""
    encoding = enum.Enum(encoding_name, {"TORCH_CONTIGUOUS_FORMAT": 0, "TORCH_CHANNELS_LAST": 1, "TORCH_PRESERVE_FORMAT": 2})
    encoding = put(where, encoding, encoding_name)
    if by_value:
        encoding.__reduce_ex__ = lambda self, protocol: (self.__class__, (self._value_,))
    else:
        encoding.__reduce_ex__ = lambda self, protocol: (getattr, (self.__class__, self._name_))

    class TensorProperties:
        def __init__(self, kind):
            self.dtype = getattr(sys.modules["torch"], kind)

        def __getstate__(self):
            return (self.dtype, strided, False, encoding.TORCH_CONTIGUOUS_FORMAT, False)

        def __setstate__(self, state):
            pass

    return put(where, TensorProperties)


def storage_class(descriptors):
    """_StorageInfo; with `descriptors` as from 2.7 on, where what is None is left out."""

    @dataclass
    class _StorageInfo:
        relative_path: str
        offset: int
        length: int

    if descriptors:
        _StorageInfo.__getstate__ = lambda self: {k: v for k, v in self.__dict__.items() if v is not None}
    return put(FILESYSTEM, _StorageInfo)


class Free:
    """An object with exactly these attributes."""

    def __init__(self, **state):
        self.__dict__.update(state)


def metadata_class():
    return put(METADATA, type("Metadata", (Free,), {}))


def meta_class():
    return put(METADATA, type("StorageMeta", (Free,), {}))


class Checkpoint:
    """A checkpoint under construction: entries as ranks write them, one file per rank."""

    def __init__(self, properties, storage, ranks):
        self.properties, self.storage, self.ranks = properties, storage, ranks
        self.entries, self.places, self.paths = {}, {}, {}
        self.at = [0] * ranks
        self.files = ["__%d_0.distcp" % rank for rank in range(ranks)]

    def place(self, index, rank, length):
        self.places[index] = self.storage(self.files[rank], self.at[rank], length)
        self.at[rank] += length

    def tensor(self, fqn, shape, kind="float32", bytes_each=4, ways=None):
        """Cut along dim 0 as torch.chunk does; without `ways` rank 0 writes it whole."""
        chunks, ways = [], ways or 1
        step = -(-shape[0] // ways) if shape else 0
        seen = set()
        for rank in range(ways):
            start = min(rank * step, shape[0]) if shape else 0
            rows = min(step, shape[0] - start) if shape else 0
            offset = Size([start] + [0] * (len(shape) - 1)) if shape else Size()
            sizes = Size([rows] + list(shape[1:])) if shape else Size()
            if offset in seen:  # what several ranks would write alike, one of them does
                continue
            seen.add(offset)
            volume = bytes_each
            for size in sizes:
                volume *= size
            # As strings gathered from another rank are: equal and not the same.
            self.place(MetadataIndex("".join(list(fqn)), offset, len(chunks)), rank % self.ranks, volume + 1024)
            chunks.append(ChunkStorageMetadata(offset, sizes))
        self.entries[fqn] = TensorStorageMetadata(self.properties(kind), Size(shape), chunks)

    def blob(self, fqn, length, rank=0):
        self.entries[fqn] = BytesStorageMetadata()
        self.place(MetadataIndex(fqn), rank, length)


def example(properties, storage):
    """What a small FSDP job over four ranks saves."""
    c = Checkpoint(properties, storage, 4)
    c.tensor("model.tok_embeddings.weight", [16, 8], "bfloat16", 2, 4)
    c.tensor("model.norm.weight", [10], ways=4)  # 3 3 3 1
    c.tensor("model.bias", [2], ways=4)  # 1 1 0
    c.tensor("optimizer.state.model.norm.weight.step", [])
    c.tensor("model.experts.w1", [4, 6, 8], "float9_new", 2, 4)
    c.blob("train_state", 700)
    c.blob("dataloader.dp_rank_1", 1300, 1)
    c.paths = {fqn: tuple(fqn.split(".", 1)) for fqn in c.entries}
    c.paths["optimizer.param_groups.0.lr"] = ("optimizer", "param_groups", 0, "lr")
    return c


def write(path, protocol, **state):
    with open(path, "wb") as file:
        pickle.dump(metadata_class()(**state), file, protocol=protocol)


def versions(folder):
    """One file per way in which PyTorch has written it, in a protocol each."""
    c = example(properties_class(SHARDED, "MEM_FORMAT_ENCODING", True), storage_class(False))
    write(folder + "/torch-2.2.metadata", 2, state_dict_metadata=c.entries, planner_data=c.paths, storage_data=c.places)
    c = example(properties_class(METADATA, "_MEM_FORMAT_ENCODING", False), storage_class(False))
    meta = meta_class()(checkpoint_id="s3://bucket/step-100", save_id="f3a1", load_id=None)
    write(folder + "/torch-2.4.metadata", 3, state_dict_metadata=c.entries, planner_data=c.paths, storage_data=c.places, storage_meta=meta)
    c = example(properties_class(METADATA, "_MEM_FORMAT_ENCODING", False), storage_class(True))
    meta = meta_class()(checkpoint_id=pathlib.PurePosixPath("/outputs/step-100"), save_id="f3a1", load_id=None, modules=[])
    write(folder + "/torch-2.8.metadata", 4, state_dict_metadata=c.entries, planner_data=c.paths, storage_data=c.places, storage_meta=meta)
    c = example(properties_class(METADATA, "_MEM_FORMAT_ENCODING", True), storage_class(True))
    write(folder + "/torch-2.11.metadata", 5, state_dict_metadata=c.entries, planner_data=None, storage_data=c.places, storage_meta=meta, version="1.0.0")


def wrong(folder):
    """Metadata that no reader should believe."""
    properties, storage = properties_class(METADATA, "_MEM_FORMAT_ENCODING", True), storage_class(True)

    def case(name, change):
        c = Checkpoint(properties, storage, 2)
        c.tensor("w", [8, 4], ways=2)
        c.blob("b", 9)
        state = {"state_dict_metadata": c.entries, "planner_data": None, "storage_data": c.places, "storage_meta": None}
        change(c, state)
        write("%s/%s.metadata" % (folder, name), 4, **state)

    first, second = MetadataIndex("w", [0, 0], 0), MetadataIndex("w", [4, 0], 1)
    case("five-dims", lambda c, s: c.tensor("conv", [2, 3, 4, 5, 6]))
    case("chunk-unstored", lambda c, s: c.places.pop(second))
    case("blob-unstored", lambda c, s: c.places.pop(MetadataIndex("b")))
    case("stored-unlisted", lambda c, s: c.entries.pop("w"))
    case("stored-elsewhere", lambda c, s: c.places.update({MetadataIndex("w", [5, 0], 1): c.places[second]}))
    case("chunk-outside", lambda c, s: c.entries["w"].chunks.append(ChunkStorageMetadata(Size([6, 0]), Size([4, 4]))))
    case("negative-size", lambda c, s: setattr(c.entries["w"], "size", Size([-8, 4])))
    case("no-dtype", lambda c, s: setattr(c.entries["w"], "properties", None))
    case("no-place", lambda c, s: setattr(c.places[first], "offset", "0"))
    case("not-an-index", lambda c, s: c.places.update({"w": c.places[first]}))
    case("neither", lambda c, s: c.entries.update({"x": 5}))
    case("no-storage", lambda c, s: s.update(storage_data=None))
    case("hint-wrong", lambda c, s: [object.__setattr__(i, "index", 7) for i in c.places])
    with open(folder + "/torch-save.metadata", "wb") as file:
        file.write(b"PK\x03\x04\x00\x00\x08\x08")
    with open(folder + "/state-dict.metadata", "wb") as file:
        pickle.dump({"weight": [1.5, 2.5]}, file, protocol=4)


def titan(folder):
    """What TorchTitan v0.2.0 saves of a small Llama on FSDP over four ranks: the model under its own names."""
    c = Checkpoint(properties_class(METADATA, "_MEM_FORMAT_ENCODING", True), storage_class(True), 4)
    layer = "layers.0."
    model = {"tok_embeddings.weight": [257, 64], layer + "attention.wq.weight": [64, 64], layer + "attention.wk.weight": [32, 64],
             layer + "attention.wv.weight": [32, 64], layer + "attention.wo.weight": [64, 64], layer + "feed_forward.w1.weight": [128, 64],
             layer + "feed_forward.w2.weight": [64, 128], layer + "feed_forward.w3.weight": [128, 64], layer + "attention_norm.weight": [64],
             layer + "ffn_norm.weight": [64], "norm.weight": [64], "output.weight": [257, 64]}
    c.tensor("train_state.step", [], "int64", 8)
    for fqn, shape in model.items():
        c.tensor("optimizer.state.%s.step" % fqn, [])
        c.tensor("optimizer.state.%s.exp_avg" % fqn, shape, ways=4)
        c.tensor("optimizer.state.%s.exp_avg_sq" % fqn, shape, ways=4)
    for number, fqn in enumerate(model):
        c.blob("optimizer.param_groups.%s.lr" % fqn, 430, number % 4)
        c.blob("optimizer.param_groups.%s.betas" % fqn, 450, (number + 1) % 4)
    for rank in range(4):
        c.blob("dataloader.dp_rank_%d" % rank, 1200, rank)
    c.blob("dataloader.world_size", 430, 1)
    for key in ("base_lrs", "last_epoch", "_step_count", "_last_lr"):
        c.blob("lr_scheduler." + key, 440, 2)
    for fqn, shape in model.items():
        c.tensor(fqn, shape, ways=4)
    c.paths = {fqn: tuple(fqn.split(".", 1)) for fqn in c.entries}
    meta = meta_class()(checkpoint_id="/outputs/step-1000", save_id="f3a1", load_id=None, modules=[])
    write(folder + "/titan-fsdp4.metadata", 4, state_dict_metadata=c.entries, planner_data=c.paths, storage_data=c.places, storage_meta=meta)


def grid(folder):
    """FSDP over two and tensor parallelism over two ranks: columns are cut where a layer's input is."""
    c = Checkpoint(properties_class(METADATA, "_MEM_FORMAT_ENCODING", True), storage_class(True), 4)
    c.tensor("layers.0.attention.wq.weight", [16, 8], ways=4)
    c.tensor("norm.weight", [8], ways=2)
    c.tensor("layers.0.attention.wo.weight", [8, 16])
    chunks = c.entries["layers.0.attention.wo.weight"].chunks
    c.places.pop(MetadataIndex("layers.0.attention.wo.weight", Size([0, 0]), 0))
    chunks.clear()
    for rank in range(4):
        offset = Size([4 * (rank // 2), 8 * (rank % 2)])
        c.place(MetadataIndex("layers.0.attention.wo.weight", offset, rank), rank, 4 * 8 * 4 + 1024)
        chunks.append(ChunkStorageMetadata(offset, Size([4, 8])))
    write(folder + "/fsdp2-tp2.metadata", 4, state_dict_metadata=c.entries, planner_data=None, storage_data=c.places, storage_meta=None)


def large(folder, chunks):
    """A model cut 1,024 ways, to time the reader with."""
    c = Checkpoint(properties_class(METADATA, "_MEM_FORMAT_ENCODING", False), storage_class(True), 1024)
    for layer in range(chunks // 1024):
        c.tensor("model.layers.%d.attention.wq.weight" % layer, [8192, 8192], "float32", 4, 1024)
    write(folder + "/large.metadata", 4, state_dict_metadata=c.entries, planner_data=None, storage_data=c.places, storage_meta=None)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    if len(sys.argv) > 3 and sys.argv[2] == "--large":
        large(folder, int(sys.argv[3]))
    else:
        versions(folder)
        wrong(folder)
        titan(folder)
        grid(folder)


main()
