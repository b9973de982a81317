"""Bytes of tensors that are alive while PyTorch runs a step on fake ones, which have sizes and no numbers.

On a machine without a GPU, fake tensors of the CPU stand for those of one. What CUDA does otherwise is put in its place:
attention, dropout and RMSNorm are one operator each, and autocast leaves the operators in fp32 that CUDA's leaves so.
"""
import contextlib, functools, math, warnings, weakref

import torch
import torch.nn.functional as F
from torch import library
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten
from torch.utils.weak import WeakIdKeyDictionary

composite = F.rms_norm  # what CUDA does, too, where input and weight differ in type

IN_FP32 = ("layer_norm", "softmax.int", "log_softmax.int", "rms_norm", "nll_loss", "pow.Tensor_Scalar", "rsqrt", "sum", "cumsum")
AUTOCAST = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU)
overrides = library.Library("aten", "IMPL", "AutocastCPU")


def flash(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """torch.nn.functional.scaled_dot_product_attention as CUDA has it for 16 bits."""
    if torch.is_autocast_enabled("cpu"):
        q, k, v = (x.to(torch.get_autocast_dtype("cpu")) for x in (q, k, v))
    if attn_mask is not None or q.shape[-1] != v.shape[-1]:  # FlashAttention takes no mask, and one size of heads
        mask = None if attn_mask is None else attn_mask.expand(*q.shape[:-1], k.shape[-2])
        return torch.ops.aten._scaled_dot_product_efficient_attention(q, k, v, mask, True, dropout_p, is_causal, scale=scale)[0]
    return torch.ops.aten._scaled_dot_product_flash_attention(q, k, v, dropout_p, is_causal, False, scale=scale)[0]


def dropout(x, p=0.5, training=True, inplace=False):
    """torch.nn.functional.dropout as CUDA has it: one kernel, which keeps a mask of a byte each."""
    return torch.ops.aten.native_dropout(x, p, True)[0] if training and p else x


class Norm(torch.autograd.Function):
    """torch.nn.functional.rms_norm as CUDA has it from PyTorch 2.9 on: one kernel, which keeps its input and a number of each row."""

    @staticmethod
    def forward(context, x, weight):
        context.save_for_backward(x, weight, x.new_empty(*x.shape[:-1], 1, dtype=torch.float32))
        return torch.empty_like(x)

    @staticmethod
    def backward(context, gradient):
        x, weight, _ = context.saved_tensors
        return torch.empty_like(x), torch.empty_like(weight)


def norm(x, normalized_shape, weight=None, eps=None):
    return Norm.apply(x, weight) if weight is not None and x.dtype == weight.dtype else composite(x, normalized_shape, weight, eps)


def in_fp32(name):
    packet, _, overload = name.partition(".")
    operator = getattr(getattr(torch.ops.aten, packet), overload or "default")

    def widened(*args, **kwargs):
        wide = lambda x: x.float() if isinstance(x, torch.Tensor) and x.dtype in (torch.bfloat16, torch.float16) else x
        with torch._C._ExcludeDispatchKeyGuard(AUTOCAST):
            return operator(*map(wide, args), **{key: wide(value) for key, value in kwargs.items()})

    overrides.impl(name, widened)


@functools.cache
def like_cuda():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in IN_FP32:
            in_fp32(name)
    F.scaled_dot_product_attention, F.dropout = flash, dropout
    F.rms_norm = norm


class Alive(TorchDispatchMode):
    """Counts storages from the operator that makes them until the last tensor on them is gone, in blocks of 512 bytes."""

    def __init__(self):
        super().__init__()
        self.seen, self.watched, self.now, self.peak = WeakIdKeyDictionary(), {}, 0, 0

    def take(self, tensor):
        storage = tensor.untyped_storage()
        if tensor.device.type == "meta" or storage in self.seen:
            return
        size = math.ceil(storage.nbytes() / 512) * 512
        self.seen[storage] = size

        def gone(ref):
            self.now -= size
            del self.watched[ref]

        self.watched[weakref.ref(storage, gone)] = size
        self.now += size
        self.peak = max(self.peak, self.now)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        for tensor in tree_flatten(out)[0]:
            if isinstance(tensor, torch.Tensor):
                self.take(tensor)
        return out


@contextlib.contextmanager
def alive():
    like_cuda()
    with FakeTensorMode(allow_non_fake_inputs=True), Alive() as counter:
        yield counter
